#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every state and every kind of thief of a small schedule in round numbers.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
"$VMMPROF" steal -v -i s > text
cat text
echo
"$VMMPROF" steal -i s --by thief
echo
"$VMMPROF" steal -i s --csv
"$VMMPROF" steal -i s --csv --by thief
echo
"$VMMPROF" steal -v -i s --method=samples
# 80 columns
! grep -E '^.{81}' text || exit 1
