# SPDX-License-Identifier: GPL-2.0-only
# Switch records under one kernel (tests/testbed/tcg), on one CPU: emulated
# ones have one thread and take turns, and what waits for a turn seems to run.

check "the module loads" insmod /lab/vmmprof.ko
kvm
ioctl-test switches crowd exits > switches.log 2>&1
check "the tests end" grep -q 'passed,' switches.log
grep -E '^(not )?ok ' switches.log >> "$RESULT/checks"
# Whose notifiers are KVM's is forgotten with the module.
rmmod vmmprof
insmod /lab/vmmprof.ko
insmod /lab/fakevcpu.ko
ioctl-test fake > fake.log 2>&1
check "the tests of fake vCPUs end" grep -q 'passed,' fake.log
# Here it is another vendor's module that runs guests.
if insmod /lab/kvm-intel.ko; then
	ioctl-test params >> fake.log 2>&1
	check "and goes with its parameters" rmmod kvm_intel
fi
check "the mediated vPMU is tried" grep -q 'a FIFO in its place' fake.log
grep -E '^(not )?ok ' fake.log >> "$RESULT/checks"
rmmod fakevcpu
check "the module goes" rmmod vmmprof
check "the kernel had nothing to say" silent
