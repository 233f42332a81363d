#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# diff of call chains: folded with two numbers, JSON and the page have the same,
# and each session's numbers are those of its own folded stacks.
export PYTHONDONTWRITEBYTECODE=1
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chains.txt a
# a chain has less, one more, one is gone, and one is of a process that was not there
sed 's/repeat=60 chains=1/repeat=20 chains=1/; s/repeat=9 chains=2/repeat=30 chains=2/
	s/gip=0x7f0000001110/gip=0x7f0000001010/; s/comm=bench/comm=other/' \
	"$TOP"/tests/data/chains.txt > b.txt
"$TOP"/tests/gen/mksession.py b.txt b
"$VMMPROF" diff a b -g
python3 "$CASES"/t496_diff_chains.py a b
python3 "$CASES"/t496_diff_chains.py a a --time ,0.3 --time 0.3,
for s in a b; do
	from=$s.txt
	[ -f $from ] || from=$TOP/tests/data/chains.txt
	sed 's/^  stop start/  switches on=1\n&/; s/^file cpu-1.rec/  out tsc=800000000 pid=500 tid=501 vcpu=0 flags=R opid=700 ocomm=bench\n  in tsc=900000000 pid=500 tid=501 opid=700 ocomm=bench\n&/' \
		"$from" > timed-$s.txt
	"$TOP"/tests/gen/mksession.py timed-$s.txt timed-$s
done
python3 "$CASES"/t496_diff_chains.py timed-a timed-b
python3 "$CASES"/t496_diff_chains.py timed-a timed-b --guest alpha
python3 "$CASES"/t496_diff_chains.py timed-a b 2> /dev/null
# of sessions without chains the page has functions
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt none
"$VMMPROF" diff none none --html page 2> /dev/null
grep -q '"chained":false' page
for wrong in 'a none -g' 'none a -g --json' 'a b -g -n 3' 'a b -g -s sym' 'a b -g --html x'; do
	# shellcheck disable=SC2086
	"$VMMPROF" diff $wrong 2>&1 > /dev/null | grep -v 'warning\|above' | head -n 1
done
