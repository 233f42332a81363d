# SPDX-License-Identifier: GPL-2.0-only
# What the emulator has to keep over an exit and an entry: a guest's CR2.  With
# another's its processes are killed now and then.
CPUS=1
MODULE=none
LIMIT=30
AMD=yes

host()
{
	check "the page that a guest faulted on is its own over a fault of the host" \
		equal "$(cr2)" "own 100 others 0"
}
