#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# vCPUs over time as text, SVG, CSV and a trace that Perfetto's schema decodes.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
"$VMMPROF" timeline -i s > text
cat text
! grep -E '^.{81}' text
"$VMMPROF" timeline -i s --from 0.5 --to 0.75 --width 25
"$VMMPROF" timeline -i s --svg > s.svg
python3 - << 'EOF'
import xml.dom.minidom
svg = xml.dom.minidom.parse('s.svg')
rects = svg.getElementsByTagName('rect')
# Each vCPU's bars cover the whole width.
rows = {}
for r in rects:
    y = r.getAttribute('y')
    rows[y] = rows.get(y, 0) + int(r.getAttribute('width'))
print('svg:', len(rects), 'bars,', sorted(rows.items()))
EOF
"$VMMPROF" timeline -i s --perfetto > s.perfetto
protoc -I "$TOP"/tests/data --decode=Trace perfetto.proto < s.perfetto > decoded
# Nothing that the schema does not know comes out as a number.
! grep -E '^ *[0-9]+[:{ ]' decoded
python3 - << 'EOF'
import re
packets = open('decoded').read().split('packet {')[1:]
names, depth, sums, kinds = {}, {}, {}, {}
for p in packets:
    f = dict(re.findall(r'(\w+): "?([^"\n]*)"?', p))
    if 'track_descriptor' in p:
        names[f['uuid']] = f.get('name') or f['process_name']
        assert 'parent_uuid' not in f or f['parent_uuid'] in names
        continue
    uuid, t = f['track_uuid'], int(f['timestamp'])
    assert uuid in names
    if f['type'] == 'TYPE_SLICE_BEGIN':
        assert uuid not in depth
        depth[uuid] = (t, f['name'])
    elif f['type'] == 'TYPE_SLICE_END':
        begin, what = depth.pop(uuid)
        key = (uuid, names[uuid], what)
        sums[key] = sums.get(key, 0) + t - begin
    else:
        kinds[names[uuid]] = int(f['counter_value'])
assert not depth
for (_, track, what), ns in sorted(sums.items(), key=lambda x: x[0][1:] + (x[1],)):
    print(f'{track}: {what}: {ns / 1e9:.6f} s')
print(sorted(kinds.items()))
EOF
"$VMMPROF" timeline -i s --csv > s.csv
head -n 4 s.csv
python3 - << 'EOF'
import csv
# The same sums as the trace's, and each vCPU's lines without gaps.
sums, until = {}, {}
for r in csv.DictReader(open('s.csv')):
    who = r['guest'], r['vcpu']
    begin, seconds = float(r['begin_s']), float(r['seconds'])
    assert abs(until.get(who, begin) - begin) < 2e-9, r
    until[who] = begin + seconds
    key = who, r['state'] + (': ' + r['thief'] if r['thief'] else '')
    sums[key] = sums.get(key, 0) + seconds
for (who, what), seconds in sorted(sums.items()):
    print(*who, f'{what}: {seconds:.6f} s')
EOF
expect() {
	want=$1
	shift
	status=0
	"$VMMPROF" timeline "$@" > out 2>&1 || status=$?
	cat out
	[ $status -eq "$want" ]
}
expect 2 -i s --from 1 --to 0.5
expect 2 -i s --from yesterday
expect 2 -i s --width 100000
expect 1 -i s --from 5
sed '/switches on/d' "$TOP"/tests/data/steal.txt > without.txt
"$TOP"/tests/gen/mksession.py without.txt without
expect 1 -i without
sed '/^  stop start/d; /^  end/d' "$TOP"/tests/data/steal.txt > died.txt
"$TOP"/tests/gen/mksession.py died.txt died
expect 1 -i died
"$VMMPROF" timeline -i died --perfetto 2> /dev/null |
	protoc -I "$TOP"/tests/data --decode=Trace perfetto.proto | grep -c TYPE_SLICE_END
