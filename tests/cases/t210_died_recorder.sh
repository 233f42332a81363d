#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No END, no counts, a record cut in the middle: what is there is shown, with
# warnings.
sed '/^file host/,$b
/^  cpu \|^  stop \|^  end/d' "$TOP"/tests/data/small.txt > d
"$TOP"/tests/gen/mksession.py d s
truncate -s -40 s/cpu-0.rec
truncate -s -4 s/guests/vm1.bundle
"$VMMPROF" report -v -i s 2>&1 | sed -n '/warning/p;/^Account/,$p'
