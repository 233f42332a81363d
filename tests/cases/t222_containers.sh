#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Containers as a sort key, of the host and of a guest, in text and in JSON.
cat > d <<'EOT'
file info
 text tsc_khz=1000000
 vm pid=50 name=g
 vcpu pid=50 tid=51 id=0 comm=CPU
 guest pid=50 name=g
 end
file host
 clock tsc=0 mono=0
 proc op=snap ns=0 pid=1 comm=init
 proc op=snap ns=0 pid=9 ppid=1 comm=sh
 cgroup pid=9 path=/lxc/web\x1b[31m
 proc op=fork ns=10 pid=10 ppid=9
 proc op=exec ns=11 pid=10 comm=nginx
 end
file guests/g.bundle
 text phys_mask=0xffffffffff000
 clock tsc=0 mono=0
 mm op=snap ns=0 key=0x1000 pid=7 comm=db
 proc op=snap ns=0 pid=7 comm=db
 cgroup pid=7 path=/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
 end
file cpu-0.rec
 vcpu tsc=1 pid=50 tid=51 id=0 offset=0
 sample tsc=4000 flags=NU pid=1 ip=0x1010
 sample tsc=4000 flags=NU pid=9 ip=0x1010 repeat=2 step=1
 sample tsc=5000 flags=NU pid=10 ip=0x1010 repeat=3 step=1
 sample tsc=6000 flags=NVMSOG pid=50 tid=51 vcpu=0 gip=0x1010 cr3=0x1000 cpl=3 repeat=4 step=1
EOT
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -i s --sort container,process 2>/dev/null |
	sed -n '/^Samples/,/^$/p'
"$VMMPROF" report -i s --sort container --json 2>/dev/null | grep '"container"'
