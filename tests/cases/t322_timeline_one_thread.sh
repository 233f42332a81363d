#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A vCPU that ended and another one whose thread has the number of its thread: each
# has its own stretches, also the one that was open then.
cat > d << 'END'
file info
 text tsc_khz=1000000 vendor=vmx
 event index=0 type=0 config=9 period=10000000 name=c
 switches on=1
 vm pid=500 nr_vcpus=2 name=alpha
 vcpu pid=500 tid=501 id=0
 vcpu_state pid=500 tid=501 when=start state=halted tsc=0
 stop start=0 stop=1000000000
 end
file host
 text from=record
 end
file cpu-0.rec
 wake tsc=100000000 pid=500 tid=501 vcpu=0 cpu=0 flags=V
 in tsc=110000000 pid=500 tid=501 vcpu=0 comm=a opid=0 ocomm=swapper/0
 sample tsc=111000000 flags=NVMSOG pid=500 tid=501 vcpu=0 vpid=1 cpl=3 repeat=9 step=10000000
 out tsc=200000000 pid=500 tid=501 vcpu=0 mp=3 comm=a opid=0 ocomm=swapper/0
 wake tsc=400000000 pid=500 tid=501 vcpu=1 cpu=0 flags=V
 in tsc=410000000 pid=500 tid=501 vcpu=1 comm=b opid=0 ocomm=swapper/0
 sample tsc=411000000 flags=NVMSOG pid=500 tid=501 vcpu=1 vpid=1 cpl=3 repeat=9 step=10000000
 out tsc=500000000 pid=500 tid=501 vcpu=1 mp=3 comm=b opid=0 ocomm=swapper/0
END
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" timeline -i s --csv | sort
