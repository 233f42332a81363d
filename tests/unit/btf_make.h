/* SPDX-License-Identifier: GPL-2.0-only */
/* BTF made by hand: types one after another, strings by their text. */
#ifndef TESTS_UNIT_BTF_MAKE_H
#define TESTS_UNIT_BTF_MAKE_H

#include <linux/btf.h>
#include <string.h>

struct btf_make {
	__u32 types[512];
	unsigned int nr_words;
	char strings[1024];
	unsigned int strings_size; /* begins as that of the base */
	unsigned int strings_base;
};

/* base: what it continues, or NULL. */
static inline void btf_make_init(struct btf_make *m,
				 const struct btf_make *base)
{
	memset(m, 0, sizeof(*m));
	if (base)
		m->strings_base = base->strings_base + base->strings_size;
	else
		m->strings_size = 1;
}

static inline __u32 btf_make_string(struct btf_make *m, const char *text)
{
	__u32 at = m->strings_size;

	if (!*text)
		return 0;
	strcpy(m->strings + at, text);
	m->strings_size += strlen(text) + 1;
	return m->strings_base + at;
}

static inline void btf_make_word(struct btf_make *m, __u32 word)
{
	m->types[m->nr_words++] = word;
}

/* A type; size_or_type as struct btf_type has it. */
static inline void btf_make_type(struct btf_make *m, const char *name,
				 __u32 kind, __u32 members, __u32 size_or_type)
{
	btf_make_word(m, btf_make_string(m, name));
	btf_make_word(m, kind << 24 | members);
	btf_make_word(m, size_or_type);
	if (kind == BTF_KIND_INT)
		btf_make_word(m, size_or_type * 8);
}

/* The next member of the struct that was begun; offset in bytes. */
static inline void btf_make_member(struct btf_make *m, const char *name,
				   __u32 type, __u32 offset)
{
	btf_make_word(m, btf_make_string(m, name));
	btf_make_word(m, type);
	btf_make_word(m, offset * 8);
}

/* The whole; its size. */
static inline size_t btf_make_blob(const struct btf_make *m, char *blob)
{
	const struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = 1,
		.hdr_len = sizeof(h),
		.type_len = m->nr_words * 4,
		.str_off = m->nr_words * 4,
		.str_len = m->strings_size,
	};

	memcpy(blob, &h, sizeof(h));
	memcpy(blob + sizeof(h), m->types, h.type_len);
	memcpy(blob + sizeof(h) + h.type_len, m->strings, h.str_len);
	return sizeof(h) + h.type_len + h.str_len;
}

#endif /* TESTS_UNIT_BTF_MAKE_H */
