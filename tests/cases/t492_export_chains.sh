#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Exports have call chains where the session has them: the same stacks and sums
# in folded, perf-script and pprof, with time beside them; -G leaves them out.
export PYTHONDONTWRITEBYTECODE=1
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chains.txt s
"$VMMPROF" export s -f folded
"$VMMPROF" export s -f perf-script | sed -n '/kvm_mmu_page_fault/,/^$/p' | head -n 11
"$VMMPROF" export s -f folded -G
"$VMMPROF" export s -f folded --guest alpha | grep -c exit || :

# with switch records: a vCPU's time in host mode is in the stacks
sed 's/^  stop start/  switches on=1\n&/; s/^file cpu-1.rec/  out tsc=800000000 pid=500 tid=501 vcpu=0 flags=R opid=700 ocomm=bench\n  in tsc=900000000 pid=500 tid=501 opid=700 ocomm=bench\n&/' \
	"$TOP"/tests/data/chains.txt > timed.txt
"$TOP"/tests/gen/mksession.py timed.txt timed
# the VMM's own code has a part of [vmm], too
sed 's/^  # exit handling: toffoli.*/  sample tsc=450000000 repeat=27 step=1000000 flags=NUO ip=0x400310 pid=500 tid=501\n&/
	s/^  cpu cpu=0 samples=144/  cpu cpu=0 samples=171/' timed.txt > vmm.txt
"$TOP"/tests/gen/mksession.py vmm.txt vmm
for s in s timed vmm; do
	for f in folded perf-script pprof speedscope firefox; do
		"$VMMPROF" export $s -f $f -o $s.$f 2> /dev/null
	done
	"$VMMPROF" report $s --json > $s.json 2> /dev/null
	"$VMMPROF" report $s --json --children > $s.children 2> /dev/null
	"$VMMPROF" steal $s --json > $s.steal 2> /dev/null || :
	python3 "$CASES"/t492_export_chains.py $s
done
# what has none, is as with -G
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt none
"$VMMPROF" export none -f folded > with
"$VMMPROF" export none -f folded -G | cmp - with
