#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Both methods over the same records: what samples alone cannot see.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
"$VMMPROF" steal -i s --method=both > text
cat text
! grep -E '^.{81}' text || exit 1
"$VMMPROF" steal -i s --method=both --csv
# JSON has the numbers of either method by itself.
for m in both exact samples; do
	"$VMMPROF" steal -i s --method=$m --json > $m.json
done
python3 - << 'EOF'
import json
d = {m: json.load(open(m + '.json')) for m in ('both', 'exact', 'samples')}
one = {m: {v['tid']: v for g in d[m]['guests'] for v in g['vcpus']}
       for m in ('exact', 'samples')}
n = 0
for row in d['both']['rows']:
    for m in one:
        if 'tid' in row:
            n += 1
            assert all(one[m][row['tid']][k] == v for k, v in row[m].items())
print(n, 'lines compared')
EOF
expect() {
	status=0
	"$VMMPROF" steal -i "$@" 2>&1 || status=$?
	echo "status $status"
}
expect s --method=both --by=thief
sed '/switches on/d; /  out /d; /  in /d; /  wake /d; /  switch /d' "$TOP"/tests/data/steal.txt > without.txt
"$TOP"/tests/gen/mksession.py without.txt without
expect without --method=both
sed '/event index/d' "$TOP"/tests/data/steal.txt > untimed.txt
"$TOP"/tests/gen/mksession.py untimed.txt untimed
expect untimed --method=both
