# SPDX-License-Identifier: GPL-2.0-only
# vmmprof agent and push for a while, on one CPU with two busy guests and a thief
# that comes and goes: the metrics' sums are those of `steal` of what was frozen,
# and every window arrives in a store.
CPUS=1
LIMIT=400
ALL=longer
AMD=longer

# windows N: wait until the metrics tell of so many.  Without other programs: of
# more than ten thieves some are one.
windows()
{
	local name value there=0
	until [ "$there" -ge "$1" ]; do
		kill -0 $agent || return
		sleep 0.3
		[ -e metrics/vmmprof.prom ] || continue
		while read -r name value; do
			[ "$name" != vmmprof_agent_windows_total ] || there=$value
		done < metrics/vmmprof.prom
	done
}

# store: one that takes what Grafana Pyroscope takes
store()
{
	busybox ifconfig lo 127.0.0.1 || return
	mkdir sink
	echo ok > sink/mode
	python3 /lab/sink.py sink > sink.err 2>&1 & store=$!
	until [ -e sink/port ]; do
		kill -0 $store || return
		sleep 0.3
	done
}

host()
{
	local program store agent push thief ns
	guests_only
	module
	guest_start one $fast
	guest_start two $fast
	guest_wait one || return
	guest_wait two || return
	guest_sh one 'shor 33 > /dev/null &'
	guest_sh two 'sorter > /dev/null &'
	check "guest one is watched" guest_watch one
	sleep 1
	check "its bundle arrives" guest_bundle one
	check "a store is there" store
	mkdir metrics
	cat > agent.conf <<- END
		metrics-dir = metrics
		spool-dir = spool
		spool-group = nogroup
		records-dir = records
		window = 3
		transport = none
		no-guest-memory
		guest-bundle = one=one.bundle
		event = cycles
		count = 500000
	END
	vmmprof agent --conf agent.conf 2> agent.err & agent=$!
	windows 1
	vmmprof push --url "http://127.0.0.1:$(cat sink/port)" \
		--spool-dir spool 2> push.err & push=$!
	cp metrics/vmmprof.prom first.prom
	for program in spin sorter; do
		$program > /dev/null & thief=$!
		sleep 5
		kill -STOP $thief
		read -r ns _ < /proc/$thief/schedstat
		echo "$ns" > $program.ns
		kill -9 $thief
		sleep 2
	done
	windows 6
	cp metrics/vmmprof.prom then.prom
	sleep 2
	check "what is kept becomes a session" \
		vmmprof agent freeze --conf agent.conf -o frozen
	kill -TERM $agent
	wait $agent
	check "the agent ends with its last window" test $? = 0
	cp metrics/vmmprof.prom last.prom
	for _ in $(seq 60); do
		ls spool/*.tar* > /dev/null 2>&1 || break
		sleep 0.5
	done
	kill -TERM $push
	wait $push
	check "push ends when it is told to" test $? = 0
	kill $store
	cat agent.err push.err sink.err
	result ./*.prom ./*.ns frozen sink spool/push.book one.bundle
}

# when PROM: the time of day at which its window ended
when()
{
	date -u "+%H:%M:%S.%NZ" -d "@$(sed -n \
		's/^vmmprof_agent_window_end_timestamp_seconds //p' "$1")"
}

# compare WHAT FILE...: each of its lines is a check
compare()
{
	"$BED/agent.py" "$@" >> "$RESULT/checks" || check "agent.py $*" false
}

after()
{
	check "what was frozen has the time of these windows" \
		"$VMMPROF" export -f prometheus --time "$(when first.prom),$(when then.prom)" \
		-o frozen.prom frozen
	compare sums first.prom then.prom frozen.prom
	for program in spin sorter; do
		compare thief then.prom $program "$(cat $program.ns)"
	done
	"$VMMPROF" steal --time "$(when first.prom),$(when then.prom)" frozen > steal
	check "steal names both thieves" test "$(grep -cwE 'spin|sorter' steal)" -ge 2
	"$VMMPROF" report --json --guest-bundle one=one.bundle frozen > frozen.json
	check "no sample of one has a function of two" \
		"$BED/shares.py" only frozen.json one shor quantum_ sorter_
	compare arrived sink/log last.prom push.book
}
