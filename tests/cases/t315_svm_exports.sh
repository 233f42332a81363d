#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Pages and exports of an AMD host's session: what they have of the same session
# of an Intel host, but by AMD's names of its exits.
export PYTHONDONTWRITEBYTECODE=1
names='s/EPT_VIOLATION/NPF/g; s/EXTERNAL_INTERRUPT/INTR/g; s/: vmx\b/: svm/g'
for data in chains off_cpu; do
	sed 's/vendor=vmx/vendor=svm/; s/exit=12\b/exit=0x78/; s/exit=48\b/exit=0x400/
		s/exit=1\b/exit=0x60/; s/intr=0x80000202 vpid=1/exit=0x61 preempt=0x110000/
		s/^\(  vcpu .*\) vpid=1/\1/' \
		"$TOP"/tests/data/$data.txt > svm.txt
	cp "$TOP"/tests/data/$data.txt vmx.txt
	for cpu in vmx svm; do
		# The same path for both: exports may have it.
		rm -rf session
		"$TOP"/tests/gen/mksession.py $cpu.txt session
		for f in folded perf-script pprof speedscope firefox csv json; do
			"$VMMPROF" export session -f $f -o $cpu.$f 2> /dev/null
		done
		# States over time, of which chains.txt has none.
		[ $data = chains ] ||
			"$VMMPROF" export session -f perfetto -o $cpu.perfetto 2> /dev/null
		"$VMMPROF" report session --html $cpu.html 2> /dev/null
		"$VMMPROF" report session --stdio > $cpu.stdio 2> /dev/null
	done
	for f in folded perf-script speedscope firefox csv json html stdio; do
		gzip -cdf vmx.$f | sed "$names" > want
		gzip -cdf svm.$f > got
		cmp want got || diff want got | cut -c 1-200 | head -n 8
		echo "$data $f: $(grep -oE 'NPF|INTR|EPT_VIOLATION' got | sort | uniq -c | tr -s ' \n' ' ')"
	done
	for f in svm.p[pe]*o*; do
		[ $f = svm.perf-script ] || echo "$data $f:" \
			$(gzip -cdf $f | grep -aoE 'exit: [A-Z_]+' | sort | uniq -c)
	done
done
