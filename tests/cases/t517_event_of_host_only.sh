#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An event that does not count in guests overflowed in the host, though the NMI
# hit a guest: KVM was near.  Other events' samples are the guest's;
# and all of a VM on AMD, whose virtual counters count there all the same.
cat > d << 'END'
file info
 text tsc_khz=1000000 vendor=vmx chains=guest
 event index=0 name=cycles:H period=1000000 flags=0x10
 event index=1 name=cycles period=1000000
 vm pid=50 name=vm1
 cpu cpu=0 samples=4
 stop start=0 stop=5000
 clock tsc=0 mono=0
 end
file host
 text release=6.1.0
 clock tsc=0 mono=0
 kallsyms
 ffffffff81000000 T host_kernel
 ffffffff81000100 T vmx_do_nmi_irqoff
 ffffffff81000200 T vcpu_enter_guest
 ffffffff81000300 T other
 .
 proc op=snap ns=0 pid=50 comm=qemu
 end
file cpu-0.rec
 vcpu tsc=500 pid=50 tid=51 id=0 offset=0 vpid=1
 sample tsc=1000 chains=1 event=0 flags=NVMSOGH pid=50 tid=51 ip=0xffffffff81000110 gip=0x401000 cr3=0x5000 cpl=3 exit=0 intr=0x80000202 vcpu=0 vpid=1 handling=2
 chain flags=GS user=0x401080 uend=1
 sample tsc=2000 event=1 flags=NVMSOGH pid=50 tid=51 ip=0xffffffff81000110 gip=0x401000 cr3=0x5000 cpl=3 exit=0 intr=0x80000202 vcpu=0 vpid=1 handling=2
 sample tsc=3000 event=0 flags=NVMSOH pid=50 tid=51 ip=0xffffffff81000210 gip=0x401000 cr3=0x5000 cpl=3 exit=10 vcpu=0 vpid=1
 sample tsc=4000 event=0 flags=N pid=1 tid=1 ip=0xffffffff81000010
END
fields=event,comm,flags,mode,exit,gip,unresolved
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -v -i s | sed -n '/^Account/,$p'
"$VMMPROF" script -i s -F type,$fields | grep type=sample
"$VMMPROF" script -i s -g | sed -n 3,6p
for in in '' virtual=yes; do
	sed "s/vendor=vmx/vendor=svm $in/; s/ vpid=1//
		s/exit=0 intr=0x80000202/exit=0x61/; s/exit=10/exit=0x72/" d > e
	rm -rf t
	"$TOP"/tests/gen/mksession.py e t
	echo "AMD $in"
	"$VMMPROF" script -i t -F type,$fields | grep -m1 type=sample
done
