# SPDX-License-Identifier: GPL-2.0-only
# The paper's tables 10 and 11: two vCPUs on two pCPUs, each pinned to one;
# and the same two moving from one to the other.
. "${BASH_SOURCE%/*}/paper.sh"
CPUS=2
LIMIT=600
ALL=longer
AMD=longer

# threads: the TIDs of guest smp's vCPUs 0 and 1
threads()
{
	local n
	for n in 0 1; do
		grep -l "^CPU $n/KVM" "/proc/$(cat /run/guest/smp/qemu)"/task/*/comm
	done | cut -d/ -f5
}

# move TID TID: each to the other CPU and back for ever, 0.1 s of 0.5 both on
# one (203 is sched_setaffinity; no fork, whose work the emulated PMU misses)
move()
{
	exec perl -e '
		for (my $i = 1;; $i ^= 1) {
			for my $k (0, 1) {
				select undef, undef, undef, $k ? 0.1 : 0.4;
				syscall 203, $ARGV[$k] + 0, 8,
					pack("Q", 1 << ($k ^ $i));
			}
		}' "$@"
}

host()
{
	guests_only
	module
	guest_start smp $fast -smp 2
	guest_wait smp || return
	check "smp is watched" guest_watch smp
	guest_sh smp 'taskset 1 shor 33 > /dev/null &
		taskset 2 shor 33 > /dev/null &'
	set -- $(threads)
	taskset -pc 0 $1
	taskset -pc 1 $2
	taken table10 -d 8
	move $1 $2 &
	mover=$!
	taken moved -d 6
	kill $mover
	guest_sh smp 'killall shor'
	check "smp's bundle arrives" guest_bundle smp
	result smp.bundle
}

after()
{
	paper="$BED/paper.py"

	"$paper" read table10:smp moved:smp
	for one in table10 moved; do
		check "$one: states sum to the time" "$paper" sum $one
		check "$one: steal and run time agree with schedstat" \
			"$paper" schedstat $one
	done
	for cpu in 0 1; do
		check "tables 10, 11: vCPU $cpu's steal is the rest of its CPU" \
			"$paper" rest table10 smp $cpu $cpu
	done
	check "each vCPU ran on both CPUs, no record is missing" \
		"$paper" moved moved smp
	check "the report is written" "$paper" report .. "$SCENARIO"
}
