/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of resolving a sample: what its thread, address space and mode say
 * (resolve_context.c), its process (resolve_process.c), its function
 * (resolve_address.c).  What was found is remembered for as long as it holds.
 */
#ifndef MODEL_RESOLVE_PARTS_H
#define MODEL_RESOLVE_PARTS_H

#include "model/holds.h"
#include "model/machine.h"
#include "model/resolve.h"

/* Number i (0: host, 1 + guest); NULL: nothing is known of it. */
static inline struct machine *resolver_machine(struct resolver *r, __u32 i)
{
	return i < r->nr_machines ? r->machines[i] : NULL;
}

/* A remembered function; valid for times in ref.from..ref.end. */
struct resolve_slot {
	__u64 ip;    /* the first of .size addresses; ref.link is its */
	__u64 whose; /* slot_whose(); 0: empty */
	struct symbol_ref ref;
	__u8 size;
	bool plain; /* holds at all times, and is like any other function */
	/* for users of the model: VMMPROF_NONE at first */
	__u32 place;
} __attribute__((aligned(64)));

int addresses_init(struct resolver *r);
void addresses_deinit(struct resolver *r);
/* Machine number @machine is another one now. */
void addresses_forget(struct resolver *r, __u32 machine);
void addresses_forget_places(struct resolver *r);

#define SPACE_KERNEL VMMPROF_NONE /* instead of an image's number */

#define ADDRESS_BITS 17 /* of the number of slots */
#define ADDRESS_LINE 6	/* 64 bytes of code have one slot */

/* By machine and number of the image, or SPACE_KERNEL: whose addresses. */
static inline __u64 slot_whose(__u32 machine, __u32 space)
{
	return (__u64)space << 32 | (machine + 1);
}

/* Where an address would be, for the CPU's cache; @owner: as below. */
static inline struct resolve_slot *address_slot(const struct resolver *r,
						__u64 owner, __u64 ip)
{
	return &r->cache[hash_recent(ip >> ADDRESS_LINE, owner, ADDRESS_BITS)];
}

/*
 * All bits of a number or none: of samples that follow each other the CPU does
 * not guess whose they are, so there are no branches by that.
 */
static inline __u64 all_bits_if(bool condition)
{
	return -(__u64)condition;
}

/*
 * Whose address it is, of guest code in @mode: a number that spreads remembered
 * addresses, and need not be the only one of its kind.
 */
static inline __u64 resolver_guest_owner(const struct vmmprof_rec_sample *s,
					 __u8 mode)
{
	__u64 cr3 = s->guest_cr3 >> 12 & all_bits_if(mode != MODE_KERNEL);

	return (__u64)s->pid << 40 ^ cr3;
}

/* The address that is looked up: of the guest's code, or of the host's. */
static inline __u64 resolver_ip(const struct vmmprof_rec_sample *s, bool guest)
{
	const __u64 bits = all_bits_if(guest);

	return (s->guest_ip & bits) | (s->ip & ~bits);
}

/*
 * Where resolve_sample() may remember the address of this sample: loaded into
 * the CPU's cache, some records before the sample's turn.
 */
static inline struct resolve_slot *
resolve_prefetch(const struct resolver *r, const struct vmmprof_rec_sample *s)
{
	const bool guest = s->hdr.flags & VMMPROF_S_GUEST;
	const __u8 mode = s->guest_ss_ar & 0x60 ? MODE_USER : MODE_KERNEL;
	const __u64 host = s->pid & all_bits_if(s->hdr.flags & VMMPROF_S_USER);
	const __u64 bits = all_bits_if(guest);
	struct resolve_slot *slot = address_slot(
		r, (resolver_guest_owner(s, mode) & bits) | (host & ~bits),
		resolver_ip(s, guest));

	__builtin_prefetch(slot);
	return slot;
}

/* Find the function, and remember it in a slot.  0 or -ENOMEM. */
int resolver_kernel_look(struct resolver *r, __u32 i, __u64 ns, __u64 ip,
			 struct resolve_slot *slot);
int resolver_user_look(struct resolver *r, __u32 i, const struct image *im,
		       __u64 ns, __u64 ip, struct resolve_slot *slot);

/* Is the address one of those that the slot remembers, at some times? */
static inline bool slot_has(const struct resolve_slot *slot, __u64 whose,
			    __u64 ip)
{
	return ip - slot->ip < slot->size && slot->whose == whose;
}

/*
 * The function of a kernel's address of machine @i at @ns (TIME_UNKNOWN: at
 * any time), or of a process's, which is @im's, in this slot until the next
 * call.  0 or -ENOMEM.
 */
static inline int resolver_kernel_at(struct resolver *r, __u32 i, __u64 ns,
				     __u64 ip, struct resolve_slot *slot)
{
	const struct symbol_ref *ref = &slot->ref;

	/* without a time only what holds at all times */
	if (slot_has(slot, slot_whose(i, SPACE_KERNEL), ip) &&
	    ns >= ref->from &&
	    (ns < ref->end ||
	     (ns == TIME_UNKNOWN && !ref->from && ref->end == TIME_UNKNOWN)))
		return 0;
	return resolver_kernel_look(r, i, ns, ip, slot);
}

static inline int resolver_user_at(struct resolver *r, __u32 i,
				   const struct image *im, __u64 ns, __u64 ip,
				   struct resolve_slot *slot)
{
	const __u32 space = im - resolver_machine(r, i)->procs.images;

	if (slot_has(slot, slot_whose(i, space), ip) && ns >= slot->ref.from &&
	    ns < slot->ref.end)
		return 0;
	return resolver_user_look(r, i, im, ns, ip, slot);
}

/* The same, with the address's own .link. */
int resolver_kernel_ref(struct resolver *r, __u32 i, __u64 owner, __u64 ns,
			__u64 ip, struct symbol_ref *ret);
int resolver_user_ref(struct resolver *r, __u32 i, __u64 owner,
		      const struct image *im, __u64 ns, __u64 ip,
		      struct symbol_ref *ret);

/* How a sample is looked at. */
#define CONTEXT_GUEST	  0x1 /* by the guest's members */
#define CONTEXT_IDLE	  0x2 /* the guest's kernel idles */
#define CONTEXT_FORWARDED 0x4 /* guest code of nobody knows whom */
#define CONTEXT_NEAR	  0x8 /* the host's, though found in a guest */
#define CONTEXT_KINDS	  0x10

#define CONTEXT_WORDS	  8

/* What all samples of a thread, address space and mode have in common. */
struct context {
	__u64 word[CONTEXT_WORDS]; /* members of samples that it is found by */
	struct bucket_key key;	   /* without function; .cause: why */
	/* with .known: for which times of the machine's clock and RSPs */
	struct holds when, stack;
	struct image *im; /* whose user addresses; NULL: not known */
	__u32 vcpu; /* in r->guests, whose clock it is; VMMPROF_NONE: ask */
	__u8 contradiction;
	bool looks;   /* for functions */
	bool known;   /* .key.proc and what goes with it, .im, .outside */
	bool outside; /* of the time that the guest's bundle watched */
	/* for users of the model: VMMPROF_NONE at first; of .key, and of none */
	__u32 stem, place;
	__u16 class[3]; /* by enum sample_irq, and 1; 0 at first */
	/*
	 * While the resolver's .clocks are these, .when holds from this time of
	 * the host's TSC on, and for so long.
	 */
	__u32 clocks; /* 0: not found out */
	__u64 whose;  /* its addresses, as slots have it; 0: they have none */
	__u64 tsc_from, tsc_span;
};

/* Does what is known of a context hold for this sample, by its TSC alone? */
static inline bool context_holds(const struct resolver *r,
				 const struct context *c,
				 const struct vmmprof_rec_sample *s)
{
	return c->clocks == r->clocks &&
	       s->hdr.tsc - c->tsc_from <= c->tsc_span &&
	       holds_at(&c->stack, s->guest_rsp);
}

/*
 * Find out how long a context that is known, and holds for this sample, will
 * hold by the TSC.  Its vCPU's clock, if it has one, is .vcpu's.
 */
void context_find_span(struct resolver *r, const struct vmmprof_rec_sample *s,
		       struct context *c);

int contexts_init(struct resolver *r);
void contexts_forget(struct resolver *r);
/* Only which samples have which: their members may mean something else now. */
void contexts_forget_recent(struct resolver *r);
void contexts_deinit(struct resolver *r);

/* The guest's TSC at a sample; false: not known. */
bool context_tsc(struct resolver *r, struct context *c,
		 const struct vmmprof_rec_sample *s, __u64 *ret);

/* The time of a sample by its machine's clock, or TIME_UNKNOWN. */
static inline __u64 context_ns(struct resolver *r, struct context *c,
			       const struct vmmprof_rec_sample *s)
{
	struct machine *m = resolver_machine(r, c->key.guest);
	__u64 tsc = s->hdr.tsc;

	if (!m)
		return TIME_UNKNOWN;
	/* what was read from memory has the host's times */
	if (m->by_table)
		return clock_to_ns(&m->clock, tsc);
	if (c->vcpu != VMMPROF_NONE)
		tsc = guest_tsc(&r->guests.vcpus[c->vcpu].rec, tsc);
	else if (c->key.guest && !context_tsc(r, c, s, &tsc))
		return TIME_UNKNOWN;
	return clock_to_ns(&m->clock, tsc);
}

/* Find out what makes .known true for a sample at @ns.  0 or -ENOMEM. */
int context_learn(struct resolver *r, const struct vmmprof_rec_sample *s,
		  __u64 ns, struct context *c);

/* Make .known true for a sample at @ns.  0 or -ENOMEM. */
static inline int context_know(struct resolver *r,
			       const struct vmmprof_rec_sample *s, __u64 ns,
			       struct context *c)
{
	if (c->known && holds_at(&c->when, ns) &&
	    holds_at(&c->stack, s->guest_rsp))
		return 0;
	return context_learn(r, s, ns, c);
}

/* Set c->key.proc and what goes with it, by one or the other.  0 or -ENOMEM. */
int process_of_thread(struct resolver *r, const struct vmmprof_rec_sample *s,
		      __u64 ns, struct context *c);
int process_of_space(struct resolver *r, const struct vmmprof_rec_sample *s,
		     __u64 ns, struct context *c);
int process_of_stack(struct resolver *r, const struct vmmprof_rec_sample *s,
		     __u64 ns, bool idle, struct context *c);
/* The image that a task used at @ns, by its mm_struct.  *h as procs_find_mm(). */
struct image *image_by_mm(const struct resolver *r, const struct machine *m,
			  const struct identity *who, __u64 ns,
			  struct holds *h);
int process_of_identity(struct resolver *r, const struct vmmprof_rec_sample *s,
			__u64 ns, const struct identity *who,
			struct context *c);
int process_of_nobody(struct resolver *r, const struct vmmprof_rec_sample *s,
		      bool by_cr3, struct context *c);

#endif /* MODEL_RESOLVE_PARTS_H */
