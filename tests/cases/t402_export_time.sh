#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Exports with an axis of time: each sample, and each stretch of a state, stands
# where the records have it.
export PYTHONDONTWRITEBYTECODE=1
for data in two-guests steal; do
	"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/$data.txt $data
	python3 "$CASES"/t402_export_time.py $data "$TOP"/tests/data/$data.txt
done
