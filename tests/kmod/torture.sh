# SPDX-License-Identifier: GPL-2.0-only
# The module under everything at once, on one kernel (tests/testbed/tcg, or the
# scenario torture of tests/testbed/run): one recording after another, some of them killed, the module unloaded and loaded
# between them, while at random VMs start, stop, pause, resume, are written to a
# file and read back, get a vCPU more and die, CPUs go and come, another user of
# perf and of the scheduler's tracepoints comes and goes, as does the NMI watchdog, and
# memory is short.
# /lab/plan: ROUNDS, MINUTES (whichever is over first ends it), SEED; ALSO: what has
# to happen besides what happens everywhere.

. /lab/plan
RANDOM=$SEED
debug=/sys/kernel/debug
mount -t debugfs debugfs $debug 2> /dev/null
work=/tmp/torture
mkdir -p $work
cpus=$(nproc)

# count NAME: one more of those
count() { echo >> "$work/count.$1"; }
counted() { wc -l < "$work/count.$1" 2> /dev/null || echo 0; }

# until_gone SECONDS PID: wait for a process
until_gone()
{
	local i
	for i in $(seq $(($1 * 5))); do
		kill -0 "$2" 2> /dev/null || return 0
		sleep 0.2
	done
	return 1
}

# --- VMs: QEMU with firmware that spins, and tinyvm

head -c 65520 /dev/zero > $work/spin.rom
printf '\353\376\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >> $work/spin.rom

# vm_start NUMBER [QEMU ARGUMENTS]
vm_start()
{
	local at=$work/vm$1
	vm_end "$1"
	rm -f "$at.in" "$at.out" "$at.plugged"
	mkfifo "$at.in" "$at.out"
	shift
	qemu-system-x86_64 -M pc,accel=kvm -cpu host,pmu=off -m 4 \
		-smp 1,maxcpus=3,sockets=3 -nodefaults -no-user-config \
		-display none -L "${FIRMWARE:-/lab}" -bios $work/spin.rom \
		-chardev "pipe,id=monitor,path=$at" -mon chardev=monitor "$@" \
		< /dev/null > "$at.log" 2>&1 &
	echo $! > "$at.pid"
}

vm_alive() { kill -0 "$(cat "$work/vm$1.pid" 2> /dev/null)" 2> /dev/null; }

vm_end()
{
	vm_alive "$1" || return 0
	kill -9 "$(cat "$work/vm$1.pid")"
	until_gone 60 "$(cat "$work/vm$1.pid")"
}

# monitor NUMBER PATTERN COMMAND: until what it says to COMMAND has PATTERN
monitor()
{
	local i said
	for i in {1..30}; do
		vm_alive "$1" || return
		echo "$3" 1<> "$work/vm$1.in"
		while read -r -t 1 said; do
			[[ $said != *$2* ]] || return 0
		done <> "$work/vm$1.out"
	done
	return 1
}

vm_pause()
{
	monitor "$1" 'VM status' 'info status' || return
	echo stop 1<> "$work/vm$1.in"
	monitor "$1" paused 'info status' && count pause
	echo cont 1<> "$work/vm$1.in"
	monitor "$1" running 'info status'
}

vm_freeze()
{
	vm_alive "$1" || return
	kill -STOP "$(cat "$work/vm$1.pid")"
	sleep 0.$((RANDOM % 9 + 1))
	kill -CONT "$(cat "$work/vm$1.pid")" && count freeze
}

vm_plug()
{
	monitor "$1" 'VM status' 'info status' || return
	echo "device_add host-x86_64-cpu,id=more,socket-id=1,core-id=0,thread-id=0" \
		1<> "$work/vm$1.in"
	touch "$work/vm$1.plugged"
	monitor "$1" 'CPU #1' 'info cpus' && count plug
}

# To a file, and another process, of as many CPUs, goes on with it.
vm_migrate()
{
	monitor "$1" 'VM status' 'info status' || return
	[ ! -e "$work/vm$1.plugged" ] || return
	echo "migrate -d \"exec:cat > $work/vm$1.state\"" 1<> "$work/vm$1.in"
	monitor "$1" 'status: completed' 'info migrate' || return
	vm_start "$1" -incoming "exec:cat $work/vm$1.state"
	monitor "$1" 'status: running' 'info status' && count migrate
}

# --- What a round does

online() { echo "$1" > /sys/devices/system/cpu/cpu1/online; }

hotplug()
{
	[ "$cpus" -gt 1 ] || return
	online 0 || return
	sleep 0.$((RANDOM % 5))
	online 1 && count hotplug
}

tracer()
{
	local e=/sys/kernel/tracing/events/sched/enable
	echo 1 > $e || return
	sleep 0.2
	echo 0 > $e && count tracer
}

other_perf() { perfuser 1 > /dev/null && count perf; }

tiny()
{
	tinyvm -name tiny > /dev/null 2>&1 &
	sleep 0.$((RANDOM % 9))
	kill -9 $!
	wait $! 2> /dev/null
	count tiny
}

# Where there is a PMU
watchdog()
{
	local on=/proc/sys/kernel/nmi_watchdog
	echo 1 > $on || return
	[ "$(cat $on)" = 1 ] || return
	sleep 0.$((RANDOM % 9))
	echo 0 > $on && count watchdog
}

hostile() { hostilevm 1 > /dev/null 2>&1; count hostile; }

# faults PARAMETER VALUE...: of both kinds
faults()
{
	local attr
	[ -e $debug/failslab ] || return
	while [ $# -gt 0 ]; do
		for attr in failslab fail_page_alloc; do
			echo "$2" > "$debug/$attr/$1" || return
		done
		shift 2
	done
}

no_faults()
{
	faults probability 0 task-filter N require-start 0 \
		require-end 0xffffffffffffffff
}

# One of so many allocations of the recorder fails, or of those below the
# module's code, whoever calls it.
short()
{
	local start size
	faults verbose 0 ignore-gfp-wait N times -1 interval $((RANDOM % 30 + 1)) \
		space 0 || return
	echo 0 > $debug/fail_page_alloc/min-order
	if [ $((RANDOM % 2)) = 0 ]; then
		faults task-filter Y probability 10
	else
		start=$(cat /sys/module/vmmprof/sections/.text 2> /dev/null) &&
			size=$(awk '$1 == "vmmprof" { print $2 }' /proc/modules) &&
			[ -n "$size" ] || return
		faults stacktrace-depth 32 require-start "$start" \
			require-end "$(printf '%#x' $((start + size)))" \
			probability 50
	fi
	: > $work/short
	sleep $((RANDOM % 3 + 2))
	no_faults
	count short
}

# One of the VMs, which is started first if need be: vm_do WHAT
vm_do()
{
	local n=$((RANDOM % 2))
	vm_alive $n || { vm_start $n; count start; }
	"$1" $n
}

vm_stop() { vm_end "$1"; count stop; }
pauses() { vm_do vm_pause; }
freezes() { vm_do vm_freeze; }
plugs() { vm_do vm_plug; }
migrates() { vm_do vm_migrate; }
stops() { vm_do vm_stop; }

# --- Recordings, one after another, by a process of its own

# Its books add up, or it says why there are none.
ended()
{
	local status=$1 said=$2
	# 254: without memory this shell made no process
	if [ "$status" -gt 128 ] && [ "$status" -le 192 ]; then
		echo "record died of signal $((status - 128))"
	elif grep -q 'the module wrote' "$said"; then
		echo "the module's counts are not the files'"
	elif [ "$status" != 0 ] && [ ! -e $work/short ]; then
		echo "record failed"
	else
		return 0
	fi
	cat "$said"
	return 1
}

# What lies in files of a recorder that was killed can be read.
left()
{
	[ -s "$1/cpu-0.rec" ] || return 0
	vmmprof report -i "$1" > $work/report 2>&1 || [ -e $work/short ] ||
		{ tail -n 3 $work/report; return 1; }
}

options()
{
	case $((RANDOM % 6)) in
	0) echo "-g" ;;
	1) echo "--call-graph=dwarf,1024 -m 1M" ;;
	2) echo "-m 16K -c 50000" ;;
	3) echo "--no-switches -C 0" ;;
	4) echo "-c 200000" ;;
	esac
	[ $((RANDOM % 2)) = 0 ] || echo "$exits"
}

recordings()
{
	local n=0 dir said pid status before
	RANDOM=$((SEED + 1))
	while [ ! -e $work/end ]; do
		n=$((n + 1)) dir=$work/s$n said=$work/said
		rm -f $work/short
		[ "$(cat $debug/failslab/probability 2> /dev/null || echo 0)" = 0 ] ||
			: > $work/short
		# shellcheck disable=SC2046
		(
			[ ! -e /proc/self/make-it-fail ] ||
				echo 1 > /proc/self/make-it-fail
			exec vmmprof record -o $dir --transport none \
				-d $((RANDOM % 4 + 1)) $(options)
		) > $said 2>&1 &
		pid=$!
		if [ $((n % 3)) = 2 ]; then
			sleep $((RANDOM % 4)).$((RANDOM % 10))
			kill -9 $pid 2> /dev/null
			wait $pid 2> /dev/null
			count killed
			left $dir || { echo "killed: $n"; count bad; }
		else
			wait $pid
			status=$?
			! grep -q ' samples' $said || count ended
			ended $status $said || count bad
			[ $status = 0 ] || count failed
		fi
		rm -rf $dir
		if [ $((n % 3)) = 0 ] || [ $((RANDOM % 4)) = 0 ]; then
			rmmod vmmprof || { echo "rmmod failed"; count bad; }
			until insmod /lab/vmmprof.ko 2> $work/insmod; do
				# Also below the module's code memory is short.
				grep -q 'out of memory\|Cannot allocate' \
					$work/insmod || count bad
				sleep 0.2
			done
			count reloaded
		fi
	done
}

check "the module loads" insmod /lab/vmmprof.ko
kvm
check "KVM is there" test -c /dev/kvm
# A kernel that checks types of functions lets no module count them.
exits=--exits
vmmprof record -d 1 $exits -o $work/exits --transport none > $work/said 2>&1
! grep -q 'VM exits cannot be counted' $work/said || exits=
rm -rf $work/exits
recordings > recordings.log 2>&1 & recorder=$!
before=$(cut -d. -f1 /proc/uptime)
actions=(pauses migrates freezes hotplug short plugs tracer hostile stops
	other_perf tiny watchdog)
# enough: rounds, and recordings, which take the longest
enough()
{
	[ $(($(cut -d. -f1 /proc/uptime) - before)) -lt $((MINUTES * 60)) ] ||
		return 0
	[ "$round" -ge "$ROUNDS" ] && [ "$(counted reloaded)" -gt 1 ]
}

# Each of them once, then as it comes.
for ((round = 0; ; round++)); do
	! enough || break
	action=${actions[round < ${#actions[@]} ? round : RANDOM % ${#actions[@]}]}
	echo "$(cut -d' ' -f1 /proc/uptime) $action" >> rounds.log
	$action >> actions.log 2>&1 || echo "$action: nothing" >> rounds.log
done
no_faults
touch $work/end
check "the recorder comes to its end" until_gone 600 $recorder
cat recordings.log
for n in 0 1; do vm_end $n; done
said=
for what in start stop pause freeze plug migrate tiny hostile hotplug tracer \
	perf watchdog short ended failed killed reloaded; do
	said+="$what $(counted $what), "
done
echo "$round rounds: ${said%, }" | tee said
check "what was tried" cat said
all=1
for what in start stop pause freeze plug migrate tiny hostile tracer perf ended \
	killed reloaded $ALSO; do
	[ "$(counted $what)" -gt 0 ] || all=
done
check "each of it happened" test "$all"
check "no recording had wrong books, died or could not be read" \
	test "$(counted bad)" = 0
check "afterwards one more is complete" vmmprof record -d 1 -o last --transport none
rm -rf last
if [ -e $debug/kmemleak ]; then
	# Only what is older than five seconds is told, and what twice has no owner.
	for n in 1 2; do
		sleep 6
		echo scan > $debug/kmemleak
	done
	cat $debug/kmemleak > kmemleak
	check "no memory is lost" test ! -s kmemleak
fi
check "the module is unloaded" rmmod vmmprof
check "KVM is unloaded" rmmod "kvm_${HOST_CPU:-amd}" kvm
if [ -e /proc/lockdep_stats ]; then
	check "the locks were validated to the end" \
		grep -q 'debug_locks: *1' /proc/lockdep_stats
fi
check "the kernel had nothing to say" silent
