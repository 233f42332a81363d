# SPDX-License-Identifier: GPL-2.0-only
# vmmprof agent for a long time (/lab/plan: MINUTES): VMs and other processes come and
# go all the while.  Its descriptors stay as many, and its memory grows by no more
# than so much for each VM that was there.

. /lab/plan
PER_WAVE=6  # VMs
PER_VM=100  # KiB that one may leave behind, of both processes
FIRST=4	    # waves after which all is there that is there once
EARLY=2	    # waves after which a reader has little memory of what ended
LEAST=8	    # waves

live=/tmp/metrics/vmmprof.prom

# memory PID: KiB of its own, without the files that it has mapped
memory() { awk '/^RssAnon/ { print $2 }' "/proc/$1/status"; }
files() { ls "/proc/$1/fd" | wc -l; }
windows() { awk '$1 == "vmmprof_agent_windows_total" { print $2 }' $live; }

# some_windows N: until so many more are over
some_windows()
{
	local i until
	until=$(($(windows) + $1))
	for i in $(seq 600); do
		[ "$(windows)" -lt $until ] || return 0
		sleep 0.2
	done
	return 1
}

# wave N: VMs come, run and die, and with them a program that nobody has run before
wave()
{
	local i vms
	cp "$(command -v spin)" "/tmp/work$1"
	"/tmp/work$1" > /dev/null & vms=$!
	for i in $(seq $PER_WAVE); do
		tinyvm -name "vm$1-$i" &
		vms="$vms $!"
	done
	some_windows 2
	kill -9 $vms
	wait $vms 2> /dev/null
	rm "/tmp/work$1"
	some_windows 2
}

# growth COLUMN...: KiB a VM since the first waves, of the sum of these columns
growth()
{
	awk -v first=$FIRST -v per=$PER_WAVE -v columns="$*" '
		{ n = split(columns, c, " "); now = 0
		  for (i = 1; i <= n; i++) now += $c[i] }
		NR == first { from = now }
		END { printf "%.1f\n", (now - from) / ((NR - first) * per) }' waves
}

# later: the most memory that a later reader had when it began
later()
{
	awk 'NR > 1 && $6 != reader && $3 > most { most = $3 }
		{ reader = $6 } END { print most + 0 }' waves
}

seconds() { cut -d. -f1 /proc/uptime; }

# agent_start: $agent, once it has written metrics
agent_start()
{
	local i
	rm -f $live
	vmmprof agent --metrics-dir /tmp/metrics --spool-dir /tmp/spool \
		--spool-size 2 --records-dir /tmp/records --records-size 4 \
		--window 2 --freq 99 --transport none 2> said & agent=$!
	for i in $(seq 600); do
		[ ! -e $live ] || break
		sleep 0.2
	done
}

# reader: the pid of the agent's
reader() { cut -d ' ' -f 1 /proc/$agent/task/$agent/children; }

# usual COLUMN FROM TO: the median of these waves, as some are there for a moment
usual()
{
	sed -n "$2,$3p" waves | cut -d ' ' -f "$1" | sort -n |
		sed -n "$((($3 - $2) / 2 + 1))p"
}

insmod /lab/vmmprof.ko
kvm
mkdir /tmp/metrics
agent_start
start=$(seconds)
for ((n = 1; ; n++)); do
	[ $(($(seconds) - start)) -lt $((MINUTES * 60)) ] ||
		[ $n -le $LEAST ] || break
	wave $n
	kill -0 $agent || break
	reader=$(reader)
	echo "$n $(memory $agent) $(memory "$reader") $(files $agent) $(files "$reader") $reader" >> waves
done
cat waves said
nr=$(wc -l < waves)
half=$(((FIRST + nr) / 2))
vms=$(((nr - FIRST) * PER_WAVE))
check "after so many VMs the agent is there" kill -0 $agent
check "each leaves no more KiB behind than $PER_VM, of $vms VMs" at_most "$(growth 2 3)" $PER_VM
check "the recorder's descriptors are as many" at_most \
	"$(usual 4 $((half + 1)) $nr)" "$(usual 4 $FIRST $half)"
check "the reader's, too" at_most \
	"$(usual 5 $((half + 1)) $nr)" "$(usual 5 $FIRST $half)"
# One is renewed after 512 VMs (analyzer/cmd/top/recorder.c).
if [ $vms -gt 600 ]; then
	check "a new reader has begun" at_least "$(cut -d ' ' -f 6 waves | uniq | wc -l)" 2
	check "no new reader has memory of what had ended: KiB of the largest" at_most \
		"$(later)" $(($(sed -n ${EARLY}p waves | cut -d ' ' -f 3) * 5 / 4))
fi
kill -TERM $agent
wait $agent
check "SIGTERM: status 0" test $? = 0

# It answers nothing, and ends at no signal but SIGKILL.
agent_start
reader=$(reader)
kill -STOP $reader
start=$(seconds)
wait $agent
status=$?
check "a stopped reader ends the agent: status 1" equal $status 1
check "... after two minutes" within $(($(seconds) - start)) 120 15
check "... which says why" grep "has not answered for 120 s" said
check "... and ends the reader" fails kill -0 $reader
rmmod vmmprof
check "the kernel had nothing to say" silent
