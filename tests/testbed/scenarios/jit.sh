# SPDX-License-Identifier: GPL-2.0-only
# A guest with code that a process makes itself, at the same addresses over and
# over, told by jitdump; and a container (control group, PID and mount
# namespace, files that only it sees) with an ordinary program and a JIT that
# has a perf map.  The JITs' own log says what ran when (jitted.py).
CPUS=1
LIMIT=300
AMD=longer
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef

# jits_start: in the guest one, the container with its two programs, and a JIT outside
jits_start()
{
	cat > container <<-EOT
		mkdir -p /sys/fs/cgroup
		mount -t cgroup2 none /sys/fs/cgroup
		mkdir -p /sys/fs/cgroup/docker/$id
		echo \$\$ > /sys/fs/cgroup/docker/$id/cgroup.procs
		exec unshare -m -p -f sh -c '
			mount -t tmpfs box /tmp
			mkdir /tmp/app
			cp /bin/jit /tmp/app/jitted
			cp /bin/sorter /tmp/app/worker
			echo \$\$ > /share/pid
			/tmp/app/jitted -l /share/map.log 2 16 &
			/tmp/app/worker &
			wait'
	EOT
	guest_put one container
	guest_sh one 'cd /tmp; umask 077
		sh container > /share/container.out 2>&1 &
		jit -d -l /share/dump.log 56 0.5 > /share/jit.out 2>&1 &'
}

host()
{
	guests_only one
	module
	guest_start one $fast
	guest_wait one || return
	check "the guest is watched" guest_watch one
	jits_start
	check "it is recorded" vmmprof record -q -e cycles -c 100000 -d 14 \
		-o session --transport none
	check "the JITs end" guest_sh one \
		'while pidof jit jitted; do sleep 0.5; done > /dev/null' 60
	check "the container has processes and files of its own" equal \
		"$(cat $guests/one/share/pid) $(guest_sh one 'ls /tmp/app' 2>&1)" \
		"1 ls: /tmp/app: No such file or directory"
	check "the bundle arrives" guest_bundle one
	result session one.bundle $guests/one/share/*.log \
		$guests/one/share/*.out
}

# container_told [OPTIONS]: what report has of the container
container_told()
{
	"$VMMPROF" report -i session "$@" --json \
		--sort container,process,function,module > session.json
	check "the container's processes have its name, and they alone" \
		"$BED/jitted.py" container session.json docker:${id%"${id#????????????}"} \
		jitted worker
	check "its program has its functions" "$BED/jitted.py" functions \
		session.json worker 'sorter_.*|main' 99
	check "the account adds up" "$BED/shares.py" account session.json
}

after()
{
	bundle="--guest-bundle one=one.bundle"
	"$VMMPROF" script -i session $bundle > script.txt
	check "jitdump: 99 % are named, at most 0.2 % wrong" \
		"$BED/jitted.py" dump script.txt dump.log jit
	check "perf map: the same, but for 1.5 s at the change" \
		"$BED/jitted.py" map script.txt map.log jitted
	container_told $bundle
}
