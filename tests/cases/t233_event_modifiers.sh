#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An event that does not count everywhere splits no time: what its vCPUs did on
# a CPU is unknown, unless another event tells.  Steal is what it was.
sed 's/name=ref-cycles/name=ref-cycles:G flags=8/' "$TOP"/tests/data/steal.txt > d
"$TOP"/tests/gen/mksession.py d only
sed 's/^  event index=0 .*/  event index=1 type=0 config=0 period=10000000 flags=8 name=cycles:G\n&/' "$TOP"/tests/data/steal.txt > d
"$TOP"/tests/gen/mksession.py d both
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt plain
for s in plain only both; do
	"$VMMPROF" steal $s --csv | awk -F, 'NR == 1 || $2 ~ /alpha/ || $1 ~ /alpha/' | head -n 2
done
"$VMMPROF" steal plain > a
"$VMMPROF" steal both > b
cmp a b
! "$VMMPROF" steal only --method samples 2>&1 || exit 1
"$VMMPROF" script only -F event | sort -u
