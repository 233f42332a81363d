// SPDX-License-Identifier: GPL-2.0-only
/* A module of the name and with a parameter of KVM's, where there is no VMX. */
#include <linux/module.h>

static bool enable_mediated_pmu = true;
module_param(enable_mediated_pmu, bool, 0444);
MODULE_DESCRIPTION("kvm_intel's parameters, for tests of vmmprof");
MODULE_LICENSE("GPL");
