#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A real JIT: node with its perf map, watched by vmmprof-guest and sampled by
# the kernel's clock (t224_node.py).  Its functions have their names and the
# shares that node itself measures.
command -v node > where || { echo "skipped: no node"; exit 0; }
"$TOP/build/vmmprof-guest" watch -o node.maps > ready 2> watch.err &
watcher=$!
for _ in $(seq 200); do
	! grep -q ready ready || break
	sleep 0.05
done
if grep -q 'no perf events' watch.err; then
	echo "skipped: no perf events here"
	kill -INT $watcher
	exit 0
fi
"$CASES/t224_node.py" run "$(cat where)" > samples
kill -INT $watcher
wait $watcher
pid=$(awk '$1 == "pid" { print $2 }' samples)
rm -f "/tmp/perf-$pid.map"
"$CASES/t224_node.py" session samples node.maps > d
"$TOP"/tests/gen/mksession.py d s
cp node.maps s/host
"$VMMPROF" script -i s -F type,sym,mod > script
"$CASES/t224_node.py" check samples script
