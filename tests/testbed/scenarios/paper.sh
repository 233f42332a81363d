# SPDX-License-Identifier: GPL-2.0-only
# The evaluation of the method's paper on one pCPU, table by table: tables 3 to
# 9 (native, guest level, host level) and 12 to 15 (three VMs; halt).  The
# paper's numbers beside ours: build/testbed/paper/report.md.
CPUS=1
LIMIT=600
ALL=longer
AMD=longer

both='timeout 6 shor 33 & timeout 6 shor 33; wait'

# taken NAME [OPTIONS] [-- COMMAND]: one recording, 1 ms a sample
taken()
{
	local name=$1
	shift
	case $* in
	*cpu-clock*) set -- -c 1000000 "$@" ;;
	*) set -- -e cycles -c 100000 "$@" ;;
	esac
	check "$name is recorded" vmmprof record -q --transport none \
		-o "$name" "$@"
	result "$name"
}

# native: table 3, by perf on the host
native()
{
	perf record -q -B -N -e cycles -c 100000 -o table3.data -- \
		timeout 8 shor 33 > /dev/null
	perf report -i table3.data --stdio -q -n --sort symbol 2>/dev/null |
		grep -v '^$' > table3.txt
	result table3.txt
}

host()
{
	guests_only
	module
	native
	taken table6 -- sh -c "($both) > /dev/null"

	guest_start guestOS1 $fast
	guest_wait guestOS1 || return
	check "guestOS1 is watched" guest_watch guestOS1
	guest_sh guestOS1 'shor 33 > /dev/null &'
	taken table4 -d 8
	guest_sh guestOS1 'killall shor'
	taken table7 -- guest-sh guestOS1 "($both) > /dev/null 2>&1"
	# Ended by the guest's init itself: next to no work of the host.
	guest=/run/guest/guestOS1
	echo 'killall shor' > $guest/share/end.sh
	for one in table14 table14-clock; do
		guest_sh guestOS1 'shor 33 > /dev/null &'
		set -- -- sh -c \
			"sleep 5; echo end > $guest/control.in; exec sleep 10"
		[ $one = table14 ] || set -- -e cpu-clock "$@"
		taken $one "$@"
	done

	guest_start guestOS2 $fast
	guest_start guestOS3 $fast
	guest_wait guestOS2 && guest_wait guestOS3 || return
	for guest in guestOS1 guestOS2 guestOS3; do
		guest_sh $guest 'shor 33 > /dev/null &'
	done
	taken table12 -d 8
	guest_sh guestOS1 'killall shor'
	check "guestOS1's bundle arrives" guest_bundle guestOS1
	result guestOS1.bundle

	guests_only
	guest_start smp $fast -smp 2
	guest_wait smp || return
	check "smp is watched" guest_watch smp
	guest_sh smp 'taskset 1 shor 33 > /dev/null &
		taskset 2 shor 33 > /dev/null &'
	taken table8 -d 6
	guest_sh smp 'killall shor'
	check "smp's bundle arrives" guest_bundle smp
	result smp.bundle
}

after()
{
	paper="$BED/paper.py"

	"$paper" read table6 table4:guestOS1 table7:guestOS1 table8:smp \
		table12:guestOS1 table14:guestOS1 table14-clock:guestOS1
	for one in table4 table7 table8 table12 table14 table14-clock; do
		check "$one: states sum to the time" "$paper" sum $one
		check "$one: steal and run time agree with schedstat" \
			"$paper" schedstat $one
	done
	check "tables 3, 4: functions as under perf on the host" \
		"$paper" native table4 guestOS1 table3.txt
	check "tables 4, 5: the rest of the host is the guest's steal" \
		"$paper" rest table4 guestOS1
	check "... by switch records" "$paper" off table4 guestOS1
	check "table 6: two equal processes natively" \
		"$paper" equal table6 host shor
	check "table 7: two equal processes in a guest" \
		"$paper" equal table7 guestOS1 shor
	check "tables 8, 9: each vCPU loses half to the other one" \
		"$paper" halves table8 smp
	check "... by switch records" "$paper" halved table8 smp
	check "tables 12, 13: steal is everyone else's host share" \
		"$paper" rest table12 guestOS1
	check "... by switch records" "$paper" off table12 guestOS1
	check "tables 14, 15: halt is the host's idle time (sampled while idle)" \
		"$paper" idle table14-clock guestOS1
	check "... by switch records, the host really halts" \
		"$paper" halt table14 guestOS1
	check "the report is written" "$paper" report .. "$SCENARIO"
}
