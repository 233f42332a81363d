#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whom a thief belongs to is asked for the time when it took the CPU: its pid may
# be another process's later, of the same name or not, and an exec makes it another
# program; also a kernel thread's.
cat > d << 'END'
file info
 text hostname=host1 release=6.1.0 vendor=vmx tsc_khz=1000000
 event index=0 type=0 config=9 period=10000000 name=ref-cycles
 switches on=1
 vm pid=500 nr_vcpus=1 name=alpha
 vcpu pid=500 tid=501 id=0
 vcpu_state pid=500 tid=501 when=start state=runnable tsc=0
 stop start=0 stop=1000000000
 end
file host
 text from=record hostname=host1
 clock tsc=0 mono=0
 clock tsc=1000000000 mono=1000000000
 proc op=snap ns=0 pid=500 comm=qemu
 proc op=snap ns=0 pid=910 comm=cc
 proc op=snap ns=0 pid=920 ppid=2 flags=1 comm=kworker/0:1
 cgroup ns=0 pid=500 path=/machine.slice/alpha.scope
 # 900 ends, another one has its number
 proc op=exec ns=1000000 pid=900 comm=sh
 cgroup ns=1000000 pid=900 path=/system.slice/build.service
 proc op=drop ns=400000000 pid=900
 proc op=exec ns=500000000 pid=900 comm=sh
 cgroup ns=500000000 pid=900 path=/system.slice/backup.service
 # 910 becomes another program, 920 another's process
 proc op=exec ns=400000000 pid=910 comm=ld
 proc op=drop ns=400000000 pid=920
 proc op=exec ns=700000000 pid=920 comm=python3
 end
file cpu-0.rec
 sample tsc=50000000 flags=NVMSOG pid=500 tid=501 vpid=1 cpl=3
 out tsc=100000000 pid=500 tid=501 vcpu=0 flags=R comm=a opid=900 ocomm=sh
 switch tsc=200000000 pid=900 comm=sh opid=910 ocomm=cc
 switch tsc=250000000 pid=910 comm=cc opid=920 ocomm=kworker/0:1
 switch tsc=280000000 pid=920 comm=kworker/0:1 opid=0 ocomm=swapper/0
 in tsc=290000000 pid=500 tid=501 comm=a opid=0 ocomm=swapper/0
 sample tsc=300000000 flags=NVMSOG pid=500 tid=501 vpid=1 cpl=3
 out tsc=600000000 pid=500 tid=501 vcpu=0 flags=R comm=a opid=900 ocomm=sh
 in tsc=640000000 pid=500 tid=501 comm=a opid=900 ocomm=sh
 sample tsc=650000000 flags=NVMSOG pid=500 tid=501 vpid=1 cpl=3
END
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" steal -i s 2> /dev/null | sed -n '/^Who took/,/^$/p'
"$VMMPROF" steal -i s --by thief 2> /dev/null | sed -n '/^Who took time/,/^$/p'
