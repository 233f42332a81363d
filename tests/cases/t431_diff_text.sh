#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What diff prints, and what it says of sessions that it cannot compare.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt a
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/unclear.txt b
# A function of beta has half as many samples.
sed 's/repeat=80 /repeat=40 /' "$TOP"/tests/data/two-guests.txt > c.txt
"$TOP"/tests/gen/mksession.py c.txt c
"$VMMPROF" diff a c 2> /dev/null
"$VMMPROF" diff a c --guest beta -s function -n 1 2> /dev/null

expect() {
	want=$1
	shift
	status=0
	echo "\$ diff $*"
	"$VMMPROF" diff "$@" > out 2> err || status=$?
	grep -v warning err || :
	[ $status -eq "$want" ]
}
expect 2
expect 2 a
expect 2 a b c
expect 2 a b --sort cpu
expect 2 a b --sort mode,mode
expect 2 a b --limit few
expect 1 a nothing
expect 1 nothing a
expect 1 a b --guest alpha
expect 1 b a --guest alpha
expect 1 a b -e cycles
expect 1 a b --guest-bundle-b watched=nothing
expect 2 a b --guest-bundle-b watched
expect 2 a b --guest-bundle-a x=f --guest-bundle-a x=g
expect 0 a b
expect 0 a a
# Another event, a session without switch records.
sed 's/name=ref-cycles/name=cycles/' "$TOP"/tests/data/two-guests.txt > e.txt
"$TOP"/tests/gen/mksession.py e.txt e
expect 1 a e
python3 "$TOP"/tests/gen/schedule.py 3 t
expect 0 a t
status=0
"$VMMPROF" diff a a > /dev/full 2> err || status=$?
cat err
[ $status -eq 1 ]
# Root's sessions, in folders that nobody else may enter.
chmod -R go= a c
"$VMMPROF" diff a c --json 2> /dev/null | grep -q '"name": "alpha"'
