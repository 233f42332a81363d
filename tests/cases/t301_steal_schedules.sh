#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Random schedules whose truth is known: every tick of every vCPU and of every
# thief is right; with SWITCH records left out, only thieves are unknown; with records lost or missing, or TSCs that differ between
# CPUs, nothing becomes a wrong state.
check="$TOP"/tests/gen/schedule.py
step=${QUICK:+5} # make quick: one in five
step=${step:-1}
"$check" --check $(seq 1 $step 25)
"$check" --check --lose $(seq 101 $step 120)
"$check" --check --hold $(seq 401 $step 410)
"$check" --check --drop $(seq 201 $step 210)
"$check" --check --skew $(seq 301 $step 310)
