#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A dozen hosts in Prometheus: it knows who is stolen from, by whom, and whose agent
# has stopped; and each query of the dashboards has an answer. (make bench-fleet: more
# hosts, and VictoriaMetrics.)
case $VMMPROF in */asan/*) exit 0 ;; esac
export PYTHONDONTWRITEBYTECODE=1
python3 "$TOP"/tests/fleet/replay.py --dashboards prometheus 12 3 14 60 > said
grep '^skipped: ' said || grep -q 'queries of the dashboards have answers' said
