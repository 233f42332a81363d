#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Of very many losses the last ones are one of all CPUs: no vCPU's time is known
# then, whichever CPU the loss before was on, from where the first of them begins.
python3 - << 'END' > d
print('''file info
 text tsc_khz=1000000 vendor=vmx
 event index=0 type=0 config=9 period=1000000 name=c
 switches on=1
 vm pid=500 nr_vcpus=3 name=alpha
 vcpu pid=500 tid=501 id=0
 vcpu pid=500 tid=502 id=1
 vcpu pid=500 tid=503 id=2
 vcpu_state pid=500 tid=501 when=start state=runnable tsc=0
 vcpu_state pid=500 tid=502 when=start state=runnable tsc=0
 vcpu_state pid=500 tid=503 when=start state=runnable tsc=0
 stop start=0 stop=1000000000
 end''')
for cpu in 0, 1:
    print(f'file cpu-{cpu}.rec')
    sample = f'flags=NVMSOG pid=500 tid={501 + cpu} vcpu={cpu} vpid={1 + cpu} cpl=3'
    print(f' sample tsc=1000 {sample}')
    for i in range(32768):
        print(f' lost tsc={2000 + 3000 * i} lost=0 other=1')
    print(f' sample tsc=100000000 {sample}')
    if cpu:
        print(f' lost tsc=900000000 lost=0 other=5')
    print(f' sample tsc=900001000 {sample}')
print('''file cpu-2.rec
 sample tsc=1000 flags=NVMSOG pid=500 tid=503 vcpu=2 vpid=3 cpl=3
 lost tsc=800000000 lost=0 other=9
 sample tsc=900001000 flags=NVMSOG pid=500 tid=503 vcpu=2 vpid=3 cpl=3''')
END
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" steal s --json 2> /dev/null | python3 -c '
import json, sys
for v in json.load(sys.stdin)["guests"][0]["vcpus"]:
    print(v["vcpu"], v["guest_ns"], v["unknown_ns"])'
