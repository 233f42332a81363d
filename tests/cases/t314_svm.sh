#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A session of an AMD host: exit codes have AMD's names and numbers everywhere,
# the decision "guest or host" is checked by SVM's rule, and HLT is SVM's.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/svm.txt s
"$VMMPROF" script -i s -F cpu,flags,exit 2> /dev/null
! "$VMMPROF" script -i s --check -F tsc,check 2> /dev/null > check || exit 1
cat check
"$VMMPROF" report -i s --sort exit-reason 2> /dev/null | sed -nE '/^(Samples|  Seconds)/,/^$/p'
"$VMMPROF" steal -i s 2> /dev/null | grep -E 'vmm:|polls|idle in the guest'
"$VMMPROF" exits -i s
"$VMMPROF" exits -i s --csv
"$VMMPROF" exits -i s --json > exits.json
"$VMMPROF" steal -i s --json > steal.json 2> /dev/null
"$VMMPROF" report -i s --json > report.json 2> /dev/null
for verb in exits steal report; do
	python3 "$CASES"/schema.py "$TOP"/analyzer/view/$verb.schema.json $verb.json
done
grep -A1 '"reason"' exits.json steal.json
