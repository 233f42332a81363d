/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address -> function name within one file: the SYMTAB item of a bundle or
 * what elf.h read.
 */
#ifndef SYM_SYMBOL_H
#define SYM_SYMBOL_H

#include <stdbool.h>

#include "format/bundle.h"
#include "sym/elf.h"

struct symbols {
	const struct vmmprof_segment *segments;
	const struct vmmprof_symbol *symbols; /* sorted by addr */
	const char *strings;
	__u32 nr_segments, nr_symbols;
	struct vmmprof_symbol *sorted; /* our own copy, if it had to be sorted */
	struct elffile elf;	       /* our own, if read at report time */
};

/*
 * Use a checked SYMTAB item, which must live as long; an unsorted one is copied
 * and sorted.  0 or -ENOMEM.
 */
int symbols_init(struct symbols *s, const struct vmmprof_maps_symtab *tab);

/*
 * Read the ELF file at path on this machine, if its build-id is the one
 * given.  Returns 0, -ESTALE (another build-id, or none to compare), or why
 * it could not be read.
 */
int symbols_init_elf(struct symbols *s, const char *path, const __u8 *build_id,
		     size_t build_id_size);

/* Those of a file that was read before and lives as long.  No deinit is due. */
void symbols_of_elf(struct symbols *s, const struct elffile *elf);

void symbols_deinit(struct symbols *s);

/* Link address of an offset in the file; false if no segment holds it. */
bool symbols_link_addr(const struct symbols *s, __u64 offset, __u64 *ret);

/* From @from until before @to. */
struct symbols_range {
	__u64 from, to;
};

/* *same is narrowed to offsets as far away from their link addresses. */
bool symbols_link_range(const struct symbols *s, __u64 offset, __u64 *ret,
			struct symbols_range *same);

/* The other way: the offset of a link address. */
bool symbols_offset(const struct symbols *s, __u64 link, __u64 *ret);

/*
 * The function at a link address, NULL in a gap; "": one without a symbol, of
 * which only the bounds are known.  Of several that begin at one address the
 * one with the fewest leading underscores is taken, of nested ones the
 * innermost.
 */
const char *symbols_find(const struct symbols *s, __u64 addr);
/* *same is narrowed to addresses of the same answer. */
const char *symbols_find_range(const struct symbols *s, __u64 addr,
			       struct symbols_range *same);

/*
 * The same to be freed, where one without a symbol is called @file+0xADDR by its
 * first link address; NULL: a gap, or no memory.
 */
char *symbols_name(const struct symbols *s, const char *file, __u64 addr);

/*
 * Has it a name for the function at @addr that begins at @start (@addr: not
 * known)?  A symbol without size goes on to the next one, but counts only there.
 */
bool symbols_names(const struct symbols *s, __u64 addr, __u64 start);

/* Where that function begins and ends (exclusive); false in a gap. */
bool symbols_extent(const struct symbols *s, __u64 addr, __u64 *start,
		    __u64 *end);

#endif /* SYM_SYMBOL_H */
