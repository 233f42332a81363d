# SPDX-License-Identifier: GPL-2.0-only
# The module's own tests where there are a PMU and VMX: NMIs over timers, events
# that do not fit, a one-instruction guest in NMI and timer samples.
CPUS=1
LIMIT=240

host()
{
	module
	ioctl-test > device.log 2>&1
	check "the device's tests end" grep 'passed,' device.log
	grep -E '^(not )?ok ' device.log >> "$RESULT/checks"
	check "kvm_intel is removed" rmmod kvm_intel
	check "and sampling goes on without" ioctl-test mappings
	check "the module is removed" rmmod vmmprof
	check "the kernel had nothing to say" kernel_calm
	result device.log
	modprobe kvm_intel || insmod /lab/mod/kvm-intel.ko
}
