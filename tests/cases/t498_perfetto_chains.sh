#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Perfetto's slices of functions are in those of their callers, in the order of
# time, and so is time in which a vCPU did not run; also of a vCPU that moves from
# CPU to CPU; with -G functions alone.
export PYTHONDONTWRITEBYTECODE=1
sed 's/^  stop start/  switches on=1\n&/; s/^file cpu-1.rec/  out tsc=800000000 pid=500 tid=501 vcpu=0 flags=R opid=700 ocomm=bench\n  in tsc=900000000 pid=500 tid=501 opid=700 ocomm=bench\n&/' \
	"$TOP"/tests/data/chains.txt > timed.txt
# a sample of the same vCPU on the other CPU, between two of the first one
sed 's/^  # the host: bench in user mode/  sample tsc=211000000 chains=1 flags=NVMSOGH handling=2 intr=0x80000202 vpid=1 cpl=3 cr3=0x200000 gip=0x7f0000001110 ip=0xffffffffc0001110 pid=500 tid=501\n  chain flags=G user=0x400210,0x400110 uend=1 id=9\n&/' timed.txt > moved.txt
"$TOP"/tests/gen/mksession.py timed.txt timed
"$TOP"/tests/gen/mksession.py moved.txt moved
for s in timed moved; do
	"$VMMPROF" export $s -f perfetto -o $s.perfetto 2> /dev/null
	"$VMMPROF" export $s -f perfetto -G -o $s.plain 2> /dev/null
	"$VMMPROF" timeline $s --perfetto 2> /dev/null | cmp - $s.perfetto
	"$VMMPROF" export $s -f folded --guest alpha --samples-only > $s.folded 2> /dev/null
	"$VMMPROF" export $s -f folded --guest alpha --samples-only -G > $s.functions 2> /dev/null
	python3 "$CASES"/t498_perfetto_chains.py $s.perfetto $s.folded 3
	python3 "$CASES"/t498_perfetto_chains.py $s.plain $s.functions 4
done
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/off_cpu.txt s
"$VMMPROF" export s -f perfetto -o s.perfetto 2> /dev/null
"$VMMPROF" export s -f folded --guest alpha > s.folded 2> /dev/null
grep -q '\[halt\] ' s.folded
python3 "$CASES"/t498_perfetto_chains.py s.perfetto s.folded 3
