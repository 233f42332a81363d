#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A rule that has the caller's frame pointer below the stack pointer, as behind a
# pop: it was not recorded, with and without a copy of the stack.
cat > d << 'END'
file info
 text tsc_khz=1000000 chains=host-user
 event index=0 type=0 config=9 period=1000000 name=c
 stop start=0 stop=1000000000
 end
file host
 clock tsc=0 mono=0
 kallsyms
 ffffffff81000000 T _text
 .
 proc op=snap ns=0 pid=7 comm=p
 file_item id=1 path=/usr/bin/p
 map pid=7 start=0x400000 end=0x500000 file=1
 symtab file=1 seg=0:0x400000:0x100000 sym=0x400100:0x100:work,0x400200:0x100:caller
 unwind file=1 rows=0x400100:sp+8/-16 end=0x400200
 end
file cpu-0.rec
 sample tsc=100000 chains=1 flags=NIU ip=0x400110 pid=7
 chain flags=S bp=0 sp=0x7f0000001000 top=0x400210,0 uend=3
 sample tsc=200000 chains=1 flags=NIU ip=0x400110 pid=7
 chain flags=S bp=0 sp=0x7f0000001000 uend=3 stack=1002400000000000
END
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" script s -g | grep -v '^type='
