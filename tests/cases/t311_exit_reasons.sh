#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Exit reasons have their name in script, report and steal; an unknown number
# is shown as that.
cat > exits.txt << 'EOF'
file info
text tsc_khz=1000000
event index=0 type=0 config=9 period=1000000 name=ref-cycles
switches on=1
vm pid=500 name=alpha
vcpu pid=500 tid=501 id=0
vcpu_state pid=500 tid=501 when=start state=runnable tsc=1000000
stop start=1000000 stop=11000000
end
file cpu-0.rec
EOF
# From the first sample of guest code on it is certain that the vCPU has this CPU.
echo "sample tsc=1000000 flags=NVMSOG pid=500 tid=501 cpl=3" >> exits.txt
tsc=1000000
for reason in 0 1 10 12 30 48 78 85 35 120; do
	tsc=$((tsc + 100000))
	echo "sample tsc=$tsc flags=NVMO pid=500 tid=501 exit=$reason"
done >> exits.txt
echo "sample tsc=9000000 flags=NVMSOG pid=500 tid=501 cpl=3" >> exits.txt
"$TOP"/tests/gen/mksession.py exits.txt s
"$VMMPROF" script -i s -F exit 2> /dev/null
"$VMMPROF" report -i s --sort exit-reason 2> /dev/null | sed -nE '/^(Samples|  Seconds)/,/^$/p'
"$VMMPROF" steal -i s 2> /dev/null | grep -E 'vmm:|polls'
