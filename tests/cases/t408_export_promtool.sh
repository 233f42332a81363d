#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Prometheus' own program reads the metrics of a session and those of the agent, and
# finds nothing to complain of.
promtool=$("$TOP"/tests/fleet/program promtool 2> why) || {
	echo "skipped: $(cat why)"
	exit 0
}
for data in owners steal svm; do
	"$TOP"/tests/gen/mksession.py "$TOP/tests/data/$data.txt" $data
	"$VMMPROF" export -f prometheus $data > $data.prom
	"$promtool" check metrics < $data.prom
done
sed 's/ name=web/ name=we"b\\x5c\\x0a1/' "$TOP"/tests/data/owners.txt > d
"$TOP"/tests/gen/mksession.py d names
"$VMMPROF" export -f prometheus names > names.prom
grep -q 'vm="we\\"b' names.prom
"$promtool" check metrics < names.prom
# of the agent, when push has a book, too
feed() { # [OPTIONS]
	"$TOP"/build/gen/bigsession -n 400 -c 2 -g 2 -r 19 -w 20 big > said
	"$TOP"/build/gen/agentfeed -w 5 -g 2 "$@" big agent > said
	rm -r big
}
feed
grep -q '^vmmprof_guest_maps_age_seconds{vm="vm1",source="[a-z]*"} ' agent/0002.prom
# started by root, push is nobody
[ "$(id -u)" -ne 0 ] || chgrp nogroup agent/spool
chmod 770 agent/spool
"$VMMPROF" push --once --url http://127.0.0.1:1 --spool-dir agent/spool > said 2>&1 || :
feed
grep -q '^vmmprof_push_tries_failed_total [1-9]' agent/0002.prom
test "$(grep -c ^vmmprof_agent_info agent/0002.prom)" = 1
for file in agent/000[12].prom; do
	"$promtool" check metrics < $file > said 2>&1
	test ! -s said
done
# it looks: a metric that does not say what it is
sed '/# HELP/d' names.prom > bad.prom
if "$promtool" check metrics < bad.prom; then exit 1; fi
