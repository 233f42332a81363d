#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In a trace for Perfetto a vCPU that follows another one on its CPU is not inside
# of it, also if that one sleeps for longer than the other one runs.
export PYTHONDONTWRITEBYTECODE=1
for seed in 2 3 4; do
	"$TOP"/tests/gen/schedule.py $seed s$seed > /dev/null
	"$VMMPROF" timeline s$seed --csv > csv 2> /dev/null
	"$VMMPROF" timeline s$seed --perfetto > trace 2> /dev/null
	python3 "$CASES"/t323_perfetto_cpus.py trace csv
done
