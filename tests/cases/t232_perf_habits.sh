#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What perf's users type: names of sort keys and fields, a session without -i,
# --vm, -p, -C, --percent-limit; and report --csv has the rows of --json.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt s
cat > sums.py << 'END'
import csv
import json
import sys

said = json.load(open('json'))
with open('csv', newline='') as f:
    rows = list(csv.DictReader(f))
want = [(m['name'], str(m.get('vm', 0)), r['function'], r['module'],
         r.get('unresolved', ''), str(r['samples']))
        for m in [said['host']] * ('host' in said) + said['guests']
        for r in m['rows']]
got = [tuple(r[k] for k in ('machine', 'vm', 'function', 'module',
                            'unresolved', 'samples')) for r in rows]
assert got == want, (got, want)
assert len(got) > int(sys.argv[1]) and {r['event'] for r in rows} == {'ref-cycles'}
END
"$VMMPROF" report -i s --json > json
"$VMMPROF" report s --csv > csv
python3 sums.py 10
"$VMMPROF" report s --csv --percent-limit 5 -C 0 > csv
"$VMMPROF" report --json s --percent-limit 5 --cpu 0 > json
python3 sums.py 3
"$VMMPROF" report s --csv --sort comm,dso,sym -n 2
"$VMMPROF" report s --sort comm,dso > a
"$VMMPROF" report -i s --sort process,module > b
cmp a b
"$VMMPROF" report s --vm alpha -p 10 > a
"$VMMPROF" report -i s --guest alpha --pid 10 > b
cmp a b
"$VMMPROF" diff s s --sort comm,sym > a
"$VMMPROF" diff s s --sort process,function > b
cmp a b
# all CPUs have what each of them has
for cpu in 0 1 0-7; do
	"$VMMPROF" report s -C $cpu --json | python3 -c "
import json, sys
m = json.load(sys.stdin)
print('$cpu', m['host']['samples'], [g['samples'] for g in m['guests']])"
	"$VMMPROF" script s -C $cpu -F type | grep -c '=sample'
done
"$VMMPROF" report s --vm beta -C 0 | grep '^Guest'
"$VMMPROF" report s --vm alpha --percent-limit 10 | grep -B1 'more rows'
"$VMMPROF" script s -F time,dso,symbol > a
"$VMMPROF" script s -F t,mod,sym > b
cmp a b
for wrong in '--percent-limit 101' '--percent-limit x' '--percent-limit 0x5' '-C x' '--sort dso,module'; do
	"$VMMPROF" report s $wrong 2>&1 | head -n 1
done
# a session's name in every verb that reads one
for line in 'steal s' 'timeline t' 'export -f csv s' 'guests s' 'annotate sh_main s'; do
	"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt t 2> /dev/null || true
	"$VMMPROF" $line > out 2> err
	[ -s out ]
done
