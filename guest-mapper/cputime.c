// SPDX-License-Identifier: GPL-2.0-only
/* /proc/stat's lines of CPUs. */

#include <cpuid.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cputime.h"
#include "os/proc_file.h"
#include <vmmprof/maps.h>

#define KVM_CPUID_SIGNATURE 0x40000000u
#define KVM_SIGNATURE_EBX   0x4b4d564bu /* "KVMK" */
#define KVM_CPUID_FEATURES  0x40000001u
#define KVM_FEATURE_STEAL   0x20u /* bit 5 */
#define HYPERVISOR_PRESENT  0x80000000u
#define NS_PER_S	    1000000000ull

int cputime_write(struct item_writer *w)
{
	__u64 tick = NS_PER_S / sysconf(_SC_CLK_TCK), now = clock_now();
	unsigned long long v[8];
	FILE *f = fopen("/proc/stat", "re");
	char line[512];
	unsigned int cpu;
	int err = 0;

	if (!f)
		return 0;
	while (!err && fgets(line, sizeof(line), f)) {
		struct vmmprof_maps_cputime t = {
			.ns = now,
		};

		/* %u would skip the spaces of the line of all CPUs. */
		if (line[3] == ' ' ||
		    sscanf(line,
			   "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu",
			   &cpu, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
			   &v[6], &v[7]) != 9)
			continue;
		t.cpu = cpu;
		t.user = (v[0] + v[1]) * tick;
		t.system = v[2] * tick;
		t.idle = (v[3] + v[4]) * tick;
		t.irq = (v[5] + v[6]) * tick;
		t.steal = v[7] * tick;
		err = item_put(w, VMMPROF_MAPS_CPUTIME, &t, sizeof(t), NULL, 0);
	}
	fclose(f);
	return err;
}

static bool kvm_offers(void)
{
	unsigned int a, b, c, d;

	__cpuid(1, a, b, c, d);
	if (!(c & HYPERVISOR_PRESENT))
		return false;
	__cpuid(KVM_CPUID_SIGNATURE, a, b, c, d);
	if (b != KVM_SIGNATURE_EBX)
		return false;
	__cpuid(KVM_CPUID_FEATURES, a, b, c, d);
	return a & KVM_FEATURE_STEAL;
}

int cputime_describe(struct item_writer *w)
{
	char cmdline[4096];
	bool used = proc_file_line("/proc/cmdline", cmdline, sizeof(cmdline)) <
			    0 ||
		    !strstr(cmdline, "no-steal-acc");

	return item_text(w, "steal_clock", "%d", used && kvm_offers());
}
