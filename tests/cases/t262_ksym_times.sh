# SPDX-License-Identifier: GPL-2.0-only
# BPF programs one after the other at one address: the sample's time says which
# it was, also where kallsyms, read later, has the last one.
cat > d <<'EOT'
file info
 text tsc_khz=1000000
 end
file host
 kallsyms
ffffffff81000000 T schedule
ffffffff81000200 T _etext
ffffffffc0001000 t bpf_prog_3	[bpf]
ffffffffc0003000 t bpf_prog_stays	[bpf]
 .
 clock tsc=1000 mono=1000
 clock tsc=9000 mono=9000
 ksym ns=2000 addr=0xffffffffc0001000 len=0x100 name=bpf_prog_1
 ksym ns=4000 addr=0xffffffffc0001000 len=0x100 flags=1 name=bpf_prog_1
 ksym ns=5000 addr=0xffffffffc0001000 len=0x100 name=bpf_prog_2
 ksym ns=6000 addr=0xffffffffc0001000 len=0x100 flags=1 name=bpf_prog_2
 ksym ns=7000 addr=0xffffffffc0001000 len=0x100 name=bpf_prog_3
 end
file cpu-0.rec
 sample tsc=1500 flags=N ip=0xffffffffc0001010
 sample tsc=3000 flags=N ip=0xffffffffc0001010 repeat=2 step=1
 sample tsc=5500 flags=N ip=0xffffffffc0001010 repeat=3 step=1
 sample tsc=8000 flags=N ip=0xffffffffc0001010 repeat=4 step=1
 sample tsc=8000 flags=N ip=0xffffffffc0003010 repeat=5 step=1
EOT
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -i s --sort function,module 2>/dev/null |
	sed -n '/^Samples/,/^$/p'
