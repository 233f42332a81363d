# SPDX-License-Identifier: GPL-2.0-only
# The guests of demo with nothing of ours in them, and no agent of QEMU's: the same
# thief, the same functions and chains by their memory alone.
. "${BASH_SOURCE%/*}/agentless.sh"
. "${BASH_SOURCE%/*}/demo.sh"
ALL=longer
AMD=longer
# The guests' kernels and their unwind tables are read first.
before=30
export GUEST_MEMORY=yes

agent_channel() { :; }
agent_start() { :; }

# The same guests with agents
other()
{
	echo ../${SCENARIO#agentless-}/session.json
}

after()
{
	debug_data
	views
	"$VMMPROF" script -i session > memory.txt
	check "99 % in kernel and 95 % in user mode have process and function" \
		"$BED/agentless.py" named memory.txt 99 95 busybox
}
