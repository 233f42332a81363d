// SPDX-License-Identifier: GPL-2.0-only
/* Finds and decodes a kernel's own symbols in its read-only data. */

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "introspect/kallsyms_tables.h"

#define TOKENS	     256
#define NAME_MAX_LEN 1024	 /* KSYM_NAME_LEN is 512 since 6.1 */
#define SYMBOLS_MIN  256	 /* a marker more than the first */
#define STEPS_MAX    (64u << 20) /* names that are looked at in a search */
#define KERNEL_FIRST 0xffffffff80000000ull

struct tables {
	const __u8 *data;
	size_t size;
	__u64 va;
	const __u8 *tokens; /* the token table */
	__u16 index[TOKENS];
	size_t token_table; /* offsets in the data */
	size_t index_end;
	size_t num_syms;
	size_t names;
	__u32 nr;
	unsigned int steps; /* left */
};

/* Where the offsets are, and how they are meant. */
struct offsets {
	size_t at;
	__u64 base;
	enum { ABSOLUTE_PERCPU, FROM_BASE, FROM_SLOT } kind;
};

static __u32 get_u32(const struct tables *t, size_t at)
{
	__u32 v;

	memcpy(&v, t->data + at, sizeof(v));
	return v;
}

static size_t align(size_t at, size_t to)
{
	return (at + to - 1) / to * to;
}

/*
 * The table ends at @end; do 256 indices follow that name the beginnings of its
 * strings?  "0" begins at @digit.
 */
static bool check_index(struct tables *t, size_t digit, size_t end)
{
	size_t pos, i;

	if (end > t->size || t->size - end < sizeof(t->index))
		return false;
	memcpy(t->index, t->data + end, sizeof(t->index));
	if (t->index[0] || t->index['0'] > digit)
		return false;
	t->token_table = digit - t->index['0'];
	for (pos = t->token_table, i = 0; i < TOKENS; i++) {
		const __u8 *nul;

		if (pos != t->token_table + t->index[i] || pos >= end)
			return false;
		nul = memchr(t->data + pos, 0, end - pos);
		if (!nul)
			return false;
		pos = nul - t->data + 1;
	}
	t->tokens = t->data + t->token_table;
	t->index_end = end + sizeof(t->index);
	return true;
}

/* The end of the token table in which "0" begins at @digit. */
static bool find_index(struct tables *t, size_t digit)
{
	size_t pos = digit, to;
	int i;

	for (i = '0'; i < TOKENS; i++) {
		size_t left = t->size - pos;
		const __u8 *nul = memchr(t->data + pos, 0,
					 left < NAME_MAX_LEN ? left :
							       NAME_MAX_LEN);

		if (!nul)
			return false;
		pos = nul - t->data + 1;
	}
	for (to = 8; to >= 2; to /= 2)
		if (check_index(t, digit, align(pos, to)))
			return true;
	return false;
}

static bool find_tokens(struct tables *t, size_t *from)
{
	static const char digits[] = { '0', 0, '1', 0, '2', 0, '3', 0, '4', 0,
				       '5', 0, '6', 0, '7', 0, '8', 0, '9', 0 };
	const __u8 *hit;

	while (*from < t->size) {
		hit = memmem(t->data + *from, t->size - *from, digits,
			     sizeof(digits));
		if (!hit)
			return false;
		*from = hit - t->data + 1;
		if (find_index(t, hit - t->data))
			return true;
	}
	return false;
}

/* Of the name at *pos: its bytes; *pos is behind it then.  NULL: damaged. */
static const __u8 *next_name(struct tables *t, size_t *pos, size_t *len)
{
	const __u8 *name;
	size_t at = *pos, end = t->size;

	if (at >= end)
		return NULL;
	*len = t->data[at++];
	if (*len & 0x80) {
		if (at >= end)
			return NULL;
		*len = (*len & 0x7f) | (size_t)t->data[at++] << 7;
	}
	if (!*len || *len > NAME_MAX_LEN || *len > end - at)
		return NULL;
	name = t->data + at;
	*pos = at + *len;
	return name;
}

static char type_of(const struct tables *t, const __u8 *name)
{
	return t->tokens[t->index[*name]];
}

/* Do @nr markers at @at agree with the names from @names on? */
static bool check_markers(struct tables *t, size_t at)
{
	size_t pos = t->names, len, i;

	if (at > t->token_table ||
	    (t->token_table - at) / 4 < (t->nr + 255) / 256)
		return false;
	for (i = 0; i < t->nr; i++) {
		if (i % 256 == 0 &&
		    get_u32(t, at + i / 256 * 4) != pos - t->names)
			return false;
		next_name(t, &pos, &len);
	}
	return true;
}

/* Is there a count at @at, with as many names and their markers behind it? */
static int check_names(struct tables *t, size_t at, size_t names)
{
	size_t pos = names, len, i;

	t->nr = get_u32(t, at);
	if (t->nr < SYMBOLS_MIN || t->nr > GUEST_SYMBOLS_MAX ||
	    t->nr > t->token_table - names)
		return -ENOENT;
	for (i = 0; i < t->nr; i++) {
		const __u8 *name = next_name(t, &pos, &len);

		if (!t->steps)
			return -E2BIG;
		t->steps--;
		if (!name || pos > t->token_table ||
		    !strchr("abcdginprstuvw?-", type_of(t, name) | 0x20))
			return -ENOENT;
	}
	t->num_syms = at;
	t->names = names;
	return check_markers(t, align(pos, 8)) ||
			       check_markers(t, align(pos, 4)) ?
		       0 :
		       -ENOENT;
}

/* They are before the token table, mostly right before it. */
static int find_names(struct tables *t)
{
	size_t at = t->token_table & ~(size_t)3;
	int err;

	while (at >= 8) {
		at -= 4;
		if (t->token_table - at < SYMBOLS_MIN)
			continue;
		err = check_names(t, at, at + 4);
		if (err == -ENOENT && at % 8 == 0 && !get_u32(t, at + 4))
			err = check_names(t, at, at + 8);
		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

static __u64 address(const struct tables *t, const struct offsets *o, size_t i)
{
	__u32 v = get_u32(t, o->at + 4 * i);

	switch (o->kind) {
	case ABSOLUTE_PERCPU:
		return (__s32)v < 0 ? o->base - 1 - (__s64)(__s32)v : v;
	case FROM_BASE:
		return o->base + v;
	default:
		return t->va + o->at + 4 * i + (__s64)(__s32)v;
	}
}

/* Addresses of a kernel in their order, from the first on? */
static bool check_offsets(const struct tables *t, const struct offsets *o)
{
	__u64 last = 0, addr;
	size_t i;

	if (o->at > t->size || t->size - o->at < 4 * (size_t)t->nr)
		return false;
	for (i = 0; i < t->nr; i++, last = addr) {
		addr = address(t, o, i);
		if (addr < last)
			return false;
		if (addr < KERNEL_FIRST &&
		    (o->kind != ABSOLUTE_PERCPU || addr >= 1u << 31))
			return false;
	}
	return last >= KERNEL_FIRST;
}

/* The base at @base and the offsets at @at: are they meant this way? */
static bool with_base(const struct tables *t, struct offsets *o, size_t at,
		      size_t base)
{
	size_t i;

	if (base > t->size || t->size - base < 8 || at > t->size ||
	    t->size - at < 4 * (size_t)t->nr)
		return false;
	o->at = at;
	memcpy(&o->base, t->data + base, sizeof(o->base));
	if (o->base < KERNEL_FIRST)
		return false;
	o->kind = FROM_BASE;
	for (i = 0; i < t->nr && o->kind == FROM_BASE; i++)
		if (get_u32(t, at + 4 * i) >> 31)
			o->kind = ABSOLUTE_PERCPU;
	return check_offsets(t, o);
}

static int find_offsets(const struct tables *t, struct offsets *o)
{
	const size_t bytes = 4 * (size_t)t->nr, behind = t->index_end;
	size_t to;

	/* Up to 6.3: before the number. */
	if (t->num_syms >= 8 + align(bytes, 8) &&
	    with_base(t, o, t->num_syms - 8 - align(bytes, 8), t->num_syms - 8))
		return 0;
	for (to = 8; to >= 4; to /= 2) {
		if (with_base(t, o, align(behind, to),
			      align(align(behind, to) + bytes, 8)))
			return 0;
		o->at = align(behind, to);
		o->kind = FROM_SLOT;
		if (check_offsets(t, o))
			return 0;
	}
	return -EBADMSG;
}

/* The letter and the name that the bytes of @name stand for. */
static size_t expand(const struct tables *t, const __u8 *name, size_t len,
		     char *buf, size_t size)
{
	size_t used = 0, i;

	for (i = 0; i < len; i++) {
		const char *token = (const char *)t->tokens + t->index[name[i]];
		size_t n = strlen(token);

		if (n > size - used)
			n = size - used;
		memcpy(buf + used, token, n);
		used += n;
	}
	return used;
}

static int decode(struct tables *t, const struct offsets *o,
		  struct guest_symbols *ret)
{
	char buf[NAME_MAX_LEN + 1];
	size_t pos = t->names, len, i;
	int err;

	for (i = 0; i < t->nr; i++) {
		const __u8 *name = next_name(t, &pos, &len);

		if (!name)
			return -EBADMSG;
		len = expand(t, name, len, buf, sizeof(buf));
		if (memchr(buf, '\n', len) || len < 2)
			return -EBADMSG;
		err = guest_symbols_add(ret, address(t, o, i), buf[0], buf + 1,
					len - 1);
		if (err)
			return err;
	}
	return 0;
}

int kallsyms_tables_read(const void *data, size_t size, __u64 va,
			 struct guest_symbols *ret)
{
	struct tables t = {
		.data = data, .size = size, .va = va, .steps = STEPS_MAX
	};
	struct offsets o = { 0 };
	size_t from = 0;
	int err = -ENOENT;

	memset(ret, 0, sizeof(*ret));
	while (err == -ENOENT && find_tokens(&t, &from))
		err = find_names(&t);
	if (err)
		return err;
	err = find_offsets(&t, &o);
	if (!err)
		err = decode(&t, &o, ret);
	if (err)
		guest_symbols_deinit(ret);
	return err;
}
