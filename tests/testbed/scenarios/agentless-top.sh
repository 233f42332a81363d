# SPDX-License-Identifier: GPL-2.0-only
# vmmprof top of guests with nothing in them: processes and functions by their
# memory.  A reading takes long in emulated time, so it is waited for.  The programs'
# files are in the guests' page caches, with their symbols.
. "${BASH_SOURCE%/*}/agentless.sh"
ALL=longer
AMD=longer

# known REGEX: wait until top has printed it
known()
{
	local until=$((SECONDS + 150))
	until grep -m 1 -e "$1" batch; do
		[ $SECONDS -lt $until ] || return 1
		sleep 1
	done
}

host()
{
	busy_guests || return
	GUEST_MEMORY=yes vmmprof top --batch -d 3 -e cycles -c 100000 \
		--transport none > batch 2> top.err & top=$!
	check "a program of one" known '  quantum_[^ ]*  *shor'
	check "a program of two" known '  sorter_[^ ]*  *sorter'
	check "the kernel of two" known '  entry_SYSCALL_64'
	check "it is said where names come from" \
		known '^two: maps of [0-9]* s ago, memory'
	kill -INT $top
	wait $top
	check "SIGINT ends it" test $? = 130
	cat top.err
	check "nothing is left in memory" \
		fails ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top*
	check "no process is left" fails pidof vmmprof
	check "the kernel has nothing to say" kernel_calm
	result batch
}

after()
{
	# The last interval.
	tac batch | sed '/^vmmprof top/q' | tac > table.txt
	check "no function of one in two" fails grep quantum_ \
		<(awk '/ functions of / { on = $NF == "two" } on' batch)
}
