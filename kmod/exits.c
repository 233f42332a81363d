// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of kvm_exit and kvm_entry that count VM exits.
 *
 * What the tracepoints pass differs between kernels, and no header that modules
 * are built with tells it.  So nothing of it is used: the vCPU is the current
 * task's loaded one (vcpu.h), the reason is read from its VMCS, which is current
 * where KVM has just left the guest, from its VMCB (svm_read.h), or from nowhere
 * (protected guests of VMX): VMMPROF_NONE then.  Where the kernel checks the types of what it
 * calls (kCFI) such probes cannot be called, so there is no counting.
 *
 * A vCPU is loaded by one thread at a time, under its mutex.  What is kept of a
 * vCPU (its place, its counts, its exit without an entry yet) is therefore
 * written by one CPU at a time and needs neither atomic operations nor per-CPU
 * copies: a thread that is on another CPU at the entry took what it wrote along.
 * Only new places are fought for, by compare-and-exchange.
 *
 * Each CPU remembers the vCPU that it had last.  It is known again by the node
 * of its notifier, and by its process and number, without a look at the table.
 *
 * What may happen meanwhile:
 *  - An NMI or an interrupt hits a probe: samples and switch records use
 *    nothing of this.
 *  - STOP, close() or the recorder's death: the probes are unregistered, and
 *    the grace period after that ends every one that still runs.  The table is
 *    freed with the session's last reference.
 *  - A VM dies: its vCPUs keep their places until the session ends, so that
 *    their counts are told.  Another vCPU at the same address is another one by
 *    its process and number.
 *  - kvm comes: its tracepoints are found before any of its code runs.  It goes:
 *    it has no vCPU then; the probes are unregistered before its memory is gone.
 *  - The table is full: such exits are counted as missed.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <asm/tsc.h>

#include "exits.h"
#include "guest_state.h"
#include "ring.h"
#include "svm_read.h"
#include "vcpu.h"
#include "vmx_read.h"

#define VCPU_BITS   9
#define VCPU_BUCKET 8 /* a cache line of keys */
#define VCPUS	    (VCPU_BUCKET << VCPU_BITS)
#define ENTRIES	    16384

/*
 * Basic exit reasons below this are told apart, of SVM their places
 * (svm_code_index()); the last one stands for none.
 */
#define REASONS	    208
#define NO_REASON   (REASONS - 1)

/* What is known of a vCPU. */
struct exit_vcpu {
	const struct hlist_node *node; /* of its notifier; compared with only */
	u32 pid;
	u32 vcpu_id;
	u64 since;		   /* TSC of the exit without an entry yet */
	struct vmmprof_exit *open; /* what it belongs to, NULL: there is none */
	u32 readable;		   /* its exit reason is */
	u32 entry[REASONS];	   /* offsets in the entries, 0: none yet */
	u32 unused[39];
};

struct vmmprof_exit_table {
	const struct kvm_vcpu *key[VCPUS];    /* compared with only */
	struct exit_vcpu vcpus[VCPUS];	      /* by the same index */
	struct vmmprof_exit entries[ENTRIES]; /* [0]: unused */
	atomic_t nr_entries;		      /* given out; may be more */
	u64 __percpu *missed;
};

static DEFINE_MUTEX(exits_lock); /* all of these */
static struct tracepoint *exit_point, *entry_point;
static struct vmmprof_exit_table *counting; /* NULL: nobody counts */
static bool probing;			    /* the probes are registered */

/* None: no notifier has that address. */
static struct exit_vcpu nobody = { .node = (const struct hlist_node *)1 };
/* Never NULL.  Set at run time: a module's per-CPU data is not relocated. */
static DEFINE_PER_CPU(struct exit_vcpu *, last);

static __always_inline bool is_vcpu(const struct exit_vcpu *v,
				    const struct kvm_vcpu *vcpu)
{
	return v->vcpu_id == vcpu->vcpu_id && v->pid == current->tgid;
}

/* The one that this CPU had last, if it is the current task's; or NULL. */
static __always_inline struct exit_vcpu *same_vcpu(void)
{
	struct exit_vcpu *v = this_cpu_read(last);
	const struct hlist_node *node;

	node = READ_ONCE(current->preempt_notifiers.first);
	if (unlikely(v->node != node) ||
	    unlikely(!is_vcpu(v, container_of(node, struct kvm_vcpu,
					      preempt_notifier.link))))
		return NULL;
	return v;
}

static struct exit_vcpu *find_vcpu(struct vmmprof_exit_table *t,
				   const struct kvm_vcpu *vcpu)
{
	unsigned int at = hash_ptr(vcpu, VCPU_BITS) * VCPU_BUCKET, end;
	const struct kvm_vcpu *key;

	BUILD_BUG_ON(sizeof(struct exit_vcpu) != 1024);
	BUILD_BUG_ON(SVM_CODES > NO_REASON);
	for (end = at + VCPU_BUCKET; at < end; at++) {
		key = READ_ONCE(t->key[at]);
		if (likely(key == vcpu) && likely(is_vcpu(&t->vcpus[at], vcpu)))
			return &t->vcpus[at];
		if (!key)
			break;
	}
	return NULL;
}

/* A VMCB's exit code is KVM's to read whatever of its guest is protected. */
static bool readable(const struct kvm_vcpu *vcpu)
{
	if (vmmprof_guest_ops->vendor == VMMPROF_VENDOR_SVM)
		return vmmprof_svm_valid(vcpu);
	return vmmprof_guest_ops->vendor == VMMPROF_VENDOR_VMX &&
	       !vmmprof_protected(vcpu) && !vmmprof_protected_vm(vcpu);
}

static struct exit_vcpu *add_vcpu(struct vmmprof_exit_table *t,
				  const struct kvm_vcpu *vcpu)
{
	unsigned int at = hash_ptr(vcpu, VCPU_BITS) * VCPU_BUCKET, i;
	struct exit_vcpu *v;

	for (i = at; i < at + VCPU_BUCKET; i++) {
		if (READ_ONCE(t->key[i]) || cmpxchg(&t->key[i], NULL, vcpu))
			continue;
		/* Nobody else looks at it: that takes the vCPU's thread. */
		v = &t->vcpus[i];
		v->node = &vcpu->preempt_notifier.link;
		v->pid = current->tgid;
		v->vcpu_id = vcpu->vcpu_id;
		v->readable = readable(vcpu);
		return v;
	}
	return NULL;
}

/* The current task's vCPU, NULL: it has none, or there is no place for it. */
static struct exit_vcpu *look_up(struct vmmprof_exit_table *t, bool add)
{
	struct preempt_notifier *pn = vmmprof_vcpu_notifier(current);
	struct exit_vcpu *v;

	if (!pn)
		return NULL;
	v = find_vcpu(t, vmmprof_vcpu_of(pn));
	if (!v && add)
		v = add_vcpu(t, vmmprof_vcpu_of(pn));
	if (v)
		this_cpu_write(last, v);
	return v;
}

static __always_inline struct vmmprof_exit *
entry_at(struct vmmprof_exit_table *t, u32 offset)
{
	return (void *)t->entries + offset;
}

static struct vmmprof_exit *add_entry(struct vmmprof_exit_table *t,
				      struct exit_vcpu *v, unsigned int reason)
{
	struct vmmprof_exit *e;
	int at;

	/* Not beyond its end by more than one for each vCPU at a time. */
	if (atomic_read(&t->nr_entries) >= ENTRIES - 1)
		return NULL;
	at = atomic_inc_return(&t->nr_entries);
	if (at >= ENTRIES)
		return NULL;
	e = &t->entries[at];
	e->pid = v->pid;
	e->tid = current->pid;
	e->vcpu_id = v->vcpu_id;
	if (reason == NO_REASON)
		e->reason = VMMPROF_NONE;
	else if (vmmprof_guest_ops->vendor == VMMPROF_VENDOR_SVM)
		e->reason = (u16)svm_index_code(reason);
	else
		e->reason = reason;
	e->min = U64_MAX;
	v->entry[reason] = at * sizeof(*e);
	return e;
}

static __always_inline unsigned int read_reason(const struct exit_vcpu *v,
						const bool svm)
{
	const struct kvm_vcpu *vcpu;

	if (unlikely(!v->readable))
		return NO_REASON;
	if (!svm)
		return (u16)vmx_read_or(VM_EXIT_REASON, NO_REASON);
	/* Another kvm_amd was loaded meanwhile: vcpu.c. */
	if (unlikely(!READ_ONCE(vmmprof_kvm_ops)))
		return NO_REASON;
	vcpu = container_of(v->node, struct kvm_vcpu, preempt_notifier.link);
	return svm_code_index(svm_exit_code(svm_vmcb(vcpu)));
}

/* An exit of a vCPU that was not the last one here, or for a new reason. */
static noinline void exit_slow(struct vmmprof_exit_table *t, bool svm)
{
	struct exit_vcpu *v = look_up(t, true);
	unsigned int reason;

	if (!v) {
		this_cpu_inc(*t->missed);
		return;
	}
	/* The one before had no entry: it is not counted. */
	if (v->open)
		this_cpu_inc(*t->missed);
	reason = min_t(unsigned int, read_reason(v, svm), NO_REASON);
	if (v->entry[reason])
		v->open = entry_at(t, v->entry[reason]);
	else
		v->open = add_entry(t, v, reason);
	if (!v->open)
		this_cpu_inc(*t->missed);
	v->since = rdtsc();
}

static __always_inline void count_exit(struct vmmprof_exit_table *t,
				       const bool svm)
{
	struct exit_vcpu *v = same_vcpu();
	unsigned int reason;

	if (unlikely(!v) || unlikely(v->open))
		goto slow;
	reason = read_reason(v, svm);
	if (unlikely(reason >= REASONS) || unlikely(!v->entry[reason]))
		goto slow;
	v->open = entry_at(t, v->entry[reason]);
	v->since = rdtsc();
	return;

slow:
	exit_slow(t, svm);
}

static void probe_exit_vmx(void *data)
{
	count_exit(data, false);
}

static void probe_exit_svm(void *data)
{
	count_exit(data, true);
}

/* The one of this host's vendor. */
static void *probe_exit(void)
{
	return vmmprof_guest_ops->vendor == VMMPROF_VENDOR_SVM ?
		       probe_exit_svm :
		       probe_exit_vmx;
}

static __always_inline void end_exit(struct exit_vcpu *v)
{
	struct vmmprof_exit *e = v->open;
	u64 ticks;

	if (unlikely(!e))
		return;
	ticks = rdtsc() - v->since;
	/* Another CPU's TSC, a little behind. */
	if (unlikely((s64)ticks < 0))
		ticks = 0;
	v->open = NULL;
	e->total += ticks;
	if (unlikely(ticks < e->min))
		e->min = ticks;
	if (unlikely(ticks > e->max))
		e->max = ticks;
	e->count[min(fls64(ticks), VMMPROF_EXIT_COUNTS - 1)]++;
}

/* The vCPU's thread has come to this CPU since the exit. */
static noinline void entry_slow(struct vmmprof_exit_table *t)
{
	struct exit_vcpu *v = look_up(t, false);

	if (v)
		end_exit(v);
}

static void probe_entry(void *data)
{
	struct exit_vcpu *v = same_vcpu();

	if (unlikely(!v))
		entry_slow(data);
	else
		end_exit(v);
}

/* No probe runs. */
static void forget_last(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(last, cpu) = &nobody;
}

/* Entry first, and last: no exit is without its entry.  exits_lock held. */
static void stop_probing(void)
{
	if (!probing)
		return;
	tracepoint_probe_unregister(exit_point, probe_exit(), counting);
	tracepoint_probe_unregister(entry_point, probe_entry, counting);
	tracepoint_synchronize_unregister();
	forget_last();
	probing = false;
}

static int start_probing(void)
{
	int ret;

	if (!counting || !exit_point || !entry_point)
		return 0;
	ret = tracepoint_probe_register(entry_point, probe_entry, counting);
	if (ret)
		return ret;
	ret = tracepoint_probe_register(exit_point, probe_exit(), counting);
	probing = !ret;
	if (!ret)
		return 0;
	tracepoint_probe_unregister(entry_point, probe_entry, counting);
	tracepoint_synchronize_unregister();
	forget_last();
	return ret;
}

static void look_at(struct tracepoint *tp, void *priv)
{
	if (!strcmp(tp->name, "kvm_exit"))
		exit_point = tp;
	else if (!strcmp(tp->name, "kvm_entry"))
		entry_point = tp;
}

static int points_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	const struct module *mod = ((struct tp_module *)data)->mod;
	unsigned int i;

	if (strcmp(mod->name, "kvm"))
		return NOTIFY_DONE;
	mutex_lock(&exits_lock);
	if (event == MODULE_STATE_COMING) {
		for (i = 0; i < mod->num_tracepoints; i++)
			look_at(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]),
				NULL);
		if (start_probing())
			pr_warn("vmmprof: exits of the KVM that was loaded are not counted\n");
	} else if (event == MODULE_STATE_GOING) {
		stop_probing();
		exit_point = NULL;
		entry_point = NULL;
	}
	mutex_unlock(&exits_lock);
	return NOTIFY_OK;
}

static struct notifier_block points_nb = { .notifier_call = points_event };

int vmmprof_exits_init(void)
{
	forget_last();
	for_each_kernel_tracepoint(look_at, NULL);
	/* Tells of the modules that are there already, too. */
	return register_tracepoint_module_notifier(&points_nb);
}

void vmmprof_exits_exit(void)
{
	unregister_tracepoint_module_notifier(&points_nb);
}

bool vmmprof_exits_usable(void)
{
	return !IS_ENABLED(CONFIG_CFI_CLANG) && !IS_ENABLED(CONFIG_CFI);
}

int vmmprof_exits_create(struct vmmprof_exit_table **ret)
{
	struct vmmprof_exit_table *t;

	if (!vmmprof_exits_usable())
		return -EOPNOTSUPP;
	t = kvzalloc(sizeof(*t), VMMPROF_GFP);
	if (!t)
		return -ENOMEM;
	t->missed = alloc_percpu(u64);
	if (!t->missed) {
		kvfree(t);
		return -ENOMEM;
	}
	*ret = t;
	return 0;
}

int vmmprof_exits_start(struct vmmprof_exit_table *t)
{
	int ret;

	mutex_lock(&exits_lock);
	counting = t;
	ret = start_probing();
	if (ret)
		counting = NULL;
	mutex_unlock(&exits_lock);
	return ret;
}

/* Exits whose entry did not come: until when. */
static void tell_open(struct vmmprof_exit_table *t, u64 now)
{
	struct exit_vcpu *v;

	for (v = t->vcpus; v < t->vcpus + VCPUS; v++)
		if (v->open && (s64)(now - v->since) > 0)
			v->open->open = now - v->since;
}

void vmmprof_exits_stop(struct vmmprof_exit_table *t)
{
	mutex_lock(&exits_lock);
	if (t && counting == t) {
		stop_probing();
		counting = NULL;
		tell_open(t, rdtsc());
	}
	mutex_unlock(&exits_lock);
}

u32 vmmprof_exits_read(const struct vmmprof_exit_table *t, u32 from, u32 nr,
		       struct vmmprof_exit *to, u64 *missed)
{
	u32 have = min(atomic_read(&t->nr_entries), ENTRIES - 1), i, n;
	unsigned int cpu;

	*missed = 0;
	for_each_possible_cpu(cpu)
		*missed += *per_cpu_ptr(t->missed, cpu);
	n = from < have ? min(nr, have - from) : 0;
	for (i = 0; i < n; i++) {
		to[i] = t->entries[1 + from + i];
		if (to[i].min == U64_MAX) /* its only exit is still open */
			to[i].min = 0;
	}
	return n;
}

void vmmprof_exits_destroy(struct vmmprof_exit_table *t)
{
	if (!t)
		return;
	free_percpu(t->missed);
	kvfree(t);
}
