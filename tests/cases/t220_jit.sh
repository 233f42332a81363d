#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Code that processes made: by jitdump at its time, by perf map also before it
# was read; what is not told of stays anonymous.
cat > d <<'EOT'
file info
 text tsc_khz=1000000
 vm pid=50 name=g
 end
file host
 clock tsc=0 mono=0
 proc op=snap ns=0 pid=9 comm=java
 map pid=9 start=0x1000 end=0x9000
 jit pid=9 addr=0x1000 size=0x100 ns=0 source=2 name=Old::run
 jit pid=9 addr=0x1000 size=0x100 ns=5000 source=2 name=New::run
 proc op=snap ns=0 pid=10 comm=node
 map pid=10 start=0x1000 end=0x9000
 jit pid=10 addr=0x2000 size=0x40 ns=9000 name=late\x1b[31m%20/x.js
 end
file cpu-0.rec
 sample tsc=4000 flags=NU pid=9 ip=0x1010 repeat=4 step=1
 sample tsc=6000 flags=NU pid=9 ip=0x1010 repeat=3 step=1
 sample tsc=6000 flags=NU pid=9 ip=0x1100 repeat=2 step=1
 sample tsc=6000 flags=NU pid=10 ip=0x2010
EOT
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -i s --sort process,function,module 2>/dev/null |
	sed -n '/^Samples/,/^$/p'
