#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tables are of one event; the account is of all.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/unclear.txt s
"$VMMPROF" report -i s -e cache-misses 2>/dev/null | sed -n '1,/^$/p;/Total/p'
"$VMMPROF" report -i s --sort event 2>/dev/null | sed -n '/^Host and/,/^$/p'
