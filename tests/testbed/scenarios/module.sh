# SPDX-License-Identifier: GPL-2.0-only
# The module's own tests where there are a PMU and VMX or SVM: NMIs over timers, events
# that do not fit, a one-instruction guest in NMI and timer samples.
CPUS=1
LIMIT=120
AMD=longer

host()
{
	guests_only
	module
	# Right into the results, so that they are there if one does not end.
	ioctl-test > "$RESULT/device.log" 2>&1
	check "the device's tests end" grep 'passed,' "$RESULT/device.log"
	grep -E '^(not )?ok ' "$RESULT/device.log" >> "$RESULT/checks"
	local kvm=kvm_$HOST_CPU ko=/lab/mod/kvm-$HOST_CPU.ko
	check "$kvm is removed" rmmod $kvm
	check "and sampling goes on without" ioctl-test mappings
	check "$kvm comes back without nested paging" insmod $ko $nested=0
	ioctl-test kvm > "$RESULT/shadow.log" 2>&1
	check "the guests' tests end" grep 'passed,' "$RESULT/shadow.log"
	grep -E '^(not )?ok ' "$RESULT/shadow.log" >> "$RESULT/checks"
	check "and goes again" rmmod $kvm
	# Whose notifiers are KVM's is forgotten, too.
	check "the module is removed" rmmod vmmprof
	insmod $ko
	module
	check "vCPUs that only seem to be" insmod /lab/fakevcpu.ko
	ioctl-test fake > "$RESULT/fake.log" 2>&1
	check "their tests end" grep 'passed,' "$RESULT/fake.log"
	grep -E '^(not )?ok ' "$RESULT/fake.log" >> "$RESULT/checks"
	check "and go" rmmod fakevcpu vmmprof
	check "the kernel had nothing to say" kernel_calm
}
