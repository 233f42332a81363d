// SPDX-License-Identifier: GPL-2.0-only
/* Sample -> (machine, vCPU, process, function), with a cache of addresses. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/resolve.h"
#include "model/resolve_cause.h"
#include "model/resolve_internal.h"
#include "base/vec.h"
#include "sym/exits.h"

#define CACHE_BITS   17
#define CACHE_SLOTS  131072	  /* 2 to the power of CACHE_BITS */
#define SPACE_KERNEL VMMPROF_NONE /* instead of an image's number */
#define CR3_PTI_USER 0x1000ull	  /* user half of a page table pair */

/* One remembered address; valid for times in ref.from..ref.end. */
struct resolve_slot {
	__u64 ip;
	__u32 machine; /* its number + 1; 0: empty */
	__u32 space;   /* number of the image, or SPACE_KERNEL */
	struct symbol_ref ref;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct resolve_slot) == 64,
	       "one line of the CPU's cache");

int resolver_init(struct resolver *r, const struct session *s)
{
	memset(r, 0, sizeof(*r));
	/* Zero without being touched: a short session uses little of it. */
	r->cache = mmap(NULL, CACHE_SLOTS * sizeof(*r->cache),
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	if (r->cache == MAP_FAILED) {
		r->cache = NULL;
		return -ENOMEM;
	}
	r->svm = session_is_svm(s);
	return guests_init(&r->guests, s);
}

void resolver_deinit(struct resolver *r)
{
	size_t i;

	for (i = 0; i < r->nr_machines; i++) {
		if (r->machines[i])
			machine_deinit(r->machines[i]);
		free(r->machines[i]);
	}
	free(r->machines);
	free(r->processes);
	if (r->cache)
		munmap(r->cache, CACHE_SLOTS * sizeof(*r->cache));
	hash_deinit(&r->pids);
	guests_deinit(&r->guests);
	debug_names_deinit(&r->debug);
	strings_deinit(&r->strings);
	memset(r, 0, sizeof(*r));
}

int resolver_set(struct resolver *r, __u32 i, struct bundle *b, __u64 tsc_khz)
{
	struct machine *m;
	size_t slot;
	int ret;

	while (r->nr_machines <= i) {
		ret = vec_grow(&r->machines, &r->cap_machines, r->nr_machines,
			       sizeof(*r->machines));
		if (ret)
			goto err_bundle;
		r->machines[r->nr_machines++] = NULL;
	}
	m = malloc(sizeof(*m));
	if (!m) {
		ret = -ENOMEM;
		goto err_bundle;
	}
	ret = machine_init(m, b, !i, tsc_khz, r->machines[i]);
	if (ret) {
		free(m);
		return ret;
	}
	if (r->machines[i]) {
		machine_deinit(r->machines[i]);
		free(r->machines[i]);
		for (slot = 0; slot < CACHE_SLOTS; slot++)
			if (r->cache[slot].machine == i + 1)
				r->cache[slot].machine = 0;
	}
	r->machines[i] = m;
	m->debug = &r->debug;
	if (!i)
		r->debug.host = &m->bundle;
	return 0;

err_bundle:
	bundle_deinit(b);
	return ret;
}

struct machine *resolver_machine(struct resolver *r, __u32 i)
{
	return i < r->nr_machines ? r->machines[i] : NULL;
}

int resolver_vcpu(struct resolver *r, const struct vmmprof_rec_vcpu *rec)
{
	return guests_clock(&r->guests, rec);
}

/*
 * The number of (machine, pid, name); name has at most len bytes.  @unnamed: we
 * made the name up; it never equals a real one.
 */
static int process_id(struct resolver *r, __u32 machine, __u32 pid,
		      const char *name, size_t len, bool unnamed, __u32 *ret)
{
	__u64 key = (__u64)machine << 32 | pid;
	__u32 first = hash_get(&r->pids, key), i, str;
	struct process *p;
	int err;

	err = strings_add(&r->strings, name, len, &str);
	if (err)
		return err;
	for (i = first; i != VMMPROF_NONE; i = r->processes[i].next) {
		if (r->processes[i].name == str &&
		    r->processes[i].unnamed == unnamed) {
			*ret = i;
			return 0;
		}
	}
	err = vec_grow(&r->processes, &r->cap_processes, r->nr_processes,
		       sizeof(*p));
	if (err)
		return err;
	p = &r->processes[r->nr_processes];
	p->machine = machine;
	p->pid = pid;
	p->name = str;
	p->unnamed = unnamed;
	p->next = first;
	*ret = r->nr_processes++;
	return hash_set(&r->pids, key, *ret);
}

/* A process of which only the pid, or only the CR3, is known. */
static int process_unnamed(struct resolver *r, __u32 machine, __u32 pid,
			   const char *what, __u64 cr3, __u32 *ret)
{
	char name[48];

	if (cr3)
		snprintf(name, sizeof(name), "[%s %#llx]", what, cr3);
	else
		snprintf(name, sizeof(name), "[%s]", what);
	return process_id(r, machine, pid, name, sizeof(name), true, ret);
}

static int image_process(struct resolver *r, __u32 machine, __u32 pid,
			 struct image *im, __u32 *ret)
{
	int err;

	if (!im)
		return process_unnamed(r, machine, pid,
				       pid ? "unknown" : "swapper", 0, ret);
	if (im->proc == VMMPROF_NONE) {
		err = im->comm[0] ?
			      process_id(r, machine, pid, im->comm,
					 sizeof(im->comm), false, &im->proc) :
			      process_unnamed(r, machine, pid, "unknown", 0,
					      &im->proc);
		if (err)
			return err;
	}
	*ret = im->proc;
	return 0;
}

/* Whose address it is, as far as the sample alone tells. */
static __u64 host_owner(const struct vmmprof_rec_sample *s)
{
	return s->hdr.flags & VMMPROF_S_USER ? s->pid : 0;
}

__u64 resolver_guest_owner(const struct vmmprof_rec_sample *s, __u8 mode)
{
	__u64 cr3 = mode == MODE_KERNEL ? 0 : s->guest_cr3 >> 12;

	return (__u64)s->pid << 40 ^ cr3;
}

static struct resolve_slot *slot_of(const struct resolver *r, __u64 owner,
				    __u64 ip)
{
	__u64 h = (ip ^ owner * 0xd6e8feb86659fd93ull) * 0x9e3779b97f4a7c15ull;

	return &r->cache[h >> (64 - CACHE_BITS)];
}

/*
 * Is the remembered answer valid at ns?  Without a time: only if it is always
 * valid.
 */
static bool holds(const struct symbol_ref *p, __u64 ns)
{
	if (ns == TIME_UNKNOWN)
		return !p->from && p->end == TIME_UNKNOWN;
	return ns >= p->from && ns < p->end;
}

int resolver_kernel_ref(struct resolver *r, __u32 i, __u64 owner, __u64 ns,
			__u64 ip, const struct symbol_ref **ret)
{
	struct resolve_slot *slot = slot_of(r, owner, ip);
	int err;

	*ret = &slot->ref;
	if (slot->ip == ip && slot->machine == i + 1 &&
	    slot->space == SPACE_KERNEL && holds(&slot->ref, ns))
		return 0;
	slot->machine = 0;
	err = machine_kernel(resolver_machine(r, i), &r->strings, ns, ip,
			     &slot->ref);
	if (err)
		return err;
	slot->ip = ip;
	slot->machine = i + 1;
	slot->space = SPACE_KERNEL;
	return 0;
}

int resolver_user_ref(struct resolver *r, __u32 i, __u64 owner,
		      const struct image *im, __u64 ns, __u64 ip,
		      const struct symbol_ref **ret)
{
	struct machine *m = resolver_machine(r, i);
	__u32 space = im - m->procs.images;
	struct resolve_slot *slot = slot_of(r, owner, ip);
	int err;

	*ret = &slot->ref;
	if (slot->ip == ip && slot->machine == i + 1 && slot->space == space &&
	    ns >= slot->ref.from && ns < slot->ref.end)
		return 0;
	slot->machine = 0;
	err = machine_user(m, &r->strings, im, ns, ip, &slot->ref);
	if (err)
		return err;
	slot->ip = ip;
	slot->machine = i + 1;
	slot->space = space;
	return 0;
}

static void take_ref(struct bucket_key *key, const struct symbol_ref *p)
{
	key->addr = p->link;
	key->func = p->func;
	key->module = p->module;
	key->file = p->file;
	key->cause = p->cause;
}

int resolve_host_ip(struct resolver *r, __u64 ip, struct symbol_ref *ret)
{
	const struct symbol_ref *p;
	int err;

	symbol_ref_init(ret, ip, CAUSE_NO_KALLSYMS);
	if (!resolver_machine(r, 0))
		return 0;
	err = resolver_kernel_ref(r, 0, 0, TIME_UNKNOWN, ip, &p);
	if (!err)
		*ret = *p;
	return err;
}

/*
 * KVM forwarded an NMI out of a guest, but the module had not met KVM's
 * notifiers before and took no vCPU for loaded (kmod/vcpu.c: the first sample
 * after the module, or KVM, was loaded).  Whose guest it was is not known.
 */
static bool forwarded_unknown(const struct vmmprof_rec_sample *s,
			      unsigned int pc)
{
	const __u32 flags = VMMPROF_S_NMI | VMMPROF_S_VCPU | VMMPROF_S_USER;

	return (s->hdr.flags & flags) == VMMPROF_S_NMI && (pc & PC_KNOWN) &&
	       (pc & PC_NMI);
}

static int resolve_host(struct resolver *r, const struct vmmprof_rec_sample *s,
			struct bucket_key *key)
{
	struct machine *m = resolver_machine(r, 0);
	const struct symbol_ref *ref;
	struct image *im = NULL;
	__u64 ns;
	int err;

	key->mode = s->hdr.flags & VMMPROF_S_USER ? MODE_USER : MODE_KERNEL;
	key->cause = key->mode == MODE_USER ? CAUSE_NO_PROCESS :
					      CAUSE_NO_KALLSYMS;
	key->addr = s->ip;
	key->tid = s->tid + 1;
	if (!m)
		return image_process(r, 0, s->pid, NULL, &key->proc);
	ns = clock_to_ns(&m->clock, s->hdr.tsc);
	if (s->pid)
		im = procs_find(&m->procs, s->pid, ns);
	err = image_process(r, 0, s->pid, im, &key->proc);
	if (err)
		return err;
	if (key->mode == MODE_KERNEL)
		err = resolver_kernel_ref(r, 0, host_owner(s), ns, s->ip, &ref);
	else if (im)
		err = resolver_user_ref(r, 0, host_owner(s), im, ns, s->ip,
					&ref);
	else
		return 0;
	if (err)
		return err;
	take_ref(key, ref);
	if (key->mode == MODE_KERNEL && forwarded_unknown(s, ref->pc)) {
		key->mode = MODE_UNKNOWN;
		key->cause = CAUSE_VCPU_UNKNOWN;
		key->func = VMMPROF_NONE;
		key->module = VMMPROF_NONE;
	}
	return 0;
}

/* The process by the name that its address space has. */
static int space_process(struct resolver *r, __u32 machine, struct space *space,
			 __u32 *ret)
{
	int err;

	if (space->proc == VMMPROF_NONE) {
		err = process_id(r, machine, space->pid, space->comm,
				 sizeof(space->comm), false, &space->proc);
		if (err)
			return err;
	}
	*ret = space->proc;
	return 0;
}

/*
 * The process that owns the sample's address space, as far as known.  What is
 * mapped there (*im) is the owner's also while a vfork child uses it.
 */
static int guest_process(struct resolver *r, const struct vmmprof_rec_sample *s,
			 __u64 ns, struct bucket_key *key, struct image **im)
{
	struct machine *m = resolver_machine(r, key->guest);
	struct space *space;

	*im = NULL;
	key->how = address_space_find(&m->spaces, s->guest_cr3, ns, &space);
	if (!space)
		return process_unnamed(r, key->guest, VMMPROF_NONE, "cr3",
				       s->guest_cr3 & ~0xfffull, &key->proc);
	if (space->kernel)
		return process_unnamed(r, key->guest, 0, "kernel", 0,
				       &key->proc);
	*im = procs_find(&m->procs, space->pid, ns);
	if (vforks_shared(&m->vforks, space->pid, ns)) {
		if (key->who == WHO_PTI)
			key->who = WHO_UNKNOWN;
		return process_unnamed(r, key->guest, VMMPROF_NONE,
				       "vfork: parent or child", 0, &key->proc);
	}
	/* PROC items follow a process's name more closely than MM items. */
	if (!space->comm[0] || (*im && (*im)->comm[0]))
		return image_process(r, key->guest, space->pid, *im,
				     &key->proc);
	return space_process(r, key->guest, space, &key->proc);
}

/*
 * The process of a task, by the name that its user-mode samples get too.  A
 * kernel thread is named by a snapshot (what /proc shows of a kworker is what
 * it works on), else by its image.
 */
static int task_process(struct resolver *r, const struct vmmprof_rec_sample *s,
			__u64 ns, const struct task *t, struct bucket_key *key)
{
	struct machine *m = resolver_machine(r, key->guest);
	struct image *im = procs_find(&m->procs, t->pid, ns);
	struct space *space;

	if (im && im->comm[0] && !(t->kthread && t->named))
		return image_process(r, key->guest, t->pid, im, &key->proc);
	address_space_find(&m->spaces, s->guest_cr3, ns, &space);
	if (space && !t->kthread && space->pid == t->pid && space->comm[0])
		return space_process(r, key->guest, space, &key->proc);
	return process_id(r, key->guest, t->pid, t->comm, sizeof(t->comm),
			  false, &key->proc);
}

static int resolve_guest_kernel(struct resolver *r,
				const struct vmmprof_rec_sample *s, __u64 ns,
				struct bucket_key *key)
{
	struct machine *m = resolver_machine(r, key->guest);
	const struct symbol_ref *ref;
	const struct task *task;
	struct image *im;
	int err;

	err = resolver_kernel_ref(r, key->guest,
				  resolver_guest_owner(s, key->mode), ns,
				  s->guest_ip, &ref);
	if (err)
		return err;
	take_ref(key, ref);
	task = tasks_find(&m->tasks, s->guest_rsp, ns);
	/* Lazy TLB: an idle CPU keeps the CR3 of the process that ran last. */
	if (ref->idle || (task && !task->pid)) {
		key->who = WHO_IDLE;
		key->tid = 1;
		return process_unnamed(r, key->guest, 0, "swapper", 0,
				       &key->proc);
	}
	if (task) {
		key->who = task->kthread ? WHO_KTHREAD : WHO_STACK;
		key->tid = task->tid + 1;
		return task_process(r, s, ns, task, key);
	}
	/*
	 * Only its owner runs with the user half, when it enters or leaves the
	 * kernel.
	 */
	if (m->pti && s->guest_cr3 & CR3_PTI_USER &&
	    !(s->hdr.flags & VMMPROF_S_SHADOW)) {
		key->who = WHO_PTI;
		return guest_process(r, s, ns, key, &im);
	}
	key->who = WHO_UNKNOWN;
	return process_unnamed(r, key->guest, VMMPROF_NONE,
			       "kernel: process unknown", 0, &key->proc);
}

static int resolve_guest_user(struct resolver *r,
			      const struct vmmprof_rec_sample *s, __u64 ns,
			      struct bucket_key *key)
{
	const struct symbol_ref *ref;
	struct image *im;
	int err;

	err = guest_process(r, s, ns, key, &im);
	if (err)
		return err;
	key->cause = owner_cause(key->how);
	if (!im)
		return 0;
	err = resolver_user_ref(r, key->guest,
				resolver_guest_owner(s, key->mode), im, ns,
				s->guest_ip, &ref);
	if (!err)
		take_ref(key, ref);
	return err;
}

/* @count: it is the guest's sample. */
static int resolve_guest(struct resolver *r, const struct vmmprof_rec_sample *s,
			 struct resolved *w, bool count)
{
	struct bucket_key *key = &w->key;
	struct machine *m;
	__u64 tsc;
	__u32 g;
	int err;

	err = guests_get(&r->guests, s->pid, &g);
	if (err)
		return err;
	key->guest = g + 1;
	key->mode = guest_mode(s);
	key->addr = s->guest_ip;
	m = resolver_machine(r, key->guest);
	key->cause = guest_cause(s, m, key->mode);
	if (m && guests_tsc(&r->guests, g, s->vcpu_id, s->hdr.tsc, &tsc))
		w->guest_ns = clock_to_ns(&m->clock, tsc);
	if (count && m && w->guest_ns != TIME_UNKNOWN &&
	    (w->guest_ns < m->spaces.watched_from ||
	     w->guest_ns > m->spaces.watched_until))
		r->guests.guests[g].outside++;
	if (key->cause == CAUSE_NO_BUNDLE)
		return process_unnamed(r, key->guest, VMMPROF_NONE, "cr3",
				       s->guest_cr3 & ~0xfffull, &key->proc);
	if (key->cause)
		return process_unnamed(r, key->guest, VMMPROF_NONE, "unknown",
				       0, &key->proc);
	if (key->mode == MODE_KERNEL)
		return resolve_guest_kernel(r, s, w->guest_ns, key);
	return resolve_guest_user(r, s, w->guest_ns, key);
}

/* Is the interrupted host PC where KVM forwards what ended guest mode? */
static int check_sample(struct resolver *r, const struct vmmprof_rec_sample *s,
			struct resolved *w)
{
	const struct symbol_ref *ref;
	unsigned int pc = 0;
	int err;

	w->contradiction = CONTRA_NONE;
	/* Only a sample with a loaded vCPU can be either. */
	if (!(s->hdr.flags & (VMMPROF_S_GUEST | VMMPROF_S_VCPU)))
		return 0;
	if (resolver_machine(r, 0) && !(s->hdr.flags & VMMPROF_S_USER)) {
		err = resolver_kernel_ref(r, 0, 0, TIME_UNKNOWN, s->ip, &ref);
		if (err)
			return err;
		pc = ref->pc;
	}
	w->contradiction = exit_check_sample(s, pc, r->svm);
	return 0;
}

void resolve_prefetch(const struct resolver *r,
		      const struct vmmprof_rec_sample *s)
{
	const struct resolve_slot *slot;

	if (s->hdr.flags & VMMPROF_S_GUEST)
		slot = slot_of(r, resolver_guest_owner(s, guest_mode(s)),
			       s->guest_ip);
	else
		slot = slot_of(r, host_owner(s), s->ip);
	__builtin_prefetch(slot);
}

/* All that is known without a machine. */
static void begin_resolved(const struct resolver *r,
			   const struct vmmprof_rec_sample *s,
			   struct resolved *ret)
{
	const __u32 own = VMMPROF_S_VCPU | VMMPROF_S_VMCS | VMMPROF_S_OWN;
	struct bucket_key *key = &ret->key;

	memset(key, 0, sizeof(*key));
	key->proc = VMMPROF_NONE;
	key->func = VMMPROF_NONE;
	key->module = VMMPROF_NONE;
	key->file = VMMPROF_NONE;
	key->vcpu = s->hdr.flags & VMMPROF_S_VCPU ? s->vcpu_id : VMMPROF_NONE;
	key->exit = (s->hdr.flags & own) == own ?
			    exit_reason(r->svm, s->exit_reason) :
			    EXIT_NONE;
	key->cpu = s->cpu;
	key->event = s->event;
	ret->guest_ns = TIME_UNKNOWN;
}

int resolve_exit(struct resolver *r, const struct vmmprof_rec_sample *s,
		 struct resolved *ret)
{
	begin_resolved(r, s, ret);
	ret->contradiction = CONTRA_NONE;
	return resolve_guest(r, s, ret, false);
}

int resolve_sample(struct resolver *r, const struct vmmprof_rec_sample *s,
		   struct resolved *ret)
{
	int err;

	begin_resolved(r, s, ret);
	err = check_sample(r, s, ret);
	if (err)
		return err;
	if (s->hdr.flags & VMMPROF_S_GUEST)
		return resolve_guest(r, s, ret, true);
	return resolve_host(r, s, &ret->key);
}
