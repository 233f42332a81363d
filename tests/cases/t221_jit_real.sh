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
	rm -rf ready "$name" "$name.maps"
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

# enough NAME LINES OPTIONS: the same for longer if too little ran (a busy machine)
enough() {
	name=$1
	lines=$2
	shift 2
	for seconds in 0.4 2 8; do
		watch "$name" "$@" $seconds
		[ "$(wc -l < "$name.want")" -le "$lines" ] || return 0
	done
	echo "$name: $(wc -l < "$name.want") lines in $seconds s"
	return 1
}

# jitdump: each one, whatever was there before
enough dump 60 -d 6
diff dump.want dump.got
# a perf map: the last process is gone when it is looked at
enough map 20 1
diff map.want map.got
