#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No samples, no VMs: says so, status 0.
printf 'file info\n text tsc_khz=1000\n stop start=0 stop=1000\n end\n' > d
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -v -i s 2>&1
"$VMMPROF" script -i s
"$VMMPROF" report -i s --json 2>/dev/null | python3 -m json.tool > /dev/null
