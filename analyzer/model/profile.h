/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The aggregated samples: how many had the same machine, vCPU, process,
 * function and so on.  Every sample is counted in exactly one bucket; tables
 * and the account are sums over buckets.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stddef.h>
#include <linux/types.h>

#include "base/groups.h"
#include "base/hash.h"

enum mode {
	MODE_KERNEL = 0,
	MODE_USER = 1,
	MODE_UNKNOWN = 2, /* guest whose CPL or vCPU is unknown */
	NR_MODES
};

/* How the process of a guest's sample was found, in kernel mode or by its memory. */
enum who {
	WHO_NOT_ASKED = 0, /* other samples */
	WHO_IDLE,	   /* the idle task, by its function */
	WHO_STACK,	   /* a process, by its kernel stack */
	WHO_KTHREAD,	   /* a kernel thread, by its stack */
	WHO_PTI,	   /* entry code, by the user half of its CR3 */
	WHO_UNKNOWN,	   /* not; another stack, or stacks not known */
	/* read from the guest's memory by the module, in user mode, too */
	WHO_MEMORY,	  /* and nothing else tells it */
	WHO_MEMORY_SAME,  /* CR3 or kernel stack say the same */
	WHO_MEMORY_OTHER, /* they say another one */
	NR_WHOS
};

/* Why a sample has no function. */
enum cause {
	CAUSE_NONE = 0, /* it has one */
	CAUSE_VCPU_UNKNOWN,
	CAUSE_NEAR_GUEST,
	CAUSE_NO_BUNDLE,
	CAUSE_L2,
	CAUSE_PROTECTED,
	CAUSE_SMM,
	CAUSE_UNPAGED,
	CAUSE_NO_STATE,
	CAUSE_CPL,
	CAUSE_SHADOW,
	CAUSE_CR3_UNKNOWN,
	CAUSE_CR3_NOT_THEN,
	CAUSE_CR3_SEVERAL,
	CAUSE_NOT_READ,
	CAUSE_NO_PROCESS,
	CAUSE_NOT_MAPPED,
	CAUSE_ANONYMOUS,
	CAUSE_REMAPPED,
	CAUSE_NO_SYMBOLS,
	CAUSE_UNREADABLE,
	CAUSE_NOT_RESIDENT,
	CAUSE_NOT_COLLECTED,
	CAUSE_CACHE_LOST,
	CAUSE_GAP,
	CAUSE_NO_KALLSYMS,
	CAUSE_KERNEL_GAP,
	NR_CAUSES
};

/*
 * The text for tables, at most 31 characters; and the one-word key.  Never
 * NULL.
 */
const char *cause_text(unsigned int cause);
const char *cause_key(unsigned int cause);

#define EXIT_NONE 0xffff /* no exit reason belongs to it */

/* No holes: keys are compared and hashed as bytes. */
struct bucket_key {
	__u64 addr;   /* link address; 0 unless source lines are asked for */
	__u32 guest;  /* 0: host, else 1 + index of the guest */
	__u32 vcpu;   /* vCPU id, VMMPROF_NONE */
	__u32 proc;   /* process id of the name tables */
	__u32 func;   /* string id; VMMPROF_NONE: unresolved */
	__u32 module; /* string id; VMMPROF_NONE: none */
	__u32 cpu;
	__u32 file; /* for addr: file id of the machine; rows: container */
	__u16 exit; /* basic exit reason, EXIT_NONE */
	__u8 event;
	__u8 mode;  /* enum mode */
	__u8 cause; /* enum cause */
	__u8 how;   /* enum owner_how, 0 on the host */
	__u8 who;   /* enum who */
	__u8 pad;
	__u32 tid; /* 1 + thread; 0: not known, or not told apart */
};
_Static_assert(sizeof(struct bucket_key) == 48, "no holes");

struct bucket {
	struct bucket_key key;
	__u64 samples;
	__u64 ticks; /* of vCPUs in their guests: model/guest_time.h */
};

/*
 * The bucket of two parts in one number: stem + 1, place, and how many samples the
 * bucket does not have yet.  0: free.  Parts of larger numbers are counted by their
 * keys.  Who uses no parts may have other numbers for buckets: profile_pair_set().
 */
#define PAIR_PART_BITS	22
#define PAIR_COUNT_BITS 20
#define PAIR_COUNT_MAX	((1u << PAIR_COUNT_BITS) - 1)

#define PROFILE_QUEUE	16

struct profile {
	struct bucket *buckets;
	size_t nr, cap;
	struct profile_slot *table; /* buckets by their keys */
	size_t mask;
	__u64 samples; /* counted in all buckets together */
	size_t last;   /* the bucket that was counted last */
	/* buckets by two numbers, which profile_pair() is about */
	__u64 *pairs;
	__u32 *pair_bucket; /* of each */
	size_t nr_pairs, pair_mask;
	/* to be counted: by then the memory to touch is in the cache */
	struct {
		__u32 stem, place;
		__u64 pair, hash;
	} queue[PROFILE_QUEUE];
	unsigned int queued;
	/* the same by their keys, of profile_add_later() */
	struct {
		struct bucket_key key;
		__u32 hash;
	} later[PROFILE_QUEUE];
	unsigned int nr_later;
	/* NULL, or told the bucket of each sample that was queued, by its place */
	int (*counted)(void *arg, unsigned int place, __u32 bucket);
	void *counted_arg;
	struct groups by_guest; /* as long as there are no more buckets */
};

/* Buckets by their numbers: number[i]; NULL: i itself. */
struct profile_buckets {
	const __u32 *number;
	size_t nr;
};

/* Count n samples.  A zeroed profile is empty.  Returns 0 or -ENOMEM. */
int profile_add(struct profile *p, const struct bucket_key *key, __u64 n);

/* One sample, at the latest when profile_flush() is called, which is faster. */
int profile_add_later(struct profile *p, const struct bucket_key *key);

/*
 * A bucket is also known by two numbers: of who was sampled (its stem) and of
 * where (its place), each a bucket of another profile @parts that counts
 * nothing.  .addr, .func, .module, .file and .cause are the place's.
 */
int profile_part(struct profile *parts, const struct bucket_key *key,
		 __u32 *ret);

/*
 * Count one sample of a bucket by its numbers: at once, or at the latest when
 * profile_flush() is called, which is faster.  .last is then of no use.  The
 * buckets of a profile come from either these or profile_add().
 * Returns 0 or -ENOMEM.
 */
int profile_pair(struct profile *p, const struct profile *parts, __u32 stem,
		 __u32 place);
int profile_count_queue(struct profile *p, const struct profile *parts);

/* Of one without samples; 0: there is no such number. */
static inline __u64 profile_pair_of(__u32 stem, __u32 place)
{
	const __u64 from = stem + 1ull;

	return (from | place) >> PAIR_PART_BITS ?
		       0 :
		       (from << PAIR_PART_BITS | place) << PAIR_COUNT_BITS;
}

static inline __u64 profile_hash(__u64 pair)
{
	return hash_mix(pair >> PAIR_COUNT_BITS);
}

static inline bool pair_is(__u64 pair, __u64 other)
{
	return (pair ^ other) <= PAIR_COUNT_MAX;
}

/* Where a pair is that was met before; NULL: it was not.  There must be .pairs. */
static inline __u64 *profile_known_pair(const struct profile *p, __u64 pair,
					__u64 hash)
{
	size_t i = hash & p->pair_mask;

	while (p->pairs[i] && !pair_is(p->pairs[i], pair))
		i = (i + 1) & p->pair_mask;
	return p->pairs[i] ? &p->pairs[i] : NULL;
}

/* The bucket of a pair; VMMPROF_NONE: it was not met.  There must be .pairs. */
static inline __u32 profile_bucket_of(const struct profile *p, __u64 pair,
				      __u64 hash)
{
	const __u64 *at = profile_known_pair(p, pair, hash);

	return at ? p->pair_bucket[at - p->pairs] : VMMPROF_NONE;
}

/* A number that was not met before is a bucket's that there is.  0 or -ENOMEM. */
int profile_pair_set(struct profile *p, __u64 pair, __u32 bucket);

/* No number is met any more; what was counted by them stays in its buckets. */
void profile_forget_pairs(struct profile *p);

/* Its bucket gets the samples that are counted there. */
void profile_settle(struct profile *p, __u64 *pair);

static inline void profile_count_pair(struct profile *p, __u64 *pair)
{
	if ((++*pair & PAIR_COUNT_MAX) == PAIR_COUNT_MAX)
		profile_settle(p, pair);
}

static inline void profile_prefetch(const struct profile *p, __u64 hash)
{
	__builtin_prefetch(&p->pairs[hash & p->pair_mask], 1);
}

/* For who asks for its bucket, too. */
static inline void profile_prefetch_bucket(const struct profile *p, __u64 hash)
{
	__builtin_prefetch(&p->pair_bucket[hash & p->pair_mask]);
}

static inline int profile_pair_later(struct profile *p,
				     const struct profile *parts, __u32 stem,
				     __u32 place)
{
	const __u64 pair = profile_pair_of(stem, place);
	const __u64 hash = profile_hash(pair);
	int err = p->queued == PROFILE_QUEUE ? profile_count_queue(p, parts) :
					       0;

	if (p->pairs)
		profile_prefetch(p, hash);
	if (p->pairs && p->counted)
		profile_prefetch_bucket(p, hash);
	/* for a bucket's key, if it is not there yet: there are more places than stems */
	__builtin_prefetch(&parts->buckets[place].key);
	p->queue[p->queued].stem = stem;
	p->queue[p->queued].place = place;
	p->queue[p->queued].pair = pair;
	p->queue[p->queued].hash = hash;
	p->queued++;
	return err;
}

int profile_flush(struct profile *p, const struct profile *parts);

/*
 * The buckets of a guest, rising, or all of them (0).  They are there until
 * buckets are added.  0 or -ENOMEM.
 */
int profile_buckets_of(struct profile *p, __u32 guest,
		       struct profile_buckets *ret);

/* The same of one machine, which may be the host (0). */
int profile_buckets_on(struct profile *p, __u32 machine,
		       struct profile_buckets *ret);

#define BUCKETS_AHEAD 8

/* To be asked for one after the other: those that come next are fetched, too. */
static inline const struct bucket *
profile_bucket(const struct profile *p, const struct profile_buckets *c,
	       size_t i)
{
	const struct bucket *next;

	if (!c->number)
		return &p->buckets[i];
	if (i + BUCKETS_AHEAD < c->nr) {
		next = &p->buckets[c->number[i + BUCKETS_AHEAD]];
		__builtin_prefetch(next);
		__builtin_prefetch(&next->samples);
	}
	return &p->buckets[c->number[i]];
}

void profile_deinit(struct profile *p);

#endif /* MODEL_PROFILE_H */
