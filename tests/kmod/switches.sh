# SPDX-License-Identifier: GPL-2.0-only
# Switch records under one kernel (tests/testbed/tcg), on one CPU: under QEMU
# 7.2's TCG one that runs what another patches may stay in a breakpoint that is
# not there any more, and stands still between two readings of a clock.

check "the module loads" insmod /lab/vmmprof.ko
kvm
ioctl-test switches > switches.log 2>&1
check "the tests end" grep -q 'passed,' switches.log
grep -E '^(not )?ok ' switches.log >> "$RESULT/checks"
check "the module goes" rmmod vmmprof
check "the kernel had nothing to say" \
	sh -c "! dmesg | grep -E 'WARN|BUG|Oops|Call Trace|cut here|blocked for|lockup'"
