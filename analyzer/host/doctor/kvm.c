// SPDX-License-Identifier: GPL-2.0-only
/*
 * Findings: how KVM is set up (parameters of kvm_intel and kvm_amd,
 * arch/x86/kvm/vmx, arch/x86/kvm/svm).
 */

#include <stdio.h>

#include "host/doctor/doctor.h"

/* A yes-no parameter of @module: 'Y', 'N', or '\0' if it has none. */
static char parameter(const struct doctor *d, const char *module,
		      const char *name)
{
	char path[128], line[16];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module,
		 name);
	doctor_line(d, path, line, sizeof(line));
	if (*line == '1')
		return 'Y';
	return *line == '0' ? 'N' : *line;
}

/* Of either. */
static void mediated_pmu(struct doctor *d, const char *module)
{
	if (parameter(d, module, "enable_mediated_pmu") != 'Y')
		return;
	doctor_add(
		d, VMMPROF_WARN, "virtual PMU",
		"load KVM's module with enable_mediated_pmu=N, or record -e cpu-clock",
		"mediated: counters of the host would keep VMs with a PMU from starting");
}

static void shadow_paging(struct doctor *d, const char *what,
			  const char *advice)
{
	doctor_add(
		d, VMMPROF_WARN, what, advice,
		"off: a guest's CR3 is KVM's, so guest processes cannot be named");
}

static void kvm_intel(struct doctor *d)
{
	const char *module = "kvm_intel";

	if (parameter(d, module, "ept") == 'N')
		shadow_paging(d, "EPT",
			      "load kvm_intel with ept=1, if the CPU has it");
	if (parameter(d, module, "vpid") == 'N')
		doctor_add(d, VMMPROF_WARN, "VPID",
			   "load kvm_intel with vpid=1, if the CPU has it",
			   "off: vCPUs are told apart by their threads alone");
	mediated_pmu(d, module);
	if (parameter(d, module, "enlightened_vmcs") == 'Y' &&
	    doctor_has(d, "/sys/bus/vmbus"))
		doctor_add(
			d, VMMPROF_WARN, "VMCS",
			"load kvm_intel with enlightened_vmcs=0",
			"Hyper-V's enlightened one: guests are counted but not resolved");
}

static void kvm_amd(struct doctor *d)
{
	const char *module = "kvm_amd";

	if (parameter(d, module, "npt") == 'N')
		shadow_paging(d, "NPT",
			      "load kvm_amd with npt=1, if the CPU has it");
	mediated_pmu(d, module);
}

void doctor_kvm(struct doctor *d)
{
	bool intel = doctor_has(d, "/sys/module/kvm_intel");
	bool amd = doctor_has(d, "/sys/module/kvm_amd");
	size_t before = d->nr;

	if (!intel && !amd) {
		doctor_add(d, VMMPROF_WARN, "KVM",
			   d->vmx ? "modprobe kvm_intel" :
			   d->svm ? "modprobe kvm_amd" :
				    "",
			   "not there: no guests on this host");
		return;
	}
	if (intel)
		kvm_intel(d);
	if (amd)
		kvm_amd(d);
	if (d->nr == before)
		doctor_add(d, VMMPROF_FINE, "KVM", "",
			   "nothing in its set-up is in the way");
}
