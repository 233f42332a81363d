#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What cannot be exported: the status, what is said, and what stays of a file.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt s
expect() {
	want=$1
	shift
	status=0
	"$VMMPROF" export "$@" > out 2>&1 || status=$?
	head -n 2 out
	[ $status -eq "$want" ]
}
expect 2 -i s
expect 2 -i s -f flamegraph
expect 2 s -f csv more
expect 2 -i s -f perfetto --guest alpha
expect 1 -i s -f perfetto
expect 1 -i s -f csv --guest gamma
expect 1 -i s -f csv -e cycles
expect 1 -i s -f csv -o no/such/folder
echo old > kept
expect 1 -i nothing -f csv -o kept
cat kept
# A longer file of before is gone, in a folder that only its owner may enter.
mkdir -m 700 private
seq 100000 > private/out
"$VMMPROF" export -i s -f csv -o private/out
"$VMMPROF" export -i s -f csv | cmp - private/out
# A full disk is told as one by each format.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt steal
for format in folded pprof speedscope firefox perf-script perfetto csv json \
	prometheus; do
	expect 1 -i steal -f $format -o /dev/full
done
