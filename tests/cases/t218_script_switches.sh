#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Records of the scheduler have a type, who left and who got the CPU, and who
# woke whom; no record is a line without a type.
cat "$TOP"/tests/data/steal.txt - > d << 'END'
  migrate tsc=950000000 pid=500 tid=502 vcpu=1 flags=V cpu=1 from=0
  wake tsc=951000000 pid=500 tid=502 vcpu=1 cpu=0 from=1 opid=900 otid=901
  out tsc=952000000 pid=500 tid=502 vcpu=1 mp=3 exit=12 flags=M opid=0 otid=0 ocomm=\\x1b[2J
END
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" script -i s | grep -v '^type=sample' | sed 's/ tsc=[0-9]*//'
"$VMMPROF" script -i s -F type,tid,prev_tid,next_tid | grep -v '^type=sample' | tail -n 2
