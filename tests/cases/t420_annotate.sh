# SPDX-License-Identifier: GPL-2.0-only
# Instructions of a host's and a guest's function with their samples; their sum
# is the function's number in the report.
. "$CASES/annotate.sh"
annotate_program
code=$PWD/prog guest=/usr/bin/gprog guest_id=$id
annotate_session
annotate() { "$VMMPROF" annotate -i s "$@" | sed "s,$PWD/,,"; }
annotate spin
echo "-- in one process, another syntax"
annotate spin --process other -M intel | tail -n +4
annotate --process 9 spin | grep ' samples$'
echo "-- another event, whose interrupt is a timer's"
annotate spin -e cpu-clock | grep -v ' [;|] '
echo "-- in the guest"
annotate spin --guest web --process 7 | grep ' samples$'
echo "-- sums"
"$VMMPROF" report -i s --json > r
"$VMMPROF" annotate -i s spin --json > a
"$VMMPROF" annotate -i s spin --json -M intel --guest web --process gprog > b
python3 - <<'EOF'
import json
r, a, b = (json.load(open(f)) for f in 'rab')
for p in a['places']:
    table = r['host'] if not p['vm'] else r['guests'][p['vm'] - 1]
    rows = [x for x in table['rows'] if x['function'] == 'spin' and
            x['module'].split('(')[0] == p['module']]
    lines = sum(x['samples'] for x in p['lines'])
    print(p['machine'], lines, sum(x['samples'] for x in rows), p['samples'])
    assert lines == sum(x['samples'] for x in rows) == p['samples'] > 0
assert a['samples'] == sum(p['samples'] for p in a['places'])
assert [p['machine'] for p in b['places']] == ['web']
line = b['places'][0]['lines'][2]
assert line['bytes'] == '90' and line['instruction'] == 'nop'
assert line['likely'] == 'before' and line['source'] == 'prog.S:5'
print(json.dumps(a['places'][0]['lines'][3], sort_keys=True))
EOF
