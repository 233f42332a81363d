# SPDX-License-Identifier: GPL-2.0-only
# Switch records under one kernel (tests/testbed/tcg), on one CPU: emulated
# ones have one thread and take turns, and what waits for a turn seems to run.

check "the module loads" insmod /lab/vmmprof.ko
kvm
ioctl-test switches crowd > switches.log 2>&1
check "the tests end" grep -q 'passed,' switches.log
grep -E '^(not )?ok ' switches.log >> "$RESULT/checks"
check "the module goes" rmmod vmmprof
check "the kernel had nothing to say" \
	sh -c "! dmesg | grep -E 'WARN|BUG|Oops|Call Trace|cut here|blocked for|lockup'"
