# SPDX-License-Identifier: GPL-2.0-only
# Samples in system management mode, and of a guest without paging where KVM
# plays it (F and R), have a CR3 and a CPL of others: no process gets them.
sed '/^file cpu-0.rec/,$d; s/ samples=3/ samples=8/' \
	"$TOP"/tests/data/small.txt > d
guest="handling=2 intr=0x80000202 cr3=0x3801 gip=0x400110 ip=0xffffffff81000110 pid=50 tid=51"
kernel="handling=2 intr=0x80000202 cr3=0x2000 rsp=0xffffc90000013e00 gip=0xffffffff91000010 ip=0xffffffff81000110 pid=50 tid=51"
cat >> d <<EOT
file cpu-0.rec
 vcpu tsc=1 pid=50 tid=51 id=0 offset=0 vpid=1
 sample tsc=1000 flags=NVMSOGH cpl=3 $guest
 sample tsc=2000 flags=NVMSOGHF cpl=3 $guest repeat=2 step=1
 sample tsc=3000 flags=NVMSOGHF cpl=0 $kernel
 sample tsc=4000 flags=NVMSOGHR cpl=3 $guest repeat=3 step=1
 sample tsc=5000 flags=NVMSOGWHR cpl=3 $guest
EOT
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -v -i s --guest vm1 --sort process,function,mode -n 0 2>&1
"$VMMPROF" script -i s --check
