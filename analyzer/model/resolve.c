// SPDX-License-Identifier: GPL-2.0-only
/* Sample -> (machine, vCPU, process, function), with a cache of addresses. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/resolve.h"
#include "base/vec.h"

#define CACHE_BITS   17
#define CACHE_SLOTS  131072	  /* 2 to the power of CACHE_BITS */
#define SPACE_KERNEL VMMPROF_NONE /* instead of an image's number */
#define CR3_PTI_USER 0x1000ull	  /* user half of a page table pair */

/* One remembered address; valid for times in place.from..place.end. */
struct resolve_slot {
	__u64 ip;
	__u32 machine; /* VMMPROF_NONE: empty */
	__u32 space;   /* number of the image, or SPACE_KERNEL */
	struct vmmprof_place place;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct resolve_slot) == 64,
	       "one line of the CPU's cache");

int vmmprof_resolver_init(struct vmmprof_resolver *r,
			  const struct vmmprof_session *s)
{
	size_t i;

	memset(r, 0, sizeof(*r));
	r->cache = aligned_alloc(sizeof(*r->cache),
				 CACHE_SLOTS * sizeof(*r->cache));
	if (!r->cache)
		return -ENOMEM;
	for (i = 0; i < CACHE_SLOTS; i++)
		r->cache[i].machine = VMMPROF_NONE;
	return vmmprof_guests_init(&r->guests, s);
}

void vmmprof_resolver_deinit(struct vmmprof_resolver *r)
{
	size_t i;

	for (i = 0; i < r->nr_machines; i++) {
		if (r->machines[i])
			vmmprof_machine_deinit(r->machines[i]);
		free(r->machines[i]);
	}
	free(r->machines);
	free(r->processes);
	free(r->cache);
	vmmprof_hash_deinit(&r->pids);
	vmmprof_guests_deinit(&r->guests);
	vmmprof_strings_deinit(&r->strings);
	memset(r, 0, sizeof(*r));
}

int vmmprof_resolver_set(struct vmmprof_resolver *r, __u32 i,
			 struct vmmprof_bundle *b, __u64 tsc_khz)
{
	struct vmmprof_machine *m;
	size_t slot;
	int ret;

	while (r->nr_machines <= i) {
		ret = vmmprof_vec_grow(&r->machines, &r->cap_machines,
				       r->nr_machines, sizeof(*r->machines));
		if (ret)
			goto err_bundle;
		r->machines[r->nr_machines++] = NULL;
	}
	m = malloc(sizeof(*m));
	if (!m) {
		ret = -ENOMEM;
		goto err_bundle;
	}
	ret = vmmprof_machine_init(m, b, !i, tsc_khz, r->machines[i]);
	if (ret) {
		free(m);
		return ret;
	}
	if (r->machines[i]) {
		vmmprof_machine_deinit(r->machines[i]);
		free(r->machines[i]);
		for (slot = 0; slot < CACHE_SLOTS; slot++)
			if (r->cache[slot].machine == i)
				r->cache[slot].machine = VMMPROF_NONE;
	}
	r->machines[i] = m;
	return 0;

err_bundle:
	vmmprof_bundle_deinit(b);
	return ret;
}

static struct vmmprof_machine *machine(struct vmmprof_resolver *r, __u32 i)
{
	return i < r->nr_machines ? r->machines[i] : NULL;
}

int vmmprof_resolver_vcpu(struct vmmprof_resolver *r,
			  const struct vmmprof_rec_vcpu *rec)
{
	return vmmprof_guests_clock(&r->guests, rec);
}

/*
 * The number of (machine, pid, name); name has at most len bytes.  @unnamed: it
 * is ours, so none that a process has.
 */
static int process_id(struct vmmprof_resolver *r, __u32 machine, __u32 pid,
		      const char *name, size_t len, bool unnamed, __u32 *ret)
{
	__u64 key = (__u64)machine << 32 | pid;
	__u32 first = vmmprof_hash_get(&r->pids, key), i, str;
	struct vmmprof_process *p;
	int err;

	err = vmmprof_strings_add(&r->strings, name, len, &str);
	if (err)
		return err;
	for (i = first; i != VMMPROF_NONE; i = r->processes[i].next) {
		if (r->processes[i].name == str &&
		    r->processes[i].unnamed == unnamed) {
			*ret = i;
			return 0;
		}
	}
	err = vmmprof_vec_grow(&r->processes, &r->cap_processes,
			       r->nr_processes, sizeof(*p));
	if (err)
		return err;
	p = &r->processes[r->nr_processes];
	p->machine = machine;
	p->pid = pid;
	p->name = str;
	p->unnamed = unnamed;
	p->next = first;
	*ret = r->nr_processes++;
	return vmmprof_hash_set(&r->pids, key, *ret);
}

/* A process of which only the pid, or only the CR3, is known. */
static int process_unnamed(struct vmmprof_resolver *r, __u32 machine, __u32 pid,
			   const char *what, __u64 cr3, __u32 *ret)
{
	char name[48];

	if (cr3)
		snprintf(name, sizeof(name), "[%s %#llx]", what, cr3);
	else
		snprintf(name, sizeof(name), "[%s]", what);
	return process_id(r, machine, pid, name, sizeof(name), true, ret);
}

static int image_process(struct vmmprof_resolver *r, __u32 machine, __u32 pid,
			 struct vmmprof_image *im, __u32 *ret)
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

static __u64 guest_owner(const struct vmmprof_rec_sample *s, __u8 mode)
{
	__u64 cr3 = mode == VMMPROF_MODE_KERNEL ? 0 : s->guest_cr3 >> 12;

	return (__u64)s->pid << 40 ^ cr3;
}

static struct resolve_slot *slot_of(const struct vmmprof_resolver *r,
				    __u64 owner, __u64 ip)
{
	__u64 h = (ip ^ owner * 0xd6e8feb86659fd93ull) * 0x9e3779b97f4a7c15ull;

	return &r->cache[h >> (64 - CACHE_BITS)];
}

/* Does what was found hold at ns?  Without a time: if it holds always. */
static bool holds(const struct vmmprof_place *p, __u64 ns)
{
	if (ns == VMMPROF_TIME_UNKNOWN)
		return !p->from && p->end == VMMPROF_TIME_UNKNOWN;
	return ns >= p->from && ns < p->end;
}

static int kernel_place(struct vmmprof_resolver *r, __u32 i, __u64 owner,
			__u64 ns, __u64 ip, const struct vmmprof_place **ret)
{
	struct resolve_slot *slot = slot_of(r, owner, ip);
	int err;

	*ret = &slot->place;
	if (slot->ip == ip && slot->machine == i &&
	    slot->space == SPACE_KERNEL && holds(&slot->place, ns))
		return 0;
	slot->machine = VMMPROF_NONE;
	err = vmmprof_machine_kernel(machine(r, i), &r->strings, ns, ip,
				     &slot->place);
	if (err)
		return err;
	slot->ip = ip;
	slot->machine = i;
	slot->space = SPACE_KERNEL;
	return 0;
}

static int user_place(struct vmmprof_resolver *r, __u32 i, __u64 owner,
		      const struct vmmprof_image *im, __u64 ns, __u64 ip,
		      const struct vmmprof_place **ret)
{
	struct vmmprof_machine *m = machine(r, i);
	__u32 space = im - m->procs.images;
	struct resolve_slot *slot = slot_of(r, owner, ip);
	int err;

	*ret = &slot->place;
	if (slot->ip == ip && slot->machine == i && slot->space == space &&
	    ns >= slot->place.from && ns < slot->place.end)
		return 0;
	slot->machine = VMMPROF_NONE;
	err = vmmprof_machine_user(m, &r->strings, im, ns, ip, &slot->place);
	if (err)
		return err;
	slot->ip = ip;
	slot->machine = i;
	slot->space = space;
	return 0;
}

static void take_place(struct vmmprof_cell_key *key,
		       const struct vmmprof_place *p)
{
	key->addr = p->link;
	key->func = p->func;
	key->module = p->module;
	key->file = p->file;
	key->cause = p->cause;
}

int vmmprof_resolve_host_ip(struct vmmprof_resolver *r, __u64 ip,
			    struct vmmprof_place *ret)
{
	const struct vmmprof_place *p;
	int err;

	memset(ret, 0, sizeof(*ret));
	ret->func = VMMPROF_NONE;
	ret->module = VMMPROF_NONE;
	ret->file = VMMPROF_NONE;
	ret->cause = VMMPROF_CAUSE_NO_KALLSYMS;
	if (!machine(r, 0))
		return 0;
	err = kernel_place(r, 0, 0, VMMPROF_TIME_UNKNOWN, ip, &p);
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

	return (s->hdr.flags & flags) == VMMPROF_S_NMI &&
	       (pc & VMMPROF_PC_KNOWN) && (pc & VMMPROF_PC_NMI);
}

static int resolve_host(struct vmmprof_resolver *r,
			const struct vmmprof_rec_sample *s,
			struct vmmprof_cell_key *key)
{
	struct vmmprof_machine *m = machine(r, 0);
	const struct vmmprof_place *place;
	struct vmmprof_image *im = NULL;
	__u64 ns;
	int err;

	key->mode = s->hdr.flags & VMMPROF_S_USER ? VMMPROF_MODE_USER :
						    VMMPROF_MODE_KERNEL;
	key->cause = key->mode == VMMPROF_MODE_USER ? VMMPROF_CAUSE_NO_PROCESS :
						      VMMPROF_CAUSE_NO_KALLSYMS;
	key->addr = s->ip;
	if (!m)
		return image_process(r, 0, s->pid, NULL, &key->proc);
	ns = vmmprof_clock_ns(&m->clock, s->hdr.tsc);
	if (s->pid)
		im = vmmprof_procs_find(&m->procs, s->pid, ns);
	err = image_process(r, 0, s->pid, im, &key->proc);
	if (err)
		return err;
	if (key->mode == VMMPROF_MODE_KERNEL)
		err = kernel_place(r, 0, host_owner(s), ns, s->ip, &place);
	else if (im)
		err = user_place(r, 0, host_owner(s), im, ns, s->ip, &place);
	else
		return 0;
	if (err)
		return err;
	take_place(key, place);
	if (key->mode == VMMPROF_MODE_KERNEL &&
	    forwarded_unknown(s, place->pc)) {
		key->mode = VMMPROF_MODE_UNKNOWN;
		key->cause = VMMPROF_CAUSE_VCPU_UNKNOWN;
		key->func = VMMPROF_NONE;
		key->module = VMMPROF_NONE;
	}
	return 0;
}

/* The process by the name that its address space has. */
static int space_process(struct vmmprof_resolver *r, __u32 machine,
			 struct vmmprof_space *space, __u32 *ret)
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
static int guest_process(struct vmmprof_resolver *r,
			 const struct vmmprof_rec_sample *s, __u64 ns,
			 struct vmmprof_cell_key *key,
			 struct vmmprof_image **im)
{
	struct vmmprof_machine *m = machine(r, key->guest);
	struct vmmprof_space *space;

	*im = NULL;
	key->how = vmmprof_addrspace_find(&m->spaces, s->guest_cr3, ns, &space);
	if (!space)
		return process_unnamed(r, key->guest, VMMPROF_NONE, "cr3",
				       s->guest_cr3 & ~0xfffull, &key->proc);
	if (space->kernel)
		return process_unnamed(r, key->guest, 0, "kernel", 0,
				       &key->proc);
	*im = vmmprof_procs_find(&m->procs, space->pid, ns);
	if (vmmprof_vforks_shared(&m->vforks, space->pid, ns)) {
		if (key->who == VMMPROF_WHO_PTI)
			key->who = VMMPROF_WHO_UNKNOWN;
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
static int task_process(struct vmmprof_resolver *r,
			const struct vmmprof_rec_sample *s, __u64 ns,
			const struct vmmprof_task *t,
			struct vmmprof_cell_key *key)
{
	struct vmmprof_machine *m = machine(r, key->guest);
	struct vmmprof_image *im = vmmprof_procs_find(&m->procs, t->pid, ns);
	struct vmmprof_space *space;

	if (im && im->comm[0] && !(t->kthread && t->named))
		return image_process(r, key->guest, t->pid, im, &key->proc);
	vmmprof_addrspace_find(&m->spaces, s->guest_cr3, ns, &space);
	if (space && !t->kthread && space->pid == t->pid && space->comm[0])
		return space_process(r, key->guest, space, &key->proc);
	return process_id(r, key->guest, t->pid, t->comm, sizeof(t->comm),
			  false, &key->proc);
}

static enum vmmprof_cause owner_cause(enum vmmprof_owner_how how)
{
	switch (how) {
	case VMMPROF_OWNER_UNKNOWN:
		return VMMPROF_CAUSE_CR3_UNKNOWN;
	case VMMPROF_OWNER_NOT_THEN:
		return VMMPROF_CAUSE_CR3_NOT_THEN;
	case VMMPROF_OWNER_SEVERAL:
		return VMMPROF_CAUSE_CR3_SEVERAL;
	default:
		return VMMPROF_CAUSE_NOT_MAPPED;
	}
}

/* What is not to be joined with a bundle whatever it says. */
static enum vmmprof_cause guest_cause(const struct vmmprof_rec_sample *s,
				      const struct vmmprof_machine *m,
				      __u8 mode)
{
	if (s->hdr.flags & VMMPROF_S_PROTECTED)
		return VMMPROF_CAUSE_PROTECTED;
	if (!(s->hdr.flags & VMMPROF_S_STATE))
		return VMMPROF_CAUSE_NO_STATE;
	if (s->hdr.flags & VMMPROF_S_L2)
		return VMMPROF_CAUSE_L2;
	if (s->hdr.flags & VMMPROF_S_SMM)
		return VMMPROF_CAUSE_SMM;
	if (s->hdr.flags & VMMPROF_S_UNPAGED)
		return VMMPROF_CAUSE_UNPAGED;
	if (mode == VMMPROF_MODE_UNKNOWN)
		return VMMPROF_CAUSE_CPL;
	if (!m)
		return VMMPROF_CAUSE_NO_BUNDLE;
	if (mode == VMMPROF_MODE_USER && (s->hdr.flags & VMMPROF_S_SHADOW))
		return VMMPROF_CAUSE_SHADOW;
	return VMMPROF_CAUSE_NONE;
}

static __u8 guest_mode(const struct vmmprof_rec_sample *s)
{
	const __u32 not_its_own = VMMPROF_S_PROTECTED | VMMPROF_S_SMM |
				  VMMPROF_S_UNPAGED;

	if (!(s->hdr.flags & VMMPROF_S_STATE) || (s->hdr.flags & not_its_own))
		return VMMPROF_MODE_UNKNOWN;
	switch (s->guest_ss_ar >> 5 & 3) {
	case 0:
		return VMMPROF_MODE_KERNEL;
	case 3:
		return VMMPROF_MODE_USER;
	}
	return VMMPROF_MODE_UNKNOWN;
}

static int resolve_guest_kernel(struct vmmprof_resolver *r,
				const struct vmmprof_rec_sample *s, __u64 ns,
				struct vmmprof_cell_key *key)
{
	struct vmmprof_machine *m = machine(r, key->guest);
	const struct vmmprof_place *place;
	const struct vmmprof_task *task;
	struct vmmprof_image *im;
	int err;

	err = kernel_place(r, key->guest, guest_owner(s, key->mode), ns,
			   s->guest_ip, &place);
	if (err)
		return err;
	take_place(key, place);
	task = vmmprof_tasks_find(&m->tasks, s->guest_rsp, ns);
	/* Lazy TLB: an idle CPU keeps the CR3 of whoever ran last. */
	if (place->idle || (task && !task->pid)) {
		key->who = VMMPROF_WHO_IDLE;
		return process_unnamed(r, key->guest, 0, "swapper", 0,
				       &key->proc);
	}
	if (task) {
		key->who = task->kthread ? VMMPROF_WHO_KTHREAD :
					   VMMPROF_WHO_STACK;
		return task_process(r, s, ns, task, key);
	}
	/* Nobody borrows the user half: its owner is on the way in or out. */
	if (m->pti && s->guest_cr3 & CR3_PTI_USER &&
	    !(s->hdr.flags & VMMPROF_S_SHADOW)) {
		key->who = VMMPROF_WHO_PTI;
		return guest_process(r, s, ns, key, &im);
	}
	key->who = VMMPROF_WHO_UNKNOWN;
	return process_unnamed(r, key->guest, VMMPROF_NONE,
			       "kernel: process unknown", 0, &key->proc);
}

static int resolve_guest_user(struct vmmprof_resolver *r,
			      const struct vmmprof_rec_sample *s, __u64 ns,
			      struct vmmprof_cell_key *key)
{
	const struct vmmprof_place *place;
	struct vmmprof_image *im;
	int err;

	err = guest_process(r, s, ns, key, &im);
	if (err)
		return err;
	key->cause = owner_cause(key->how);
	if (!im)
		return 0;
	err = user_place(r, key->guest, guest_owner(s, key->mode), im, ns,
			 s->guest_ip, &place);
	if (!err)
		take_place(key, place);
	return err;
}

static int resolve_guest(struct vmmprof_resolver *r,
			 const struct vmmprof_rec_sample *s,
			 struct vmmprof_where *w)
{
	struct vmmprof_cell_key *key = &w->key;
	struct vmmprof_machine *m;
	__u64 tsc;
	__u32 g;
	int err;

	err = vmmprof_guests_get(&r->guests, s->pid, &g);
	if (err)
		return err;
	key->guest = g + 1;
	key->mode = guest_mode(s);
	key->addr = s->guest_ip;
	m = machine(r, key->guest);
	key->cause = guest_cause(s, m, key->mode);
	if (m &&
	    vmmprof_guests_tsc(&r->guests, g, s->vcpu_id, s->hdr.tsc, &tsc))
		w->guest_ns = vmmprof_clock_ns(&m->clock, tsc);
	if (m && w->guest_ns != VMMPROF_TIME_UNKNOWN &&
	    (w->guest_ns < m->spaces.watched_from ||
	     w->guest_ns > m->spaces.watched_until))
		r->guests.guests[g].outside++;
	if (key->cause == VMMPROF_CAUSE_NO_BUNDLE)
		return process_unnamed(r, key->guest, VMMPROF_NONE, "cr3",
				       s->guest_cr3 & ~0xfffull, &key->proc);
	if (key->cause)
		return process_unnamed(r, key->guest, VMMPROF_NONE, "unknown",
				       0, &key->proc);
	if (key->mode == VMMPROF_MODE_KERNEL)
		return resolve_guest_kernel(r, s, w->guest_ns, key);
	return resolve_guest_user(r, s, w->guest_ns, key);
}

/* Is the interrupted host PC where KVM forwards what ended guest mode? */
static int check_sample(struct vmmprof_resolver *r,
			const struct vmmprof_rec_sample *s,
			struct vmmprof_where *w)
{
	const struct vmmprof_place *place;
	unsigned int pc = 0;
	int err;

	w->contradiction = VMMPROF_CONTRA_NONE;
	/* Only a sample with a loaded vCPU can be either. */
	if (!(s->hdr.flags & (VMMPROF_S_GUEST | VMMPROF_S_VCPU)))
		return 0;
	if (machine(r, 0) && !(s->hdr.flags & VMMPROF_S_USER)) {
		err = kernel_place(r, 0, 0, VMMPROF_TIME_UNKNOWN, s->ip,
				   &place);
		if (err)
			return err;
		pc = place->pc;
	}
	w->contradiction = vmmprof_check_sample(s, pc);
	return 0;
}

void vmmprof_resolve_soon(const struct vmmprof_resolver *r,
			  const struct vmmprof_rec_sample *s)
{
	const struct resolve_slot *slot;

	if (s->hdr.flags & VMMPROF_S_GUEST)
		slot = slot_of(r, guest_owner(s, guest_mode(s)), s->guest_ip);
	else
		slot = slot_of(r, host_owner(s), s->ip);
	__builtin_prefetch(slot);
}

int vmmprof_resolve(struct vmmprof_resolver *r,
		    const struct vmmprof_rec_sample *s,
		    struct vmmprof_where *ret)
{
	const __u32 own = VMMPROF_S_VCPU | VMMPROF_S_VMCS | VMMPROF_S_OWN;
	struct vmmprof_cell_key *key = &ret->key;
	int err;

	memset(key, 0, sizeof(*key));
	key->proc = VMMPROF_NONE;
	key->func = VMMPROF_NONE;
	key->module = VMMPROF_NONE;
	key->file = VMMPROF_NONE;
	key->vcpu = s->hdr.flags & VMMPROF_S_VCPU ? s->vcpu_id : VMMPROF_NONE;
	key->exit = (s->hdr.flags & own) == own ? s->exit_reason & 0xffff :
						  VMMPROF_EXIT_NONE;
	key->cpu = s->cpu;
	key->event = s->event;
	ret->guest_ns = VMMPROF_TIME_UNKNOWN;
	err = check_sample(r, s, ret);
	if (err)
		return err;
	if (s->hdr.flags & VMMPROF_S_GUEST)
		return resolve_guest(r, s, ret);
	return resolve_host(r, s, key);
}
