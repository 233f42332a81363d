#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Where a session has switch records, every view states vCPUs' time in the same
# numbers as `steal`: to the last digit, of all of it and of parts.
export PYTHONDONTWRITEBYTECODE=1
for data in steal two-guests owners off_cpu; do
	"$TOP"/tests/gen/mksession.py "$TOP/tests/data/$data.txt" $data
	python3 "$CASES"/t341_one_number.py $data
done
python3 "$TOP"/tests/gen/schedule.py 7 schedule --events=800
python3 "$CASES"/t341_one_number.py schedule
python3 "$CASES"/t341_one_number.py schedule --time 13%-31%,55.5%-79.3%
python3 "$CASES"/t341_one_number.py steal --time 0.2051,0.35
# time that is of a mode by the next sample, which lies behind it
"$VMMPROF" report -i steal --time 0.1005,0.1009 > out
grep -q "^ *0\.000 *50\.00 *0  \[guest\] *(kernel, no sample)$" out
python3 "$CASES"/t341_one_number.py steal --time 0.1005,0.1009
# a TSC that does not count nanoseconds
sed 's/tsc_khz=1000000/tsc_khz=2599993/' "$TOP"/tests/data/steal.txt > odd.txt
"$TOP"/tests/gen/mksession.py odd.txt odd
python3 "$CASES"/t341_one_number.py odd
python3 "$CASES"/t341_one_number.py odd --time 17%-61.7%
# many functions of a vCPU
sed '0,/^  event /s//  switches on=1\n  event /; s/tsc_khz=1000000/tsc_khz=2599993/' \
	"$TOP"/tests/data/two-guests.txt > functions.txt
"$TOP"/tests/gen/mksession.py functions.txt functions
python3 "$CASES"/t341_one_number.py functions
python3 "$CASES"/t341_one_number.py functions --time 0%-30%,70%-90%
