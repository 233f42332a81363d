// SPDX-License-Identifier: GPL-2.0-only
/* Findings: how KVM is set up (parameters of kvm_intel, arch/x86/kvm/vmx). */

#include <stdio.h>

#include "host/doctor/doctor.h"

/* A yes-no parameter of kvm_intel: 'Y', 'N', or '\0' if it has none. */
static char parameter(const struct doctor *d, const char *name)
{
	char path[128], line[16];

	snprintf(path, sizeof(path), "/sys/module/kvm_intel/parameters/%s",
		 name);
	doctor_line(d, path, line, sizeof(line));
	if (*line == '1')
		return 'Y';
	return *line == '0' ? 'N' : *line;
}

static void kvm_intel(struct doctor *d)
{
	if (parameter(d, "ept") == 'N')
		doctor_add(
			d, VMMPROF_WARN, "EPT",
			"load kvm_intel with ept=1, if the CPU has it",
			"off: a guest's CR3 is KVM's, so guest processes cannot be named");
	if (parameter(d, "vpid") == 'N')
		doctor_add(d, VMMPROF_WARN, "VPID",
			   "load kvm_intel with vpid=1, if the CPU has it",
			   "off: vCPUs are told apart by their threads alone");
	if (parameter(d, "enable_mediated_pmu") == 'Y')
		doctor_add(
			d, VMMPROF_WARN, "virtual PMU",
			"load kvm_intel with enable_mediated_pmu=N, or record -e cpu-clock",
			"mediated: counters of the host would keep VMs with a PMU from starting");
	if (parameter(d, "enlightened_vmcs") == 'Y' &&
	    doctor_has(d, "/sys/bus/vmbus"))
		doctor_add(
			d, VMMPROF_WARN, "VMCS",
			"load kvm_intel with enlightened_vmcs=0",
			"Hyper-V's enlightened one: guests are counted but not resolved");
}

void doctor_kvm(struct doctor *d)
{
	bool intel = doctor_has(d, "/sys/module/kvm_intel");
	size_t before = d->nr;

	if (!intel && !doctor_has(d, "/sys/module/kvm_amd")) {
		doctor_add(d, VMMPROF_WARN, "KVM",
			   d->vmx ? "modprobe kvm_intel" : "",
			   "not there: no guests on this host");
		return;
	}
	if (intel)
		kvm_intel(d);
	if (d->nr == before)
		doctor_add(d, VMMPROF_FINE, "KVM", "",
			   "nothing in its set-up is in the way");
}
