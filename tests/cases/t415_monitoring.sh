#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Dashboards and alerts ask for what the agent writes, and the alerts' tests pass.
export PYTHONDONTWRITEBYTECODE=1
for i in 1 2; do
	"$TOP"/build/gen/bigsession -n 800 -c 2 -g 4 -r 19 -w 20 big > said
	"$TOP"/build/gen/agentfeed -w 5 -g 2 big agent > said
	rm -r big
	# of push, too; started by root, it is nobody
	[ "$(id -u)" -ne 0 ] || chgrp nogroup agent/spool
	chmod 770 agent/spool
	[ $i = 2 ] || "$VMMPROF" push --once --url http://127.0.0.1:1 --spool-dir agent/spool > said 2>&1 || :
done
python3 "$CASES"/t415_monitoring.py agent/0002.prom
# without one of the metrics, or one of the labels
for wrong in vmmprof_exit_time_seconds_total vmmprof_agent_switch_records 'state="vmm"' \
	vmmprof_push_profiles_sent_total 'host="[^"]*"'; do
	grep -v "^$wrong" agent/0002.prom | sed "s/,$wrong//" > less.prom
	if python3 "$CASES"/t415_monitoring.py less.prom > said 2>&1; then
		echo "nothing asks for $wrong"
		exit 1
	fi
	grep -q AssertionError said
done
promtool=$("$TOP"/tests/fleet/program promtool 2> why) || {
	echo "skipped: $(cat why)"
	exit 0
}
cp "$TOP"/docs/monitoring/vmmprof.rules.yml "$TOP"/tests/fleet/rules_test.yml .
"$promtool" check rules vmmprof.rules.yml
"$promtool" test rules rules_test.yml
# No program of ours is in what follows: once is enough.
case $VMMPROF in */asan/*) exit 0 ;; esac
# each alert is looked at: one that never fires, and one that always does
for alert in $(sed -n 's/.*alert: //p' vmmprof.rules.yml); do
	for expr in 'vector(1) < 0' 'max by (instance, vm, why) ({__name__=~"vmmprof.*"}) >= 0'; do
		python3 - $alert "$expr" << 'END'
import re
import sys

alert, expr = sys.argv[1:]
with open('vmmprof.rules.yml') as f:
    text = f.read()
text, nr = re.subn(r'(alert: %s\n    expr: )(?:\|\n(?: {6}.*\n)+|.*\n)' % alert,
                   lambda m: m[1] + expr + '\n', text)
assert nr == 1
with open('broken.yml', 'w') as f:
    f.write(text)
END
		sed 's/vmmprof.rules.yml/broken.yml/' rules_test.yml > broken_test.yml
		if "$promtool" test rules broken_test.yml > said 2>&1; then
			echo "nothing tests $alert"
			exit 1
		fi
	done
done
