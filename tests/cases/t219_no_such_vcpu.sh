#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A vCPU that no guest has, a CPU, and a process without a sample, are told, not shown
# as an empty table; so is a record file that is gone, and a width of 0 slots.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt s
while read -r options; do
	status=0
	"$VMMPROF" report -i s $options > out 2> err || status=$?
	echo "$options: status $status, $(wc -c < out) bytes"
	cat err
done << 'END'
--vcpu 9
--vcpu 9 --json
--guest alpha --vcpu 9
--pid 99999
--guest alpha --pid 99999
--cpu 7,9
END
! "$VMMPROF" script -i s -C 2 2>&1 || exit 1
"$VMMPROF" script -i s -C 1-99 | grep -c cpu=1
"$VMMPROF" report -i s -C 1-99 2>&1 | grep -c 'Total samples: [1-9]'
for options in '--vcpu 1' '--guest alpha --vcpu 1' '--pid 700' '--guest alpha --pid 10'; do
	"$VMMPROF" report -i s $options 2>&1 | grep -c 'Total samples: [1-9]'
done
! "$VMMPROF" timeline -i s --width 0 2>&1 || exit 1
! "$VMMPROF" report -i s --vcpu 4294967296 2>&1 || exit 1
! "$VMMPROF" report -i s -n 99999999999999999999 2>&1 || exit 1
rm s/cpu-1.rec
"$VMMPROF" report -i s 2>&1 > out
