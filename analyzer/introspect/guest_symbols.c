// SPDX-License-Identifier: GPL-2.0-only
/* A growing list of symbols. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "introspect/kallsyms_tables.h"

void guest_symbols_deinit(struct guest_symbols *s)
{
	free(s->syms);
	free(s->strings);
	memset(s, 0, sizeof(*s));
}

int guest_symbols_add(struct guest_symbols *s, __u64 addr, char type,
		      const char *name, size_t len)
{
	struct guest_symbol *sym;

	if (s->nr >= GUEST_SYMBOLS_MAX || s->used + len >= GUEST_STRINGS_MAX)
		return -E2BIG;
	if (vec_grow(&s->syms, &s->cap, s->nr, sizeof(*s->syms)))
		return -ENOMEM;
	while (s->room - s->used < len + 1)
		if (vec_grow(&s->strings, &s->room, s->room, 1))
			return -ENOMEM;
	sym = &s->syms[s->nr++];
	sym->addr = addr;
	sym->type = type;
	sym->name = s->used;
	memcpy(s->strings + s->used, name, len);
	s->strings[s->used + len] = '\0';
	s->used += len + 1;
	return 0;
}

__u64 guest_symbols_find(const struct guest_symbols *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(guest_symbol_name(s, &s->syms[i]), name))
			return s->syms[i].addr;
	return 0;
}
