#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The metrics of a session sum to what `steal` says of it, whatever the names; the
# number of thieves is bounded.
export PYTHONDONTWRITEBYTECODE=1
metrics() {
	python3 "$CASES"/t407_export_metrics.py "$@"
}
for data in owners steal svm; do
	"$TOP"/tests/gen/mksession.py "$TOP/tests/data/$data.txt" $data
	metrics $data
done
metrics owners --time 0.2,0.7
for seed in 3 4; do
	python3 "$TOP"/tests/gen/schedule.py $seed schedule$seed
	metrics schedule$seed > out
done
# names that would end a label or a line; 24 thieves, of which 10 have a series
sed 's/ name=web/ name=we"b\\x5c\\x0a1/; s/name=db/name=other%20VMs/' \
	"$TOP"/tests/data/owners.txt > d
"$TOP"/tests/gen/mksession.py d names
"$VMMPROF" export names -f prometheus | grep -o 'vm=.*state="guest"'
python3 - "$TOP"/tests/data/owners.txt > d << 'END'
import re
import sys

at = 910000000
for line in open(sys.argv[1]):
    print(line, end='')
    if re.match(r'  proc .* pid=900 ', line):
        for i in range(24):
            print(f'  proc op=snap ns=0 pid={2000 + i} comm=thief{i}')
    if re.match(r'  sample tsc=105000000', line):
        # web's vCPU leaves its CPU for all of them, one after the other
        print('  out tsc=110000000 pid=500 tid=501 vcpu=0 flags=R '
              'comm=CPU%200/KVM opid=2000 otid=2000 ocomm=thief0')
        for i in range(1, 24):
            print(f'  switch tsc={110000000 + i * 1000000 + i * i * 10000} '
                  f'pid={1999 + i} comm=thief{i - 1} opid={2000 + i} '
                  f'ocomm=thief{i}')
        print('  in tsc=180000000 pid=500 tid=501 comm=CPU%200/KVM opid=2023 '
              'otid=2023 ocomm=thief23')
END
"$TOP"/tests/gen/mksession.py d thieves
metrics thieves
"$VMMPROF" export thieves -f prometheus | grep 'vm="web".*"other"'
sed '/^  stop /d; s/ tsc_khz=1000000//' "$TOP"/tests/data/steal.txt > d
"$TOP"/tests/gen/mksession.py d died
"$VMMPROF" export died -f prometheus 2>&1 | tail -n 1
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt without
"$VMMPROF" export without -f prometheus 2>&1 || echo "status $?"
