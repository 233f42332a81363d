#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A JIT that uses the same addresses again, watched by vmmprof-guest: what it
# says ran at each moment is what its code is called.
work=$TOP/tests/testbed/workloads
gcc -O2 -std=gnu11 -o jit "$work/jit.c"

# watch NAME OPTIONS: a session with one sample for each line of the truth
watch() {
	name=$1
	shift
	rm -f ready
	"$TOP/build/vmmprof-guest" watch -o "$name.maps" > ready 2> "$name.err" &
	watcher=$!
	for _ in $(seq 200); do
		! grep -q ready ready || break
		sleep 0.05
	done
	if grep -q 'no perf events' "$name.err"; then
		echo "skipped: no perf events here"
		kill -INT $watcher
		exit 0
	fi
	./jit -t "$@" > "$name.truth"
	kill -INT $watcher
	wait $watcher
	rm -f "/tmp/perf-$(awk '{ print $2; exit }' "$name.truth").map"
	{
		printf 'file info\n end\nfile cpu-0.rec\n'
		awk '{ print " sample tsc=" $1 " flags=NU pid=" $2 " ip=" $3 }' "$name.truth"
	} > d
	"$TOP"/tests/gen/mksession.py d "$name"
	cp "$name.maps" "$name/host"
	"$VMMPROF" script -i "$name" -F type,sym | sed -n 's,^type=sample sym=,,p' > "$name.got"
	awk '{ print $4 }' "$name.truth" > "$name.want"
}

# jitdump: each one, whatever was there before
watch dump -d 6 0.3
[ "$(wc -l < dump.want)" -gt 60 ]
diff dump.want dump.got
# a perf map: the last process is gone when it is looked at
watch map 1 0.5
[ "$(wc -l < map.want)" -gt 20 ]
diff map.want map.got
