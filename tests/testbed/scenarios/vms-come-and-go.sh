# SPDX-License-Identifier: GPL-2.0-only
# VMs come and go while the host is recorded: one is there all the time, two is
# killed, three starts afterwards and gets the VPID of two.  Each one's samples
# are its own: shor, sorter, and firmware that spins at one address.
CPUS=1
LIMIT=300
AMD=longer
reset=65520	# 0xfff0, the RIP of a CPU after its reset

# firmware FILE: 64 KiB that jump to themselves at the reset vector
firmware()
{
	head -c $reset /dev/zero > "$1"
	printf '\353\376\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >> "$1"
}

host()
{
	guests_only one two
	module
	guest_start one $fast
	guest_start two $fast
	guest_wait one && guest_wait two || return
	# it must have become sorter when the snapshot is taken
	guest_sh two 'sorter > /dev/null & sleep 1'
	guest_sh two 'vmmprof-guest dump -o /tmp/two.bundle' > /dev/null
	check "the snapshot of two arrives" guest_get two /tmp/two.bundle
	check "guest one is watched" guest_watch one
	guest_sh one 'shor 33 > /dev/null &'
	firmware spin.rom
	vmmprof record -a -e cycles -c 100000 -o session \
		--transport none 2> said & recorder=$!
	until grep -q sampling said || ! kill -0 $recorder; do sleep 0.1; done
	sleep 5
	guest_stop two 2> /dev/null
	check "two is killed while it is sampled" fails guest_alive two
	guest_start three -bios spin.rom
	sleep 9
	check "three runs" guest_alive three
	kill -INT $recorder
	check "the recorder ends well" wait $recorder
	check "the session lists all three and their vCPUs" equal \
		"$(vmmprof guests -i session | awk '$3 == 0 { print $1 }' |
			sort | xargs)" "one three two"
	{ guest_stop three; sleep 0.2; } 2> /dev/null
	check "the bundle of one arrives" guest_bundle one
	check "the kernel has nothing to say" kernel_calm
	result session one.bundle two.bundle said
}

# of GUEST: the time, VPID and RIP of its samples
of()
{
	sed -nE "/^type=sample .* guest=$1 /s/^.* t=([^ ]*) .* vpid=([^ ]*) .* gip=([^ ]*).*/\1 \2 \3/p" \
		script.txt
}

# vpid GUEST: of its vCPU
vpid()
{
	sed -nE "/^type=vcpu .* guest=$1 /s/^.* vpid=([0-9]+).*/\1/p" \
		script.txt | sort -u
}

after()
{
	bundles="--guest-bundle one=one.bundle --guest-bundle two=two.bundle"
	"$VMMPROF" report -i session --json $bundles > session.json
	"$VMMPROF" script -i session $bundles > script.txt
	check "one's samples are shor's, none is sorter's" \
		"$BED/shares.py" only session.json one shor quantum_ sorter_
	check "the dead one's are still sorter's, none is shor's" \
		"$BED/shares.py" only session.json two sorter sorter_ quantum_
	of three > three.txt
	{ of one; of two; } > others.txt
	check "three's are at its only address" \
		at_least "$(grep -c ' 0xfff0$' three.txt)" 500
	check "... all of them" fails grep -v ' 0xfff0$' three.txt
	check "... and none of the others is" fails grep ' 0xfff0$' others.txt
	check "... of which there are enough" \
		at_least "$(wc -l < others.txt)" 2000
	# An ASID is given anew at each change of the CPU.
	[ $HOST_CPU = amd ] || check "three has the VPID that two had" \
		equal "$(vpid three)" "$(vpid two)"
	check "no sample of two after the first of three" at_least \
		"$(head -n 1 three.txt | cut -d' ' -f1)" \
		"$(tail -n 1 others.txt | cut -d' ' -f1)"
	check "the account adds up, nothing is lost" \
		"$BED/shares.py" account session.json
}
