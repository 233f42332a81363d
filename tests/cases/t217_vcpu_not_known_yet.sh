#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The first NMI that KVM forwards after the module was loaded finds no vCPU: it
# hit some guest, so it is neither the host's kernel nor a guest's sample.
cat > d << 'END'
file info
text tsc_khz=1000000 vendor=vmx
event index=0 name=cycles period=1000000
vm pid=50 name=vm1
cpu cpu=0 samples=2
stop start=0 stop=4000
clock tsc=0 mono=0
end
file host
text release=6.1.0
clock tsc=0 mono=0
kallsyms
ffffffff81000000 T host_kernel
ffffffff81000100 T vmx_do_nmi_irqoff
ffffffff81000200 T other
.
end
file cpu-0.rec
sample tsc=1000 flags=N pid=50 tid=51 ip=0xffffffff81000110
sample tsc=2000 flags=N pid=50 tid=51 ip=0xffffffff81000010
END
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -v -i s | sed -n '/^Account/,$p'
"$VMMPROF" script -i s | sed -n 1p
