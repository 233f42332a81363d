# SPDX-License-Identifier: GPL-2.0-only
# Everything that can happen to a recording: the recorder, the VM, KVM or the
# module goes away, someone else wants the device or the counters.  Nothing
# hangs, warns in dmesg or leaves a counter behind.
CPUS=1
LIMIT=420
AMD=longer

event="-e cycles -c 100000"
# What this PMU has no name for; one event more than counters; one for each.
lacks=cache-misses many=r0001,r0002,r0003,r0004,r0005,r0006
all=cycles:D,instructions:D,r003c:D,r013c:D,r00c0:D,r01c0:D
if [ "$HOST_CPU" = amd ]; then
	lacks=ref-cycles many=$many,r0007
	all=cycles:D,instructions:D,r0076:D,r00c0:D,r0176:D,r01c0:D
fi
record() { vmmprof record $event "$@"; }

# begin DIR SECONDS: record in the background; returns when it samples
begin()
{
	vmmprof record $event -o "$1" -d "$2" 2> "$1.said" & recorder=$!
	until grep -q sampling "$1.said"; do
		kill -0 $recorder || return
		sleep 0.1
	done
	sleep 1
}

# says PATTERN COMMAND...: it fails, and says why
says()
{
	local pattern=$1 out
	shift
	out=$("$@" 2>&1) && { echo "succeeded: $out"; return 1; }
	echo "$out"
	grep -qiE "$pattern" <<< "$out"
}

start_guest()
{
	guest_start one $fast
	guest_wait one && guest_sh one 'spin > /dev/null &' && guest_nice one 19
}

host()
{
	guests_only
	module
	check "the guest boots" start_guest

	begin busy 60
	check "a second recorder is refused and told by whom" \
		says "busy|$recorder" record -d 1 -o second
	check "the module stays while it records" says "in use" rmmod vmmprof
	check "it takes samples" at_least "$(nmis)" 500
	kill -9 $recorder
	wait $recorder
	check "killed recorder: no more NMIs" quiet
	check "... and the device is free" record -d 1 -o next
	result busy

	begin vm 4
	guest_stop one
	check "VM killed while sampled: the recording goes on" wait $recorder
	check "... and nothing is left" quiet

	check "KVM can be unloaded with our module there" \
		rmmod kvm_$HOST_CPU kvm irqbypass
	check "recording without KVM" record -d 1 -o nokvm
	begin later 6
	for m in $(cat /lab/mod/order); do
		insmod "/lab/mod/$m"
	done
	check "KVM loaded while recording" wait $recorder
	check "a guest boots afterwards" start_guest
	check "... and is sampled" record -d 2 -o again
	result again

	check "a child that outlives its recorder" \
		record -q -o child -- sh -c 'sleep 1000 > /dev/null &'
	check "... does not keep the device" record -d 1 -o after-child
	check "... nor a counter" quiet

	check "an ordinary user is refused" says "permission|root|CAP_" \
		setpriv --reuid=65534 --clear-groups vmmprof record -d 1 \
		-o /tmp/user
	check "an unknown event" says "no-such-event" \
		vmmprof record -e no-such-event -d 1 -o event
	check "an event that this PMU lacks" says "$lacks" \
		vmmprof record -e $lacks -d 1 -o event
	check "a raw event works" \
		vmmprof record -e r00c0 -c 100000 -d 1 -o raw
	vmmprof record -d 2 -o many -c 1000000 \
		-e $many > many.log 2>&1
	check "events that do not all fit are reported" \
		grep -iE "not fit|did not|does not|no counter" many.log
	result many.log

	# in this order, or the kernel refuses
	echo 25 > /proc/sys/kernel/perf_cpu_time_max_percent
	echo 1000 > /proc/sys/kernel/perf_event_max_sample_rate
	vmmprof record -d 2 -o slow -e cycles -c 10000 > slow.log 2>&1
	echo 1000000 > /proc/sys/kernel/perf_event_max_sample_rate
	echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
	check "throttling by perf is reported" grep -i throttl slow.log
	result slow.log

	check "the module can be removed at last" rmmod vmmprof
	perf stat -a -e $all -x, -o counters sleep 1
	result counters
	check "every counter is free" fails grep -E 'not counted|not supported' \
		counters
	module
	check "... and loaded again" record -d 1 -o reloaded
	check "the kernel has nothing to complain about" kernel_calm
	rmmod vmmprof
}

after()
{
	check "what a killed recorder leaves can be read" \
		"$VMMPROF" report -i busy --json
	"$VMMPROF" report -i busy --json > busy.json
	check "... up to where it stopped" at_least \
		"$(sed -n 's/.*"taken": \([0-9]*\).*/\1/p' busy.json)" 100
}
