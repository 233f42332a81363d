#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Time in which a vCPU did not run hangs below the guest's code that was
# preempted or went to sleep; [steal] has the thief as its leaf, [blocked] how the
# host came to sleep; what has no chain says so.  The sums are those of steal.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/off_cpu.txt s
"$VMMPROF" report s -g caller --guest alpha | sed -n '/^Guest/,/^$/p;/ \[steal\]  /,/^$/p'
"$VMMPROF" report s -g callee --guest alpha | sed -n '/\[blocked\]/,/^$/p'
"$VMMPROF" report s -g folded --guest alpha -n 0 | sed -n '/^Guest/,/^$/p'
"$VMMPROF" report s -g folded --vcpu 1 -n 0 | sed -n '/^Guest/,/^$/p'
# what it left from before that time is not what it left from in it
"$VMMPROF" report s -g folded --guest alpha --time 40%-50% -n 0 | sed -n "/^  Seconds/,/^$/p"
"$VMMPROF" report s -v | sed -n '/^Account of call/,/^$/p'

check="python3 $CASES/t495_off_cpu_chains.py"
$check s
$check s --time 12%-31.5%,38%-40.3%
sed 's/tsc_khz=1000000/tsc_khz=2599993/' "$TOP"/tests/data/off_cpu.txt > odd.txt
"$TOP"/tests/gen/mksession.py odd.txt odd
$check odd
$check odd --time 17%-61.7%

# a recording of a version whose chains do not say where the guest was: as before
sed 's/ gip=[^ ]* cr3=[^ ]* [cr][ps][lp]=[^ ]*$//' "$TOP"/tests/data/off_cpu.txt > old.txt
sed '/flags=GO/d; /flags=O/d' "$TOP"/tests/data/off_cpu.txt > none.txt
"$TOP"/tests/gen/mksession.py old.txt old
"$TOP"/tests/gen/mksession.py none.txt none
"$VMMPROF" script old -F flags | grep -c '^flags=.*T' || :
"$VMMPROF" report old -g caller > old.out
"$VMMPROF" report none -g caller | diff - old.out
grep -c '\[steal\]$' old.out || :
"$VMMPROF" report old -v | grep -c 'time in \[steal\]' || :
