# SPDX-License-Identifier: GPL-2.0-only
# A fork storm in a guest with nothing in it: whose each sample was is read from the
# guest's memory.  The emulator's own reading of the guest's `current` at each NMI
# (pmu/truth.cc) has to agree, as in scenario storm.
CPUS=1
LIMIT=400
ALL=longer
AMD=longer

host()
{
	guests_only one
	module
	guest_start one $fast -cpu host,pmu=off,erms=off
	guest_wait one || return
	guest_sh one taskoffsets > offsets
	guest_sh one '(n=0; while :; do
			/bin/nop; /bin/nop exec; /bin/nop thread; (:)
			/bin/nop vfork; /bin/nop; /bin/nop vfork
		done) > /dev/null 2>&1 &'
	window -t "$(cat offsets)"
	export GUEST_MEMORY=yes
	check "the storm is recorded" vmmprof record -m 16M -e cycles \
		-c 59999 -d 18 -o session
	window -t ''
	vmmprof guests -i session
	check "the kernel has nothing to say" kernel_calm
	result session
}

after()
{
	"$VMMPROF" script -i session > memory.txt
	"$BED/storm.py" table truth.txt memory.txt > table.txt
	"$BED/agentless.py" table memory.txt >> table.txt
	check "read from memory: CPL 3: all right; CPL 0: 99.9 %; none wrong" \
		"$BED/storm.py" memory truth.txt memory.txt
	# A process of 4 ms has ended before its mappings could be read.
	check "functions: 99 % in the kernel; in user mode it is said why not" \
		"$BED/agentless.py" brief memory.txt 99 no-process busybox
}
