#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Exports with call chains have the time in which vCPUs did not run below the
# guest's code that they left, with steal's sums; -G has it without chains.
export PYTHONDONTWRITEBYTECODE=1
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/off_cpu.txt s
"$VMMPROF" export s -f folded
"$VMMPROF" export s -f perf-script | sed -n '/0\.101000000/,/^$/p'
"$VMMPROF" export s -f folded -G
check="python3 $CASES/t496_off_cpu_exports.py"
$check s
$check s --time 12%-31.5%,38%-40.3%
sed 's/tsc_khz=1000000/tsc_khz=2599993/' "$TOP"/tests/data/off_cpu.txt > odd.txt
"$TOP"/tests/gen/mksession.py odd.txt odd
$check odd
$check odd --time 17%-61.7%
# chains of older versions do not say where the guest was
sed 's/ gip=[^ ]* cr3=[^ ]* [cr][ps][lp]=[^ ]*$//' "$TOP"/tests/data/off_cpu.txt > old.txt
"$TOP"/tests/gen/mksession.py old.txt old
"$VMMPROF" export old -f folded | grep '\[steal\]'
"$VMMPROF" export old -f folded --samples-only | grep -c '\[' || :
"$VMMPROF" export s -f folded --samples-only | grep -c '\[' || :
