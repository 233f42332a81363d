#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# vCPUs over time as text, SVG, CSV and a trace that Perfetto's schema decodes.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
"$VMMPROF" timeline -i s > text
cat text
! grep -E '^.{81}' text || exit 1
"$VMMPROF" timeline -i s --from 0.5 --to 0.75 --width 25
# No UTF-8, no character beyond ASCII.
LC_ALL=C "$VMMPROF" timeline -i s --width 25 > ascii
grep -A 2 '^alpha vCPU 0' ascii
! LC_ALL=C grep -q '[^ -~]' ascii || exit 1
# The heights of the states fill each column, and the thieves the steal.
python3 - << 'EOF'
vcpus, rows = {}, None
for line in open('text').read().splitlines()[3:]:
    if not line.startswith(' '):
        rows = vcpus.setdefault(line, {})
        continue
    label, bars = line.split('|')[:2]
    rows[label[:-8].rstrip()] = [(ord(c) - 0x2580) if c != ' ' else 0 for c in bars]
assert len(vcpus) == 4
for name, rows in vcpus.items():
    states = [r for label, r in rows.items() if label[2] != ' ']
    thieves = [r for label, r in rows.items() if label[2] == ' ']
    for i in range(49):
        assert 7 <= sum(r[i] for r in states) <= 9, (name, i)
        stolen = rows.get('  steal', [0] * 49)[i]
        assert abs(sum(r[i] for r in thieves) - stolen) <= 1, (name, i)
EOF
# All that a VM's threads took is that VM's.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/owners.txt owners
"$VMMPROF" timeline -i owners 2> /dev/null | sed -n '/^web/,/^noisy/p'
"$VMMPROF" timeline -i s --svg > s.svg
python3 - << 'EOF'
import re, xml.dom.minidom
svg = xml.dom.minidom.parse('s.svg')
text = lambda e: ''.join(n.data for n in e.childNodes if n.nodeType == n.TEXT_NODE)
marks = [(float(t.getAttribute('x')), text(t)) for t in svg.getElementsByTagName('text')
         if t.getAttribute('class') == 'mark']
print('axis:', [m[1] for m in marks])
for x, label in marks:
    assert abs(x - 3 - 200 - 1000 * float(label.split()[0])) < 0.1
for g in svg.getElementsByTagName('g'):
    print('svg:', text(g.getElementsByTagName('title')[0]))
    whole = 0
    for path in g.getElementsByTagName('path'):
        if path.getAttribute('class') == 'hatching':
            continue
        boxes = re.findall(r'M(\S+) (\S+)H(\S+)V(\S+)H\1Z', path.getAttribute('d'))
        area = sum((float(d) - float(b)) * (float(c) - float(a)) for a, b, c, d in boxes)
        title = text(path.getElementsByTagName('title')[0])
        print(' ', path.getAttribute('fill'), title)
        assert abs(area / 30000 - float(title.split()[-2]) / 100) < 0.001, (area, title)
        whole += area
    # Each vCPU's layers cover its band.
    assert abs(whole - 30000) < 1, whole
    for t in g.getElementsByTagName('text'):
        if t.getAttribute('class') == 'thieves':
            print(' ', text(t))
EOF
"$VMMPROF" timeline -i s --perfetto > s.perfetto
protoc -I "$TOP"/tests/data --decode=Trace perfetto.proto < s.perfetto > decoded
# Nothing that the schema does not know comes out as a number.
! grep -E '^ *[0-9]+[:{ ]' decoded || exit 1
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
expect 2 -i s --width 0
expect 1 -i s --from 5
sed '/switches on/d' "$TOP"/tests/data/steal.txt > without.txt
"$TOP"/tests/gen/mksession.py without.txt without
expect 1 -i without
sed '/^  stop start/d; /^  end/d' "$TOP"/tests/data/steal.txt > died.txt
"$TOP"/tests/gen/mksession.py died.txt died
expect 1 -i died
"$VMMPROF" timeline -i died --perfetto 2> /dev/null |
	protoc -I "$TOP"/tests/data --decode=Trace perfetto.proto | grep -c TYPE_SLICE_END
# XML may not have what ends a CDATA section anywhere else
sed 's/name=alpha/name=a]]>b/' "$TOP"/tests/data/steal.txt > brackets.txt
"$TOP"/tests/gen/mksession.py brackets.txt brackets
"$VMMPROF" timeline -i brackets --svg > brackets.svg
python3 -c "import xml.dom.minidom as x
assert any('a]]>b' in t.firstChild.data for t in
           x.parse('brackets.svg').getElementsByTagName('title'))"
