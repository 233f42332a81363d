#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Call chains of a guest's processes and kernel, of VM exits and of the host;
# every end of a chain; and the sums: chains of rows are the rows' samples, and
# what functions have with their callees is what the tree of chains has.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chains.txt s
"$VMMPROF" report s -g caller | sed -n '/^Host and/,$p'
"$VMMPROF" report s -g callee --guest alpha | sed -n '/recurse/,/^ *14/p'
"$VMMPROF" report s -g folded --children --guest alpha | sed -n '/^Guest/,/^$/p'
"$VMMPROF" report s -v | sed -n '/^Account of call/,/^$/p'
"$VMMPROF" report s -g caller --sort comm --guest alpha --percent-limit 5 | sed -n '/^Guest/,/^$/p'

# a bundle without the kernel's unwind table: what is below is known
sed '/^  unwind rows=0xffff/d' "$TOP"/tests/data/chains.txt > no-table.txt
"$TOP"/tests/gen/mksession.py no-table.txt no-table
"$VMMPROF" report no-table -g caller --guest alpha | sed -n '/vfs_read  /,/^$/p'
"$VMMPROF" report no-table -v | grep 'broken: no unwind table'

echo "== a session without chains"
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt none
"$VMMPROF" report none -g caller 2>&1 || echo "exit status $?"
"$VMMPROF" report none -v | grep -c 'call chains' || :

# As perf takes it: the order may be left out, or follow as a word.
"$VMMPROF" report s -g caller > want
for args in '-g s' 's -g' '-gcaller s' '-g -i s' 's --call-graph' '--call-graph caller s'; do
	# shellcheck disable=SC2086
	"$VMMPROF" report $args | cmp - want
done
if "$VMMPROF" report s --call-graph=upwards; then exit 1; fi 2> err
grep -q "wants none, caller, callee or folded, not 'upwards'" err

for time in 0, 0.1,0.42 ,0.2; do
	python3 "$CASES"/t491_report_chains.py s --time $time
done
