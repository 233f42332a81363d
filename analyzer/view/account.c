// SPDX-License-Identifier: GPL-2.0-only
/* Sums the cells of a profile into the lines of the account. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/account.h"
#include "base/saturate.h"
#include "base/vec.h"

static int add_line(struct vmmprof_account *acc,
		    const struct vmmprof_cell_key *key, __u64 samples,
		    struct vmmprof_hash *have)
{
	__u64 id = (__u64)key->guest << 16 | key->mode << 8 | key->cause;
	struct vmmprof_account_line *l;
	__u32 i = vmmprof_hash_get(have, id);
	int ret;

	if (i == VMMPROF_NONE) {
		i = acc->nr_lines;
		ret = vmmprof_vec_grow(&acc->lines, &acc->cap_lines, i,
				       sizeof(*l));
		if (!ret)
			ret = vmmprof_hash_set(have, id, i);
		if (ret)
			return ret;
		l = &acc->lines[acc->nr_lines++];
		memset(l, 0, sizeof(*l));
		l->machine = key->guest;
		l->mode = key->mode;
		l->cause = key->cause;
	}
	vmmprof_sum(&acc->lines[i].samples, samples);
	return 0;
}

static int cmp_line(const void *a, const void *b)
{
	const struct vmmprof_account_line *x = a, *y = b;

	if (!x->cause != !y->cause)
		return x->cause ? 1 : -1;
	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	if (x->mode != y->mode)
		return x->mode - y->mode;
	return x->cause - y->cause;
}

static void add_guest(struct vmmprof_account *acc,
		      const struct vmmprof_cell_key *key, __u64 samples)
{
	struct vmmprof_account_guest *g = &acc->guests[key->guest - 1];

	vmmprof_sum(&g->samples, samples);
	if (!key->cause)
		vmmprof_sum(&g->resolved, samples);
	if (key->mode == VMMPROF_MODE_KERNEL)
		vmmprof_sum(&g->kernel, samples);
	if (key->cause == VMMPROF_CAUSE_KERNEL_GAP)
		vmmprof_sum(&g->kernel_gap, samples);
	if (!key->who || key->who == VMMPROF_WHO_PTI)
		vmmprof_sum(&g->how[key->how], samples);
	vmmprof_sum(&g->who[key->who], samples);
}

/* Kernel and user of the host are always there. */
static int add_host_lines(struct vmmprof_account *acc,
			  struct vmmprof_hash *have)
{
	struct vmmprof_cell_key key = { .mode = VMMPROF_MODE_KERNEL };
	int ret;

	ret = add_line(acc, &key, 0, have);
	key.mode = VMMPROF_MODE_USER;
	return ret ? ret : add_line(acc, &key, 0, have);
}

int vmmprof_account_init(struct vmmprof_account *acc,
			 const struct vmmprof_analysis *a)
{
	const struct vmmprof_books *b = &a->books;
	struct vmmprof_hash have = { 0 };
	size_t i;
	int ret;

	memset(acc, 0, sizeof(*acc));
	acc->guests = calloc(a->resolver.guests.nr + 1, sizeof(*acc->guests));
	if (!acc->guests)
		return -ENOMEM;
	ret = add_host_lines(acc, &have);
	for (i = 0; i < a->profile.nr && !ret; i++) {
		const struct vmmprof_cell *c = &a->profile.cells[i];

		ret = add_line(acc, &c->key, c->samples, &have);
		if (c->key.guest)
			add_guest(acc, &c->key, c->samples);
	}
	vmmprof_hash_deinit(&have);
	if (ret)
		return ret;
	qsort(acc->lines, acc->nr_lines, sizeof(*acc->lines), cmp_line);
	for (i = 0; i < acc->nr_lines; i++)
		vmmprof_sum(&acc->sum, acc->lines[i].samples);
	acc->adds_up = acc->sum == b->samples;
	acc->complete = !b->has_stat || b->written == b->samples;
	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpus[i].has_stat &&
		    b->cpus[i].written != b->cpus[i].samples)
			acc->complete = false;
	return 0;
}

void vmmprof_account_deinit(struct vmmprof_account *acc)
{
	free(acc->lines);
	free(acc->guests);
	memset(acc, 0, sizeof(*acc));
}

const char *vmmprof_mode_text(unsigned int mode)
{
	static const char *const text[VMMPROF_NR_MODES] = { "kernel", "user",
							    "unknown mode" };

	return mode < VMMPROF_NR_MODES ? text[mode] : "?";
}
