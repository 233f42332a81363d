#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A sample from after the time that the bundle watched: told, and what it is
# attributed to counts as known by a snapshot only.
sed 's/clock tsc=1000000000 mono=1000000000/clock tsc=2500 mono=2500/' \
	"$TOP"/tests/data/small.txt > d
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -i s | sed -n '/^Guest vm1: /,/^$/p'
"$VMMPROF" report -i s --json | grep outside_watch
