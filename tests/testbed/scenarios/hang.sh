# SPDX-License-Identifier: GPL-2.0-only
# Must fail: a host that stops answering.  The runner has to end at the limit
# with a status other than 0 and keep what is needed to find out why
# (tests/testbed/selftest looks).
# Not on AMD: it is about the runner.
CPUS=1
MODULE=none
LIMIT=40
ALL=no

host()
{
	guest_start one
	echo "vmmprof: hang begins" > /dev/kmsg
	sleep 15
	# The whole machine spins with interrupts off: a module could not do
	# it any worse.
	echo 0 > /proc/sys/kernel/panic
	echo c > /proc/sysrq-trigger
}
