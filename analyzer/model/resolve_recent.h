/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contexts of samples that were met last, by their members as they lie in
 * a sample: mostly the next one is of one of them.
 */
#ifndef MODEL_RESOLVE_RECENT_H
#define MODEL_RESOLVE_RECENT_H

#include <stddef.h>
#include <string.h>

#include "model/resolve_parts.h"

#define STACK_UNIT   14 /* bits: of real stacks, which have 16 KiB */

#define RECENT_BITS  13
#define RECENT	     8192 /* 2 to the power of RECENT_BITS */
#define RECENT_WORDS 9

/* All members of a sample that a context can depend on, and the context. */
struct recent_context {
	__u64 word[RECENT_WORDS];
	__u32 kind; /* + r->recent_from; less: empty, or too old */
	__u32 context;
};

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
	w[7] = s->hdr.flags & VMMPROF_S_GUEST ? s->ip : 0;
	w[8] = word_at(&s->preempt);
}

static inline bool same_words(const struct vmmprof_rec_sample *s,
			      const __u64 w[RECENT_WORDS])
{
	return !((word_at(&s->hdr) ^ w[0]) | (word_at(&s->pid) ^ w[1]) |
		 (s->guest_cr3 ^ w[2]) | (word_at(&s->exit_reason) ^ w[3]) |
		 (word_at(&s->guest_ss_ar) ^ w[4]) |
		 (word_at(&s->vpid) ^ w[5]) |
		 (s->guest_rsp >> STACK_UNIT ^ w[6]) |
		 (s->hdr.flags & VMMPROF_S_GUEST ? s->ip ^ w[7] : 0) |
		 (word_at(&s->preempt) ^ w[8]));
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
	/* CPU, process and thread, page table, exit, mode: words, as they lie */
	__u64 h = word_at(&s->pid) + word_at(&s->exit_reason) * 8 + kind;

	h ^= (word_at(&s->vpid) ^ s->guest_cr3) << 8;
	h ^= (word_at(&s->hdr) ^ word_at(&s->guest_ss_ar)) << 16;
	return &r->recent[h * 0x9e3779b97f4a7c15ull >> (64 - RECENT_BITS)];
}

int context_find_other(struct resolver *r, const struct vmmprof_rec_sample *s,
		       unsigned int kind, struct context **ret);

/* The context of a sample, if it was met lately. */
static inline struct context *context_recent(const struct resolver *r,
					     const struct vmmprof_rec_sample *s,
					     unsigned int kind)
{
	const struct recent_context *last = recent_of(r, s, kind);

	if (last->kind != kind + r->recent_from || !same_words(s, last->word))
		return NULL;
	return &r->contexts[last->context];
}

/* The context of a sample, until the next call.  0 or -ENOMEM. */
static inline int context_find(struct resolver *r,
			       const struct vmmprof_rec_sample *s,
			       unsigned int kind, struct context **ret)
{
	*ret = context_recent(r, s, kind);
	return *ret ? 0 : context_find_other(r, s, kind, ret);
}

#endif /* MODEL_RESOLVE_RECENT_H */
