#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# top: what it says without a module or a terminal, and of wrong options;
# nothing is left behind.  (Live: tests/testbed/tcg 6.12 top and topterm,
# tests/testbed/run top.)
if [ -e /sys/module/vmmprof ]; then exit 0; fi
ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top* > before 2> /dev/null || :
fails()
{
	want=$1
	shift
	status=0
	"$VMMPROF" top "$@" > out 2> err < /dev/null || status=$?
	test $status -eq "$want"
	test ! -s out
}

fails 1 --batch -n 1
grep -q '^vmmprof top: /dev/vmmprof is not there' err
grep -q 'modprobe vmmprof' err
fails 1
grep -q '^vmmprof top: there is no terminal' err
fails 2 --batch -d 0.01
grep -q "^vmmprof top: --delay wants seconds from 0.1 to 3600, .* not '0.01'" err
fails 2 --batch -n 0
grep -q '^vmmprof top: --iterations wants a whole number from 1 on' err
fails 2 --batch -c x
grep -q '^vmmprof top: --count wants a whole number' err
fails 2 --batch -c 5 -F 5
grep -q '^vmmprof top: --count has no effect with --freq' err
fails 2 --batch --guest-bundle x
grep -q '^vmmprof top: --guest-bundle wants NAME=FILE' err
fails 2 --batch --transport carrier-pigeon
grep -q "^vmmprof top: --transport wants agent, .* not 'carrier-pigeon'" err
fails 2 --batch --ssh one
grep -q "^vmmprof top: --ssh wants NAME=user@host, not 'one'" err
fails 2 --batch --guest-timeout 0
grep -q '^vmmprof top: --guest-timeout wants seconds above 0' err
fails 2 --batch --debuginfod=some
grep -q "^vmmprof top: --debuginfod wants host, all or no, not 'some'" err
fails 1 --batch -n 1 -N --guest-program nothing
grep -q '^vmmprof top: /dev/vmmprof is not there' err
fails 2 --batch --call-graph=lbr
grep -q "^vmmprof top: --call-graph=lbr: the CPU's branch records are not read" err
fails 2 --batch --call-graph=dwarf,x
grep -q "^vmmprof top: --call-graph=dwarf,SIZE wants 1 to" err
fails 1 --batch -g --json -n 1
grep -q '^vmmprof top: /dev/vmmprof is not there' err
fails 2 --batch now
grep -q "^vmmprof top: unexpected argument 'now'" err
ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top* > after 2> /dev/null || :
cmp before after
