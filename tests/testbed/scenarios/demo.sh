# SPDX-License-Identifier: GPL-2.0-only
# What `make demo` shows: two guests that factor numbers with Debian's
# libquantum (the workload of the method's paper), profiled together.
CPUS=1
LIMIT=400

host()
{
	guests_only guestOS1 guestOS2
	module
	guest_start guestOS1
	guest_start guestOS2
	check "both guests boot" guest_wait guestOS1
	check "both guests boot" guest_wait guestOS2
	guest_sh guestOS1 'shor 33 > /dev/null 2>&1 &'
	guest_sh guestOS2 'shor 39 > /dev/null 2>&1 &'
	check "guestOS1 is watched" guest_watch guestOS1
	check "guestOS2 is watched" guest_watch guestOS2
	check "the host is recorded" vmmprof record -e ref-cycles -c 99700 \
		-d 20 -o session
	check "the bundle of guestOS1 arrives" guest_bundle guestOS1
	check "the bundle of guestOS2 arrives" guest_bundle guestOS2
	result session guestOS1.bundle guestOS2.bundle
}

after()
{
	"$VMMPROF" report -i session --stdio \
		--guest-bundle guestOS1=guestOS1.bundle \
		--guest-bundle guestOS2=guestOS2.bundle > report.txt
	check "both guests are in the host's table" \
		equal "$(grep -c '\[guestOS[12]\]' report.txt)" 2
	check "libquantum's functions are named in both guests" \
		at_least "$(grep -c 'quantum_toffoli' report.txt)" 2
}
