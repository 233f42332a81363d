#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# With HLT exiting off: the cycles of a busy CPU that runs below the frequency of its
# TSC are farther apart than a period of it, but no idle time.  A longer gap is.
seconds() {
	python3 - "$1" "$2" << 'END' > d
import sys
event, last = sys.argv[1], int(sys.argv[2])
print(f'''file info
 text tsc_khz=1000000 vendor=svm
 event index=0 type=0 config={event} period=1000000 name=c
 switches on=1
 vm pid=500 nr_vcpus=1 name=alpha
 vcpu pid=500 tid=501 id=0
 vcpu_state pid=500 tid=501 when=start state=runnable tsc=0
 stop start=0 stop=1000000000
 end
file cpu-0.rec
 vcpu tsc=100000 pid=500 tid=501 id=0 vpid=0 intercepts=0x0''')
# 1.7, then 3 periods apart
at = list(range(1700000, 500000000, 1700000)) + list(range(500000000, last, 3000000))
for tsc in at:
    print(f' sample tsc={tsc} flags=NVMSOGH pid=500 tid=501 vcpu=0 exit=0x61 handling=2 cpl=3')
END
	rm -rf s
	"$TOP"/tests/gen/mksession.py d s
	"$VMMPROF" steal s --json 2> /dev/null | python3 -c '
import json, sys
v = json.load(sys.stdin)["guests"][0]["vcpus"][0]
print(v["guest_ns"], v["halt_ns"], v["unknown_ns"])'
}
echo cycles
seconds 0 1000000000
seconds 0 700000000
echo ref-cycles
seconds 9 1000000000
