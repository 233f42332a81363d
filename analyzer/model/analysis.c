// SPDX-License-Identifier: GPL-2.0-only
/* Opens what belongs to a session and runs over its records once. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/analysis.h"
#include "base/saturate.h"
#include "base/path_walk.h"
#include "base/vec.h"

/* A bundle that is taken as it is; fd is closed.  name is for messages. */
static int load_maps(struct analysis *a, __u32 machine, int fd,
		     const char *name)
{
	struct problems *problems = &a->session.problems;
	__u64 khz = text_number(&a->session.text, "tsc_khz", 10, 0);
	struct bundle b;
	const char *why;
	int ret;

	ret = bundle_init(&b, fd, name, problems);
	close(fd);
	if (!ret)
		return resolver_set(&a->resolver, machine, &b, khz);
	why = file_strerror(ret);
	problem(problems, "%s: %s", name, why ? why : strerror(-ret));
	return ret;
}

int analysis_host(struct analysis *a)
{
	struct vmmprof_session *s = &a->session;
	int fd, ret;

	fd = open_regular(s->dirfd, "host", O_NOFOLLOW);
	if (fd >= 0) {
		ret = load_maps(a, 0, fd, "host");
		return ret == -ENOMEM ? ret : 0;
	}
	problem(&s->problems,
		"host: %s: the host's functions and processes stay unknown",
		fd == -EINVAL ? "not a regular file" : path_walk_strerror(fd));
	return 0;
}

int analysis_guest(struct analysis *a, __u32 guest, int fd)
{
	char what[320];

	snprintf(what, sizeof(what), "guests/%s.bundle",
		 a->resolver.guests.guests[guest].name);
	return load_maps(a, 1 + guest, fd, what);
}

/*
 * A name's bundle is read once: many items of one guest, or many VMs of one
 * name, would have it read, and kept, as often.
 */
static bool first_time(struct hash *read, const char *name)
{
	__u64 key = hash_bytes(name, strlen(name));

	return hash_get(read, key) == VMMPROF_NONE && !hash_set(read, key, 0);
}

static int load_guests(struct analysis *a, struct hash *read)
{
	struct vmmprof_session *s = &a->session;
	const char *name;
	char what[320];
	size_t i;
	__u32 g;
	int ret;

	for (i = 0; i < s->nr_guests; i++) {
		name = s->guests[i]->name;
		if (!first_time(read, name))
			continue;
		snprintf(what, sizeof(what), "guests/%s.bundle", name);
		ret = session_open_bundle(s, name);
		if (ret < 0) {
			problem(&s->problems, "%s: %s", what,
				ret == -EINVAL ? "no usable file name" :
						 path_walk_strerror(ret));
			continue;
		}
		g = guests_by_name(&a->resolver.guests, name);
		if (g == VMMPROF_NONE &&
		    guests_get(&a->resolver.guests, s->guests[i]->pid, &g)) {
			close(ret);
			return -ENOMEM;
		}
		ret = load_maps(a, 1 + g, ret, what);
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

/* Bundles that lie there although info, cut off early, does not tell. */
static int load_untold(struct analysis *a, struct hash *read)
{
	struct guests *gs = &a->resolver.guests;
	char what[320];
	size_t i;
	int fd;

	for (i = 0; i < gs->nr; i++) {
		if (i + 1 < a->resolver.nr_machines &&
		    a->resolver.machines[i + 1])
			continue;
		if (!first_time(read, gs->guests[i].name))
			continue;
		fd = session_open_bundle(&a->session, gs->guests[i].name);
		if (fd < 0)
			continue;
		snprintf(what, sizeof(what), "guests/%s.bundle",
			 gs->guests[i].name);
		if (load_maps(a, 1 + i, fd, what) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static int load_bundles(struct analysis *a)
{
	struct hash read = { 0 };
	int ret = load_guests(a, &read);

	if (!ret)
		ret = load_untold(a, &read);
	hash_deinit(&read);
	return ret;
}

static int load_option(struct analysis *a, const struct bundle_option *o)
{
	struct problems *problems = &a->session.problems;
	char name[256];
	__u32 g;
	int fd;

	snprintf(name, sizeof(name), "%.*s", (int)o->name_len, o->name);
	g = guests_by_name(&a->resolver.guests, name);
	if (g == VMMPROF_NONE) {
		problem(problems, "%s: the session has no guest of that name",
			name);
		return -ESRCH;
	}
	fd = open_regular(AT_FDCWD, o->file, 0);
	if (fd < 0) {
		problem(problems, "%s: %s", o->file,
			fd == -EINVAL ? "not a regular file" : strerror(-fd));
		return fd;
	}
	return load_maps(a, 1 + g, fd, o->file);
}

int analysis_open(struct analysis *a, const char *dir,
		  const struct bundle_option *options, size_t nr_options)
{
	size_t i;
	int ret;

	memset(a, 0, sizeof(*a));
	ret = vmmprof_session_open(&a->session, dir);
	if (!ret)
		ret = resolver_init(&a->resolver, &a->session);
	if (!ret)
		ret = analysis_host(a);
	if (!ret)
		ret = load_bundles(a);
	for (i = 0; i < nr_options && !ret; i++)
		ret = load_option(a, &options[i]);
	return ret;
}

void analysis_close(struct analysis *a)
{
	profile_deinit(&a->profile);
	resolver_deinit(&a->resolver);
	session_close(&a->session);
	free(a->counts.cpus);
	hash_deinit(&a->counts.by_cpu);
	memset(a, 0, sizeof(*a));
}

/* The counts of a CPU; NULL without memory. */
static struct cpu_counts *cpu_counts(struct sample_counts *b, __u32 cpu)
{
	__u32 i = hash_get(&b->by_cpu, cpu);
	struct cpu_counts *c;

	if (i != VMMPROF_NONE)
		return &b->cpus[i];
	if (vec_grow(&b->cpus, &b->cap_cpus, b->nr_cpus, sizeof(*c)))
		return NULL;
	if (hash_set(&b->by_cpu, cpu, b->nr_cpus))
		return NULL;
	c = &b->cpus[b->nr_cpus++];
	memset(c, 0, sizeof(*c));
	c->cpu = cpu;
	return c;
}

static int counts_open(struct analysis *a)
{
	struct vmmprof_session *s = &a->session;
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

static void counts_close(struct sample_counts *b, const struct merge *m)
{
	struct cpu_counts *c;
	size_t i;

	b->damaged = m->damaged;
	b->unknown_records = m->unknown;
	b->unordered = m->unordered;
	for (i = 0; i < b->nr_cpus; i++) {
		c = &b->cpus[i];
		sat_sum(&b->written, c->written);
		/* What was lost last has no record after it that fitted. */
		sat_sum(&b->lost,
			c->lost > c->module_lost ? c->lost : c->module_lost);
	}
}

/* What a cell keeps of a sample. */
static void trim_key(struct bucket_key *key, unsigned int keep)
{
	if (!(keep & KEEP_CPU))
		key->cpu = 0;
	if (!(keep & KEEP_EXIT))
		key->exit = EXIT_NONE;
	if (!(keep & KEEP_ADDR)) {
		key->addr = 0;
		key->file = VMMPROF_NONE;
	}
}

static int run_sample(struct analysis *a, unsigned int keep,
		      const union rec *rec, struct resolved *w)
{
	struct sample_counts *b = &a->counts;
	struct bucket_key key;
	struct cpu_counts *c;
	int ret;

	ret = resolve_sample(&a->resolver, &rec->sample, w);
	if (ret)
		return ret;
	b->samples++;
	b->contradictions[w->contradiction]++;
	b->per_event[rec->sample.event < VMMPROF_MAX_EVENTS ?
			     rec->sample.event :
			     VMMPROF_MAX_EVENTS]++;
	c = cpu_counts(b, rec->sample.cpu);
	if (!c)
		return -ENOMEM;
	c->samples++;
	key = w->key;
	trim_key(&key, keep);
	if (keep & KEEP_LAST)
		return profile_add(&a->profile, &key, 1);
	return profile_later(&a->profile, &key);
}

static int run_lost(struct sample_counts *b, const struct vmmprof_rec_lost *l,
		    __u32 cpu)
{
	struct cpu_counts *c = cpu_counts(b, cpu);

	if (!c)
		return -ENOMEM;
	sat_sum(&c->lost, l->lost);
	sat_sum(&b->lost_other, l->lost_other);
	if (l->hdr.flags & VMMPROF_L_NAMES)
		sat_sum(&b->lost_names, l->lost_other);
	return 0;
}

int analysis_record(struct analysis *a, unsigned int keep, const union rec *rec,
		    __u32 cpu, record_fn *fn, void *arg)
{
	struct resolved where;
	int ret = 0;

	switch (rec->hdr.type) {
	case VMMPROF_REC_SAMPLE:
		ret = run_sample(a, keep, rec, &where);
		break;
	case VMMPROF_REC_VCPU:
		a->counts.vcpu_records++;
		ret = resolver_vcpu(&a->resolver, &rec->vcpu);
		break;
	case VMMPROF_REC_LOST:
		ret = run_lost(&a->counts, &rec->lost, cpu);
		break;
	case VMMPROF_REC_THROTTLE:
		a->counts.throttled++;
		break;
	}
	a->rec_cpu = cpu;
	if (!ret && fn)
		ret = fn(a, arg, rec,
			 rec->hdr.type == VMMPROF_REC_SAMPLE ? &where : NULL);
	return ret;
}

static void prefetch_sample(void *arg, const union rec *rec)
{
	struct analysis *a = arg;

	if (rec->hdr.type == VMMPROF_REC_SAMPLE)
		resolve_prefetch(&a->resolver, &rec->sample);
}

int analysis_run(struct analysis *a, unsigned int keep, record_fn *fn,
		 void *arg)
{
	const union rec *rec;
	struct merge m;
	int ret;

	ret = counts_open(a);
	if (!ret)
		ret = session_merge(&a->session, &m);
	if (ret)
		return ret;
	m.prefetch = prefetch_sample;
	m.prefetch_arg = a;
	while (!ret && merge_next(&m, &rec))
		ret = analysis_record(a, keep, rec, m.cpu, fn, arg);
	if (!ret)
		ret = profile_flush(&a->profile);
	counts_close(&a->counts, &m);
	merge_deinit(&m);
	return ret;
}
