#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A container in a guest whose processes samples name by its memory, before and after
# the process was found there; one of the same name is outside, one was never found.
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
cat > d <<EOT
file info
 text tsc_khz=1000000 identity=memory
 vm pid=50 name=g
 guest pid=50 name=g
 end
file guests/g.bundle
 text from=memory phys_mask=0xffffffffff000
 clock tsc=0 mono=0
 proc op=snap ns=5000 pid=7 comm=exe
 image ns=5000 until=5000 mm=0xffff888000000100 start=5 pid=7
 cgroup ns=5000 pid=7 path=/docker/$id
 proc op=snap ns=5000 pid=8 comm=db
 image ns=5000 until=5000 mm=0xffff888000000200 start=6 pid=8
 end
file cpu-0.rec
 vcpu tsc=1 pid=50 tid=51 id=0 offset=0
 identity tsc=1000 id=16 pid=50 tgid=7 comm=db mm=0xffff888000000100 start=5 flags=start
 identity tsc=1000 id=17 pid=50 tgid=8 comm=db mm=0xffff888000000200 start=6 flags=start
 identity tsc=1000 id=18 pid=50 tgid=9 comm=db mm=0xffff888000000300 start=7 flags=start
 sample tsc=4000 who=16 flags=NVMSOG pid=50 tid=51 vcpu=0 gip=0x1010 cr3=0x1000 cpl=3 repeat=2 step=1
 sample tsc=4500 who=17 flags=NVMSOG pid=50 tid=51 vcpu=0 gip=0x1010 cr3=0x2000 cpl=3
 sample tsc=6000 who=16 flags=NVMSOG pid=50 tid=51 vcpu=0 gip=0x1010 cr3=0x1000 cpl=3 repeat=4 step=1
 sample tsc=7000 who=18 flags=NVMSOG pid=50 tid=51 vcpu=0 gip=0x1010 cr3=0x3000 cpl=3 repeat=3 step=1
EOT
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -i s --sort container,pid,process 2>/dev/null |
	sed -n '/^Guest g/,/^$/p'
