#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# One line a record, all fields, in the order of time.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/small.txt s
"$VMMPROF" script -i s
"$VMMPROF" script -i s -F cpu,gsym,mode
