#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Counted VM exits: tables by VM and vCPU, the functions that caused them, JSON
# by its schema, CSV; what adds up; sessions without them.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/exits.txt s
"$VMMPROF" exits s > text
cat text
# 80 columns
! grep -E '^.{81}' text || exit 1
for options in "--by vcpu --sort time -n 1 --vm alpha" "--vcpu 0" \
	"--csv" "--csv --by vcpu" "-e cpu-clock --guest alpha"; do
	echo
	echo "== $options"
	"$VMMPROF" exits -i s $options
done
for by in vm vcpu; do
	"$VMMPROF" exits -i s --by $by --json > $by.json
done
python3 "$CASES"/schema.py "$TOP"/analyzer/view/exits.schema.json vm.json vcpu.json
"$VMMPROF" exits -i s --no-pager > bare
cmp bare text
"$VMMPROF" exits -i s --color=always | sed 's/\x1b\[[0-9;]*m//g' > plain
cmp plain text
python3 "$CASES"/t480_exits.py vm.json vcpu.json
echo
echo "== sessions without"
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/small.txt none
! "$VMMPROF" exits -i none || exit 1
sed 's/^  exits .*/  exits on=0 error=12/' "$TOP"/tests/data/exits.txt > failed.txt
"$TOP"/tests/gen/mksession.py failed.txt failed
! "$VMMPROF" exits -i failed || exit 1
sed '/^  exits /,/^  end/d' "$TOP"/tests/data/exits.txt > killed.txt
"$TOP"/tests/gen/mksession.py killed.txt killed
! "$VMMPROF" exits -i killed || exit 1
sed 's/ tsc_khz=1000000//' "$TOP"/tests/data/exits.txt > clock.txt
"$TOP"/tests/gen/mksession.py clock.txt clock
! "$VMMPROF" exits -i clock || exit 1
# numbers that no recording has
sed 's/counts=.*/counts=0xffffffffffffffff:1,3:0xffffffffffff/' "$TOP"/tests/data/exits.txt |
	sed "s/^  exits .*/  exits missed=0xffffffffffffffff/" > large.txt
"$TOP"/tests/gen/mksession.py large.txt large
"$VMMPROF" exits -i large --json > large.json
python3 "$CASES"/schema.py "$TOP"/analyzer/view/exits.schema.json large.json
grep -q '"sums_too_large": true' large.json
# Parts of the time have no counts, and that is said.
for option in '--time 1,2' --time=1,2; do
	status=0
	"$VMMPROF" exits $option 2> err || status=$?
	[ $status -eq 2 ]
	grep -q 'there is no --time: exits are counted .* over the whole recording' err
done
# only text has colours
for form in --csv --json; do
	if "$VMMPROF" exits -i s $form --color=always > out 2> err; then exit 1; fi
	grep -q 'only text has colours' err
done
