#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What samples say of the host's hardirqs and softirqs: on a vCPU's own thread
# they are parts of vmm; by samples alone they are thieves, whoever they
# interrupted; a sample of an older module (0), or in nothing but its own NMI, is
# of neither.
# NMI and one level of hardirq are the sample's own.
sed -e 's/exit=30 repeat=2/& preempt=0x110100/' \
	-e 's/exit=200/& preempt=0x120000/' \
	-e 's/pid=900 repeat=10/pid=900 repeat=4 preempt=0x120100/' \
	-e '/pid=900 repeat=4/{p; s/tsc=501/tsc=541/; s/repeat=4 preempt=0x120100/repeat=6 preempt=0x110000/}' \
	"$TOP"/tests/data/steal.txt > irq.txt
"$TOP"/tests/gen/mksession.py irq.txt s
"$VMMPROF" steal -i s | grep -E 'Parts of|vmm:|interrupts of|^Who took'
"$VMMPROF" steal -i s --method=samples | sed -n '/^Who took beta/,/^$/p'
"$VMMPROF" steal -i s --json > exact.json
"$VMMPROF" steal -i s --json --method=samples > samples.json
python3 "$CASES"/schema.py "$TOP"/analyzer/view/steal.schema.json exact.json samples.json
grep -E '"(vmm_hardirq_ns|vmm_softirq_ns|waiting_samples.*)": [1-9]' exact.json
"$VMMPROF" script -i s | grep -oE ' irq=.*' | cut -d' ' -f2 | sort | uniq -c
