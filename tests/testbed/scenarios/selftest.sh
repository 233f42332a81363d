# SPDX-License-Identifier: GPL-2.0-only
# vmmprof selftest where there are a PMU and VMX or SVM: it finds nothing wrong with the
# module, and what is wrong with one that was broken on purpose (tests/kmod/broken).
CPUS=1
LIMIT=150
AMD=yes

# found N WHAT: `selftest` fails by those checks, whose names are a pattern
found()
{
	local status=0
	echo "$1" > /sys/module/vmmprof/parameters/broken
	vmmprof selftest --seconds 2 -o "broken$1" > "broken$1.said" || status=$?
	result "broken$1"
	check "broken ($2): status 1" equal $status 1
	check "broken ($2): the check that fails is named" \
		grep -E "^failed: $3" "broken$1.said"
}

host()
{
	guests_only
	module
	check "it finds nothing wrong" \
		vmmprof selftest --seconds 3 -o report
	result report
	cat report
	check "all checks are made" equal 19 "$(grep -c '^ok ' report)"
	check "no address of the kernel is in the report, and not the host's name" \
		fails grep -E "0x|ffff[0-9a-f]|$(hostname)" report
	rmmod vmmprof
	check "a module that is broken on purpose loads" \
		insmod /lab/broken.ko
	found 1 "another field for CR3" "CR3(, chains)?$"
	found 2 "all of a vCPU is its guest" "guest(,|$)"
	found 3 "a third of a guest is the host's" "guest, time in guest$"
	found 4 "a halted vCPU sleeps for another reason" "halts$"
	echo 0 > /sys/module/vmmprof/parameters/broken
	check "not broken it is as good" vmmprof selftest --seconds 2
	check "it goes" rmmod vmmprof
	check "the kernel had nothing to say" kernel_calm
}
