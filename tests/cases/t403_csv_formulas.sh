#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In no CSV does a name begin as a formula does that a spreadsheet would run,
# and without the first ' each field is the name as other views have it.
cat > d << 'END'
file info
  text hostname=h tsc_khz=1000000
  event index=0 type=0 config=9 period=1000000 name==1+1
  switches on=1
  vm pid=1 name==cmd|\x27/C\x20calc\x27!A1 nr_vcpus=1
  vcpu pid=1 tid=2 id=0 comm=v
  guest pid=1 name=x
  stop start=0 stop=100000000
  end
file guests/x.bundle
  text from=watch phys_mask=0xffffffffff000
  mm op=snap ns=1 key=0x2000 pid=7 comm=@SUM(A1)
  proc op=snap ns=1 pid=7 comm=@SUM(A1)
  file_item id=1 path=/bin/+cmd
  map pid=7 start=0x400000 end=0x500000 ns=1 file=1
  symtab file=1 seg=0:0x400000:0x100000 sym=0x400100:0x100:-2+3,0x400300:0x100:\x27quoted,0x400500:0x100:\xef\xbc\x9d1,0x400700:0x100:plain-\x22=
  end
file cpu-0.rec
  sample tsc=2000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400110 handling=2 pid=1 tid=2
  sample tsc=3000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400310 handling=2 pid=1 tid=2
  sample tsc=4000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400510 handling=2 pid=1 tid=2
  sample tsc=5000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400710 handling=2 pid=1 tid=2
  out tsc=50000 pid=1 tid=2 vcpu=0 flags=R comm==x opid=99 otid=99 ocomm=-3
  in tsc=70000 pid=1 tid=2 comm==x opid=98 otid=98 ocomm=-3
END
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" export -f csv -i s > export.csv
"$VMMPROF" export -f json -i s > export.json
"$VMMPROF" timeline --csv -i s > timeline.csv
for more in '' '--by thief' '--method both' '--method samples'; do
	"$VMMPROF" steal --csv -i s $more
done > steal.csv
python3 - << 'END'
import csv
import json
def rows(name):
    got = list(csv.reader(open(name)))
    for field in (f for row in got for f in row):
        assert field[:1] not in tuple('=+@\t\r＝＋－＠'), field
        if field[:1] == '-':
            assert field == '-' or float(field) < 0, field
    return [[f[1:] if f[:1] == "'" else f for f in row] for row in got]
vm = "=cmd|'/C calc'!A1"
table = rows('export.csv')
entries = json.load(open('export.json'))['entries']
for key in ('guest', 'process', 'module', 'function'):
    at = table[0].index(key)
    assert [r[at] for r in table[1:]] == [e[key] or '' for e in entries]
names = {f for r in table for f in r}
assert {vm, '@SUM(A1)', '+cmd', '-2+3', "'quoted", '\uff1d1', 'plain-"=',
        '=1+1'} <= names, names
names = {f for r in rows('timeline.csv') for f in r}
assert {vm, '-3'} <= names, names
names = {f for r in rows('steal.csv') for f in r}
assert vm in names, names
END
