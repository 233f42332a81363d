// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of other modules, as sysfs shows them: KVM exports none of the
 * two that matter, or only to itself.
 */
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fs.h>

#include "params.h"

bool vmmprof_param_is(const char *module, const char *name, char value)
{
	char path[80], c = 0;
	struct file *file;
	loff_t pos = 0;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module,
		 name);
	file = filp_open(path, O_RDONLY, 0);
	if (IS_ERR(file))
		return false;
	if (kernel_read(file, &c, 1, &pos) != 1)
		c = 0;
	filp_close(file, NULL);
	return c == value;
}

bool vmmprof_mediated_pmu(void)
{
	return vmmprof_param_is("kvm_intel", "enable_mediated_pmu", 'Y') ||
	       vmmprof_param_is("kvm_amd", "enable_mediated_pmu", 'Y');
}
