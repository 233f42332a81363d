# SPDX-License-Identifier: GPL-2.0-only
# vmmprof agent on a real kernel, by timer: two VMs and a thief that comes and goes
# on one CPU; the metrics of each window sum, the spool is bounded and accounted
# for, the thief makes it freeze by itself, metrics are served, options are read again,
# a signal ends it and a window.

# The metrics that are looked at: those of now, or what was kept of some time.
live=/tmp/metrics/vmmprof.prom
prom=$live

# value METRIC [LABELS]: of the series that has them all
value() { grep "^$1[{ ]" $prom | grep -e "${2:-}" | awk '{ print $NF }'; }

# ns METRIC LABELS: the sum of such series, in nanoseconds
ns()
{
	# without leading zeros, by which some would read octal numbers
	grep "^$1{.*$2" $prom | sed 's/.* //; s/\.//; s/^0*//' |
		awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# windows N: wait until metrics tell of so many
windows()
{
	local i
	for i in $(seq 240); do
		[ ! -e $live ] || [ "$(prom=$live value \
			vmmprof_agent_windows_total)" -lt "$1" ] || return 0
		sleep 0.5
	done
	return 1
}

# parts_sum VM: its thieves and exits are its states
parts_sum()
{
	[ "$(ns vmmprof_steal_seconds_total "vm=\"$1\"")" = \
		"$(ns vmmprof_vcpu_time_seconds_total "vm=\"$1\",state=\"steal\"")" ] &&
		[ "$(ns vmmprof_exit_time_seconds_total "vm=\"$1\"")" = \
			"$(ns vmmprof_vcpu_time_seconds_total "vm=\"$1\",state=\"vmm\"")" ]
}

# accounted: each profile is in the spool, or dropped
accounted()
{
	local dropped
	dropped=$(ns vmmprof_agent_profiles_dropped_total .)
	echo "$(value vmmprof_agent_profiles_produced_total) produced," \
		"$(value vmmprof_agent_spool_profiles) there, $dropped dropped"
	[ "$(value vmmprof_agent_profiles_produced_total)" = \
		$(($(value vmmprof_agent_spool_profiles) + dropped)) ]
}

# none PATTERN...: no file is called so; a pattern without one stays as it is
none()
{
	local f there=
	for f; do
		[ ! -e "$f" ] || there+=" $f"
	done
	echo "$there"
	[ -z "$there" ]
}

# has_children N: the agent has so many processes, or more
has_children() { [ "$(wc -w < /proc/$agent/task/$agent/children)" -ge "$1" ]; }

mkdir /tmp/metrics
check "without a place to write: what to do" fails vmmprof agent
check "without the module: how to load it" fails vmmprof agent --metrics-dir /tmp/metrics
insmod /lab/vmmprof.ko
kvm
echo "NAME = value" > bad.conf
check "an option that is none is refused" fails vmmprof agent --conf bad.conf

taskset 2 tinyvm -name one & one=$!
taskset 2 tinyvm -name two & two=$!
cat > agent.conf << END
# in a machine that emulates another one
metrics-dir = /tmp/metrics
metrics-listen = 127.0.0.1:9477
spool-dir = /tmp/spool
spool-age = 12
records-dir = /tmp/records
freeze-steal = 75%
freeze-for = 2
freeze-dir = /tmp/slow
window = 3
transport = none
END
vmmprof agent --conf agent.conf --freq 99 2> said & agent=$!
check "the first window" windows 1
input=$(readlink /proc/$agent/fd/0)
cp $live first.prom
check "without a thief it does not freeze" test -z "$(ls -A /tmp/slow)"
taskset 2 "$(command -v spin)" > /dev/null & thief=$!
renice -n -15 -p $thief
windows 3
kill $thief
windows 5
# a window is far longer than what this takes
cp $live then.prom
cp -r /tmp/spool .
vmmprof agent freeze --conf agent.conf -o frozen > freeze.said 2>&1
check "the newest records become a session" test $? = 0
cp -r /tmp/slow .
# what is looked at now is there
kill -STOP $one $two
prom=then.prom
cat said freeze.said $prom
for vm in one two; do
	check "$vm: thieves sum to its steal, exits to its time in the VMM" \
		parts_sum $vm
	check "$vm: it lost time to the other one" at_least \
		"$(value vmmprof_steal_seconds_total "vm=\"$vm\",thief_kind=\"vm\"")" 1
	check "$vm: and to the thief" at_least \
		"$(value vmmprof_steal_seconds_total "vm=\"$vm\".*,thief=\"spin\"")" 0.5
	check "$vm: which had not been there" fails grep "vm=\"$vm\".*spin" first.prom
done
check "one has as much time as two" within \
	"$(($(ns vmmprof_vcpu_time_seconds_total 'vm="one"') / 1000000))" \
	"$(($(ns vmmprof_vcpu_time_seconds_total 'vm="two"') / 1000000))" 3000

# The session begins a second after the first window, and goes on to its own time.
vmmprof steal frozen > frozen.steal 2> frozen.err
check "steal reads it" test $? = 0
check "and finds nothing missing" test ! -s frozen.err
cat frozen.steal frozen.err
vmmprof export -f prometheus frozen > frozen.prom
vmmprof report frozen > frozen.report
for vm in one two; do
	lost=$(value vmmprof_vcpu_time_seconds_total "vm=\"$vm\",state=\"steal\"")
	check "$vm: the session has its steal, too" within "$lost" \
		"$(prom=frozen.prom value vmmprof_vcpu_time_seconds_total "vm=\"$vm\",state=\"steal\"")" 4
	check "$vm: and the thief's part" within \
		"$(value vmmprof_steal_seconds_total "vm=\"$vm\".*,thief=\"spin\"")" \
		"$(prom=frozen.prom value vmmprof_steal_seconds_total "vm=\"$vm\".*,thief=\"spin\"")" 0.5
done
check "report reads it" grep '^one ' frozen.report

# By itself, once, of the time before the thief and with it
slow=$(ls -A slow)
check "it has frozen once by itself" equal "$(echo "$slow" | wc -w)" 1
check "and says so" grep -E "^vmmprof agent: (one|two) lost [0-9.]+ % of its time: session /tmp/slow/$slow\$" said
check "and counts it" equal "$(value vmmprof_agent_freezes_total 'result="ok"')" 1
check "and none has failed" equal "$(value vmmprof_agent_freezes_total 'result="failed"')" 0
vmmprof steal "slow/$slow" > slow.steal 2> slow.err
check "steal reads that, too" test $? = 0
check "and finds nothing missing" test ! -s slow.err
check "and names the thief" grep -E "to process spin" slow.steal
cat slow.steal slow.err
vmmprof export -f prometheus "slow/$slow" > slow.prom
for vm in one two; do
	check "$vm: it lost time before, to the other one" at_least \
		"$(prom=slow.prom value vmmprof_steal_seconds_total "vm=\"$vm\",thief_kind=\"vm\"")" 0.5
	check "$vm: and then to the thief" at_least \
		"$(prom=slow.prom value vmmprof_steal_seconds_total "vm=\"$vm\".*,thief=\"spin\"")" 1
done
check "none of its samples is lost" equal "$(value vmmprof_lost_samples_total)" 0
check "its cost is told" at_least "$(value vmmprof_agent_cpu_seconds_total)" 0.01
check "each profile is accounted for" accounted
check "of each VM and the host" at_least "$(value vmmprof_agent_profiles_produced_total)" 10
check "old ones are dropped" at_least "$(value vmmprof_agent_profiles_dropped_total age)" 1
for f in spool/*.tar; do
	mkdir window
	check "a window is whole" tar xf "$f" -C window
	for p in window/*.pb.gz; do
		check "and so is a profile" gunzip -t "$p"
	done
	rm -r window
done
check "nothing that is half written" none /tmp/metrics/.vmmprof.prom.tmp /tmp/spool/.*.new
check "metrics are for others to read" equal "$(stat -c %a $live)" 644

# asked PATH: what is served there; status 1: an error
asked() { wget -q -O - "http://127.0.0.1:9477/$1"; }

# as_served: the file of metrics as it is there, too, which a window may end between
as_served()
{
	local i
	for i in 1 2 3 4; do
		asked metrics > served.prom && cmp served.prom $live && return
		sleep 0.3
	done
	return 1
}
check "metrics are served, as they are in the file" as_served
check "and nothing else" fails asked ""
# It has no rights, and its reader has none and no files of the recorder's.
read -r server reader _ < /proc/$agent/task/$agent/children
for i in Uid:.65534 Gid:.65534 CapPrm:.0000000000000000 Seccomp:.2; do
	check "who serves them has no rights: $i" grep -q "^$i" /proc/"$server"/status
done
ls -l /proc/"$server"/fd > server.fd
check "and no files" fails grep -E '/dev/vmmprof|/lab/|/tmp/|/share|/proc/' server.fd
check "the reader is nobody" grep -q '^Uid:.65534' /proc/"$reader"/status
ls -l /proc/"$reader"/fd > reader.fd
check "and has nothing of the recorder's" fails grep -E '/dev/vmmprof|anon_inode|/lab/|/tmp/|/proc/' reader.fd

# Whoever needs memory may kill that process: there is another one soon.
kill -9 "$server"
check "who serves them is killed: it says so" \
	soon grep -q 'has ended: begins anew with another one' said
rm -f $live
windows 1
check "and they are served again" as_served

# Other options while it runs
kill -CONT $one $two
prom=$live
sed 's/window = 3/window = 2/; s/^metrics-dir/bad/' agent.conf > other.conf
cp agent.conf kept.conf
cat other.conf > agent.conf
kill -HUP $agent
check "a file that is wrong changes nothing" \
	soon grep -q "goes on with the options of before" said
check "and its windows go on" windows 7
check "and ends nothing" kill -0 $agent
sed 's/window = 3/window = 2/; s/^spool-age = 12/spool-age = 600/' kept.conf > agent.conf
kill -HUP $agent
check "options read again: it begins anew" \
	soon eval '[ "$(value vmmprof_agent_windows_total)" -le 2 ]'
check "as the same process" kill -0 $agent
check "with the same input" equal "$(readlink /proc/$agent/fd/0)" "$input"
check "and its windows go on" windows 4
check "and keeps profiles for longer" at_least "$(value vmmprof_agent_spool_profiles)" 4
check "each VM is there again" equal "$(grep -c 'state="steal"' $prom)" 2

# The end
kill -STOP $one $two
before=$(value vmmprof_agent_windows_total)
sleep 0.5
kill -TERM $agent
wait $agent
check "SIGTERM: status 0" test $? = 0
check "and the last window is there" test "$(value vmmprof_agent_windows_total)" -gt "$before"
check "the spool is as it says" equal "$(value vmmprof_agent_spool_profiles)" \
	"$(find /tmp/spool -name '*.tar' | sed 's/.*-0*//; s/\.tar$//' | awk '{ n += $1 } END { print n + 0 }')"
check "and leaves nothing" none /dev/shm/vmmprof-agent* /tmp/vmmprof-agent*
cat said

# A ceiling on what samples cost: they become rarer, in a window of their own.
mkdir /tmp/rare
live=/tmp/rare/vmmprof.prom prom=/tmp/rare/vmmprof.prom
vmmprof agent --metrics-dir /tmp/rare --records-dir /tmp/rare.records --window 2 \
	--transport none --freq 1000 --max-overhead 0.05% 2> rare.said & agent=$!
check "samples cost more than they may: they become rarer" \
	soon grep -E 'CPU [01] spent .* of at most 0.05 %.* times as far apart' rare.said
check "windows go on" windows $(($(value vmmprof_agent_windows_total) + 3))
check "what is frozen says so" vmmprof agent freeze --records-dir /tmp/rare.records -o rare
kill -TERM $agent
wait $agent
check "it ends as it should" test $? = 0
cat rare.said
vmmprof report -v rare > rare.txt
check "the report says how many times" grep -E 'samples are [0-9]+ times as far apart' rare.txt
check "its account adds up" grep -q 'The account adds up' rare.txt
live=/tmp/metrics/vmmprof.prom prom=/tmp/metrics/vmmprof.prom

# Ctrl-C is for the reader as well.
set -m
vmmprof agent --metrics-dir /tmp/rare --window 600 --transport none 2> ctrl-c & agent=$!
set +m
rm -f /tmp/rare/vmmprof.prom
soon has_children 1
sleep 8
kill -INT -- -$agent
wait $agent
check "Ctrl-C: status 0" test $? = 0
check "and the window is there" test -s /tmp/rare/vmmprof.prom
cat ctrl-c

# The reader is killed: it ends, too, with an error.
vmmprof agent --conf agent.conf 2> killed & agent=$!
soon has_children 2
read -r server reader _ < /proc/$agent/task/$agent/children
kill -9 "$reader"
wait $agent
check "its reader killed: an error" test $? = 1
cat killed
check "and nobody serves metrics" fails kill -0 "$server"
check "and nothing is left" none /dev/shm/vmmprof-agent* /tmp/vmmprof-agent*

# It is killed itself: the next one takes away what it left.
vmmprof agent --conf agent.conf 2> killed & agent=$!
soon has_children 2
soon eval 'ls -d /dev/shm/vmmprof-agent*'
read -r server reader _ < /proc/$agent/task/$agent/children
# One that was taken over does not look whether the agent is there.
kill -STOP "$server"
kill -9 $agent
wait $agent
check "killed: nobody serves metrics" soon fails kill -0 "$server"
check "killed: its records stay in memory" ls -d /dev/shm/vmmprof-agent*
mkdir -m 700 /dev/shm/vmmprof-agent-others
touch /dev/shm/vmmprof-agent-others/file
vmmprof agent --conf agent.conf -n 1 2> killed
check "the next one takes them away, and nothing else" equal \
	"$(ls -d /dev/shm/vmmprof-agent*)" /dev/shm/vmmprof-agent-others
kill -9 $one $two
wait
rmmod vmmprof
