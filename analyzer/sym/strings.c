// SPDX-License-Identifier: GPL-2.0-only
/* Interned strings: a hash table of ids. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "sym/strings.h"
#include "base/hash.h"
#include "base/vec.h"

static int strings_resize(struct strings *t)
{
	size_t slots = t->mask ? (t->mask + 1) * 2 : 256, i, j;
	__u32 *table = malloc(slots * sizeof(*table));

	if (!table)
		return -ENOMEM;
	memset(table, 0xff, slots * sizeof(*table));
	for (i = 0; i < t->nr; i++) {
		j = hash_bytes(t->str[i], strlen(t->str[i])) & (slots - 1);
		while (table[j] != VMMPROF_NONE)
			j = (j + 1) & (slots - 1);
		table[j] = i;
	}
	free(t->table);
	t->table = table;
	t->mask = slots - 1;
	return 0;
}

int strings_add(struct strings *t, const char *s, size_t len, __u32 *ret)
{
	const char *have;
	size_t i;
	int err;

	len = strnlen(s, len);
	if (2 * (t->nr + 1) > t->mask) {
		err = strings_resize(t);
		if (err)
			return err;
	}
	for (i = hash_bytes(s, len) & t->mask; t->table[i] != VMMPROF_NONE;
	     i = (i + 1) & t->mask) {
		have = t->str[t->table[i]];
		if (!strncmp(have, s, len) && !have[len]) {
			*ret = t->table[i];
			return 0;
		}
	}
	err = vec_grow(&t->str, &t->cap, t->nr, sizeof(*t->str));
	if (err)
		return err;
	t->str[t->nr] = strndup(s, len);
	if (!t->str[t->nr])
		return -ENOMEM;
	t->table[i] = t->nr;
	*ret = t->nr++;
	return 0;
}

const char *strings_get(const struct strings *t, __u32 id)
{
	return id < t->nr ? t->str[id] : "";
}

void strings_deinit(struct strings *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		free(t->str[i]);
	free(t->str);
	free(t->table);
	memset(t, 0, sizeof(*t));
}
