#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What is no session is a clear error, status 1; wrong use is status 2.
try() { status=0; "$VMMPROF" "$@" 2>&1 >/dev/null || status=$?; echo "status $status"; }
try report
try report -i /nonexistent
try report -i /etc/passwd
mkdir empty; try script -i empty
mkdir text; echo hello, this is no session at all > text/info; try report -i text
printf 'file info\n header min_version=4 version=4\n end\n' > d
"$TOP"/tests/gen/mksession.py d newer; try report -i newer
printf 'file info\n end\nfile cpu-0.rec\n header min_version=4\n' > d
"$TOP"/tests/gen/mksession.py d newrec; try report -i newrec
try report --sort nonsense
try report --sort pid,pid
try report -n x
try report here surplus
try report --guest-bundle x
try script --fields nonsense
