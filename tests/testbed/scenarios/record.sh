# SPDX-License-Identifier: GPL-2.0-only
# vmmprof record with a PMU and guests: events the PMU has and has not, several
# at once, no counter left, VMs found by name, one that comes and goes, one
# that is killed.
CPUS=1
LIMIT=300
AMD=longer
# What this PMU has no name for; the event without -e; one event more than it
# has counters.
lacks=cache-misses default=ref-cycles
many=r3c,r1003c,r2003c,r3003c,r4003c,r5003c
if [ "$HOST_CPU" = amd ]; then
	lacks=ref-cycles default=cycles many=$many,r6003c
fi

# field NAME FILE: the number before that word in what record said
field() { sed -nE "s/.* ([0-9]+) $1.*/\1/p" "$2" | head -n 1; }

# said_sampling FILE: wait for record to begin
said_sampling()
{
	local i
	for i in $(seq 300); do
		! grep -q sampling "$1" || return 0
		sleep 0.2
	done
	return 1
}

host()
{
	guests_only one
	module
	guest_start one $fast
	guest_wait one || return
	guest_sh one 'spin > /dev/null 2>&1 &'
	guest_nice one 19

	vmmprof record -e $lacks -d 1 -o none 2> misses.said
	check "an event that the PMU lacks: status 1" test $? = 1
	check "it is named" grep "event '$lacks' on CPU 0" misses.said
	vmmprof record -d 2 -o first 2> first.said
	check "record ends with status 0" test $? = 0
	check "the default is $default" \
		grep "trigger: $default, hardware" first.said
	[ "$HOST_CPU" != amd ] || check "and why" \
		grep "does not count ref-cycles" first.said
	check "it says what it did" cat first.said
	check "a guest that is not read and has no helper has no names, and why" \
		grep "guest one: no names: .*QEMU's guest agent" first.said
	check "it says what to do" grep -e "--guest-bundle" first.said
	check "no sample is lost" grep ", 0 lost, on 1 CPU" first.said
	check "the VM is in the session, by name and thread" \
		sh -c "vmmprof guests -i first | grep -E '^one +[0-9]+ +0 +[0-9]+ +CPU 0/KVM'"

	vmmprof record -e cycles,instructions,r3c -c 1000000 -d 1 -o three \
		2> three.said
	check "three events at once" test $? = 0
	check "each gives samples" grep "cycles+instructions+r3c" three.said
	vmmprof record -q -e cycles:G,cycles:H,cycles:Gu -c 100000 -d 1 \
		-o modes 2> modes.said
	check "events of guests, of the host, of guests' user mode" test $? = 0
	vmmprof script modes -F event,mode | sort | uniq -c > modes.seen
	# What of the host overflows on the way into the guest, or in the NMI
	# handler of another event, is sampled there: it is the host's.
	check "each counts there alone, or nearly" awk '
		/event=-/ { next }
		/:G / { all[1] += $1; good[1] += /guest-/ * $1 }
		/:H / { all[2] += $1; good[2] += /host-/ * $1 }
		/:Gu / { all[3] += $1; good[3] += /guest-user/ * $1 }
		END { for (i = 1; i <= 3; i++)
			if (all[i] < 10 ||
			    good[i] < (i == 2 ? 1 : 0.8) * all[i])
				exit 1 }' modes.seen
	vmmprof script modes -F event,flags,unresolved > modes.raw
	check "some of those are" grep -E \
		"event=cycles:H flags=[A-Z]*G[A-Z]* unresolved=near-guest" modes.raw
	check "as here" cat modes.seen
	vmmprof record -e $many -d 1 -o none 2> many.said
	check "more than there are counters: status 1" test $? = 1
	check "the event without a counter is named" \
		grep "CPU 0 did not count 'r" many.said
	check "and no session is left" test ! -e none

	# A bundle already at record
	guest_watch one
	sleep 1
	vmmprof record -o with --guest-bundle one=one.bundle \
		--guest-bundle none=x --guest-bundle 1=one.bundle 2> with.said &
	recorder=$!
	said_sampling with.said
	sleep 3
	guest_bundle one
	kill -INT $recorder
	wait $recorder
	check "a bundle that comes meanwhile is kept" \
		test -s with/guests/one.bundle
	check "a VM that is none is told" grep "there was no VM 'none'" with.said

	# A VM that comes and goes, while recording
	vmmprof record -o coming 2> coming.said & recorder=$!
	check "it says when it samples" said_sampling coming.said
	guest_start two $fast
	sleep 12
	kill -9 "$(cat /run/guest/two/qemu)"
	sleep 1
	kill -INT $recorder
	wait $recorder
	check "a VM killed while sampled: status 0" test $? = 0
	check "it has its name" sh -c "vmmprof guests -i coming | grep ^two"
	vmmprof guests --json -i coming
	cat coming.said
	result first three coming with ./*.said
	check "the module can be removed" rmmod vmmprof
	check "the kernel had nothing to say" fails \
		sh -c "dmesg | grep -E 'WARN|BUG|Oops|Call Trace'"
}

after()
{
	check "the session can be read elsewhere" \
		grep -q "CPU 0/KVM" <("$VMMPROF" guests -i first)
	"$VMMPROF" report -i with --stdio --guest one > with.txt
	check "with its bundle the guest's functions are named" \
		grep heavy80 with.txt
}
