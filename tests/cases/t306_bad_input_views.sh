#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What t302 has for steal, for timeline and report: missing, late and lost
# records, TSCs that differ, one sample, none, no VM.
make() { cat > "$1.desc"; "$TOP"/tests/gen/mksession.py "$1.desc" "$1"; }
head='file info
text tsc_khz=1000000
event index=0 type=0 config=9 period=1000000 name=ref-cycles
switches on=1'
vm='vm pid=500 name=alpha
vcpu pid=500 tid=501 id=0
vcpu_state pid=500 tid=501 when=start state=runnable tsc=1000000'
end='stop start=1000000 stop=11000000
end
file cpu-0.rec'
run() { "$VMMPROF" "$@" 2> err || echo "status $?"; grep -v 'host: No such' err || :; }
# A trace whose slices come in pairs; which states and for how many ns.
perfetto() {
	"$VMMPROF" timeline -i "$1" --perfetto 2> /dev/null |
		protoc -I "$TOP"/tests/data --decode=Trace perfetto.proto > decoded
	python3 - << 'EOT'
import re
sums, open_slice = {}, {}
for p in open('decoded').read().split('packet {')[1:]:
    f = dict(re.findall(r'(\w+): "?([^"\n]*)"?', p))
    if f.get('type') == 'TYPE_SLICE_BEGIN':
        assert f['track_uuid'] not in open_slice
        open_slice[f['track_uuid']] = (int(f['timestamp']), f['name'])
    elif f.get('type') == 'TYPE_SLICE_END':
        begin, name = open_slice.pop(f['track_uuid'])
        sums[name] = sums.get(name, 0) + int(f['timestamp']) - begin
assert not open_slice
print(sorted(sums.items()))
EOT
}
show() {
	run timeline -i "$1" --width 40 | sed 1,3d
	"$VMMPROF" timeline -i "$1" --svg > svg 2> err || echo "status $?"
	[ ! -s svg ] || python3 -c "import xml.dom.minidom as x; x.parse('svg')"
	perfetto "$1"
	run report -v -i "$1" > report
	sed -n '/^Guest alpha (VM/,/^$/p' report
	grep -E 'No samples|adds up|impossible order' report || :
}

echo "== missing and late records"
make missing << EOF
$head
$vm
$end
in tsc=2000000 pid=500 tid=501
in tsc=3000000 pid=500 tid=501
out tsc=4000000 pid=500 tid=501 vcpu=0 mp=3
out tsc=5000000 pid=500 tid=501 vcpu=0 mp=3
wake tsc=6000000 pid=500 tid=501
in tsc=7000000 pid=500 tid=501
sample tsc=7500000 flags=NVMSOG pid=500 tid=501 cpl=3
out tsc=8000000 pid=500 tid=501 vcpu=0
in tsc=6500000 pid=500 tid=501
EOF
show missing

echo "== 3 to 7 ms lost"
make lost << EOF
$head
$vm
cpu cpu=0 samples=4 lost_other=5
$end
sample tsc=2000000 flags=NVMSOG pid=500 tid=501 cpl=3
sample tsc=3000000 flags=NVMSOG pid=500 tid=501 cpl=3
lost tsc=7000000 lost=0 other=5
sample tsc=7000000 flags=NVMSOG pid=500 tid=501 cpl=3
sample tsc=8000000 flags=NVMSOG pid=500 tid=501 cpl=3
out tsc=9000000 pid=500 tid=501 vcpu=0 mp=3
EOF
show lost
run steal -i lost | sed -n '/^CPU/,/^$/p'

echo "== 4 samples lost, but no switch records"
sed 's/lost_other=5/lost=4/; s/^lost.*/lost tsc=7000000 lost=4/' lost.desc > lost2.txt
make lost2 < lost2.txt
show lost2

echo "== CPU 1's TSC is 0.5 ms behind"
make skew << EOF
$head
$vm
$end
sample tsc=2000000 flags=NVMSOG pid=500 tid=501 cpl=3
out tsc=4000000 pid=500 tid=501 vcpu=0 flags=R
in tsc=7200000 pid=500 tid=501
sample tsc=8000000 flags=NVMSOG pid=500 tid=501 cpl=3
file cpu-1.rec
in tsc=3600000 pid=500 tid=501
sample tsc=4500000 flags=NVMSOG pid=500 tid=501 cpl=3
out tsc=6500000 pid=500 tid=501 vcpu=0 flags=R
EOF
show skew

echo "== one sample"
make one << EOF
$head
$vm
$end
sample tsc=9000000 flags=NVMSOG pid=500 tid=501 cpl=3
EOF
show one

echo "== none"
make none << EOF
$head
$vm
$end
EOF
show none

echo "== no VM"
make novm << EOF
$head
$end
sample tsc=9000000 flags=NU pid=900
EOF
show novm

echo "== no record file, and nothing was measured"
make empty << EOF
$head
$vm
stop start=1000000 stop=1000000
end
EOF
show empty
run steal -i empty | grep -E '^alpha|^  vCPU|No vCPU' || :
