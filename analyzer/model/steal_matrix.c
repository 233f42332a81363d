// SPDX-License-Identifier: GPL-2.0-only
/* Adds what each thief took from each vCPU up to victims by thieves. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/steal_matrix.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "base/vec.h"

struct maker {
	struct steal_matrix *m;
	const struct timeline *tl;
	bool exact;
	enum matrix_by by;
	struct hash victims; /* guest or track -> victim */
	struct hash thieves; /* owner << 32 | thief -> thief */
	struct hash cells;   /* victim << 32 | thief -> cell */
};

void steal_matrix_deinit(struct steal_matrix *m)
{
	free(m->victims);
	free(m->thieves);
	free(m->cells);
	memset(m, 0, sizeof(*m));
}

/* The ticks of a vCPU's account. */
static __u64 time_of(const struct maker *mk, __u32 track)
{
	const struct vcpu_gaps *b = &mk->tl->gaps.by_track[track];
	const struct track *t = mk->tl->tracks[track];
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; mk->exact && i < NR_STATES; i++)
		sat_sum(&sum, t->ticks[i]);
	if (mk->exact)
		return sum;
	sum = sat_add(sat_add(b->own, b->steal), sat_add(b->halt, b->unknown));
	return sat_mul(sum, mk->tl->period);
}

/*
 * The place of @key in an array: its own, or @fresh is put behind all others.
 * 0 or -ENOMEM.
 */
static int place_of(struct hash *places, __u64 key, void *array, size_t *cap,
		    size_t *nr, const void *fresh, size_t size, __u32 *ret)
{
	int err;

	*ret = hash_get(places, key);
	if (*ret != VMMPROF_NONE)
		return 0;
	err = vec_grow(array, cap, *nr, size);
	if (!err)
		err = hash_set(places, key, *nr);
	if (err)
		return err;
	*ret = (*nr)++;
	memcpy(*(char **)array + *ret * size, fresh, size);
	return 0;
}

/* The victim that a vCPU is, or is part of. */
static int victim_of(struct maker *mk, __u32 track, __u32 *ret)
{
	bool vcpu = mk->by == MATRIX_VCPU;
	struct steal_matrix *m = mk->m;
	struct matrix_victim v = {
		.guest = mk->tl->tracks[track]->guest,
		.track = vcpu ? track : VMMPROF_NONE,
	};

	return place_of(&mk->victims, vcpu ? track : v.guest, &m->victims,
			&m->cap_victims, &m->nr_victims, &v, sizeof(v), ret);
}

/* Who a thief counts as. */
static struct matrix_thief column_of(const struct maker *mk, __u32 thief)
{
	const struct thieves *cs = &mk->tl->thieves;
	const struct thief *t = &cs->thieves[thief];
	struct matrix_thief c = { .owner = t->owner, .thief = VMMPROF_NONE };
	unsigned int kind = cs->owners.owners[t->owner].kind;
	bool program = kind == OF_CONTAINER || kind == OF_UNIT ||
		       kind == OF_PROCESS;

	if (mk->by == MATRIX_VM && program)
		c.owner = VMMPROF_NONE;
	if ((mk->by == MATRIX_VCPU && t->kind == BY_VCPU) ||
	    (mk->by == MATRIX_PROCESS && kind != OF_VM))
		c.thief = thief;
	return c;
}

static int thief_get(struct maker *mk, __u32 thief, __u32 *ret)
{
	struct matrix_thief c = column_of(mk, thief);
	struct steal_matrix *m = mk->m;

	return place_of(&mk->thieves, (__u64)c.owner << 32 | c.thief,
			&m->thieves, &m->cap_thieves, &m->nr_thieves, &c,
			sizeof(c), ret);
}

static int cell_get(struct maker *mk, __u32 victim, __u32 thief, __u32 *ret)
{
	struct matrix_cell c = { .victim = victim, .thief = thief };
	struct steal_matrix *m = mk->m;

	return place_of(&mk->cells, (__u64)victim << 32 | thief, &m->cells,
			&m->cap_cells, &m->nr_cells, &c, sizeof(c), ret);
}

static int add_stolen(struct maker *mk, const struct stolen_time *from)
{
	__u64 unit = mk->exact ? 1 : mk->tl->period;
	__u64 ticks = sat_mul(stolen_ticks(from), unit);
	__u64 longest = sat_mul(from->longest, unit);
	struct steal_matrix *m = mk->m;
	__u32 victim, thief, cell;
	int err;

	if (!ticks)
		return 0;
	err = victim_of(mk, from->track, &victim);
	if (!err)
		err = thief_get(mk, from->thief, &thief);
	if (!err)
		err = cell_get(mk, victim, thief, &cell);
	if (err)
		return err;
	sat_sum(&m->cells[cell].ticks, ticks);
	if (longest > m->cells[cell].longest)
		m->cells[cell].longest = longest;
	sat_sum(&m->victims[victim].lost, ticks);
	sat_sum(&m->thieves[thief].took, ticks);
	sat_sum(&m->lost, ticks);
	return 0;
}

static int add_all(struct maker *mk)
{
	const struct timeline *tl = mk->tl;
	const struct thieves *cs = mk->exact ? &tl->thieves : &tl->gaps.stolen;
	__u32 i, victim;
	__u64 time;
	int err = 0;

	for (i = 0; i < tl->nr && !err; i++) {
		time = time_of(mk, i);
		if (!time)
			continue;
		err = victim_of(mk, i, &victim);
		if (err)
			break;
		sat_sum(&mk->m->victims[victim].time, time);
		sat_sum(&mk->m->time, time);
	}
	for (i = 0; i < cs->nr_stolen && !err; i++)
		err = add_stolen(mk, &cs->stolen[i]);
	return err;
}

static int cmp_victim(const void *a, const void *b, void *arg)
{
	const struct matrix_victim *x = a, *y = b;
	const struct timeline *tl = arg;
	__u32 i, j;

	if (x->lost != y->lost)
		return x->lost > y->lost ? -1 : 1;
	if (x->guest != y->guest)
		return x->guest < y->guest ? -1 : 1;
	if (x->track == y->track)
		return 0;
	i = tl->tracks[x->track]->vcpu_id;
	j = tl->tracks[y->track]->vcpu_id;
	if (i != j)
		return i < j ? -1 : 1;
	return x->track < y->track ? -1 : 1;
}

static int cmp_thief(const void *a, const void *b)
{
	const struct matrix_thief *x = a, *y = b;

	if (x->took != y->took)
		return x->took > y->took ? -1 : 1;
	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->thief < y->thief ? -1 : x->thief > y->thief;
}

static int cmp_cell(const void *a, const void *b)
{
	const struct matrix_cell *x = a, *y = b;

	if (x->victim != y->victim)
		return x->victim < y->victim ? -1 : 1;
	if (x->ticks != y->ticks)
		return x->ticks > y->ticks ? -1 : 1;
	return x->thief < y->thief ? -1 : x->thief > y->thief;
}

/* Sorts lines and columns; cells name them by their new places. */
static int sort_all(struct maker *mk)
{
	struct steal_matrix *m = mk->m;
	__u32 *at, *to;
	size_t i, nr;

	nr = m->nr_victims > m->nr_thieves ? m->nr_victims : m->nr_thieves;
	at = calloc(2 * nr + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	to = at + nr;
	/* the places in cells of the sorted: by what made the key */
	sort_array_r(m->victims, m->nr_victims, sizeof(*m->victims), cmp_victim,
		     (void *)mk->tl);
	for (i = 0; i < m->nr_victims; i++)
		at[hash_get(&mk->victims, m->victims[i].track != VMMPROF_NONE ?
						  m->victims[i].track :
						  m->victims[i].guest)] = i;
	sort_array(m->thieves, m->nr_thieves, sizeof(*m->thieves), cmp_thief);
	for (i = 0; i < m->nr_thieves; i++)
		to[hash_get(&mk->thieves, (__u64)m->thieves[i].owner << 32 |
						  m->thieves[i].thief)] = i;
	for (i = 0; i < m->nr_cells; i++) {
		m->cells[i].victim = at[m->cells[i].victim];
		m->cells[i].thief = to[m->cells[i].thief];
	}
	free(at);
	sort_array(m->cells, m->nr_cells, sizeof(*m->cells), cmp_cell);
	for (i = m->nr_cells; i > 0; i--) {
		m->victims[m->cells[i - 1].victim].cell = i - 1;
		m->victims[m->cells[i - 1].victim].nr_cells++;
	}
	return 0;
}

int steal_matrix_init(struct steal_matrix *m, const struct timeline *tl,
		      bool exact, enum matrix_by by)
{
	struct maker mk = { .m = m, .tl = tl, .exact = exact, .by = by };
	int err;

	memset(m, 0, sizeof(*m));
	err = add_all(&mk);
	if (!err)
		err = sort_all(&mk);
	hash_deinit(&mk.victims);
	hash_deinit(&mk.thieves);
	hash_deinit(&mk.cells);
	return err;
}
