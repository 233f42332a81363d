# SPDX-License-Identifier: GPL-2.0-only
# Where a vCPU's time can go beside the paper's cases: to a host process, into
# exits, to a pause, to a quota; and a guest that idles without an exit.
CPUS=1
LIMIT=600

# monitor NAME COMMAND: to QEMU's monitor
monitor()
{
	perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "$!";
		print $s "$ARGV[1]\n"; sleep 1' \
		"/run/guest/$1/monitor" "$2"
}

# taken NAME [SECONDS] [-- COMMAND]: one recording
taken()
{
	local name=$1
	shift
	check "$name is recorded" vmmprof record -q -e cycles -c 100000 \
		--transport none -o "$name" "$@"
	result "$name"
}

host()
{
	local group=/sys/fs/cgroup/quota

	guests_only
	module
	guest_start busy -monitor unix:/run/guest/busy/monitor,server=on,wait=off
	guest_start idle -monitor unix:/run/guest/idle/monitor,server=on,wait=off
	guest_wait busy && guest_wait idle || return
	guest_sh busy 'spin > /dev/null &'

	spin > /dev/null &
	thief=$!
	taken thief -d 10
	kill $thief

	(sleep 5; monitor busy stop; monitor idle stop
	 sleep 5; monitor busy cont; monitor idle cont) &
	taken paused -d 15
	wait $!

	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup /sys/fs/cgroup
	echo +cpu > /sys/fs/cgroup/cgroup.subtree_control
	mkdir -p $group
	echo '30000 100000' > $group/cpu.max
	cat /run/guest/busy/qemu > $group/cgroup.procs
	taken quota -d 10
	cat /run/guest/busy/qemu > /sys/fs/cgroup/cgroup.procs
	rmdir $group

	guest_sh busy 'killall spin; exits cpuid > /dev/null &'
	taken cpuid -d 5
	guest_sh busy 'killall exits; exits io > /dev/null &'
	taken io -d 5

	guests_only
	guest_start pm -overcommit cpu-pm=on
	guest_wait pm || return
	taken pm -d 10
}

after()
{
	for one in thief paused quota cpuid io pm; do
		"$VMMPROF" steal -i $one --json > $one.json
		check "$one: states sum to the time" "$BED/times.py" sum $one.json
		"$VMMPROF" steal -i $one >> table.txt
	done
	check "a host process takes half, and is named" \
		"$BED/times.py" share thief.json busy steal 50 4
	check "... as the culprit" \
		"$BED/times.py" culprit thief.json busy 'process spin' 95
	check "paused for a third of the time: blocked" \
		"$BED/times.py" share paused.json busy blocked 33.3 5
	check "... also one that was idle" \
		"$BED/times.py" share paused.json idle blocked 33.3 5
	check "a quota of 30 %: 70 % of steal" \
		"$BED/times.py" share quota.json busy steal 70 3
	check "... by nobody, the quota" \
		"$BED/times.py" culprit quota.json busy 'quota' 95
	check "a loop of CPUID is exit handling" \
		"$BED/times.py" reason cpuid.json busy CPUID 90
	check "... no steal" "$BED/times.py" share cpuid.json busy steal 0 2
	check "port I/O: in KVM and in QEMU" \
		"$BED/times.py" share io.json busy vmm 97 3
	check "... no steal" "$BED/times.py" share io.json busy steal 0 2
	check "cpu-pm: idle in the guest" \
		"$BED/times.py" share pm.json pm idle_in_guest 97 3
	check "... no steal" "$BED/times.py" share pm.json pm steal 0 2
}
