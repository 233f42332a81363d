# SPDX-License-Identifier: GPL-2.0-only
# vmmprof top on a real kernel, by timer: intervals of lines, the busy process
# at the top, names that come later, nothing left behind.

# shown FILE WORD: wait until it has it
shown()
{
	local i
	for i in $(seq 120); do
		! grep -q "$2" "$1" || return 0
		sleep 0.5
	done
}

check "without the module: how to load it" fails vmmprof top -b -n 1
insmod /lab/vmmprof.ko

spin=$(command -v spin)
"$spin" > /dev/null & busy=$!
vmmprof top -b -n 3 -d 2 -m 4M > batch 2> batch.err
check "three intervals, status 0" test $? = 0
cat batch.err
head -n 40 batch
check "three titles" test "$(grep -c '^vmmprof top .* s, own .* of a CPU, 0 lost  .*, [0-9]* samples$' batch)" = 3
check "no interval without samples" test "$(grep -c ', 0 samples$' batch)" = 0
check "its own cost is some" fails grep -q 'own 0.0% of' batch
# one of two CPUs is busy all the time
check "the busy process in each interval" test \
	"$(grep -c "  $(basename "$spin")\$" batch)" -ge 3
check "no guest, no states" fails grep -q 'of steal' batch
# with frame pointers, up to what calls main()
deep > /dev/null 2>&1 & deep=$!
vmmprof top -b -n 2 -d 2 -m 4M -g > chains 2> chains.err
check "with chains: two intervals, status 0" test $? = 0
kill $deep
cat chains.err
sed -n 1,60p chains
check "with chains: the busy process" grep "  $(basename "$spin")\$" chains
check "a chain from its entry on" grep -A 2 -e --__libc_start_call_main chains
vmmprof top -b -n 2 -d 2 -m 4M -g --json > lines 2> lines.err
check "as JSON, status 0" test $? = 0
check "a line for each interval" test "$(grep -c '^{"schema": 1, "kind": "vmmprof-top".*"machines".*}$' lines)" = 2
check "with chains" grep -o '"chains": \[{"samples": [0-9]*, "frames": \[{"function": "[^"]*"' lines
cp chains lines /share/
check "nothing is left in memory" fails ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top*
check "the module is free again" rmmod vmmprof
insmod /lab/vmmprof.ko

# A process that starts later gets its name.
kill $busy
vmmprof top -b > later 2>&1 8< /lab/script & top=$!
shown later "s, own"
read -r reader _ < /proc/$top/task/$top/children
ls -l /proc/$reader/fd > reader.fd
cat reader.fd
check "its reader has the session" grep -q /vmmprof-top reader.fd
check "and nothing of the recorder's" fails grep -E '/dev/vmmprof|anon_inode|/lab/|/proc/' reader.fd
cp "$(command -v "$spin")" /tmp/newcomer
/tmp/newcomer > /dev/null & busy=$!
shown later newcomer
kill -INT $top
wait $top
check "a process that started meanwhile is named" grep -q newcomer later
kill $busy

# A second one, and the end by a signal
vmmprof top -b > signal 2>&1 & top=$!
shown signal "s, own"
vmmprof top -b -n 1 > second 2>&1
check "a second one is told of the first" grep -q "process $top (vmmprof)" second
kill -INT $top
wait $top
check "SIGINT ends it" test $? = 130
check "and leaves nothing" fails ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top*

# The reader is killed: the other one ends too, with an error.
vmmprof top -b > killed 2>&1 & top=$!
shown killed "s, own"
read -r reader _ < /proc/$top/task/$top/children
kill -9 "$reader"
wait $top
check "its reader killed: an error" test $? -ne 0
check "and nothing is left" fails ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top*
rmmod vmmprof
