# SPDX-License-Identifier: GPL-2.0-only
# Where a vCPU's time can go beside the paper's cases: to a host process, into
# exits, to a pause, to a quota; and a guest that idles without an exit.
. "${BASH_SOURCE%/*}/paper.sh"
CPUS=1
LIMIT=600
AMD=longer

# monitored NAME: start a guest with QEMU's monitor on a socket
monitored()
{
	guest_start $1 $fast \
		-monitor unix:/run/guest/$1/monitor,server=on,wait=off
}

# pause SECONDS NAME...: prints how long the guests were stopped; takes three
# times that
pause()
{
	perl -MIO::Socket::UNIX -e '
		my $s = shift;
		my @m = map { IO::Socket::UNIX->new(
			Peer => "/run/guest/$_/monitor") or die "$_: $!" } @ARGV;
		sub all { for my $m (@m) { syswrite $m, "$_[0]\n" } }
		sub up { open my $f, "<", "/proc/uptime"; (split " ", <$f>)[0] }
		sleep $s;
		all "stop"; my $from = up;
		sleep $s;
		all "cont"; print up() - $from, "\n";
		sleep $s;' "$@"
}

host()
{
	local group=/sys/fs/cgroup/quota

	guests_only
	module
	monitored busy
	monitored idle
	guest_start pm $fast -overcommit cpu-pm=on
	guest_wait busy && guest_wait idle && guest_wait pm || return
	guest_sh pm 'sleep 1'
	taken pm -d 5
	guest_stop pm

	guest_sh busy 'spin > /dev/null &'
	spin > /dev/null &
	thief=$!
	taken thief -d 6
	kill $thief

	export -f pause
	taken paused -- bash -c 'pause 3 busy idle > paused.txt'
	result paused.txt

	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup /sys/fs/cgroup
	echo +cpu > /sys/fs/cgroup/cgroup.subtree_control
	mkdir -p $group
	echo '30000 100000' > $group/cpu.max
	cat /run/guest/busy/qemu > $group/cgroup.procs
	taken quota -d 6
	check "the quota holds it back" \
		grep 'nr_throttled [1-9]' $group/cpu.stat
	cat /run/guest/busy/qemu > /sys/fs/cgroup/cgroup.procs
	rmdir $group

	guest_sh busy 'killall spin; exits cpuid > /dev/null &'
	taken cpuid -d 3
	guest_sh busy 'killall exits; exits io > /dev/null &'
	taken io -d 3
}

after()
{
	local times="$BED/times.py" cpuid

	"$BED/paper.py" read thief paused quota cpuid io pm
	for one in thief paused quota cpuid io pm; do
		"$VMMPROF" steal -i $one --json > $one.steal
		check "$one: states sum to the time" "$BED/paper.py" sum $one
		check "$one: steal and run time agree with schedstat" \
			"$BED/paper.py" schedstat $one
	done
	check "a host process takes half, and is named" \
		"$times" share thief.steal busy steal 50 4
	check "... as the thief" \
		"$times" thief thief.steal busy 'process spin' 93
	check "paused: blocked, for that time" \
		"$times" lasted paused.steal busy blocked paused.txt 0.3
	check "... also one that was idle" \
		"$times" lasted paused.steal idle blocked paused.txt 0.3
	check "a quota of 30 %: 70 % of steal" \
		"$times" share quota.steal busy steal 70 3
	check "... by nobody, the quota" \
		"$times" thief quota.steal busy 'quota' 95
	# What comes due between CLGI and VMRUN counts for the guest on AMD: a
	# quarter of so short an exit's handling.
	[ "$HOST_CPU" = amd ] && cpuid=65 || cpuid=90
	check "a loop of CPUID is exit handling" \
		"$times" reason cpuid.steal busy CPUID $cpuid
	check "... no steal" "$times" share cpuid.steal busy steal 0 3
	check "port I/O: in KVM and in QEMU" \
		"$times" share io.steal busy vmm 97 3
	check "... partly in user space" \
		"$times" share io.steal busy vmm_user 50 45
	check "... no steal" "$times" share io.steal busy steal 0 3
	check "cpu-pm: idle in the guest" \
		"$times" share pm.steal pm idle_in_guest 94 5
	check "... no steal" "$times" share pm.steal pm steal 0 5
	check "parts of the time sum to the whole, in every verb" \
		python3 "$TOP/tests/cases/t340_time.py" --recorded thief quota
	check "the report is written" "$BED/paper.py" report .. "$SCENARIO"
}
