# SPDX-License-Identifier: GPL-2.0-only
# What paper compares by functions and processes, of guests with nothing of ours in
# them: tables 4, 7, 8 and 12.  Programs begin once the kernels have been read.
. "${BASH_SOURCE%/*}/agentless.sh"
. "${BASH_SOURCE%/*}/paper.sh"
# Of copies that are one instruction there are ticks, but few cycles: while guests'
# memory is read, vCPUs would wait for what has no samples.
CMDLINE='clearcpuid=erms,rep_good'
LIMIT=600
ALL=longer
AMD=longer

# worked NAME SECONDS COMMAND GUEST...: a recording that is idle so long, then
# all guests run COMMAND.  First they make system calls: a guest's memory is read
# once its kernel has been sampled, which an idle one may not be in that time.
worked()
{
	local name=$1
	shift
	taken $name -- bash -c '. /lab/host/lib.sh
		for guest in "${@:3}"; do
			guest_sh $guest "dd if=/dev/zero of=/dev/null bs=1 count=3000"
		done
		sleep $1
		for guest in "${@:3}"; do guest_sh $guest "$2" & done
		wait' worked "$@"
}

host()
{
	local alone='timeout 14 shor 33 > /dev/null'
	export GUEST_MEMORY=yes

	guests_only
	module
	native
	guest_start guestOS1 $fast
	guest_wait guestOS1 || return
	worked table4 10 "$alone" guestOS1
	worked table7 10 "$alone & $alone; wait" guestOS1
	guest_start guestOS2 $fast
	guest_start guestOS3 $fast
	guest_wait guestOS2 && guest_wait guestOS3 || return
	worked table12 15 "timeout 24 shor 33 > /dev/null" \
		guestOS1 guestOS2 guestOS3
	guests_only
	guest_start smp $fast -smp 2
	guest_wait smp || return
	worked table8 10 "taskset 1 $alone & taskset 2 $alone; wait" smp
	check "the kernel has nothing to say" kernel_calm
}

after()
{
	local name
	paper="$BED/paper.py"

	debug_data
	"$paper" read table4 table7 table8 table12
	for name in table4 table7 table8 table12; do
		check "$name: states sum to the time" "$paper" sum $name
		# Sampled steal of guests that begin and halt is no better than 7 %.
		[ $name = table12 ] ||
			check "$name: steal and run time agree with schedstat" \
				"$paper" schedstat $name
		"$VMMPROF" script -i $name > $name.txt
		check "$name: 99 % in kernel and 95 % in user mode have process and function" \
			"$BED/agentless.py" named $name.txt 99 95 busybox
	done
	check "tables 3, 4: functions as under perf on the host" \
		"$paper" native table4 guestOS1 table3.txt
	check "table 7: two equal processes in a guest" \
		"$paper" equal table7 guestOS1 shor
	check "table 8: two equal processes on two vCPUs" \
		"$paper" equal table8 smp shor
	for name in guestOS1 guestOS2 guestOS3; do
		check "table 12: $name's functions as under perf on the host" \
			"$paper" native table12 $name table3.txt
	done
}
