# SPDX-License-Identifier: GPL-2.0-only
# The guest of jit with nothing of ours in it: its container, its processes and the
# functions of its programs by its memory alone.  Code that processes made themselves
# has no name there.
. "${BASH_SOURCE%/*}/agentless.sh"
. "${BASH_SOURCE%/*}/jit.sh"
LIMIT=400
ALL=longer
AMD=longer

host()
{
	guests_only one
	module
	guest_start one $fast
	guest_wait one || return
	GUEST_MEMORY=yes vmmprof record -e cycles -c 100000 --transport none \
		-o session -- bash -c '. /lab/host/lib.sh
			. /lab/scenarios/jit.sh
			sleep 8; jits_start; sleep 22' > said 2>&1
	check "one command records the host and its guest" equal $? 0
	cat said
	bundles_afterwards one
	check "the kernel has nothing to say" kernel_calm
	result session
}

after()
{
	debug_data
	"$VMMPROF" script -i session > memory.txt
	"$VMMPROF" script -i session --guest-bundle one=one.bundle > bundle.txt
	check "code that was made has no function, all else has" \
		"$BED/agentless.py" made memory.txt 99 jit jitted
	check "where a bundle knows a process or a function, it is the same" \
		"$BED/agentless.py" same memory.txt bundle.txt 30
	container_told
}
