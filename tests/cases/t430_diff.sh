#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What diff says of two sessions are the numbers of both reports.
export PYTHONDONTWRITEBYTECODE=1
for data in two-guests steal unclear; do
	"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/$data.txt $data
done
python3 "$TOP"/tests/gen/schedule.py 3 three
python3 "$TOP"/tests/gen/schedule.py 4 four
python3 "$CASES"/t430_diff.py two-guests unclear
python3 "$CASES"/t430_diff.py three four
python3 "$CASES"/t430_diff.py two-guests steal
python3 "$CASES"/t430_diff.py steal steal
python3 "$CASES"/t430_diff.py chance "$TOP"/tests/gen/mksession.py
