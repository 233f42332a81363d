/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * May irq work be queued that wakes somebody?  With PREEMPT_RT a thread of the
 * CPU runs it, which is parked when the CPU goes offline (kernel/smpboot.c), long
 * before the tracepoints there fall silent.  What is queued after that waits
 * until the CPU comes back, and so does who waits for it (irq_work_sync()).  That
 * the CPU is not active is said before that (sched_cpu_deactivate()).
 */
#ifndef VMMPROF_LAZY_WORK_H
#define VMMPROF_LAZY_WORK_H

#include <linux/cpumask.h>
#include <linux/kconfig.h>
#include <linux/smp.h>

/* Context: any, on the CPU that would queue it, which cannot be left. */
static __always_inline bool vmmprof_lazy_work_runs(void)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) ||
	       cpu_active(raw_smp_processor_id());
}

#endif /* VMMPROF_LAZY_WORK_H */
