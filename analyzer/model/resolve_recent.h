/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contexts of samples that were met last, by their members as they lie in
 * a sample: mostly the next one is of one of them.
 */
#ifndef MODEL_RESOLVE_RECENT_H
#define MODEL_RESOLVE_RECENT_H

#include <stddef.h>
#include <string.h>

#include "model/code_number.h"

#define STACK_UNIT   14 /* bits: of real stacks, which have 16 KiB */

#define RECENT_BITS  16
#define RECENT	     65536 /* 2 to the power of RECENT_BITS */
#define RECENT_WORDS 9

/* All members of a sample that a context can depend on, and the context. */
struct recent_context {
	__u64 word[RECENT_WORDS];
	__u32 kind; /* + r->recent_from; less: empty, or too old */
	__u32 context;
	/*
	 * With the resolver's .notes, of all samples with these members and a time
	 * of the host's TSC from .from on, for so long: what their context said.
	 */
	__u32 notes, stem, place;
	__u8 event; /* VMMPROF_MAX_EVENTS: beyond */
	__u8 who;   /* code_who() */
	__u8 class; /* enum on_cpu */
	__u8 irq;   /* 1: in an interrupt of the host */
	__u64 whose, from, span;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct recent_context) == 128, "two lines");

static __u64 word_at(const void *at)
{
	__u64 w;

	memcpy(&w, at, sizeof(w));
	return w;
}

/* Members as they lie in a sample: nothing is masked. */
static inline void recent_words(const struct vmmprof_rec_sample *s,
				__u64 w[RECENT_WORDS])
{
	w[0] = word_at(&s->hdr);
	w[1] = word_at(&s->pid);
	w[2] = s->guest_cr3;
	w[3] = word_at(&s->exit_reason);
	w[4] = word_at(&s->guest_ss_ar);
	w[5] = word_at(&s->vpid);
	w[6] = s->guest_rsp >> STACK_UNIT;
	w[7] = s->ip & all_bits_if(s->hdr.flags & VMMPROF_S_GUEST);
	w[8] = word_at(&s->preempt);
}

/* 0: they are the same.  Without branches, which the CPU would guess wrong. */
static inline __u64 other_words(const struct vmmprof_rec_sample *s,
				const __u64 w[RECENT_WORDS])
{
	const __u64 guest = all_bits_if(s->hdr.flags & VMMPROF_S_GUEST);

	return (word_at(&s->hdr) ^ w[0]) | (word_at(&s->pid) ^ w[1]) |
	       (s->guest_cr3 ^ w[2]) | (word_at(&s->exit_reason) ^ w[3]) |
	       (word_at(&s->guest_ss_ar) ^ w[4]) | (word_at(&s->vpid) ^ w[5]) |
	       (s->guest_rsp >> STACK_UNIT ^ w[6]) | ((s->ip & guest) ^ w[7]) |
	       (word_at(&s->preempt) ^ w[8]);
}

static inline bool same_words(const struct vmmprof_rec_sample *s,
			      const __u64 w[RECENT_WORDS])
{
	return !other_words(s, w);
}

_Static_assert(offsetof(struct vmmprof_rec_sample, tid) ==
		       offsetof(struct vmmprof_rec_sample, pid) + 4,
	       "one word");
_Static_assert(offsetof(struct vmmprof_rec_sample, exit_intr_info) ==
		       offsetof(struct vmmprof_rec_sample, exit_reason) + 4,
	       "one word");
_Static_assert(offsetof(struct vmmprof_rec_sample, vcpu_id) ==
		       offsetof(struct vmmprof_rec_sample, guest_ss_ar) + 4,
	       "one word");
_Static_assert(offsetof(struct vmmprof_rec_sample, identity) ==
		       offsetof(struct vmmprof_rec_sample, preempt) + 4,
	       "one word");
_Static_assert(offsetof(struct vmmprof_rec_sample, cpu) ==
		       offsetof(struct vmmprof_rec_sample, vpid) + 4,
	       "one word");

static inline struct recent_context *
recent_of(const struct resolver *r, const struct vmmprof_rec_sample *s,
	  unsigned int kind)
{
	/* what the members do not say already */
	const __u32 more = kind & ~(CONTEXT_GUEST | CONTEXT_NEAR);
	/* CPU, process and thread, page table, stack, exit, mode: as they lie */
	__u64 h = word_at(&s->pid) + word_at(&s->exit_reason) * 8 + more;

	h ^= (word_at(&s->vpid) ^ s->guest_cr3) << 8;
	h ^= (word_at(&s->hdr) ^ word_at(&s->guest_ss_ar) ^
	      s->guest_rsp >> STACK_UNIT)
	     << 16;
	return &r->recent[h * 0x9e3779b97f4a7c15ull >> (64 - RECENT_BITS)];
}

int context_find_other(struct resolver *r, const struct vmmprof_rec_sample *s,
		       unsigned int kind, struct context **ret);

/* The context of a sample, if it is this one, which is recent_of() it. */
static inline struct context *recent_is(const struct resolver *r,
					const struct vmmprof_rec_sample *s,
					const struct recent_context *last,
					unsigned int kind)
{
	if (last->kind != kind + r->recent_from || !same_words(s, last->word))
		return NULL;
	return &r->contexts[last->context];
}

/*
 * Remember what is known of a sample that was resolved, and all like it, unless it
 * contradicts itself.
 */
void recent_note(const struct resolver *r, const struct vmmprof_rec_sample *s,
		 const struct context *c, struct recent_context *last,
		 unsigned int kind);

static inline void recent_forget_notes(struct resolver *r)
{
	r->notes += r->notes == ~0u ? 2 : 1;
}

/* Is it remembered, at the time of this sample, which has it? */
static inline bool recent_noted(const struct resolver *r,
				const struct recent_context *last, __u64 tsc)
{
	return last->notes == r->notes && tsc - last->from <= last->span;
}

/* The context of a sample, until the next call.  0 or -ENOMEM. */
static inline int context_find(struct resolver *r,
			       const struct vmmprof_rec_sample *s,
			       unsigned int kind, struct context **ret)
{
	*ret = recent_is(r, s, recent_of(r, s, kind), kind);
	return *ret ? 0 : context_find_other(r, s, kind, ret);
}

/*
 * In a guest, by a counter that stands still there: it overflowed in the host,
 * with this vCPU loaded.  In KVM on the way into the guest: on SVM an NMI waits
 * from CLGI on until the guest is entered, on both it may be late.  Or in the
 * handler of an NMI that came out of the guest by another event: perf finds all
 * that have overflowed until then, and says for all where that one hit.
 */
static inline bool sample_near_guest(const struct resolver *r,
				     const struct vmmprof_rec_sample *s)
{
	const __u32 in = VMMPROF_S_GUEST | VMMPROF_S_NMI;

	return (s->hdr.flags & in) == in && s->event < VMMPROF_MAX_EVENTS &&
	       r->not_in_guests >> s->event & 1;
}

/*
 * Where what is remembered of a sample is, if it is: loaded into the CPU's cache,
 * some records before the sample's turn.  @s may be any record, whose size is as
 * a sample's at least; then it is of no use.
 */
static inline void resolve_look_ahead(const struct resolver *r,
				      const struct vmmprof_rec_sample *s,
				      struct resolve_ahead *ret)
{
	const bool near = r->not_in_guests && sample_near_guest(r, s);
	const bool guest = s->hdr.flags & VMMPROF_S_GUEST && !near;

	ret->kind = near ? CONTEXT_NEAR : guest * CONTEXT_GUEST;
	ret->slot = resolve_prefetch(r, s);
	ret->recent = recent_of(r, s, ret->kind);
	__builtin_prefetch(ret->recent);
	__builtin_prefetch(ret->recent->word + RECENT_WORDS - 1);
}

#endif /* MODEL_RESOLVE_RECENT_H */
