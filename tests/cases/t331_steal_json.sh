#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The JSON of steal is as its schemas say; the matrix's sums on both sides are
# the accounts; verdicts say its numbers in words.
is_as() {
	schema=$1
	shift
	"$VMMPROF" steal --json "$@" > out.json 2> err
	python3 "$CASES"/schema.py "$TOP/analyzer/view/$schema.schema.json" out.json
}
cat > sums.py << 'END'
import json
import re
import sys

d = json.load(open('out.json'))
m = d['matrix']
took = [0] * len(m['thieves'])
lost = [0] * len(m['victims'])
for c in m['cells']:
    took[c['thief']] += c['took_ns']
    lost[c['victim']] += c['took_ns']
    assert 0 < c['longest_ns'] <= c['took_ns'], c
    assert (c['from_ns'] is None) == (c['to_ns'] is None), c
assert took == [t['took_ns'] for t in m['thieves']], took
assert lost == [v['lost_ns'] for v in m['victims']], lost
assert sum(lost) == m['lost_ns'] == sum(g['steal_ns'] for g in d['guests'])
assert sum(v['time_ns'] for v in m['victims']) == m['time_ns']
for g in d['guests']:
    mine = [v for v in m['victims'] if v['pid'] == g['pid']]
    assert sum(v['lost_ns'] for v in mine) == g['steal_ns'], g['name']
    assert sum(v['time_ns'] for v in mine) == g['total_ns'], g['name']
    share = re.search(r' lost ([0-9.]+) %', g['verdict'])
    said = float(share[1]) if share else 0
    assert abs(said - 100 * g['steal_ns'] / g['total_ns']) <= .05001, g
    if m['by'] == 'unit' and sys.argv[1:]:
        print(g['verdict'])
END
for data in owners steal two-guests unclear small; do
	"$TOP"/tests/gen/mksession.py "$TOP/tests/data/$data.txt" $data
done
for data in owners steal; do
	for by in vm vcpu unit process; do
		is_as steal -i $data --by $by
		python3 sums.py
		is_as steal -i $data --by $by --method samples
		python3 sums.py
	done
	is_as steal -i $data --by thief
	is_as steal_both -i $data --method both
	is_as steal -i $data
	python3 sums.py told
done
for data in two-guests unclear small; do
	is_as steal -i $data
done
sed '/^  stop /d; s/ tsc_khz=1000000//' "$TOP"/tests/data/steal.txt > d
"$TOP"/tests/gen/mksession.py d died
is_as steal -i died
grep -m 1 '"lost_ns": null' out.json
grep -m 1 verdict out.json
"$VMMPROF" steal -i owners --csv --by vm
"$VMMPROF" steal -i owners --csv --by process | head -n 4
"$VMMPROF" steal -i owners --csv --by vcpu | head -n 3
