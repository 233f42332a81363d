# SPDX-License-Identifier: GPL-2.0-only
# Partly fails on purpose: runs after "slow" in the same boot
# (tests/testbed/selftest).
# Not on AMD: it is about the runner.
CPUS=1
MODULE=none
LIMIT=20
ALL=no

host()
{
	check "the host still runs" true
	check "five is six" equal 5 6
}

after()
{
	no-such-program
	return 1
}
