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
grep -q '^vmmprof agent: nothing to do: name --metrics-dir, --metrics-listen, --spool-dir or --records-dir, here or in /etc/vmmprof/agent.conf$' err
fails 1 --metrics-dir metrics
grep -q '^vmmprof agent: /dev/vmmprof is not there' err
fails 1 --metrics-dir nothing
grep -q '^vmmprof agent: nothing: No such file' err
fails 1 --metrics-listen 0.0.0.0:9477
grep -q '^vmmprof agent: --metrics-listen 0.0.0.0:9477: 127.0.0.1:PORT, .* is wanted' err
fails 1 --metrics-listen "$PWD/conf.sock"
grep -q '^vmmprof agent: /dev/vmmprof is not there' err
test ! -e conf.sock
fails 1 --spool-dir nothing/spool
grep -q '^vmmprof agent: nothing/spool: No such file' err
# options of a file, and of the command line instead of the file's
printf '# mine\nmetrics-dir = nowhere\nwindow = 5\n\nno-switches\n' > conf
fails 1 --conf conf
grep -q '^vmmprof agent: nowhere: No such file' err
fails 1 --conf conf --metrics-dir metrics --window=7
grep -q '^vmmprof agent: /dev/vmmprof is not there' err
# also by their letters
printf 'metrics-dir = metrics\nfreq = 50\n' > conf
fails 1 --conf conf -F 20
grep -q '^vmmprof agent: /dev/vmmprof is not there' err
fails 1 --conf conf -F20
grep -q '^vmmprof agent: /dev/vmmprof is not there' err
fails 2 --conf conf -F 20 --freq 30
grep -q '^vmmprof agent: --freq is given twice' err
fails 2 --conf conf --window 0.1
grep -q '^vmmprof agent: --window wants seconds from 1.0 to 3600, e.g. 1.5, not ' err
fails 2 --metrics-dir metrics --max-overhead=0x1p0
grep -q '^vmmprof agent: --max-overhead wants a percentage' err
fails 2 --metrics-dir metrics --max-overhead=0
grep -q "^vmmprof agent: --max-overhead wants a percentage from 0.01 to 50, e.g. 1%, not '0'" err
fails 2 --conf nothing
grep -q '^vmmprof agent: nothing: No such file' err
echo 'window = x' > conf
fails 2 --conf=conf
grep -q '^vmmprof agent: lines of conf are options, too$' err
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
# what is frozen by itself
for steal in 0 100 20%% x -5 '' 1.5; do
	fails 2 --records-dir ring --freeze-dir slow --freeze-steal="$steal"
	grep -q "^vmmprof agent: --freeze-steal wants a percentage from 1 to 99, .* not '$steal'" err
done
fails 1 --records-dir ring --freeze-steal 20 --freeze-dir nothing/slow
grep -q '^vmmprof agent: nothing/slow: No such file' err
mkdir -m 770 others
fails 1 --records-dir ring --freeze-steal=20% --freeze-dir others
grep -q '^vmmprof agent: others: others than its owner may write there' err
fails 1 --records-dir ring --freeze-steal=20% --freeze-dir slow
grep -q '^vmmprof agent: /dev/vmmprof is not there' err
test "$(stat -c %a slow)" = 700
test ! -e ring
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
