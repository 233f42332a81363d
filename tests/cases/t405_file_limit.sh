#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A file that may not grow (ulimit -f) is told as one, and ends nothing by a
# signal.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt s
status=0
(
	ulimit -f 1 # blocks of 512 or 1,024 bytes
	"$VMMPROF" export -f json -i s -o big 2> said
) || status=$?
cat said
test $status -eq 1
grep -q 'File too large' said
test "$(stat -c %s big)" -le 1024
