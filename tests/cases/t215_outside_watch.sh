#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Samples from after the time that the bundle watched: told, and what the one
# in user mode is attributed to counts as known by a snapshot only.
sed 's/clock tsc=1000000000 mono=1000000000/clock tsc=1500 mono=1500/' \
	"$TOP"/tests/data/small.txt > d
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -v -i s | sed -n '/^Guest vm1: /,/^$/p'
"$VMMPROF" report -i s --json | grep outside_watch
