# SPDX-License-Identifier: GPL-2.0-only
# The evaluation of the method's paper on one pCPU, table by table: tables 3 to
# 9 (native, guest level, host level) and 12 to 15 (three VMs; halt).
CPUS=1
LIMIT=600

# native NAME COMMAND: under Debian's perf
native()
{
	perf record -q -B -N -e cycles -c 100000 -o "$1.data" -- sh -c "$2" \
		> /dev/null
	perf report -i "$1.data" --stdio -q -n --sort pid,symbol 2>/dev/null |
		grep -v '^$' > "$1.txt"
}

# Without decompression: up in a third of the time.
fast="-kernel /lab/guest/vmlinux"

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

host()
{
	guests_only
	module
	native table3 'timeout 10 shor 33'
	native table6 'timeout 10 shor 33 & timeout 10 shor 33; wait'
	result table3.txt table6.txt

	guest_start guestOS1
	guest_wait guestOS1 || return
	check "guestOS1 is watched" guest_watch guestOS1
	guest_sh guestOS1 'shor 33 > /dev/null &'
	taken table4 -d 15
	guest_sh guestOS1 'shor 33 > /dev/null &'
	taken table7 -d 15
	guest_sh guestOS1 'killall shor'
	taken table14 -- /lab/host/guest-sh guestOS1 \
		'timeout 5 shor 33 > /dev/null; sleep 10'

	guest_start guestOS2
	guest_start guestOS3
	guest_wait guestOS2 && guest_wait guestOS3 || return
	for guest in guestOS1 guestOS2 guestOS3; do
		guest_sh $guest 'shor 33 > /dev/null &'
	done
	taken table12 -d 30
	check "guestOS1's bundle arrives" guest_bundle guestOS1
	result guestOS1.bundle

	guests_only
	guest_start smp -smp 2
	guest_wait smp || return
	check "smp is watched" guest_watch smp
	guest_sh smp 'taskset 1 shor 33 > /dev/null &
		taskset 2 shor 33 > /dev/null &'
	taken table8 -d 20
	check "smp's bundle arrives" guest_bundle smp
	result smp.bundle
}
