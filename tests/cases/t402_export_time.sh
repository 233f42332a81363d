#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Exports with an axis of time: each sample, and each stretch of a state, stands
# where the records have it.
export PYTHONDONTWRITEBYTECODE=1
for data in two-guests steal; do
	"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/$data.txt $data
	python3 "$CASES"/t402_export_time.py $data "$TOP"/tests/data/$data.txt
done
# if it is not known how long a tick is, the host's samples are there all the same
sed 's/ tsc_khz=1000000//' "$TOP"/tests/data/steal.txt > no_khz.txt
"$TOP"/tests/gen/mksession.py no_khz.txt no_khz
for f in folded firefox speedscope; do
	"$VMMPROF" export no_khz -f $f > $f 2> /dev/null
done
python3 - << 'EOF'
import json
host = sum(int(line.rsplit(' ', 1)[1]) for line in open('folded')
           if line.startswith('host;'))
threads = json.load(open('firefox'))['threads']
ns = [sum(t['samples']['weight']) * 1e6 for t in threads
      if t['processName'] == 'host']
# two CPUs share the time of one profile
half = [sum(p['weights']) for p in json.load(open('speedscope'))['profiles']
        if p['name'] == 'host']
assert host == 18 * 10 ** 7 and ns == [host] and half == [host / 2], (ns, half)
EOF
