/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel's own symbols in a copy of its read-only data, as scripts/kallsyms.c
 * of its source has put them there.  That data is found by its form alone: a
 * table of 256 tokens, of which each digit is itself, and an index to it.
 *
 *	up to 6.1	offsets, relative_base, num_syms, names, markers,
 *			token_table, token_index
 *	6.2, 6.3	the same, seqs_of_names before token_table
 *	6.4 to 6.19	num_syms, names, markers, token_table, token_index,
 *			offsets, relative_base, seqs_of_names
 *	7.0		the same without relative_base
 *
 * An offset is, where per-CPU symbols are absolute (x86-64 up to 6.14; some are
 * then negative), the address itself or, if negative, relative_base - 1 - offset;
 * up to 6.19 what is to be added to relative_base; from 7.0 on, to the address of
 * the offset itself.
 */
#ifndef INTROSPECT_KALLSYMS_TABLES_H
#define INTROSPECT_KALLSYMS_TABLES_H

#include <linux/types.h>
#include <stddef.h>
#include <stdio.h>

#define GUEST_SYMBOLS_MAX 2000000u     /* kernels have up to 400,000 */
#define GUEST_STRINGS_MAX (128u << 20) /* bytes of their names */

struct guest_symbol {
	__u64 addr;
	__u32 name; /* offset in the strings */
	char type;  /* as in /proc/kallsyms */
};

/* A kernel's symbols, in the order of their addresses. */
struct guest_symbols {
	struct guest_symbol *syms;
	size_t nr, cap;
	char *strings;
	size_t used, room; /* bytes of the strings */
};

/*
 * Find and decode the tables in @data, @size bytes of read-only data that begin
 * at the kernel address @va.  -ENOENT: none there (a kernel without
 * CONFIG_KALLSYMS, or of another form), -EBADMSG: tables that contradict each
 * other, -E2BIG: too much that looks like tables, -ENOMEM.
 */
int kallsyms_tables_read(const void *data, size_t size, __u64 va,
			 struct guest_symbols *ret);

void guest_symbols_deinit(struct guest_symbols *s);

/* Append one, with @len bytes of name.  0, -ENOMEM, -E2BIG. */
int guest_symbols_add(struct guest_symbols *s, __u64 addr, char type,
		      const char *name, size_t len);

/* Its name: a string, of bytes of the guest's choice. */
static inline const char *guest_symbol_name(const struct guest_symbols *s,
					    const struct guest_symbol *sym)
{
	return s->strings + sym->name;
}

/* The address of @name, the first of several; 0: there is none. */
__u64 guest_symbols_find(const struct guest_symbols *s, const char *name);

#endif /* INTROSPECT_KALLSYMS_TABLES_H */
