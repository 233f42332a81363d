// SPDX-License-Identifier: GPL-2.0-only
/*
 * What samples have in common: found by the members that decide it, and
 * remembered.  Nearly all samples have a context that was met before.
 */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/zero_table.h"
#include "model/resolve_cause.h"
#include "model/resolve_recent.h"
#include "model/resolve_parts.h"
#include "model/sample_class.h"
#include "sym/exits.h"

/* All are forgotten when there are more: whoever makes records has no say. */
#define CONTEXTS_MAX 65536

static __u64 pair(__u32 low, __u32 high)
{
	return low | (__u64)high << 32;
}

/* Whatever a context is made from is in its words, or in .when and .stack. */
static void words_of(struct resolver *r, const struct vmmprof_rec_sample *s,
		     unsigned int kind, __u64 w[CONTEXT_WORDS])
{
	const bool vcpu = s->hdr.flags & VMMPROF_S_VCPU;
	const bool guest = kind & CONTEXT_GUEST;
	const bool checked = s->hdr.flags & VMMPROF_S_GUEST;
	const __u32 cpl = guest ? s->guest_ss_ar >> 5 & 3 : 0;
	/* not its number, which is of one CPU and can become another's */
	const __u32 task = guest ? identities_index(&r->identities, s) :
				   VMMPROF_NONE;

	if (guest && task == VMMPROF_NONE && s->identity >= VMMPROF_WHO_FIRST)
		r->task_missed = true;

	w[0] = pair(s->hdr.flags, kind | cpl << 8 | s->event << 16 |
					  (__u32)s->handling << 24);
	w[1] = pair(s->pid, s->tid);
	w[2] = vcpu || checked ? pair(s->exit_reason, s->exit_intr_info) : 0;
	w[3] = pair(vcpu || guest ? s->vcpu_id : 0, r->by_cpu ? s->cpu : 0);
	w[4] = guest ? s->guest_cr3 : 0;
	w[5] = guest && !cpl ? s->guest_rsp >> STACK_UNIT : 0;
	w[6] = checked ? s->ip : 0;
	w[7] = pair(r->svm && (vcpu || checked) ? s->preempt : 0, task);
}

static unsigned int kind_of(const struct context *c)
{
	return c->word[0] >> 32 & 0xff;
}

/* The members that a bucket has of a sample as it is. */
static void begin_key(const struct resolver *r,
		      const struct vmmprof_rec_sample *s,
		      struct bucket_key *key)
{
	const __u32 own = VMMPROF_S_VCPU | VMMPROF_S_VMCS | VMMPROF_S_OWN;

	memset(key, 0, sizeof(*key));
	key->proc = VMMPROF_NONE;
	key->func = VMMPROF_NONE;
	key->module = VMMPROF_NONE;
	key->file = VMMPROF_NONE;
	key->vcpu = s->hdr.flags & VMMPROF_S_VCPU ? s->vcpu_id : VMMPROF_NONE;
	key->exit = (s->hdr.flags & own) == own ?
			    exit_reason(r->svm, s->exit_reason) :
			    EXIT_NONE;
	key->event = s->event;
}

static int begin_guest(struct resolver *r, const struct vmmprof_rec_sample *s,
		       struct context *c)
{
	struct bucket_key *key = &c->key;
	__u32 g;
	int err;

	err = guests_get(&r->guests, s->pid, &g);
	if (err)
		return err;
	key->guest = g + 1;
	key->mode = guest_mode(s);
	key->cause = guest_cause(s, resolver_machine(r, key->guest), key->mode);
	c->looks = !key->cause;
	return 0;
}

static void begin_host(struct resolver *r, const struct vmmprof_rec_sample *s,
		       unsigned int kind, struct context *c)
{
	struct bucket_key *key = &c->key;

	key->tid = s->tid + 1;
	key->mode = s->hdr.flags & VMMPROF_S_USER ? MODE_USER : MODE_KERNEL;
	key->cause = key->mode == MODE_USER ? CAUSE_NO_PROCESS :
					      CAUSE_NO_KALLSYMS;
	c->looks = resolver_machine(r, 0) &&
		   !(kind & (CONTEXT_FORWARDED | CONTEXT_NEAR));
	if (kind & CONTEXT_FORWARDED) {
		key->mode = MODE_UNKNOWN;
		key->cause = CAUSE_VCPU_UNKNOWN;
	} else if (kind & CONTEXT_NEAR) {
		key->cause = CAUSE_NEAR_GUEST;
		/* that of the exit is the sample's own interrupt */
		key->exit = EXIT_NONE;
	}
}

/*
 * Is the interrupted host PC where KVM forwards what ended guest mode?  Of host
 * code: as if it were not, which resolve_sample() looks at.
 */
static int check(struct resolver *r, const struct vmmprof_rec_sample *s,
		 struct context *c)
{
	struct machine *host = resolver_machine(r, 0);
	const bool kernel = host && !(s->hdr.flags & VMMPROF_S_USER);
	struct resolve_slot *slot;
	unsigned int pc = 0;
	int err;

	/* Only a sample with a loaded vCPU can be either. */
	if (!(s->hdr.flags & (VMMPROF_S_GUEST | VMMPROF_S_VCPU)))
		return 0;
	if (kernel && s->hdr.flags & VMMPROF_S_GUEST) {
		slot = address_slot(r, 0, s->ip);
		err = resolver_kernel_at(r, 0, TIME_UNKNOWN, s->ip, slot);
		if (err)
			return err;
		pc = slot->ref.pc;
	} else if (kernel && host->kallsyms.nr) {
		pc = PC_KNOWN;
	}
	c->contradiction = exit_check_sample(s, pc, r->svm);
	return 0;
}

static int begin(struct resolver *r, const struct vmmprof_rec_sample *s,
		 unsigned int kind, struct context *c)
{
	int err;

	memset(c, 0, sizeof(*c));
	words_of(r, s, kind, c->word);
	c->vcpu = VMMPROF_NONE;
	c->stem = VMMPROF_NONE;
	c->place = VMMPROF_NONE;
	begin_key(r, s, &c->key);
	err = check(r, s, c);
	if (!err && kind & CONTEXT_GUEST)
		err = begin_guest(r, s, c);
	else if (!err)
		begin_host(r, s, kind, c);
	return err;
}

int contexts_init(struct resolver *r)
{
	r->recent_from = 1;
	r->recent = zero_table(RECENT * sizeof(*r->recent));
	return r->recent ? 0 : -ENOMEM;
}

void contexts_forget_recent(struct resolver *r)
{
	recent_forget_notes(r);
	r->recent_from += CONTEXT_KINDS;
	if (r->recent_from > CONTEXT_KINDS)
		return;
	/* all numbers were in use: the first ones come again */
	memset(r->recent, 0, RECENT * sizeof(*r->recent));
}

void contexts_forget(struct resolver *r)
{
	hash_deinit(&r->by_words);
	r->nr_contexts = 0;
	contexts_forget_recent(r);
}

void contexts_deinit(struct resolver *r)
{
	hash_deinit(&r->by_words);
	zero_table_free(r->recent, RECENT * sizeof(*r->recent));
	free(r->contexts);
}

static int make(struct resolver *r, const struct vmmprof_rec_sample *s,
		unsigned int kind, __u64 key, struct context **ret)
{
	struct context *c;
	int err;

	if (r->nr_contexts == CONTEXTS_MAX)
		contexts_forget(r);
	err = vec_grow(&r->contexts, &r->cap_contexts, r->nr_contexts,
		       sizeof(*c));
	if (err)
		return err;
	c = &r->contexts[r->nr_contexts];
	err = begin(r, s, kind, c);
	if (!err)
		err = hash_set(&r->by_words, key, r->nr_contexts);
	if (err)
		return err;
	r->nr_contexts++;
	*ret = c;
	return 0;
}

static int find_by_words(struct resolver *r, const struct vmmprof_rec_sample *s,
			 unsigned int kind, struct context **ret)
{
	__u64 w[CONTEXT_WORDS], key;
	__u32 i;

	words_of(r, s, kind, w);
	key = hash_words(w, CONTEXT_WORDS);
	i = hash_get(&r->by_words, key);
	if (i == VMMPROF_NONE)
		return make(r, s, kind, key, ret);
	*ret = &r->contexts[i];
	if (!memcmp((*ret)->word, w, sizeof(w)))
		return 0;
	/* another one of the same hash */
	contexts_forget(r);
	return make(r, s, kind, key, ret);
}

int context_find_other(struct resolver *r, const struct vmmprof_rec_sample *s,
		       unsigned int kind, struct context **ret)
{
	struct recent_context *last = recent_of(r, s, kind);
	int err = find_by_words(r, s, kind, ret);

	if (err)
		return err;
	recent_words(s, last->word);
	last->notes = 0;
	last->kind = kind + r->recent_from;
	last->context = *ret - r->contexts;
	return 0;
}

/* Does it hold for all stacks that a remembered context does not tell apart? */
static bool holds_for_unit(const struct context *c, __u64 rsp)
{
	const __u64 from = rsp >> STACK_UNIT << STACK_UNIT;

	return holds_at(&c->stack, from) &&
	       holds_at(&c->stack, from + (1 << STACK_UNIT) - 1);
}

void recent_note(const struct resolver *r, const struct vmmprof_rec_sample *s,
		 const struct context *c, struct recent_context *last,
		 unsigned int kind)
{
	const enum sample_irq irq = sample_irq(s);

	if (recent_is(r, s, last, kind) != c || !context_holds(r, c, s) ||
	    c->outside || c->contradiction || !holds_for_unit(c, s->guest_rsp))
		return;
	last->notes = r->notes;
	last->stem = c->stem;
	last->place = c->place;
	last->event = s->event < VMMPROF_MAX_EVENTS ? s->event :
						      VMMPROF_MAX_EVENTS;
	last->who = code_who(c->key.event, c->key.mode);
	last->class = track_class(&c->key, s->hdr.flags & VMMPROF_S_VCPU, irq);
	last->irq = irq != IRQ_NONE;
	last->whose = c->whose;
	last->from = c->tsc_from;
	last->span = c->tsc_span;
}

bool context_tsc(struct resolver *r, struct context *c,
		 const struct vmmprof_rec_sample *s, __u64 *ret)
{
	const __u32 g = c->key.guest - 1;

	c->vcpu = guests_vcpu(&r->guests, g, s->vcpu_id);
	if (c->vcpu == VMMPROF_NONE)
		return guests_tsc(&r->guests, g, s->vcpu_id, s->hdr.tsc, ret);
	*ret = guest_tsc(&r->guests.vcpus[c->vcpu].rec, s->hdr.tsc);
	return true;
}

static int know_guest(struct resolver *r, const struct vmmprof_rec_sample *s,
		      __u64 ns, struct context *c)
{
	struct machine *m = resolver_machine(r, c->key.guest);
	const struct address_space *as = m ? &m->spaces : NULL;
	const struct identity *who = identities_find(&r->identities, s);
	int err;

	c->outside = as && ns != TIME_UNKNOWN &&
		     (!holds_above(&c->when, ns, as->watched_from) ||
		      (as->watched_until != TIME_UNKNOWN &&
		       holds_above(&c->when, ns, as->watched_until + 1)));
	if (who && (!c->key.cause || c->key.cause == CAUSE_NO_BUNDLE))
		return process_of_identity(r, s, ns, who, c);
	if (c->key.cause)
		return process_of_nobody(r, s, c->key.cause == CAUSE_NO_BUNDLE,
					 c);
	if (c->key.mode == MODE_KERNEL)
		return process_of_stack(r, s, ns, kind_of(c) & CONTEXT_IDLE, c);
	err = process_of_space(r, s, ns, c);
	if (!c->im)
		c->key.cause = owner_cause(c->key.how);
	return err;
}

int context_learn(struct resolver *r, const struct vmmprof_rec_sample *s,
		  __u64 ns, struct context *c)
{
	int err;

	if (c->known) {
		err = begin(r, s, kind_of(c), c);
		if (err)
			return err;
	}
	holds_time(&c->when, ns);
	holds_all(&c->stack);
	err = c->key.guest ? know_guest(r, s, ns, c) :
			     process_of_thread(r, s, ns, c);
	c->known = !err;
	return err;
}

#define SPAN_BITS 42 /* half an hour */

/* Can a vCPU's clock run so fast that more than 2^50 ticks are in a span? */
static bool runs_wild(const struct vmmprof_rec_vcpu *v)
{
	const __u32 bits = v->tsc_frac_bits & 127;

	return v->hdr.flags & VMMPROF_V_TSC_SCALED &&
	       (bits < 32 || bits > 63 || v->tsc_ratio >> bits > 256);
}

/*
 * Is the machine's clock, from @tsc to @last of the host's, counted by one point,
 * and does the context hold at both?  Then it holds at all times between.
 */
static bool holds_until(struct resolver *r, const struct context *c,
			const struct clock *clock, __u64 tsc, __u64 last)
{
	const struct vmmprof_rec_vcpu *v;
	const struct clock_point *p;

	if (last < tsc)
		return false;
	if (c->key.guest) {
		v = &r->guests.vcpus[c->vcpu].rec;
		tsc = guest_tsc(v, tsc);
		last = guest_tsc(v, last);
	}
	p = clock_point(clock, tsc);
	return last >= tsc && p == clock_point(clock, last) &&
	       (__s64)(last - p->tsc) >= (__s64)(tsc - p->tsc) &&
	       p->ns_per_tick >= 0 &&
	       holds_at(&c->when, clock_to_ns(clock, tsc)) &&
	       holds_at(&c->when, clock_to_ns(clock, last));
}

void context_find_span(struct resolver *r, const struct vmmprof_rec_sample *s,
		       struct context *c)
{
	const struct machine *m = resolver_machine(r, c->key.guest);
	unsigned int bits;

	c->clocks = 0;
	if (!m || !m->clock.nr ||
	    (c->key.guest && (c->vcpu == VMMPROF_NONE ||
			      runs_wild(&r->guests.vcpus[c->vcpu].rec))))
		return;
	for (bits = SPAN_BITS; bits > 20 && !c->clocks; bits -= 3) {
		c->tsc_span = 1ull << bits;
		if (holds_until(r, c, &m->clock, s->hdr.tsc,
				s->hdr.tsc + c->tsc_span))
			c->clocks = r->clocks;
	}
	c->tsc_from = s->hdr.tsc;
	c->whose = 0;
	if (c->looks && c->key.mode == MODE_KERNEL)
		c->whose = slot_whose(c->key.guest, SPACE_KERNEL);
	else if (c->looks && c->im)
		c->whose = slot_whose(c->key.guest, c->im - m->procs.images);
}
