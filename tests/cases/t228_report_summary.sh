#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The first screen of a report: VMs by what they lost and to whom, the top
# functions, and whether the checks agree; its numbers are those of --json.
for s in steal owners; do
	"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/$s.txt $s
	"$VMMPROF" report -i $s 2> /dev/null > text
	sed '/^Host and its guests/,$d' text > screen
	cat screen
	# and one line more if nothing is missing
	[ "$(sed '/^WARNING/,$d' screen | wc -l)" -le 22 ]
	! grep -E '^.{81}' screen || exit 1
	"$VMMPROF" steal -i $s --json 2> /dev/null > steal.json
	"$VMMPROF" report -i $s --json 2> /dev/null > report.json
	python3 - << 'EOF'
import json, re
steal, report = json.load(open('steal.json')), json.load(open('report.json'))
tables = [b.splitlines() for b in open('screen').read().split('\n\n')]
vms = next(t for t in tables if t[0].startswith('VM '))
functions = next(t for t in tables if t[0].startswith('Where '))
lost = []
for line in vms[1:]:
    name, *columns = line.split()
    g = next(g for g in steal['guests'] if g['name'] == name)
    for state, shown in zip(('guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown'), columns):
        assert abs(float(shown) - 100 * g[state + '_ns'] / g['total_ns']) < 0.01, (name, state)
    lost.append(float(columns[2]))
assert lost == sorted(lost, reverse=True) and len(lost) == len(steal['guests'])
rows = {}
for m in [report['host']] + report['guests']:
    for r in m['rows']:
        key = m['name'], r['function'], r['module'].split('(')[0] or r['module']
        rows[key] = rows.get(key, 0) + r['samples']
shown = []
for line in functions[1:]:
    name, share, function, module = re.split(' {2,}', line)
    n = rows[name, function, module.split('(')[0] or module]
    assert abs(float(share) - 100 * n / report['host']['samples']) < 0.006, line
    shown.append(n)
assert shown == sorted((n for (m, f, _), n in rows.items() if f[0] != '['), reverse=True)[:5]
EOF
done
# A choice gets its table, and the verdict on the checks below it.
"$VMMPROF" report -i steal --guest gamma 2> /dev/null | sed -n '1,/^Guest/p;/^WARNING/,$p'
# Loud when one fails: a sample that the module wrote is not there.
sed 's/cpu cpu=0 samples=90/cpu cpu=0 samples=91/' "$TOP"/tests/data/steal.txt > d
"$TOP"/tests/gen/mksession.py d missing
"$VMMPROF" report -i missing 2> /dev/null | grep -A 2 '^WARNING'
