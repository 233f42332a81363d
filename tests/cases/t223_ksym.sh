#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Kernel code that came and went: what kallsyms has stays, one name at an
# address counts, two different ones do not.
cat > d <<'EOT'
file info
 end
file host
 kallsyms
ffffffff81000000 T schedule
ffffffff81000100 T next_one
ffffffff81000200 T _etext
 .
 ksym ns=5 addr=0xffffffffc0001000 len=0x100 name=bpf_prog_1234_hot
 ksym ns=9 addr=0xffffffffc0001000 len=0x100 flags=1 name=bpf_prog_1234_hot
 ksym ns=5 addr=0xffffffffc0002000 len=0x100 name=bpf_prog_a
 ksym ns=8 addr=0xffffffffc0002080 len=0x100 name=bpf_prog_b
 ksym ns=8 addr=0xffffffff81000000 len=0x100 name=not_this
 end
file cpu-0.rec
 sample tsc=1 flags=N ip=0xffffffff81000010 repeat=4 step=1
 sample tsc=2 flags=N ip=0xffffffffc00010ff repeat=3 step=1
 sample tsc=3 flags=N ip=0xffffffffc0001100
 sample tsc=3 flags=N ip=0xffffffffc0002090
 sample tsc=3 flags=N ip=0xffffffffc0002100 repeat=2 step=1
EOT
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -i s --sort function,module 2>/dev/null |
	sed -n '/^Samples/,/^$/p'
