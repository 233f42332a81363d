# SPDX-License-Identifier: GPL-2.0-only
# The module and the recorder on many CPUs, under one kernel (tests/testbed/tcg): of
# those that are possible not all are there, and of these not all are on.

check "the module loads" insmod /lab/vmmprof.ko
ioctl-test scale > scale.log 2>&1
check "the tests end" grep -q 'passed,' scale.log
grep '^#' scale.log >> "$RESULT/checks"
grep -E '^(not )?ok ' scale.log >> "$RESULT/checks"

# field NAME FILE: its number there
field() { sed -nE "s/^$1:?[[:space:]]+([0-9]+).*/\1/p" "$2"; }

# now PID TO: what it has called, written and used so far
now()
{
	cat "/proc/$1/io" "/proc/$1/status" > "$2"
	read -r ran _ < "/proc/$1/schedstat"
	echo "ran $ran" >> "$2"
}

# more NAME: between the two looks
more() { echo $(($(field "$1" after) - $(field "$1" before))); }

# All samples of the recorder are in its files, and it reads them at so many wake-ups.
cpus=$(nproc)
vmmprof record -c 20000000 -o /tmp/s --transport none --no-guest-memory 2> said &
recorder=$!
for i in {1..300}; do
	! grep -q 'sampling;' said || break
	sleep 0.1
done
sleep 1
now $recorder before
sleep 4
now $recorder after
kill -INT $recorder
wait $recorder
check "record ends with status 0" test $? = 0
cat said
wakes=$(more voluntary_ctxt_switches)
[ "$wakes" -gt 0 ] || wakes=1
echo "# record on $cpus CPUs, of one wake-up: $(($(more syscw) / wakes)) calls to write," \
	"$(($(more syscr) / wakes)) to read, $(($(more wchar) / wakes)) bytes;" \
	"$(($(more ran) / wakes / 1000)) us, emulated; of $wakes" >> "$RESULT/checks"
samples=$(sed -nE '/ lost, on /s/.* ([0-9]+) samples,? .*/\1/p' said)
check "record: all CPUs that are on" grep ", on $cpus CPUs" said
check "record: no more than a write for each CPU and two at a wake-up" \
	at_most $(($(more syscw) / wakes)) $((cpus + 2))
vmmprof report -v -i /tmp/s > report 2>&1
check "record: the report's account adds up" grep 'The account adds up' report
check "record: and has its samples" equal "$samples" \
	"$(sed -nE 's/^ *= samples taken +([0-9]+)$/\1/p' report)"
check "the module goes" rmmod vmmprof
check "the kernel had nothing to say" silent
