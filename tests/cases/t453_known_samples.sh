#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# LONG
# Samples that say nothing new are counted before the records of all CPUs are sorted
# (model/known_samples.h).  Where a CPU has two files none are: what views say is the
# same, also of damaged sessions.
export PYTHONDONTWRITEBYTECODE=1
seeds=2
[ -z "$QUICK" ] || seeds=1
case $VMMPROF in
*/asan/*) seeds=1 ;;
esac
python3 "$TOP"/tests/cases/t453_known_samples.py "$VMMPROF" "$seeds"
