#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every export has the numbers of the report, to the sample and nanosecond.
export PYTHONDONTWRITEBYTECODE=1
for data in two-guests steal unclear small; do
	"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/$data.txt $data
	python3 "$CASES"/t400_export.py $data
done
python3 "$TOP"/tests/gen/schedule.py 3 schedule
python3 "$CASES"/t400_export.py schedule
# Options, and one and the same file written twice.
python3 "$CASES"/t400_export.py unclear --event cache-misses
python3 "$CASES"/t400_export.py two-guests --guest beta
"$VMMPROF" export -i steal -f folded > all
"$VMMPROF" export -i steal -f folded --samples-only -o out
grep -vF -e '[vmm] ' -e '[halt] ' -e '[steal];' -e '[blocked] ' all |
	sed 's/ [0-9]*$//' > frames
sed 's/ [0-9]*$//' out | cmp - frames
"$VMMPROF" export -i steal -f folded -o out
cmp all out
