#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Samples on the CPU that a vCPU waits for, which steal -v compares with its steal:
# those of others, also in interrupts, while it waits, and not its own on its way
# out; also of a wait that moves to another CPU, or is not over at the end.
cat > d << 'END'
file info
 text tsc_khz=1000000 vendor=vmx
 event index=0 type=0 config=9 period=1000000 name=c
 switches on=1
 vm pid=500 nr_vcpus=3 name=alpha
 vcpu pid=500 tid=501 id=0
 vcpu pid=500 tid=502 id=1
 vcpu pid=500 tid=503 id=2
 vcpu_state pid=500 tid=501 when=start state=runnable tsc=0
 vcpu_state pid=500 tid=502 when=start state=halted tsc=0
 vcpu_state pid=500 tid=503 when=start state=halted tsc=0
 stop start=0 stop=100000000
 end
file cpu-0.rec
 in tsc=0 pid=500 tid=501 vcpu=0 comm=a opid=0 ocomm=swapper/0
 sample tsc=1000000 flags=N pid=500 tid=501 repeat=4 step=1000000
 # vCPU 1 waits for vCPU 0, the third one from 20 ms on
 wake tsc=10000000 pid=500 tid=502
 sample tsc=11000000 flags=N pid=500 tid=501 repeat=5 step=1000000
 wake tsc=20000000 pid=500 tid=503
 sample tsc=21000000 flags=N pid=500 tid=501 preempt=0x100 repeat=3 step=1000000
 out tsc=30000000 pid=500 tid=501 vcpu=0 flags=R comm=a opid=500 otid=502 ocomm=b
 in tsc=30000000 pid=500 tid=502 comm=b opid=500 otid=501 ocomm=a
 # one of vCPU 0, whose record says that it has left
 sample tsc=31000000 flags=N pid=500 tid=501
 sample tsc=32000000 flags=N pid=500 tid=502 repeat=4 step=1000000
 migrate tsc=40000000 pid=500 tid=503 cpu=1
 sample tsc=41000000 flags=N pid=500 tid=502 repeat=2 step=1000000
 sample tsc=50000000 flags=N pid=0
 sample tsc=51000000 flags=N pid=900
file cpu-1.rec
 sample tsc=35000000 flags=N pid=901
 sample tsc=45000000 flags=N pid=901 repeat=7 step=1000000
END
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" steal s --json 2> err | python3 -c '
import json, sys
for v in json.load(sys.stdin)["guests"][0]["vcpus"]:
    print(v["vcpu"], v["steal_ns"], v["waiting_samples"],
          v["waiting_samples_in_interrupts"])'
