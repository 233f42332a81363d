// SPDX-License-Identifier: GPL-2.0-only
/* Makes entries of a report's tables and of its tracks' time. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "view/entries.h"
#include "view/safe.h"
#include "view/export_thief.h"
#include "base/saturate.h"
#include "base/vec.h"

/* The host's entries have no vCPU: a number without its VM says nothing. */
static const enum sort keys[] = { SORT_VCPU,   SORT_PROCESS,  SORT_PID,
				  SORT_MODULE, SORT_FUNCTION, SORT_MODE,
				  SORT_TID };

static int add(struct entries *es, const struct entry *e)
{
	int err = vec_grow(&es->entries, &es->cap, es->nr, sizeof(*e));

	if (err || (!e->samples && !e->ticks))
		return err;
	es->entries[es->nr++] = *e;
	sat_sum(&es->samples, e->samples);
	return 0;
}

/*
 * Ids of names in the entries, by id in the resolver; VMMPROF_NONE: not added
 * yet.  Buckets are many, processes and functions few.
 */
struct seen {
	__u32 *functions, *modules;  /* by string of the resolver */
	__u32 *processes, *programs; /* by process of it */
};

static __u32 *none(size_t nr)
{
	__u32 *ids = malloc((nr + 1) * sizeof(*ids));

	if (ids)
		memset(ids, 0xff, (nr + 1) * sizeof(*ids));
	return ids;
}

static void seen_deinit(struct seen *s)
{
	free(s->functions);
	free(s->modules);
	free(s->processes);
	free(s->programs);
}

static int seen_init(struct seen *s, const struct names *n)
{
	s->functions = none(n->nr_text);
	s->modules = none(n->nr_text);
	s->processes = none(n->a->resolver.nr_processes);
	s->programs = none(n->a->resolver.nr_processes);
	return s->functions && s->modules && s->processes && s->programs ?
		       0 :
		       -ENOMEM;
}

static int name_of(struct entries *es, const char *name, __u32 *ret)
{
	return strings_add(&es->names, name, strlen(name), ret);
}

static int name_process(struct entries *es, struct names *n, struct seen *s,
			__u32 proc, struct entry *e)
{
	__u32 container = name_container(n, proc);
	char buf[NAME_MAX_BYTES];
	int err = 0;

	e->pid = n->a->resolver.processes[proc].pid;
	if (s->programs[proc] == VMMPROF_NONE) {
		names_process(n, proc, buf, sizeof(buf));
		err = name_of(es, buf, &s->processes[proc]);
		name_program(n, proc, buf, sizeof(buf));
		if (!err)
			err = name_of(es, buf, &s->programs[proc]);
	}
	e->process = s->processes[proc];
	e->program = s->programs[proc];
	if (err || container == VMMPROF_NONE)
		return err;
	safe_text(buf, sizeof(buf), strings_get(&n->containers, container));
	return name_of(es, buf, &e->container);
}

/* Module and function of a key without a process, as all buckets have them. */
static int name_code(struct entries *es, struct names *n, struct seen *s,
		     const struct bucket_key *key, struct entry *e)
{
	__u32 *module = key->module < n->nr_text ? &s->modules[key->module] :
						   &e->module;
	__u32 *func = key->func < n->nr_text ? &s->functions[key->func] :
					       &e->function;
	char buf[NAME_MAX_BYTES];
	int err = 0;

	if (*module == VMMPROF_NONE) {
		name_module(n, key, buf, sizeof(buf));
		err = name_of(es, buf, module);
	}
	if (!err && *func == VMMPROF_NONE) {
		name_function(n, key, buf, sizeof(buf));
		err = name_of(es, buf, func);
	}
	e->module = *module;
	e->function = *func;
	return err;
}

static int add_bucket(struct entries *es, struct names *n, struct seen *s,
		      const struct bucket *c, __u32 guest)
{
	struct bucket_key key = c->key;
	struct entry e = {
		.machine = key.guest,
		.vcpu = key.vcpu,
		.pid = VMMPROF_NONE,
		.guest = guest,
		.process = VMMPROF_NONE,
		.program = VMMPROF_NONE,
		.container = VMMPROF_NONE,
		.tid = key.tid,
		.module = VMMPROF_NONE,
		.function = VMMPROF_NONE,
		.thief = VMMPROF_NONE,
		.stolen = VMMPROF_NONE,
		.state = key.guest ? ENTRY_GUEST : ENTRY_HOST,
		.mode = key.mode - 1,
		.cause = key.cause,
		.samples = c->samples,
		.ticks = c->ticks,
	};
	int err = 0;

	if (key.proc != VMMPROF_NONE)
		err = name_process(es, n, s, key.proc, &e);
	/* The module's own name, without the process's number. */
	key.proc = VMMPROF_NONE;
	if (!err)
		err = name_code(es, n, s, &key, &e);
	return err ? err : add(es, &e);
}

/* Entries from @first on are those of the rows, in their order. */
static int map_buckets(struct entries *es, struct names *n,
		       const struct selection *sel, const struct table *t,
		       __u32 first)
{
	struct profile *p = &n->a->profile;
	struct profile rows = { 0 };
	struct profile_buckets buckets;
	const struct bucket *c;
	struct bucket_key key;
	size_t i;
	int err;

	err = profile_buckets_of(p, sel->machine, &buckets);

	for (i = 0; i < t->rows.nr && !err; i++)
		if (!is_guest_row(&t->rows.buckets[i].key, sel))
			err = profile_add(&rows, &t->rows.buckets[i].key, 1);
	for (i = 0; !err && i < buckets.nr; i++) {
		c = profile_bucket(p, &buckets, i);
		if (!c->samples || is_guest_row(&c->key, sel) ||
		    !selected(n, sel, &c->key))
			continue;
		key = table_row(n, sel, &c->key);
		err = profile_add(&rows, &key, 1);
		es->of_bucket[c - p->buckets] = first + rows.last;
	}
	profile_deinit(&rows);
	return err;
}

static int add_samples(struct entries *es, struct report *r, struct seen *seen,
		       __u32 machine, __u32 guest)
{
	struct selection sel = report_selection(r, machine);
	struct table t;
	size_t i, first = es->nr;
	int err;

	err = table_init(&t, &r->names, &sel);
	for (i = 0; i < t.rows.nr && !err; i++)
		if (!is_guest_row(&t.rows.buckets[i].key, &sel))
			err = add_bucket(es, &r->names, seen,
					 &t.rows.buckets[i], guest);
	if (es->of_bucket && !err)
		err = map_buckets(es, &r->names, &sel, &t, first);
	table_deinit(&t);
	return err;
}

/* The time that each thief took from a track: as its rows have them summed. */
static int add_thieves(struct entries *es, const struct timeline *tl,
		       __u32 track, struct entry e)
{
	const struct thieves *cs = &tl->thieves;
	const struct stolen_time *t;
	const __u32 *stolen;
	char name[512];
	size_t i, nr;
	int err = 0;

	e.state = ENTRY_PART + PART_STEAL;
	e.exact = true;
	stolen = groups_of(&cs->by_track, track, &nr);
	for (i = 0; i < nr && !err; i++) {
		t = &cs->stolen[stolen[i]];
		e.stolen = stolen[i];
		e.ticks = stolen_ticks(t);
		time_thief(tl, t, name, sizeof(name));
		err = name_of(es, "[steal]", &e.function);
		if (!err)
			err = name_of(es, name, &e.module);
		export_thief(tl, t->thief, name, sizeof(name));
		if (!err)
			err = name_of(es, name, &e.thief);
		if (!err)
			err = add(es, &e);
	}
	return err;
}

static int add_track(struct entries *es, const struct timeline *tl, __u32 track,
		     __u32 guest)
{
	struct entry e = {
		.thief = VMMPROF_NONE,
		.stolen = VMMPROF_NONE,
		.machine = 1 + tl->tracks[track]->guest,
		.vcpu = tl->tracks[track]->vcpu_id,
		.pid = VMMPROF_NONE,
		.guest = guest,
		.process = VMMPROF_NONE,
		.program = VMMPROF_NONE,
		.container = VMMPROF_NONE,
	};
	struct time_rows rows;
	size_t i;
	int err = 0;

	if (es->by_thief)
		err = add_thieves(es, tl, track, e);
	time_rows_track(&rows, tl, track);
	for (i = 0; i < rows.nr && !err; i++) {
		if (es->by_thief && rows.row[i].part == PART_STEAL)
			continue;
		e.state = ENTRY_PART + rows.row[i].part;
		e.exact = time_row_exact(&rows.row[i]);
		e.polls = time_row_polls(&rows.row[i]);
		e.samples = rows.row[i].samples;
		e.ticks = rows.row[i].ticks;
		e.mode = rows.row[i].mode;
		err = name_of(es, rows.row[i].function, &e.function);
		if (!err)
			err = name_of(es, rows.row[i].module, &e.module);
		if (!err)
			err = add(es, &e);
	}
	return err;
}

static int add_time(struct entries *es, struct report *r, __u32 machine,
		    __u32 guest)
{
	struct selection sel = report_selection(r, machine);
	const struct timeline *tl = r->tl;
	const __u32 *tracks;
	size_t i, nr;
	__u32 first;
	int err = 0;

	if (!report_timed(r, &sel))
		return 0;
	tracks = groups_of(&tl->by_guest, machine - 1, &nr);
	for (i = 0; i < nr && !err; i++) {
		if (sel.vcpu != VMMPROF_ANY &&
		    tl->tracks[tracks[i]]->vcpu_id != sel.vcpu)
			continue;
		first = es->nr;
		err = add_track(es, tl, tracks[i], guest);
		if (!es->of_track)
			continue;
		es->of_track[2 * tracks[i]] = first;
		es->of_track[2 * tracks[i] + 1] = es->nr;
	}
	return err;
}

/* One after the other, so that those of a vCPU's state are exact. */
static int add_ns(struct entries *es, const struct timeline *tl)
{
	__u64 khz = tl->khz ? tl->khz : 1000000, key;
	__u64 period = sat_scale(tl->period, 1000000, khz);
	struct hash by_state = { 0 };
	struct ns_sum *sums = NULL;
	size_t i, nr = 0, cap = 0;
	struct entry *e;
	__u32 at;
	int err = 0;

	for (i = 0; i < es->nr && !err; i++) {
		e = &es->entries[i];
		if (!es->timed || !e->machine) {
			e->ns = sat_mul(e->samples, period);
			continue;
		}
		key = ((__u64)e->machine << 32 | e->vcpu) * STEAL_COLUMNS +
		      entry_column(e);
		at = hash_get(&by_state, key);
		if (at == VMMPROF_NONE) {
			at = nr;
			err = vec_grow(&sums, &cap, nr, sizeof(*sums));
			if (!err)
				err = hash_set(&by_state, key, nr);
			if (err)
				break;
			sums[nr++] = (struct ns_sum){ 0 };
		}
		e->ns = ns_sum_add(&sums[at], khz, e->ticks);
	}
	hash_deinit(&by_state);
	free(sums);
	return err;
}

static int make(struct entries *es, const struct report *report)
{
	struct report r = *report;
	char buf[NAME_MAX_BYTES];
	struct seen seen;
	__u32 i, guest;
	int err;

	es->timed = r.tl && r.tl->period &&
		    report_selection(report, 0).event == r.tl->event;
	err = seen_init(&seen, &r.names);
	for (i = 0; i <= r.a->resolver.guests.nr && !err; i++) {
		if (!report_has(&r, i))
			continue;
		r.keys = i ? keys : keys + 1;
		r.nr_keys = sizeof(keys) / sizeof(keys[0]) - !i;
		name_machine(&r.names, i, buf, sizeof(buf));
		err = name_of(es, buf, &guest);
		if (!err)
			err = add_samples(es, &r, &seen, i, guest);
		if (!err)
			err = add_time(es, &r, i, guest);
	}
	seen_deinit(&seen);
	if (!err && r.tl)
		err = add_ns(es, r.tl);
	return err;
}

int entries_init(struct entries *es, const struct report *r)
{
	memset(es, 0, sizeof(*es));
	return make(es, r);
}

static int make_maps(struct entries *es, const struct report *r)
{
	es->of_bucket = none(r->a->profile.nr);
	es->of_track = calloc(r->tl ? 2 * r->tl->nr + 1 : 1,
			      sizeof(*es->of_track));
	return es->of_bucket && es->of_track ? make(es, r) : -ENOMEM;
}

int entries_init_maps(struct entries *es, const struct report *r)
{
	memset(es, 0, sizeof(*es));
	return make_maps(es, r);
}

int entries_init_thieves(struct entries *es, const struct report *r, bool maps)
{
	memset(es, 0, sizeof(*es));
	es->by_thief = true;
	return maps ? make_maps(es, r) : make(es, r);
}

void entries_of(const struct entries *es, __u32 machine, size_t *from,
		size_t *to)
{
	size_t lo = 0, hi = es->nr, mid;

	*from = 0;
	*to = es->nr;
	if (!machine)
		return;
	BISECT(lo, hi, mid, es->entries[mid].machine < machine);
	*from = lo;
	for (*to = lo; *to < es->nr && es->entries[*to].machine == machine;)
		++*to;
}

void entries_deinit(struct entries *es)
{
	strings_deinit(&es->names);
	free(es->entries);
	free(es->of_bucket);
	free(es->of_track);
	memset(es, 0, sizeof(*es));
}

const char *entry_state_key(unsigned int state)
{
	static const char *const text[NR_ENTRY_STATES] = {
		[ENTRY_GUEST] = "guest",
		[ENTRY_HOST] = "host",
		[ENTRY_PART + PART_VMM] = "vmm",
		[ENTRY_PART + PART_HALT] = "halt",
		[ENTRY_PART + PART_BLOCKED] = "blocked",
		[ENTRY_PART + PART_STEAL] = "steal",
		[ENTRY_PART + PART_UNKNOWN] = "unknown",
		[ENTRY_PART + PART_GUEST] = "guest",
	};

	return state < NR_ENTRY_STATES ? text[state] : "?";
}

const char *entry_mode_key(const struct entry *e)
{
	static const char *const text[NR_MODES] = { "kernel", "user",
						    "unknown" };

	if (entry_is_time(e) && e->state != ENTRY_PART + PART_GUEST)
		return NULL;
	return e->mode < NR_MODES ? text[e->mode] : "unknown";
}
