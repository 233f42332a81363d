#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --check lists contradictions and ends with status 1; without any with 0.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/unclear.txt s
! "$VMMPROF" script -i s --check -F tsc,check 2>/dev/null > out || exit 1
cat out
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt good
"$VMMPROF" script -i good --check
