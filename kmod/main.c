// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmmprof.ko: samples the whole machine on counter overflows, guests of KVM
 * included, which it neither changes nor interrupts further.
 */
#include <linux/module.h>
#include <vmmprof/version.h>

#include "chardev.h"
#include "exits.h"
#include "session.h"
#include "switch.h"
#include "vcpu.h"
#include "vendor.h"

static int __init vmmprof_init(void)
{
	int ret;

	vmmprof_vendor_init();
	vmmprof_switch_init();
	ret = vmmprof_vcpu_init();
	if (ret)
		return ret;

	ret = vmmprof_exits_init();
	if (ret)
		goto err_vcpu;

	ret = vmmprof_session_init();
	if (ret)
		goto err_exits;

	/* Last: from here on user space uses all the rest. */
	ret = vmmprof_chardev_register();
	if (ret)
		goto err_session;
	return 0;

err_session:
	vmmprof_session_exit();
err_exits:
	vmmprof_exits_exit();
err_vcpu:
	vmmprof_vcpu_exit();
	return ret;
}

static void __exit vmmprof_exit(void)
{
	vmmprof_chardev_unregister();
	vmmprof_session_exit();
	vmmprof_exits_exit();
	vmmprof_vcpu_exit();
}

module_init(vmmprof_init);
module_exit(vmmprof_exit);
MODULE_DESCRIPTION("Sampling profiler for KVM hosts and their guests");
MODULE_AUTHOR("The vmmprof developers");
MODULE_VERSION(VMMPROF_VERSION);
MODULE_LICENSE("GPL");
