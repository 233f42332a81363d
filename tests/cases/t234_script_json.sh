#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# script --json has the fields of the text, an object each line, by its schema.
export PYTHONDONTWRITEBYTECODE=1
for data in two-guests steal unclear owners chains; do
	"$TOP"/tests/gen/mksession.py "$TOP/tests/data/$data.txt" $data
	python3 "$CASES"/t234_script_json.py $data
	python3 "$CASES"/t234_script_json.py $data --time 10%-60% --cpu 0
	python3 "$CASES"/t234_script_json.py $data -F t,type,guest,gns,next_comm
done
# a TSC that does not count nanoseconds, and one that is not known
sed 's/tsc_khz=1000000/tsc_khz=2599993/' "$TOP"/tests/data/steal.txt > odd.txt
"$TOP"/tests/gen/mksession.py odd.txt odd
python3 "$CASES"/t234_script_json.py odd
sed 's/ tsc_khz=1000000//' "$TOP"/tests/data/steal.txt > none.txt
"$TOP"/tests/gen/mksession.py none.txt none
python3 "$CASES"/t234_script_json.py none
status=0
"$VMMPROF" script unclear --json --check > found 2> err || status=$?
[ $status -eq 1 ]
grep -q '"check": "' found
