// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding KVM's own things in memory without symbols.
 *
 * Neither kvm_preempt_ops nor (on 5.10) the forwarding routine is exported.
 * The former is known by one of the functions in it: without
 * CONFIG_KALLSYMS_ALL data has no names.
 * A sample that meets an unknown address leaves it here and queues irq_work,
 * which asks kallsyms for its name; the next sample, microseconds later,
 * knows.  The one that asked is written without a vCPU.  What was learned is
 * forgotten when the module goes, before its memory does.
 */
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "lazy_work.h"
#include "svm_read.h"
#include "vcpu.h"

const struct preempt_ops *vmmprof_kvm_ops __read_mostly;
unsigned long vmmprof_forward_start __read_mostly;
unsigned long vmmprof_forward_end __read_mostly;

/* Addresses to ask for, and the last ones that turned out to be others'. */
static unsigned long asked_ops, asked_ip;
static unsigned long foreign_ops, foreign_ip;

/*
 * KVM's structures may be others after it was loaded again; kvm_amd's, too,
 * while kvm stays.  What user space
 * compared with is kvm_used; as long as another one is loaded, its notifiers
 * stay unknown, and so nothing of its is read.
 */
static u64 kvm_loads, kvm_used;

#define MAX_NOTIFIERS 4 /* of one task; two is rare already */

/*
 * Is @addr in the symbol @want?  Sets its bounds.  Names look like
 * "kvm_preempt_ops+0x0/0x10 [kvm]".
 */
static bool symbol_is(unsigned long addr, const char *want,
		      unsigned long *start, unsigned long *end)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned long offset, size;
	size_t len = strlen(want);

	sprint_symbol(name, addr);
	if (strncmp(name, want, len) ||
	    sscanf(name + len, "+0x%lx/0x%lx", &offset, &size) != 2)
		return false;
	*start = addr - offset;
	*end = *start + size;
	return true;
}

u64 vmmprof_kvm_loads(void)
{
	return READ_ONCE(kvm_loads);
}

int vmmprof_kvm_use(u64 loads)
{
	if (loads != READ_ONCE(kvm_loads))
		return -ESTALE;
	/* If another one comes now, this is not its number. */
	WRITE_ONCE(kvm_used, loads);
	return 0;
}

static __always_inline bool kvm_usable(void)
{
	return READ_ONCE(kvm_used) == READ_ONCE(kvm_loads);
}

/* Whoever asked had a notifier with these ops: they are there still. */
static bool ops_are_kvms(const struct preempt_ops *ops)
{
	unsigned long fn = (unsigned long)ops->sched_in, start, end;

	return symbol_is(fn, "kvm_sched_in", &start, &end) && fn == start;
}

static void resolve(struct irq_work *work)
{
	unsigned long start, end, addr;

	addr = READ_ONCE(asked_ops);
	if (addr && ops_are_kvms((const struct preempt_ops *)addr)) {
		vmmprof_svm_learn();
		if (kvm_usable())
			WRITE_ONCE(vmmprof_kvm_ops,
				   (const struct preempt_ops *)addr);
	} else if (addr) {
		pr_info_once("vmmprof: not KVM's preemption notifier: %pS\n",
			     (void *)addr);
		WRITE_ONCE(foreign_ops, addr);
	}
	WRITE_ONCE(asked_ops, 0);

	addr = READ_ONCE(asked_ip);
	if (addr &&
	    symbol_is(addr, "vmx_do_interrupt_nmi_irqoff", &start, &end)) {
		WRITE_ONCE(vmmprof_forward_start, start);
		WRITE_ONCE(vmmprof_forward_end, end);
	} else if (addr) {
		WRITE_ONCE(foreign_ip, addr);
	}
	WRITE_ONCE(asked_ip, 0);
}

static struct irq_work resolve_work;

static notrace void ask(unsigned long *slot, unsigned long foreign,
			unsigned long addr)
{
	if (READ_ONCE(*slot) || foreign == addr || !vmmprof_lazy_work_runs())
		return;
	WRITE_ONCE(*slot, addr);
	irq_work_queue(&resolve_work);
}
NOKPROBE_SYMBOL(ask);

notrace void vmmprof_vcpu_ask_ip(unsigned long ip)
{
	if (!READ_ONCE(vmmprof_forward_end))
		ask(&asked_ip, READ_ONCE(foreign_ip), ip);
}
NOKPROBE_SYMBOL(vmmprof_vcpu_ask_ip);

notrace struct preempt_notifier *
vmmprof_vcpu_search(struct preempt_notifier *pn)
{
	const struct preempt_ops *known = READ_ONCE(vmmprof_kvm_ops);
	int i;

	for (i = 0; i < MAX_NOTIFIERS && pn; i++) {
		if (known && pn->ops == known)
			return pn;
		if (!known && kvm_usable())
			ask(&asked_ops, READ_ONCE(foreign_ops),
			    (unsigned long)pn->ops);
		pn = hlist_entry_safe(READ_ONCE(pn->link.next),
				      struct preempt_notifier, link);
	}
	return NULL;
}
NOKPROBE_SYMBOL(vmmprof_vcpu_search);

/*
 * A module that goes has no users any more, so kvm has no vCPU that a sample
 * could meet meanwhile; only irq_work that was queued before may still run.
 */
static int module_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	const struct module *mod = data;
	bool kvm;

	if (event != MODULE_STATE_GOING && event != MODULE_STATE_COMING)
		return NOTIFY_DONE;

	/* None of its code has run yet. */
	kvm = !strcmp(mod->name, "kvm") || !strcmp(mod->name, "kvm_amd");
	if (event == MODULE_STATE_COMING && kvm)
		WRITE_ONCE(kvm_loads, kvm_loads + 1);
	irq_work_sync(&resolve_work);
	WRITE_ONCE(foreign_ops, 0);
	WRITE_ONCE(foreign_ip, 0);
	if (kvm) {
		WRITE_ONCE(vmmprof_kvm_ops, NULL);
		vmmprof_svm_forget();
	}
	if (!strcmp(mod->name, "kvm_intel")) {
		WRITE_ONCE(vmmprof_forward_end, 0);
		WRITE_ONCE(vmmprof_forward_start, 0);
	}
	return NOTIFY_OK;
}

static struct notifier_block module_nb = { .notifier_call = module_event };

int vmmprof_vcpu_init(void)
{
	init_irq_work(&resolve_work, resolve);
	return register_module_notifier(&module_nb);
}

void vmmprof_vcpu_exit(void)
{
	unregister_module_notifier(&module_nb);
	irq_work_sync(&resolve_work);
}
