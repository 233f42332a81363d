# SPDX-License-Identifier: GPL-2.0-only
# Guest or host?  The emulator itself counts the NMIs that hit the guest and
# those that hit the host; the module's decisions have to agree.  A host
# process preempts the vCPU, whose VMCS stays loaded meanwhile, and timers come
# often, so that NMIs also hit the host while it handles what came out of the
# guest, and in the window after a VM exit.
CPUS=1
LIMIT=300
AMD=longer

host()
{
	guests_only one
	module
	guest_start one $fast
	guest_wait one || return
	guest_sh one 'spin > /dev/null &'
	spin > /dev/null & local rival=$!
	# interrupts that come out of the guest: 5,000 timers a second
	sh -c 'while :; do usleep 200; done' & local timers=$!
	sleep 2
	all="$(cat $guests/one/qemu) $rival $timers"
	nice_of 19 $all
	check "the host is recorded" vmmprof record -q -m 16M -e cycles \
		-c 3989 -o session -- \
		fair "$all" sh -c 'window hostmode 0 10 > window.txt'
	kill $rival $timers
	result session window.txt
}

after()
{
	"$VMMPROF" script -i session > script.txt
	"$VMMPROF" report -i session --json > report.json
	check "the emulator's count of hits in guest and host agrees" \
		"$BED/hostmode.py" emulator cost.txt window.txt script.txt
	# A VMCB is not loaded.
	[ $HOST_CPU = amd ] ||
		check "a loaded VMCS under a host process is never a guest" \
		"$BED/hostmode.py" preempted script.txt
	check "interrupts out of the guest being handled are host" \
		"$BED/hostmode.py" forwarded script.txt
	check "the account adds up, no contradiction of the raw ingredients" \
		"$BED/shares.py" account report.json
}
