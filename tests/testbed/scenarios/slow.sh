# SPDX-License-Identifier: GPL-2.0-only
# Must fail: a scenario that sleeps for ever on a healthy host.  The next one
# of the same boot has to run all the same (tests/testbed/selftest looks).
# Not on AMD: it is about the runner.
CPUS=1
MODULE=none
LIMIT=20
ALL=no

host()
{
	sleep 100000
}
