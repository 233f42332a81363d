#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# VMs, containers, processes and threads as levels of the tree of chains, and
# rows by a caller whose name matches; levels and chains sum to the table.
export PYTHONDONTWRITEBYTECODE=1
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chains.txt s
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt two
"$VMMPROF" report s --sort vm,container,comm,tid --hierarchy -g --percent-limit 5 | sed -n '/^Host and/,/^All checks/p'
"$VMMPROF" report two --sort comm,tid,mode --hierarchy -n 3 --guest alpha | sed -n '/^Guest/,/^$/p'
"$VMMPROF" report two --sort vm,tid | sed -n '/^Host and/,/^$/p'
"$VMMPROF" report s --sort parent,sym --parent '^(factor|bench_run)$' -g | sed -n '/^Host and/,/^$/p'
"$VMMPROF" report s --sort parent,sym --parent '^(factor|bench_run)$' --csv
"$VMMPROF" export s -f folded --levels vm,container,comm,tid | sed -n '1p;/shor/{p;q}'
"$VMMPROF" export two -f folded --levels tid,pid,vcpu -G | sed -n '1p;/;10;/{p;q}'

# a guest's thread that is not the only one of its process
sed 's/^  task op=snap.*pid=10 .*/&\n  task op=fork ns=1000 stack=0xffffc90000090000 pid=10 tid=77 comm=shor/' \
	"$TOP"/tests/data/two-guests.txt > threads.txt
"$TOP"/tests/gen/mksession.py threads.txt threads
"$VMMPROF" report threads --sort comm,tid,mode --guest alpha | grep 'shor(1) '

sed 's/^  stop start/  switches on=1\n&/' "$TOP"/tests/data/chains.txt > timed.txt
"$TOP"/tests/gen/mksession.py timed.txt timed
for s in s two timed; do
	python3 "$CASES"/t495_chain_levels.py $s
done
"$VMMPROF" report two --sort parent 2>&1 | head -n 1
"$VMMPROF" report s --sort sym --parent x 2>&1 | head -n 1
"$VMMPROF" report s --sort parent --parent '(' 2>&1 | head -n 1
