#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Frames where a stack is not that of calls: no function that was not called.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chain-edges.txt s
"$VMMPROF" script s -g | grep -v '^type=vcpu' | sed 's/^type=.* t=\([0-9.]*\).*/sample \1/'
