#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A WAKE record was lost; samples in NMIs go on, and the LOST record comes before the
# next record of a switch.  What the vCPU did from the loss on is not known, although
# there are later records.
make() { cat > "$1.txt"; "$TOP"/tests/gen/mksession.py "$1.txt" "$1"; }
head='file info
text tsc_khz=1000000
event index=0 type=0 config=9 period=1000000 name=ref-cycles
switches on=1
vm pid=500 name=alpha
vcpu pid=500 tid=501 id=0
vcpu_state pid=500 tid=501 when=start state=runnable tsc=1000000
cpu cpu=0 samples=5 lost_other=1
stop start=1000000 stop=11000000
end
file cpu-0.rec
in tsc=1000000 pid=500 tid=501
out tsc=2000000 pid=500 tid=501 opid=800 otid=800 ocomm=sh
sample tsc=4000000 flags=NI pid=800 ip=0xffffffff81000000 repeat=5 step=1000000'
show() {
	"$VMMPROF" steal -v -i "$1" > out 2> err || echo "status $?"
	sed -n '/^Guest, vCPU .*all/,/^  vCPU/p' out | sed '$d'
}

echo "== told when: from 3 to 9 ms"
make told << EOF
$head
lost tsc=9000000 lost=0 other=1 first=3000000 last=3000000
in tsc=9000000 pid=500 tid=501 opid=800 otid=800 ocomm=sh
EOF
show told

echo "== not told: from the sample before"
make untold << EOF
$head
lost tsc=9000000 lost=0 other=1
in tsc=9000000 pid=500 tid=501 opid=800 otid=800 ocomm=sh
EOF
show untold
