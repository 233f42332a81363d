# SPDX-License-Identifier: GPL-2.0-only
# The module under one kernel (tests/testbed/tcg): device, rings, lifetime, KVM
# coming and going; afterwards nothing in the kernel log.

# asked: was a security module asked whether the device may be opened?
asked()
{
	local t=/sys/kernel/tracing n
	echo security_perf_event_open > $t/set_ftrace_filter || return
	echo function > $t/current_tracer
	: < /dev/vmmprof
	n=$(grep -c ': security_perf_event_open' $t/trace)
	echo nop > $t/current_tracer
	echo "$n times"
	[ "$n" = 1 ]
}

# grouped COMMAND...: its memory counts for a group, as in a session of systemd's
grouped()
{
	echo +memory > /tmp/groups/cgroup.subtree_control &&
		mkdir /tmp/groups/one && [ -e /tmp/groups/one/memory.max ] || return
	sh -c 'echo $$ > /tmp/groups/one/cgroup.procs; exec "$@"' sh "$@"
}

mount -t debugfs debugfs /sys/kernel/debug 2> /dev/null
check "the module loads" insmod /lab/vmmprof.ko
check "its version is the tools'" \
	equal "$(cat /sys/module/vmmprof/version)" "$(cat /lab/version)"
# Where it may ask: perf_allow_kernel() is exported (6.12, Red Hat's 9.6, Ubuntu's 6.8);
# those built here have no function tracer that would tell.
if [ -e /sys/kernel/tracing/set_ftrace_filter ] &&
	grep -q '__ksymtab_perf_allow_kernel$\| T perf_allow_kernel$' /proc/kallsyms; then
	check "security modules are asked, as for perf's events" asked
fi
ioctl-test arguments mappings lifetime sampling chains > device.log 2>&1
check "the device's tests end" grep -q 'passed,' device.log
grep -E '^(not )?ok ' device.log >> "$RESULT/checks"
mkdir /tmp/groups
mount -t cgroup2 cgroup /tmp/groups 2> /dev/null
if grep -qsw memory /tmp/groups/cgroup.controllers; then
	grouped ioctl-test mappings > grouped.log 2>&1
	check "rings of a process in a memory cgroup are mapped" sh -c \
		"tail -n 1 grouped.log; grep -q 'passed, 0 failed' grouped.log"
fi

# KVM comes while a session runs, has guests, goes
(sleep 0.5; kvm) &
ioctl-test late-kvm > late.log 2>&1
wait
check "kvm-amd loads while sampling" test -c /dev/kvm
check "the tests of that end" grep -q 'passed,' late.log
grep -E '^(not )?ok ' late.log >> "$RESULT/checks"
ioctl-test kvm identity hotplug faults > kvm.log 2>&1
check "the guests' tests end" grep -q 'passed,' kvm.log
grep -E '^(not )?ok ' kvm.log >> "$RESULT/checks"
ioctl-test lifetime > /dev/null &
sleep 0.3
check "kvm-amd is removed while sampling" rmmod kvm_amd kvm
wait
kvm
ioctl-test kvm > kvm2.log 2>&1
check "and is known again after a reload" \
	sh -c "tail -n 1 kvm2.log; ! grep '^not ok' kvm2.log"

for i in 1 2 3 4 5; do
	rmmod vmmprof && insmod /lab/vmmprof.ko || break
done
check "removed and loaded five times" equal $i 5
ioctl-test arguments > /dev/null
check "removed" rmmod vmmprof
check "the device is gone" test ! -e /dev/vmmprof
# After its first complaint lockdep looks no more.
if [ -e /proc/lockdep_stats ]; then
	check "the locks were validated to the end" \
		grep -q 'debug_locks: *1' /proc/lockdep_stats
fi
check "the kernel had nothing to say" silent
