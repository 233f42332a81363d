// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts what is remembered.  Some samples at a time are taken through five steps,
 * each of which touches the memory that the step before asked for.
 */

#include <string.h>

#include "model/known_samples.h"
#include "model/known_sample.h"
#include "model/slices_internal.h"

#define STEP 32 /* samples */

/* A sample on its way.  What is not known of it is not asked before the last step. */
struct known {
	const struct vmmprof_rec_sample *s;
	const struct recent_context *recent;
	const struct code_page *page;
	const __u64 *line;
	__u64 ip;
	__u64 unknown; /* 0: it is known whose it is, and then where */
	__u64 pair, hash;
	__u64 code, code_hash; /* code_number(); 0: it has none */
	__u64 *at, *code_at;   /* where its pair and that number are counted */
	__u32 lines, bucket;
	__u32 idles_not;
};

/* A CPU's records that come next. */
struct known_cpu {
	const struct merge_read *read;
	struct cpu_runs *runs; /* NULL: nobody is told of them */
	__u8 *left;	       /* those that are not counted here */
	__u32 nr_left;
	__u32 cpu;
	__u8 place; /* of the first one, among the stream's */
};

static __always_inline void ask(const struct resolver *r, struct known *k)
{
	k->recent = known_recent(r, k->s);
	__builtin_prefetch(k->recent);
	__builtin_prefetch(k->recent->word + RECENT_WORDS - 1);
}

/* Whose it is, and where the page of its address may be. */
static __always_inline void find_page(const struct resolver *r, struct known *k)
{
	const struct recent_context *last = k->recent;
	const bool guest = known_guest(r, last);

	k->unknown = known_not(r, k->s, last);
	k->ip = resolver_ip(k->s, guest);
	k->idles_not = known_idles_not(k->s, guest);
	k->page = code_page(r->places, last->whose, k->ip);
	__builtin_prefetch(k->page);
}

/* Where its function may be. */
static __always_inline void find_line(const struct resolver *r, struct known *k)
{
	k->lines = code_page_lines(k->page, k->recent->whose, k->ip);
	k->line = code_line(r->places, k->lines, k->ip);
	__builtin_prefetch(k->line);
}

/* Where its address is counted. */
static __always_inline void find_code(const struct analysis *a, struct known *k)
{
	const struct recent_context *last = k->recent;

	k->code = 0;
	if (!(a->keep & (KEEP_CODE | KEEP_ADDR)) || !last->whose)
		return;
	k->code = code_number(k->lines, k->ip, last->who);
	k->code_hash = profile_hash(k->code);
	profile_prefetch(&a->code, k->code_hash);
	if (a->keep & KEEP_ADDR)
		profile_prefetch_bucket(&a->code, k->code_hash);
}

/* Where its bucket may be. */
static __always_inline void find_bucket(const struct analysis *a,
					struct known *k, bool more)
{
	const struct profile *p = &a->profile;
	const struct recent_context *last = k->recent;
	__u32 place = code_line_place(*k->line, k->ip, k->idles_not);

	if (!last->whose)
		place = last->place;
	if (more && a->keep & KEEP_ADDR && place != VMMPROF_NONE)
		place = k->code ? profile_bucket_of(&a->code, k->code,
						    k->code_hash) :
				  VMMPROF_NONE;
	/* VMMPROF_NONE has none, which is not met */
	k->pair = profile_pair_of(last->stem, place);
	k->hash = profile_hash(k->pair);
	profile_prefetch(p, k->hash);
}

/* Where else it is counted, if it can be. */
static __always_inline void find_more(const struct known_samples *ks,
				      struct known *k)
{
	const struct profile *p = &ks->a->profile;

	if (k->unknown)
		return;
	if (ks->a->keep & KEEP_CODE && k->code) {
		k->code_at = profile_known_pair(&ks->a->code, k->code,
						k->code_hash);
		k->unknown |= !k->code_at;
	}
	k->at = profile_known_pair(p, k->pair, k->hash);
	if (!k->at || !ks->slices)
		return;
	k->bucket = p->pair_bucket[k->at - p->pairs];
	slice_bucket_prefetch(ks->slices, k->bucket);
}

static __always_inline void count_more(struct known_samples *ks,
				       const struct known *k)
{
	struct analysis *a = ks->a;
	int err = 0;

	if (a->keep & KEEP_CODE && k->code)
		profile_count_pair(&a->code, k->code_at);
	if (ks->slices)
		err = slice_bucket_add(ks->slices, ks->slice, k->bucket);
	if (err && !ks->err)
		ks->err = err;
}

static __always_inline bool count(struct known_samples *ks,
				  const struct known_cpu *cpu,
				  const struct known *k, __u32 i, bool more)
{
	const struct vmmprof_rec_sample *s = k->s;
	__u64 *pair;

	if ((k->unknown | (s->cpu ^ cpu->cpu)))
		return false;
	pair = more ? k->at :
		      profile_known_pair(&ks->a->profile, k->pair, k->hash);
	if (!pair || (cpu->runs && !cpu_runs_add(ks->runs->tl, cpu->runs, s,
						 k->recent, cpu->place + i)))
		return false;
	profile_count_pair(&ks->a->profile, pair);
	ks->a->counts.per_event[k->recent->event]++;
	if (more)
		count_more(ks, k);
	return true;
}

/* The samples among records @from to @to, which are so many. */
static __u32 samples_of(const struct merge_read *read, __u32 from, __u32 to,
			struct known *known)
{
	__u32 nr = 0;

	for (; from < to; from++) {
		known[nr].s = &read[from].rec->sample;
		nr += known[nr].s->hdr.type == VMMPROF_REC_SAMPLE;
	}
	return nr;
}

/*
 * Records @from to @to of a CPU.  False: from the last one that is left on, numbers
 * of guests' tasks may be other tasks'.
 */
static __always_inline bool count_as(struct known_samples *ks,
				     struct known_cpu *cpu, __u32 from,
				     __u32 to, bool more)
{
	struct known known[STEP + 1], *k;
	const struct merge_read *read = cpu->read;
	const __u32 nr = samples_of(read, from, to, known);
	const union rec *rec;
	__u32 i;

#pragma GCC unroll 2
	for (k = known; k < known + nr; k++)
		ask(&ks->a->resolver, k);
	for (k = known; k < known + nr; k++)
		find_page(&ks->a->resolver, k);
#pragma GCC unroll 2
	for (k = known; k < known + nr; k++)
		find_line(&ks->a->resolver, k);
	for (k = known; more && k < known + nr; k++)
		find_code(ks->a, k);
	for (k = known; k < known + nr; k++) {
		find_bucket(ks->a, k, more);
		if (more)
			profile_prefetch_bucket(&ks->a->profile, k->hash);
	}
	for (k = known; more && k < known + nr; k++)
		find_more(ks, k);
	known[nr].s = NULL;
	for (i = from, k = known; i < to; i++) {
		rec = read[i].rec;
		if (&rec->sample == k->s && count(ks, cpu, k++, i, more))
			continue;
		cpu->left[cpu->nr_left++] = i;
		if (rec->hdr.type == VMMPROF_REC_IDENTITY)
			return false;
		if (cpu->runs)
			cpu_runs_other(ks->runs->tl, cpu->runs, rec);
	}
	return true;
}

static __attribute__((noinline)) bool count_some(struct known_samples *ks,
						 struct known_cpu *cpu,
						 __u32 from, __u32 to)
{
	return count_as(ks, cpu, from, to, false);
}

/* The same, by slice and address, too, if that is asked for. */
static __attribute__((noinline)) bool count_some_more(struct known_samples *ks,
						      struct known_cpu *cpu,
						      __u32 from, __u32 to)
{
	return count_as(ks, cpu, from, to, true);
}

static __u32 look(void *arg, __u32 stream, const struct merge_read *read,
		  __u32 nr, __u8 *left)
{
	struct known_samples *ks = arg;
	struct sample_counts *counts = &ks->a->counts;
	struct known_cpu cpu = {
		.read = read,
		.runs = ks->runs ? &ks->runs->cpus[stream] : NULL,
		.left = left,
		.cpu = ks->m->cpus[stream],
		.place = (read - ks->m->read) % MERGE_READ,
	};
	const __u32 c = small_numbers_get(&counts->by_cpu, cpu.cpu);
	const bool more = ks->slices || ks->a->keep & (KEEP_CODE | KEEP_ADDR);
	__u32 from = 0, to = 0;

	while (from < nr && c != VMMPROF_NONE) {
		to = nr - from < STEP ? nr : from + STEP;
		if (more ? !count_some_more(ks, &cpu, from, to) :
			   !count_some(ks, &cpu, from, to))
			break;
		from = to;
	}
	/* all that was not looked at */
	if (from < nr && cpu.nr_left)
		from = left[cpu.nr_left - 1] + 1u;
	for (; from < nr; from++)
		left[cpu.nr_left++] = from;
	if (c != VMMPROF_NONE) {
		counts->samples += nr - cpu.nr_left;
		counts->contradictions[CONTRA_NONE] += nr - cpu.nr_left;
		counts->cpus[c].samples += nr - cpu.nr_left;
	}
	return cpu.nr_left;
}

/*
 * Records of one slice at a time: that of the first one.  What the profile has in its
 * queue is of slices before it, or of the same.
 */
static int begin_slice(struct known_samples *ks, __u64 first, __u64 *last)
{
	struct analysis *a = ks->a;
	const size_t slice = slices_at(ks->slices, first);
	const __u64 end = slices_end(ks->slices, slice);
	int err = 0;

	if (slice != ks->slice)
		err = profile_count_queue(&a->profile, &a->parts);
	ks->slice = slice;
	if (*last >= end)
		*last = end - 1;
	return err;
}

static bool begin(void *arg, __u64 first, __u64 *last)
{
	struct known_samples *ks = arg;
	const struct time_ranges *time = ks->a->time;
	const __u64 same = time_ranges_same_until(time, first);
	bool may = true;
	int err = 0;

	/* some records at a time, which are all counted or all not */
	if (*last > same)
		*last = same;
	if (ks->slices)
		err = begin_slice(ks, first, last);
	if (!err && ks->runs)
		err = sample_runs_begin(ks->runs, first, *last, &may);
	if (err && !ks->err)
		ks->err = err;
	return may && !ks->err && time_ranges_has(time, first) &&
	       ks->a->profile.pairs &&
	       (!(ks->a->keep & (KEEP_CODE | KEEP_ADDR)) || ks->a->code.pairs);
}

void known_samples_begin(struct known_samples *k, struct analysis *a,
			 unsigned int keep, struct merge *m,
			 struct sample_runs *runs, struct slices *slices)
{
	/* two files of a CPU: nothing can be presumed; slices are told in runs */
	const bool may = runs ? runs->nr : !slices;

	k->a = a;
	k->m = m;
	k->runs = runs;
	k->slices = slices;
	k->slice = 0;
	k->err = 0;
	k->taker.begin = begin;
	k->taker.look = look;
	k->taker.arg = k;
	if (keep & KEEP_BARE && !(keep & KEEP_LAST) && may) {
		m->taker = &k->taker;
		a->known = true;
	}
}

int known_samples_end(struct known_samples *k)
{
	__u64 last = 0;

	/* what is left is told of */
	if (k->m->taker == &k->taker)
		begin(k, 0, &last);
	k->m->taker = NULL;
	k->a->known = false;
	return k->err;
}
