#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Missing and late records, a recording of one sample, of none, without VMs,
# without switch records: sensible output, right exit status.
make() { cat > "$1.txt"; "$TOP"/tests/gen/mksession.py "$1.txt" "$1"; }
head='file info
text tsc_khz=1000000
event index=0 type=0 config=9 period=1000000 name=ref-cycles'
vm='vm pid=500 name=alpha
vcpu pid=500 tid=501 id=0'
end='stop start=1000000 stop=11000000
end
file cpu-0.rec'
run() { "$VMMPROF" steal "$@" 2> err || echo "status $?"; grep -v 'host: No such' err || :; }

echo "== two INs, an OUT of a sleeper, late records, a thread not known"
make missing << EOF
$head
switches on=1
$vm
$end
in tsc=2000000 pid=500 tid=501
in tsc=3000000 pid=500 tid=501
out tsc=4000000 pid=500 tid=501 vcpu=0 mp=3
out tsc=5000000 pid=500 tid=501 vcpu=0 mp=3
wake tsc=6000000 pid=500 tid=501
in tsc=7000000 pid=500 tid=501
out tsc=8000000 pid=500 tid=501 vcpu=0
out tsc=8500000 pid=500 tid=501 vcpu=0
sample tsc=9000000 flags=NVMSOG pid=500 tid=501 cpl=3
sample tsc=9500000 flags=NU pid=800
wake tsc=9600000 pid=500 tid=555
EOF
run -v -i missing | sed '/^CPU/,/^$/d'

echo "== records that come too late"
make late << EOF
$head
switches on=1
$vm
$end
in tsc=2000000 pid=500 tid=501
out tsc=8000000 pid=500 tid=501 flags=R
in tsc=8000000 pid=500 tid=501
out tsc=9000000 pid=500 tid=501 flags=R
file cpu-1.rec
wake tsc=10000000 pid=500 tid=501
wake tsc=10000001 pid=500 tid=501
wake tsc=10000002 pid=500 tid=501
wake tsc=10000003 pid=500 tid=501
wake tsc=10000004 pid=500 tid=501
wake tsc=10000005 pid=500 tid=501
in tsc=3000000 pid=500 tid=501
EOF
run -v -i late | grep -E 'vCPU 0   |too late|out of the order'

echo "== one that came, by another's record alone"
make came << EOF
$head
switches on=1
$vm
$end
in tsc=2000000 pid=500 tid=501
out tsc=4000000 pid=500 tid=501 flags=R opid=800 otid=800 ocomm=sh
switch tsc=6000000 pid=800 tid=800 comm=sh opid=500 otid=501 ocomm=vm
EOF
run -i came | sed -n '/^Guest, vCPU .*all/,/^$/p'

echo "== one sample"
make one << EOF
$head
switches on=1
$vm
$end
sample tsc=9000000 flags=NVMSOG pid=500 tid=501 cpl=3
EOF
run -i one | sed -n '/^Guest, vCPU .*all/,/^$/p' | head -n 4

echo "== none"
make none << EOF
$head
$vm
$end
EOF
run -i none | sed -n '/^Guest, vCPU .*all/,/^$/p' | head -n 4
run -i none --method=exact

echo "== no VM"
make novm << EOF
$head
switches on=1
$end
sample tsc=9000000 flags=NU pid=800
EOF
run -i novm

echo "== switched off, with the reason"
make off << EOF
$head
switches on=0 error=95
$vm
$end
sample tsc=9000000 flags=NVMSOG pid=500 tid=501 cpl=3
EOF
run -i off | sed -n '2,3p; /^Guest, vCPU/,/^$/p' | head -n 7

echo "== no event that counts time, nothing in info"
make notime << EOF
file info
text tsc_khz=1000000
event index=0 type=0 config=1 period=1000000 name=instructions
$end
sample tsc=9000000 flags=NVMSOG pid=500 tid=501 cpl=3
EOF
run -i notime
make empty << EOF
file info
end
EOF
run -i empty
run -i missing --method=guess
run -i missing more

echo "== a file that is cut off at 0.45 s, and one that is not there"
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt cut
truncate -s 4000 cut/cpu-0.rec
run -i cut --csv | cut -d, -f1-9
"$VMMPROF" timeline -i cut --csv 2> err | tail -n 4
rm cut/cpu-0.rec
run -i cut --csv | cut -d, -f1-9
