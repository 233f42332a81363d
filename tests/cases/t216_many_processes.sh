#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Up to 16 processes of one program are told apart; more are shown together,
# unless sorted by pid.
for n in 16 17; do
	printf 'file info\n end\nfile host\n' > d
	for pid in $(seq 1 $n); do
		echo " proc op=snap ns=0 pid=$pid comm=cc"
		echo " map pid=$pid start=0x1000 end=0x2000 file=1"
	done >> d
	printf ' file_item id=1 path=/bin/cc\n end\nfile cpu-0.rec\n' >> d
	for pid in $(seq 1 $n); do
		echo " sample tsc=$pid flags=NU pid=$pid ip=0x1000"
	done >> d
	"$TOP"/tests/gen/mksession.py d s$n
	for sort in '' --sort=module,pid; do
		"$VMMPROF" report -i s$n $sort | sed -n '/^Total/,/^$/p' | grep -c 'cc'
	done
done
