#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Two guests with the same CR3 values, a reused CR3, an exec, lazy TLB: each
# sample is named after who ran then, and the account adds up.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt s
"$VMMPROF" report -i s
"$VMMPROF" report -v -i s | sed -n '/^Account/,$p'
