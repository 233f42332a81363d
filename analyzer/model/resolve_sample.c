// SPDX-License-Identifier: GPL-2.0-only
/* Sample -> (machine, vCPU, process, function). */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/resolve.h"
#include "model/resolve_cause.h"
#include "model/resolve_parts.h"
#include "model/resolve_recent.h"
#include "base/vec.h"

/*
 * Which events do not count in guests.  In a VM on AMD's CPUs none is known to
 * be such: KVM's virtual PMU ignores the bits by which they are left out there
 * (HostOnly, GuestOnly).
 */
static __u32 not_in_guests(const struct session *s)
{
	__u32 events = 0;
	unsigned int i;

	if (session_is_svm(s) && session_in_vm(s))
		return 0;
	for (i = 0; i < VMMPROF_MAX_EVENTS; i++)
		if (s->events[i] &&
		    s->events[i]->flags & VMMPROF_EVENT_F_NO_GUEST)
			events |= 1u << i;
	return events;
}

int resolver_init(struct resolver *r, const struct session *s)
{
	int err;

	memset(r, 0, sizeof(*r));
	r->clocks = 1;
	r->notes = 1;
	r->svm = session_is_svm(s);
	r->not_in_guests = not_in_guests(s);
	err = addresses_init(r);
	if (!err)
		err = contexts_init(r);
	return err ? err : guests_init(&r->guests, s);
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
	addresses_deinit(r);
	contexts_deinit(r);
	hash_deinit(&r->pids);
	guests_deinit(&r->guests);
	identities_deinit(&r->identities);
	debug_names_deinit(&r->debug);
	strings_deinit(&r->strings);
	memset(r, 0, sizeof(*r));
}

int resolver_set(struct resolver *r, __u32 i, struct bundle *b, __u64 tsc_khz)
{
	struct machine *m;
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
		addresses_forget(r, i);
	}
	contexts_forget(r);
	r->machines[i] = m;
	m->debug = &r->debug;
	m->functions = r->functions;
	if (!i)
		r->debug.host = &m->bundle;
	return 0;

err_bundle:
	bundle_deinit(b);
	return ret;
}

int resolver_vcpu(struct resolver *r, const struct vmmprof_rec_vcpu *rec)
{
	r->clocks += r->clocks == ~0u ? 2 : 1;
	recent_forget_notes(r);
	return guests_clock(&r->guests, rec);
}

int resolver_identity(struct resolver *r, __u32 cpu,
		      const struct vmmprof_rec_identity *rec)
{
	if (r->task_missed || identities_has(&r->identities, cpu, rec->id)) {
		r->task_missed = false;
		contexts_forget_recent(r);
	}
	return identities_add(&r->identities, cpu, rec);
}

void resolver_renumber(struct resolver *r, bool by_cpu)
{
	r->by_cpu = by_cpu;
	contexts_forget(r);
	if (r->looked_up)
		addresses_forget_places(r);
}

int resolve_host_ip(struct resolver *r, __u64 ip, struct symbol_ref *ret)
{
	symbol_ref_init(ret, ip, CAUSE_NO_KALLSYMS);
	if (!resolver_machine(r, 0))
		return 0;
	return resolver_kernel_ref(r, 0, 0, TIME_UNKNOWN, ip, ret);
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

/* Look for the function of a sample that has its machine and mode. */
static inline int find_function(struct resolver *r, __u64 ns, __u64 ip,
				struct resolve_slot *at, struct resolved *w)
{
	const struct context *c = w->context;

	if (c->key.mode != MODE_KERNEL && !c->im)
		return 0;
	w->slot = at;
	return c->key.mode == MODE_KERNEL ?
		       resolver_kernel_at(r, c->key.guest, ns, ip, at) :
		       resolver_user_at(r, c->key.guest, c->im, ns, ip, at);
}

/* What the function says of the sample: another context, if not the usual. */
static int heed_function(struct resolver *r, const struct vmmprof_rec_sample *s,
			 unsigned int kind, struct resolved *w)
{
	const struct symbol_ref *ref = &w->slot->ref;

	if (kind & CONTEXT_GUEST)
		return ref->idle ? context_find(r, s, kind | CONTEXT_IDLE,
						&w->context) :
				   0;
	if (s->hdr.flags & VMMPROF_S_VCPU)
		w->contradiction = exit_check_sample(s, ref->pc, r->svm);
	if (!forwarded_unknown(s, ref->pc))
		return 0;
	w->slot = NULL;
	return context_find(r, s, CONTEXT_FORWARDED, &w->context);
}

void resolved_key(const struct vmmprof_rec_sample *s, struct resolved *w)
{
	const struct resolve_slot *slot = w->slot;

	w->key = w->context->key;
	w->key.cpu = s->cpu;
	w->key.addr = w->ip;
	if (!slot)
		return;
	w->key.addr = slot->ref.link + (w->ip - slot->ip);
	w->key.func = slot->ref.func;
	w->key.module = slot->ref.module;
	w->key.file = slot->ref.file;
	w->key.cause = slot->ref.cause;
}

/*
 * The usual sample: all that is remembered of it holds by the TSC alone.  False:
 * it is to be looked at.
 */
static inline bool remembered(const struct resolver *r,
			      const struct vmmprof_rec_sample *s,
			      const struct resolve_ahead *ahead,
			      struct resolved *w)
{
	struct context *c = recent_is(r, s, ahead->recent, ahead->kind);
	struct resolve_slot *at = ahead->slot;

	if (!c || !context_holds(r, c, s) || c->outside)
		return false;
	w->slot = NULL;
	if (c->whose) {
		if (!slot_has(at, c->whose, w->ip) || !at->plain)
			return false;
		/* what heed_function() looks at */
		if (at->ref.idle && (ahead->kind & CONTEXT_GUEST ||
				     s->hdr.flags & VMMPROF_S_VCPU))
			return false;
		w->slot = at;
	}
	w->context = c;
	w->contradiction = c->contradiction;
	w->guest_ns = TIME_UNKNOWN;
	return true;
}

/* Look for a sample's context and function. */
static int look(struct resolver *r, const struct vmmprof_rec_sample *s,
		unsigned int kind, struct resolve_slot *at, struct resolved *w)
{
	bool kernel;
	__u64 ns;
	int err;

	w->slot = NULL;
	err = context_find(r, s, kind, &w->context);
	if (err)
		return err;
	w->contradiction = w->context->contradiction;
	ns = context_ns(r, w->context, s);
	kernel = w->context->looks && w->context->key.mode == MODE_KERNEL;
	if (kernel) {
		err = find_function(r, ns, w->ip, at, w);
		/* few functions of a kernel say more than their name */
		if (!err && (w->slot->ref.idle | (w->slot->ref.pc & ~PC_KNOWN)))
			err = heed_function(r, s, kind, w);
	}
	if (!err)
		err = context_know(r, s, ns, w->context);
	if (!err && w->context->looks && !kernel)
		err = find_function(r, ns, w->ip, at, w);
	if (err)
		return err;
	if (!r->bare)
		resolved_key(s, w);
	w->guest_ns = kind & CONTEXT_GUEST ? ns : TIME_UNKNOWN;
	if (r->bare && !context_holds(r, w->context, s))
		context_find_span(r, s, w->context);
	return 0;
}

int resolve_exit(struct resolver *r, const struct vmmprof_rec_sample *s,
		 struct resolved *ret)
{
	const __u8 mode = guest_mode(s);
	struct resolve_slot *at = address_slot(r, resolver_guest_owner(s, mode),
					       s->guest_ip);
	int err;

	ret->ip = s->guest_ip;
	err = look(r, s, CONTEXT_GUEST, at, ret);
	if (!err && r->bare)
		resolved_key(s, ret);
	ret->contradiction = CONTRA_NONE;
	return err;
}

static __attribute__((noinline)) int
look_at_sample(struct resolver *r, const struct vmmprof_rec_sample *s,
	       unsigned int kind, struct resolve_slot *at, struct resolved *ret)
{
	int err = look(r, s, kind, at, ret);

	if (!err && kind & CONTEXT_GUEST && ret->context->outside)
		r->guests.guests[ret->context->key.guest - 1].outside++;
	return err;
}

int resolve_sample(struct resolver *r, const struct vmmprof_rec_sample *s,
		   const struct resolve_ahead *at, struct resolved *ret)
{
	struct resolve_ahead now;

	if (!at) {
		resolve_look_ahead(r, s, &now);
		at = &now;
	}
	ret->ip = resolver_ip(s, at->kind & CONTEXT_GUEST);
	if (r->bare && remembered(r, s, at, ret))
		return 0;
	return look_at_sample(r, s, at->kind, at->slot, ret);
}
