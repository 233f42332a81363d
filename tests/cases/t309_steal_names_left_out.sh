#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# SWITCH records that the module left out: steal stays exact, who took it is
# unknown from the first to the last of them, and both are told.  A LOST record
# that contradicts itself counts as one of any records.
make() { cat > "$1.txt"; "$TOP"/tests/gen/mksession.py "$1.txt" "$1"; }
head='file info
text tsc_khz=1000000
event index=0 type=0 config=9 period=1000000 name=ref-cycles
switches on=1
vm pid=500 name=alpha
vcpu pid=500 tid=501 id=0
vcpu_state pid=500 tid=501 when=start state=runnable tsc=1000000
cpu cpu=0 samples=0 lost_other=40
stop start=1000000 stop=11000000
end
file cpu-0.rec
in tsc=1000000 pid=500 tid=501
out tsc=2000000 pid=500 tid=501 flags=R opid=800 otid=800 ocomm=sh
switch tsc=3000000 pid=800 tid=800 comm=sh opid=801 otid=801 ocomm=make'
show() {
	"$VMMPROF" steal -v -i "$1" > out 2> err || echo "status $?"
	grep -v 'host: No such' err || :
	sed -n '/^Guest, vCPU .*all/,/^$/p; /^Who took/,/^$/p' out
	grep -E 'left out|lost in full' out || :
	"$VMMPROF" report -v -i "$1" 2> /dev/null | grep -E 'other records|of them' || :
}

echo "== from 4 to 8 ms"
make names << EOF
$head
lost tsc=9000000 names=1 first=4000000 last=8000000 lost=0 other=40
in tsc=9000000 pid=500 tid=501 opid=803 otid=803 ocomm=cc1
EOF
show names

echo "== one"
make one << EOF
$head
lost tsc=9000000 names=1 first=4000000 last=4000000 lost=0 other=1
in tsc=9000000 pid=500 tid=501 opid=803 otid=803 ocomm=cc1
EOF
show one

echo "== it waits still"
make still << EOF
$head
lost tsc=9000000 names=1 first=4000000 last=8000000 lost=0 other=40
EOF
show still

echo "== from 8 to 4 ms"
make wrong << EOF
$head
lost tsc=9000000 names=1 first=8000000 last=4000000 lost=0 other=40
in tsc=9000000 pid=500 tid=501 opid=803 otid=803 ocomm=cc1
EOF
show wrong

echo "== it waited already when the measurement began: nobody is blamed"
make waits << EOF
$(sed '/^file cpu-0.rec/,$d; s/ lost_other=40//' names.txt)
file cpu-0.rec
in tsc=6000000 pid=500 tid=501 opid=803 otid=803 ocomm=cc1
EOF
show waits
