#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# agent: what it says without the module, of wrong options and of a wrong file;
# nothing is left behind.  (Live: tests/testbed/tcg 6.12 agent.)
if [ -e /sys/module/vmmprof ] || [ -e /etc/vmmprof/agent.conf ]; then exit 0; fi
ls -d /dev/shm/vmmprof-agent* /tmp/vmmprof-agent* > before 2> /dev/null || :
fails()
{
	want=$1
	shift
	status=0
	"$VMMPROF" agent "$@" > out 2> err < /dev/null || status=$?
	test $status -eq "$want"
	test ! -s out
}

mkdir metrics
fails 1
grep -q '^vmmprof agent: nothing to do: name --metrics-dir, --spool-dir or --records-dir, here or in /etc/vmmprof/agent.conf$' err
fails 1 --metrics-dir metrics
grep -q '^vmmprof agent: /dev/vmmprof is not there' err
fails 1 --metrics-dir nothing
grep -q '^vmmprof agent: nothing: No such file' err
fails 1 --spool-dir nothing/spool
grep -q '^vmmprof agent: nothing/spool: No such file' err
# options of a file, and of the command line instead of the file's
printf '# mine\nmetrics-dir = nowhere\nwindow = 5\n\nno-switches\n' > conf
fails 1 --conf conf
grep -q '^vmmprof agent: nowhere: No such file' err
fails 1 --conf conf --metrics-dir metrics --window=7
grep -q '^vmmprof agent: /dev/vmmprof is not there' err
fails 2 --conf conf --window 0.1
grep -q '^vmmprof agent: --window wants seconds from 1.0 to 3600' err
fails 2 --conf nothing
grep -q '^vmmprof agent: nothing: No such file' err
echo 'window = x' > conf
fails 2 --conf=conf
grep -q "^vmmprof agent: --window wants seconds from 1.0 to 3600, .* not 'x'" err
printf 'window = 5\nwindow 5\n' > conf
fails 2 --conf=conf
grep -q '^vmmprof agent: conf, line 2: it wants NAME = VALUE' err
echo 'conf = conf' > conf
fails 2 --conf=conf
grep -q '^vmmprof agent: conf, line 1: it wants NAME = VALUE' err
echo 'nonsense = 5' > conf
fails 2 --conf=conf
grep -q "nonsense" err
# what cannot be frozen
fails 1 freeze
grep -q '^vmmprof agent: freeze: name --records-dir' err
fails 1 freeze --records-dir nothing
grep -q '^vmmprof agent: nothing: No such file' err
mkdir -m 700 ring
fails 1 freeze --records-dir ring
grep -q '^vmmprof agent: no agent keeps its records in ring' err
fails 2 thaw
grep -q "^vmmprof agent: unexpected argument 'thaw'" err
ls metrics > out
test ! -s out
ls -d /dev/shm/vmmprof-agent* /tmp/vmmprof-agent* > after 2> /dev/null || :
cmp before after
