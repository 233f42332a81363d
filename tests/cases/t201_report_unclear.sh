#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What cannot be resolved is counted under its cause; contradictions of the
# module's decision and a sample that is missing are told.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/unclear.txt s
"$VMMPROF" report -v -i s -n 0 2>&1
# Samples beside the time that is chosen are in the session, too.
"$VMMPROF" report -v -i s --time 90%-100% 2>&1 | grep -A1 'samples are missing'
