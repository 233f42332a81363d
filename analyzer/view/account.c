// SPDX-License-Identifier: GPL-2.0-only
/* Sums the buckets of a profile into the lines of the account. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/account.h"
#include "base/saturate.h"
#include "base/vec.h"
#include "base/sort.h"

static int add_line(struct account *acc, const struct bucket_key *key,
		    __u64 samples, struct hash *have)
{
	__u64 id = (__u64)key->guest << 16 | key->mode << 8 | key->cause;
	struct account_line *l;
	__u32 i = hash_get(have, id);
	int ret;

	if (i == VMMPROF_NONE) {
		i = acc->nr_lines;
		ret = vec_grow(&acc->lines, &acc->cap_lines, i, sizeof(*l));
		if (!ret)
			ret = hash_set(have, id, i);
		if (ret)
			return ret;
		l = &acc->lines[acc->nr_lines++];
		memset(l, 0, sizeof(*l));
		l->machine = key->guest;
		l->mode = key->mode;
		l->cause = key->cause;
	}
	sat_sum(&acc->lines[i].samples, samples);
	return 0;
}

static int cmp_line(const void *a, const void *b)
{
	const struct account_line *x = a, *y = b;

	if (!x->cause != !y->cause)
		return x->cause ? 1 : -1;
	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	if (x->mode != y->mode)
		return x->mode - y->mode;
	return x->cause - y->cause;
}

static void add_guest(struct account *acc, const struct bucket_key *key,
		      __u64 samples)
{
	struct account_guest *g = &acc->guests[key->guest - 1];

	sat_sum(&g->samples, samples);
	if (!key->cause)
		sat_sum(&g->resolved, samples);
	if (key->mode == MODE_KERNEL)
		sat_sum(&g->kernel, samples);
	if (key->cause == CAUSE_KERNEL_GAP)
		sat_sum(&g->kernel_gap, samples);
	if (!key->who || key->who == WHO_PTI)
		sat_sum(&g->how[key->how], samples);
	sat_sum(&g->who[key->who], samples);
}

/* Kernel and user of the host are always there. */
static int add_host_lines(struct account *acc, struct hash *have)
{
	struct bucket_key key = { .mode = MODE_KERNEL };
	int ret;

	ret = add_line(acc, &key, 0, have);
	key.mode = MODE_USER;
	return ret ? ret : add_line(acc, &key, 0, have);
}

int account_init(struct account *acc, const struct analysis *a)
{
	const struct sample_counts *b = &a->counts;
	struct hash have = { 0 };
	size_t i;
	int ret;

	memset(acc, 0, sizeof(*acc));
	acc->guests = calloc(a->resolver.guests.nr + 1, sizeof(*acc->guests));
	if (!acc->guests)
		return -ENOMEM;
	ret = add_host_lines(acc, &have);
	for (i = 0; i < a->profile.nr && !ret; i++) {
		const struct bucket *c = &a->profile.buckets[i];

		ret = add_line(acc, &c->key, c->samples, &have);
		if (c->key.guest)
			add_guest(acc, &c->key, c->samples);
	}
	hash_deinit(&have);
	if (ret)
		return ret;
	sort_array(acc->lines, acc->nr_lines, sizeof(*acc->lines), cmp_line);
	for (i = 0; i < acc->nr_lines; i++)
		sat_sum(&acc->sum, acc->lines[i].samples);
	acc->adds_up = acc->sum == b->samples;
	acc->complete = !b->has_stat ||
			b->written == sat_add(b->samples, b->outside);
	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpus[i].has_stat &&
		    b->cpus[i].written !=
			    sat_add(b->cpus[i].samples, b->cpus[i].outside))
			acc->complete = false;
	return 0;
}

void account_deinit(struct account *acc)
{
	free(acc->lines);
	free(acc->guests);
	memset(acc, 0, sizeof(*acc));
}

const char *cpu_mode_text(unsigned int mode)
{
	static const char *const text[NR_MODES] = { "kernel", "user",
						    "unknown mode" };

	return mode < NR_MODES ? text[mode] : "?";
}
