#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Random schedules whose truth is known: every tick of every vCPU and of every
# thief is right; with SWITCH records left out, only thieves are unknown; with records lost or missing, or TSCs that differ between
# CPUs, nothing becomes a wrong state.
check="$TOP"/tests/gen/schedule.py
"$check" --check $(seq 1 25)
"$check" --check --lose $(seq 101 120)
"$check" --check --hold $(seq 401 410)
"$check" --check --drop $(seq 201 210)
"$check" --check --skew $(seq 301 310)
