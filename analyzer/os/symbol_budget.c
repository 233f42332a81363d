// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the space and time of symbols by the user whose processes have the
 * files mapped.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "os/symbol_budget.h"

#define MAX_USERS 1024 /* the rest counts as one */
#define SECOND	  1000000000ull

const struct symlimits symlimits_host = {
	.file = 128u << 20,
	.user = 192u << 20,
	.untrusted = 256u << 20,
	.all = 640u << 20,
	.file_ns = 10 * SECOND,
	.user_ns = 20 * SECOND,
	.untrusted_ns = 60 * SECOND,
	.jits = 160u << 20,
	.user_jits = 64u << 20,
	.written = 928u << 20,
};

/* The host takes bundles of 512 MiB (transport/collect.h). */
const struct symlimits symlimits_guest = {
	.file = 64u << 20,
	.user = 96u << 20,
	.untrusted = 128u << 20,
	.all = 288u << 20,
	.file_ns = 5 * SECOND,
	.user_ns = 10 * SECOND,
	.untrusted_ns = 20 * SECOND,
	.jits = 64u << 20,
	.user_jits = 32u << 20,
	.written = 448u << 20,
};

void symbol_budget_init(struct symbol_budget *b, const struct symlimits *limits)
{
	memset(b, 0, sizeof(*b));
	b->limits = limits;
}

void symbol_budget_deinit(struct symbol_budget *b)
{
	free(b->users);
	b->users = NULL;
	b->nr = 0;
	b->cap = 0;
}

/* Of this user; NULL without memory for the first one. */
static struct symbol_budget_user *user(struct symbol_budget *b, __u32 uid)
{
	size_t i;

	for (i = 0; i < b->nr; i++)
		if (b->users[i].uid == uid)
			return &b->users[i];
	if (b->nr > MAX_USERS)
		return &b->users[b->nr - 1];
	if (b->nr == MAX_USERS)
		uid = SYMBOL_BUDGET_ANY;
	if (vec_grow(&b->users, &b->cap, b->nr, sizeof(*b->users)))
		return b->nr ? &b->users[b->nr - 1] : NULL;
	memset(&b->users[b->nr], 0, sizeof(*b->users));
	b->users[b->nr].uid = uid;
	return &b->users[b->nr++];
}

int symbol_budget_ask(struct symbol_budget *b, const struct file_owner *owner,
		      __u64 bytes)
{
	const struct symbol_budget_user *u = user(b, owner->mapper);
	const struct symlimits *l = b->limits;

	if (!u)
		return -ENOMEM;
	if (owner->mapper && u->bytes + bytes > l->user)
		return -EDQUOT;
	if (b->all + bytes > l->all ||
	    (!owner->trusted && b->untrusted + bytes > l->untrusted))
		return -ENOSPC;
	if ((owner->mapper && u->ns > l->user_ns) ||
	    (!owner->trusted && b->untrusted_ns > l->untrusted_ns))
		return -ETIME;
	return 0;
}

void symbol_budget_take(struct symbol_budget *b, const struct file_owner *owner,
			__u64 bytes, __u64 ns)
{
	struct symbol_budget_user *u = user(b, owner->mapper);

	if (u) {
		u->bytes += bytes;
		u->ns += ns;
	}
	b->all += bytes;
	if (owner->trusted)
		return;
	b->untrusted += bytes;
	b->untrusted_ns += ns;
}

void symbol_budget_left(struct symbol_budget *b, __u32 uid, int err)
{
	struct symbol_budget_user *u = user(b, uid);

	if (u && (err == -EDQUOT || err == -ENOSPC || err == -ETIME))
		u->over++;
	else if (u)
		u->failed++;
}

bool symbol_budget_jit(struct symbol_budget *b, __u32 uid, __u64 bytes)
{
	struct symbol_budget_user *u = user(b, uid);

	if (!u)
		return false;
	if ((uid && u->jit_bytes + bytes > b->limits->user_jits) ||
	    b->jits + bytes > b->limits->jits) {
		u->jits++;
		return false;
	}
	u->jit_bytes += bytes;
	b->jits += bytes;
	return true;
}

static void describe(const struct symbol_budget_user *u, char *buf, size_t size)
{
	char who[32], jits[64] = "";

	snprintf(who, sizeof(who), "user %u", u->uid);
	if (u->jits)
		snprintf(jits, sizeof(jits), ", %u functions of JIT code",
			 u->jits);
	snprintf(
		buf, size,
		"symbols that processes of %s have mapped are left out: %u files were too large, too slow to read or made the reader crash, %u files exceed what one user may have (kept: %llu MiB)%s",
		u->uid == SYMBOL_BUDGET_ANY ? "many users" : who, u->failed,
		u->over, u->bytes >> 20, jits);
}

int symbol_budget_note(const struct symbol_budget *b, struct item_writer *w)
{
	char text[400];
	size_t i;
	int ret = 0;

	for (i = 0; i < b->nr && !ret; i++) {
		const struct symbol_budget_user *u = &b->users[i];

		if (!u->over && !u->failed && !u->jits)
			continue;
		describe(u, text, sizeof(text));
		ret = item_note(w, "%s", text);
	}
	return ret;
}

void symbol_budget_say(const struct symbol_budget *b, char *buf, size_t size)
{
	const struct symbol_budget_user *most = NULL;
	__u32 nr = 0, sum, best = 0;
	size_t i, used;

	buf[0] = '\0';
	for (i = 0; i < b->nr; i++) {
		sum = b->users[i].over + b->users[i].failed + b->users[i].jits;
		nr += sum > 0;
		if (sum > best) {
			best = sum;
			most = &b->users[i];
		}
	}
	if (!most)
		return;
	describe(most, buf, size);
	used = strlen(buf);
	if (nr > 1)
		snprintf(buf + used, size - used,
			 "; and of %u other users (notes in the session)",
			 nr - 1);
}
