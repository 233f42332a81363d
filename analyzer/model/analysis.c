// SPDX-License-Identifier: GPL-2.0-only
/* Resolves and counts the records of a session. */

#include <errno.h>
#include <string.h>
#include <stdlib.h>

#include "model/analysis.h"
#include "model/known_sample.h"
#include "model/look_ahead.h"
#include "model/sample_code.h"
#include "base/saturate.h"
#include "base/vec.h"

void analysis_close(struct analysis *a)
{
	profile_deinit(&a->profile);
	profile_deinit(&a->parts);
	profile_deinit(&a->code);
	free(a->places);
	free(a->by_addr);
	resolver_deinit(&a->resolver);
	session_close(&a->session);
	free(a->counts.cpus);
	small_numbers_deinit(&a->counts.by_cpu);
	memset(a, 0, sizeof(*a));
}

static struct cpu_counts *cpu_counts_new(struct sample_counts *b, __u32 cpu)
{
	struct cpu_counts *c;

	if (vec_grow(&b->cpus, &b->cap_cpus, b->nr_cpus, sizeof(*c)))
		return NULL;
	if (small_numbers_set(&b->by_cpu, cpu, b->nr_cpus))
		return NULL;
	c = &b->cpus[b->nr_cpus++];
	memset(c, 0, sizeof(*c));
	c->cpu = cpu;
	return c;
}

/* The counts of a CPU; NULL without memory. */
static inline struct cpu_counts *cpu_counts(struct sample_counts *b, __u32 cpu)
{
	__u32 i = small_numbers_get(&b->by_cpu, cpu);

	return i != VMMPROF_NONE ? &b->cpus[i] : cpu_counts_new(b, cpu);
}

static int counts_open(struct analysis *a)
{
	struct session *s = &a->session;
	struct cpu_counts *c;
	size_t i;

	a->counts.has_stat = s->nr_cpus > 0;
	for (i = 0; i < s->nr_cpus; i++) {
		c = cpu_counts(&a->counts, s->cpus[i].cpu);
		if (!c)
			return -ENOMEM;
		if (!s->cpus[i].stat) {
			a->counts.has_stat = false;
			continue;
		}
		c->has_stat = true;
		c->written = s->cpus[i].stat->stat.samples;
		c->module_lost = s->cpus[i].stat->stat.lost;
	}
	return 0;
}

/* What the merge left out was written, but nobody is to miss it. */
static void leave_out(struct sample_counts *b, const struct merge *m)
{
	struct cpu_counts *c;
	__u64 nr;
	size_t i;

	for (i = 0; i < m->nr; i++) {
		nr = merge_left_out(m, i);
		if (!nr)
			continue;
		sat_sum(&b->left_out, nr);
		c = cpu_counts(b, m->cpus[i]);
		if (c && c->has_stat)
			c->written -= nr < c->written ? nr : c->written;
	}
}

static void counts_close(struct analysis *a, const struct merge *m)
{
	struct sample_counts *b = &a->counts;
	struct cpu_counts *c;
	size_t i;

	b->damaged = m->damaged;
	b->unknown_records = m->unknown;
	b->unordered = m->unordered;
	leave_out(b, m);
	for (i = 0; i < b->nr_cpus; i++) {
		c = &b->cpus[i];
		sat_sum(&b->written, c->written);
		/*
		 * For the last records lost there is no LOST record: none
		 * fitted after them.
		 */
		if (c->module_lost > c->lost && time_ranges_has(a->time, ~0ull))
			sat_sum(&b->lost, c->module_lost - c->lost);
	}
}

/*
 * The number of the part of a bucket that says who was sampled: of all samples
 * of a context it is the same.
 */
static int new_stem(struct analysis *a, unsigned int keep,
		    const struct resolved *w)
{
	struct bucket_key key = w->key;

	if (!(keep & KEEP_CPU))
		key.cpu = 0;
	if (!(keep & KEEP_EXIT))
		key.exit = EXIT_NONE;
	key.tid = keep & KEEP_TID ? resolve_thread(&a->resolver, &key) : 0;
	key.addr = 0;
	key.func = 0;
	key.module = 0;
	key.file = 0;
	key.cause = 0;
	return profile_part(&a->parts, &key, &w->context->stem);
}

/* An address of a function that was counted lately, and its part. */
struct address_place {
	__u64 addr;
	__u32 func, module, file;
	__u32 place; /* and 1; 0: empty */
};

#define ADDRESS_PLACE_BITS 16

static inline struct address_place *address_place(const struct analysis *a,
						  __u64 addr,
						  const struct symbol_ref *ref)
{
	return &a->by_addr[hash_recent(addr, ref->func, ADDRESS_PLACE_BITS)];
}

/* The part of a sample's address, if it is remembered: as *place. */
static inline bool address_known(const struct analysis *a,
				 const struct resolved *w, __u32 *place)
{
	const struct symbol_ref *ref = &w->slot->ref;
	const struct address_place *p;
	__u64 addr = resolved_address(w);

	if (!a->by_addr || ref->cause)
		return false;
	p = address_place(a, addr, ref);
	if (p->addr != addr || p->func != ref->func ||
	    p->module != ref->module || p->file != ref->file || !p->place)
		return false;
	*place = p->place - 1;
	return true;
}

static int remember_address(struct analysis *a, const struct resolved *w,
			    __u32 place)
{
	const struct symbol_ref *ref = &w->slot->ref;
	__u64 addr = resolved_address(w);

	if (ref->cause)
		return 0;
	if (!a->by_addr)
		a->by_addr = calloc(1ul << ADDRESS_PLACE_BITS,
				    sizeof(*a->by_addr));
	if (!a->by_addr)
		return -ENOMEM;
	*address_place(a, addr, ref) = (struct address_place){
		addr, ref->func, ref->module, ref->file, place + 1
	};
	return 0;
}

/* Where the number of a function's part is kept; NULL without memory. */
static struct function_place *place_of(struct analysis *a, __u32 func)
{
	while (a->nr_places <= func) {
		if (vec_grow(&a->places, &a->cap_places, a->nr_places,
			     sizeof(*a->places)))
			return NULL;
		a->places[a->nr_places++].place = VMMPROF_NONE;
	}
	return &a->places[func];
}

/* The part of a function, whose addresses are not told apart. */
static int function_place(struct analysis *a, const struct bucket_key *key,
			  __u32 *ret)
{
	struct function_place *p = place_of(a, key->func);
	int err;

	if (!p)
		return -ENOMEM;
	if (p->place != VMMPROF_NONE && p->module == key->module) {
		*ret = p->place;
		return 0;
	}
	err = profile_part(&a->parts, key, ret);
	p->module = key->module;
	p->place = err ? VMMPROF_NONE : *ret;
	return err;
}

/*
 * The part that says where: the same wherever the function was found by the
 * same remembered address, or none was for the same reason.
 */
static int new_place(struct analysis *a, unsigned int keep,
		     const struct resolved *w, __u32 *ret)
{
	struct bucket_key key = { .file = VMMPROF_NONE };

	key.func = w->key.func;
	key.module = w->key.module;
	key.cause = w->key.cause;
	if (keep & KEEP_ADDR) {
		key.addr = w->key.addr;
		key.file = w->key.file;
	} else if (key.func != VMMPROF_NONE && !key.cause) {
		return function_place(a, &key, ret);
	}
	return profile_part(&a->parts, &key, ret);
}

static __attribute__((noinline)) int
new_parts(struct analysis *a, unsigned int keep,
	  const struct vmmprof_rec_sample *s, struct resolved *w, __u32 *place)
{
	int err = 0;

	if (keep & KEEP_BARE)
		resolved_key(s, w);
	if (w->context->stem == VMMPROF_NONE)
		err = new_stem(a, keep, w);
	if (!err && (*place == VMMPROF_NONE || keep & KEEP_ADDR))
		err = new_place(a, keep, w, place);
	if (!err && keep & KEEP_ADDR && w->slot)
		err = remember_address(a, w, *place);
	return err;
}

static __always_inline int count_sample(struct analysis *a, unsigned int keep,
					const struct vmmprof_rec_sample *s,
					struct resolved *w)
{
	__u32 *place = w->slot ? &w->slot->place : &w->context->place;
	int err = 0;

	if (w->context->stem == VMMPROF_NONE || *place == VMMPROF_NONE ||
	    (keep & KEEP_ADDR && !(w->slot && address_known(a, w, place))))
		err = new_parts(a, keep, s, w, place);
	if (!err && keep & KEEP_CODE && w->slot)
		err = sample_code_count(&a->code, w, !a->known);
	if (err)
		return err;
	return keep & KEEP_LAST ? profile_pair(&a->profile, &a->parts,
					       w->context->stem, *place) :
				  profile_pair_later(&a->profile, &a->parts,
						     w->context->stem, *place);
}

/* Parts that were numbered to keep something else are not known any more. */
static void number_by(struct analysis *a, unsigned int keep)
{
	a->resolver.bare = keep & KEEP_BARE;
	if (a->keep == keep)
		return;
	a->keep = keep;
	resolver_renumber(&a->resolver, keep & KEEP_CPU);
}

/* Count a sample for its CPU; *ret: it is in the time that is counted. */
static __always_inline int count_in_time(struct analysis *a,
					 const struct vmmprof_rec_sample *s,
					 const struct resolved *w, bool *ret)
{
	struct sample_counts *b = &a->counts;
	struct cpu_counts *c = cpu_counts(b, s->cpu);

	if (!c)
		return -ENOMEM;
	*ret = time_ranges_has(a->time, s->hdr.tsc);
	if (!*ret) {
		b->outside++;
		c->outside++;
		return 0;
	}
	b->samples++;
	b->contradictions[w->contradiction]++;
	b->per_event[s->event < VMMPROF_MAX_EVENTS ? s->event :
						     VMMPROF_MAX_EVENTS]++;
	c->samples++;
	return 0;
}

/* Remember all of a sample that was counted. */
static __attribute__((noinline)) int note(struct analysis *a,
					  const struct vmmprof_rec_sample *s,
					  const struct resolve_ahead *at,
					  const struct resolved *w)
{
	struct resolver *r = &a->resolver;
	struct recent_context *last = at->recent;
	const struct context *c = w->context;
	int err;

	if (!recent_noted(r, last, s->hdr.tsc))
		recent_note(r, s, c, last, at->kind);
	if (!w->slot || !c->whose || w->slot->whose != c->whose ||
	    !recent_noted(r, last, s->hdr.tsc) || last->whose != c->whose)
		return 0;
	err = code_places_note(r->places, r, c->key.guest,
			       c->key.mode == MODE_KERNEL ? NULL : c->im,
			       context_ns(r, w->context, s), w->ip, w->slot);
	if (err || !(a->keep & (KEEP_CODE | KEEP_ADDR)))
		return err;
	/* with KEEP_ADDR the slot has the part of this address */
	return sample_code_note(&a->code, &a->code_filled, r, last, w,
				a->keep & KEEP_CODE ? a->code.last :
						      w->slot->place);
}

/* Is all of a sample remembered?  *place: of its function. */
static __always_inline bool known(const struct analysis *a,
				  const struct vmmprof_rec_sample *s,
				  const struct resolve_ahead *at,
				  struct resolved *w, __u32 *place)
{
	const struct resolver *r = &a->resolver;
	const struct recent_context *last;

	if (!at || known_not(r, s, at->recent))
		return false;
	last = at->recent;
	*place = known_place(r, s, last);
	if (a->keep & KEEP_ADDR && *place != VMMPROF_NONE)
		*place = sample_code_part(&a->code, r, s, last);
	w->context = &r->contexts[last->context];
	w->contradiction = CONTRA_NONE;
	w->slot = NULL;
	w->guest_ns = TIME_UNKNOWN;
	return *place != VMMPROF_NONE;
}

/* Of a known sample the address is not remembered. */
static __attribute__((noinline)) int
new_address(struct analysis *a, const struct vmmprof_rec_sample *s,
	    const struct resolve_ahead *at, struct resolved *w)
{
	struct resolver *r = &a->resolver;
	const struct recent_context *last = at->recent;
	int err = resolve_sample(r, s, at, w);

	if (err || !w->slot)
		return err;
	err = sample_code_count(&a->code, w, false);
	if (err || w->slot->whose != last->whose)
		return err;
	return sample_code_note(&a->code, &a->code_filled, r, last, w,
				a->code.last);
}

static __always_inline int run_sample(struct analysis *a, unsigned int keep,
				      const struct vmmprof_rec_sample *s,
				      const struct resolve_ahead *at,
				      struct resolved *w)
{
	__u32 place;
	bool is = a->known && known(a, s, at, w, &place), counts;
	int ret = is ? 0 : resolve_sample(&a->resolver, s, at, w);

	if (!ret)
		ret = count_in_time(a, s, w, &counts);
	if (ret || !counts)
		return ret;
	if (is && keep & KEEP_CODE &&
	    !sample_code_known(&a->code, &a->resolver, s, at->recent))
		ret = new_address(a, s, at, w);
	if (ret)
		return ret;
	if (is)
		return profile_pair_later(&a->profile, &a->parts,
					  at->recent->stem, place);
	ret = count_sample(a, keep, s, w);
	return ret || !a->known || !at ? ret : note(a, s, at, w);
}

static int run_lost(struct analysis *a, const struct vmmprof_rec_lost *l,
		    __u32 cpu)
{
	struct sample_counts *b = &a->counts;
	struct cpu_counts *c = cpu_counts(b, cpu);

	if (!c)
		return -ENOMEM;
	sat_sum(&c->lost, l->lost);
	if (!time_ranges_has(a->time, l->hdr.tsc))
		return 0;
	sat_sum(&b->lost, l->lost);
	sat_sum(&b->lost_other, l->lost_other);
	if (l->hdr.flags & VMMPROF_L_NAMES)
		sat_sum(&b->lost_names, l->lost_other);
	if (l->hdr.flags & VMMPROF_L_CHAINS)
		sat_sum(&b->lost_chains, l->lost_other);
	return 0;
}

/* A record that is no sample. */
static int run_other(struct analysis *a, const union rec *rec, __u32 cpu)
{
	switch (rec->hdr.type) {
	case VMMPROF_REC_VCPU:
		a->counts.vcpu_records++;
		return resolver_vcpu(&a->resolver, &rec->vcpu);
	case VMMPROF_REC_IDENTITY:
		return resolver_identity(&a->resolver, cpu, &rec->identity);
	case VMMPROF_REC_LOST:
		return run_lost(a, &rec->lost, cpu);
	case VMMPROF_REC_CHAIN:
		a->counts.chain_records++;
		break;
	case VMMPROF_REC_THROTTLE:
		a->counts.throttled += time_ranges_has(a->time, rec->hdr.tsc);
		break;
	}
	return 0;
}

static __always_inline int run_record(struct analysis *a, unsigned int keep,
				      const union rec *rec, __u32 cpu,
				      const struct resolve_ahead *at,
				      record_fn *fn, void *arg)
{
	const bool sample = rec->hdr.type == VMMPROF_REC_SAMPLE;
	struct resolved where;
	int ret = sample ? run_sample(a, keep, &rec->sample, at, &where) :
			   run_other(a, rec, cpu);

	a->rec_cpu = cpu;
	return ret || !fn ? ret : fn(a, arg, rec, sample ? &where : NULL);
}

int analysis_record(struct analysis *a, unsigned int keep, const union rec *rec,
		    __u32 cpu, const struct resolve_ahead *at, record_fn *fn,
		    void *arg)
{
	number_by(a, keep);
	return run_record(a, keep, rec, cpu, at, fn, arg);
}

int analysis_bounds(struct analysis *a, __u64 *from, __u64 *to)
{
	const struct vmmprof_info_stop *stop = a->session.stop;
	struct problems *p = &a->session.problems;
	const union rec *rec;
	struct merge m;
	size_t nr = p->nr;
	int ret;

	*from = 0;
	*to = 0;
	if (stop && stop->stop_tsc >= stop->start_tsc) {
		*from = stop->start_tsc;
		*to = stop->stop_tsc;
		return 0;
	}
	ret = session_merge(&a->session, &m);
	if (ret)
		return ret;
	while (merge_next(&m, &rec)) {
		if (!*from)
			*from = rec->hdr.tsc;
		*to = rec->hdr.tsc;
	}
	merge_deinit(&m);
	/* the pass itself reports the same problems */
	while (p->nr > nr)
		free(p->line[--p->nr]);
	return 0;
}

__u64 analysis_real_ns(const struct analysis *a, __u64 tsc)
{
	__u64 khz = session_tsc_khz(&a->session), ns;
	const struct vmmprof_item_clock *c;

	if (!a->session.nr_clocks || !a->session.clocks[0]->real_ns || !khz)
		return 0;
	c = a->session.clocks[0];
	if (c->tsc < tsc)
		return sat_add(c->real_ns,
			       sat_scale(tsc - c->tsc, 1000000, khz));
	ns = sat_scale(c->tsc - tsc, 1000000, khz);
	return ns < c->real_ns ? c->real_ns - ns : 0;
}

int analysis_begin(struct analysis *a, unsigned int keep)
{
	int err = counts_open(a);

	if (!err)
		number_by(a, keep);
	return err;
}

/* fn is told of a sample that is counted already. */
static __attribute__((noinline)) int tell(struct analysis *a,
					  const union rec *rec, __u32 cpu,
					  const struct resolve_ahead *at,
					  record_fn *fn, void *arg)
{
	struct resolved where;
	__u32 place;
	int ret = a->known && known(a, &rec->sample, at, &where, &place) ?
			  0 :
			  resolve_sample(&a->resolver, &rec->sample, at,
					 &where);

	a->rec_cpu = cpu;
	return ret ? ret : fn(a, arg, rec, &where);
}

int analysis_records(struct analysis *a, struct merge *m,
		     const struct record_user *user)
{
	const struct resolve_ahead *at;
	const unsigned int keep = a->keep;
	struct look_ahead ahead = { 0 };
	const union rec *rec;
	int ret = 0;

	while (!ret && merge_next(m, &rec)) {
		at = look_ahead(&ahead, &a->resolver, m);
		if (user->before)
			ret = user->before(user->before_arg, rec,
					   merge_stream(m));
		if (ret)
			break;
		ret = merge_given_back(m) ? tell(a, rec, m->cpu, at,
						 user->again, user->again_arg) :
					    run_record(a, keep, rec, m->cpu, at,
						       user->fn, user->arg);
	}
	return ret;
}

int analysis_end(struct analysis *a, const struct merge *m)
{
	int err = profile_flush(&a->profile, &a->parts);

	if (!err)
		err = profile_flush(&a->code, &a->parts);
	counts_close(a, m);
	return err;
}
