/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of kind MAPS: a guest's bundle or the host's own map file, checked
 * and sorted into arrays.  A bundle is an attacker's input: after
 * bundle_init() every size, count, index and string that these arrays
 * name is valid, whatever the guest wrote.
 */
#ifndef FORMAT_BUNDLE_H
#define FORMAT_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include <vmmprof/maps.h>

#include "format/items.h"

struct blob {
	const char *p;
	size_t len;
};

struct bundle_file {
	const struct vmmprof_maps_file *item;
	const struct vmmprof_maps_symtab *symtab; /* NULL: none */
	const struct vmmprof_maps_unwind *unwind; /* NULL: none */
};

struct bundle {
	struct items items; /* what the pointers below point into */
	struct text text;
	struct blob kallsyms; /* p NULL: none */
	struct blob modules;
	const struct vmmprof_maps_mm **mms;	      /* sorted by ns, stable */
	const struct vmmprof_maps_proc **procs;	      /* sorted by ns, stable */
	const struct vmmprof_maps_map **maps;	      /* sorted by ns, stable */
	const struct vmmprof_maps_task **tasks;	      /* sorted by ns, stable */
	const struct vmmprof_maps_jit **jits;	      /* sorted by ns, stable */
	const struct vmmprof_maps_cgroup **cgroups;   /* sorted by ns, stable */
	const struct vmmprof_maps_ksym **ksyms;	      /* sorted by ns, stable */
	const struct vmmprof_maps_cputime **cputimes; /* sorted, as above */
	const struct vmmprof_maps_image **images;     /* sorted by ns, stable */
	const struct vmmprof_maps_code **codes;	  /* by file, addr; stable */
	const struct vmmprof_item_clock **clocks; /* in file order */
	const char **notes;
	struct bundle_file *files; /* sorted by id, unique */
	size_t nr_mms, nr_procs, nr_maps, nr_clocks, nr_notes, nr_files;
	size_t nr_tasks, nr_jits, nr_cgroups, nr_ksyms, nr_cputimes, nr_codes;
	size_t nr_images, cap_images;
	size_t cap_tasks, cap_jits, cap_cgroups, cap_ksyms, cap_cputimes,
		cap_codes;
	size_t cap_mms, cap_procs, cap_maps, cap_clocks, cap_notes, cap_files;
	const struct vmmprof_maps_symtab **symtabs; /* until joined */
	size_t nr_symtabs, cap_symtabs;
	/*
	 * The kernel's, by start; before them those of files, until joined.  Of
	 * what follows their head nothing is checked: unwind_table_decode().
	 */
	const struct vmmprof_maps_unwind **unwinds;
	size_t nr_unwinds, cap_unwinds;
	__u64 lost;    /* events the writer could not keep */
	__u64 bad;     /* items skipped because they are damaged */
	bool complete; /* there was an END item */
};

/*
 * Read and check the file fd, which stays the caller's.  name is for the
 * lines that go to problems.  Returns 0, with what could be read, or a header
 * error of items_init() and nothing to release.
 */
int bundle_init(struct bundle *b, int fd, const char *name,
		struct problems *problems);

/* The same over a copy of memory, for tests and the fuzzer. */
int bundle_init_mem(struct bundle *b, const void *data, size_t size,
		    const char *name, struct problems *problems);

void bundle_deinit(struct bundle *b);

/* The file with that id, NULL if the bundle has none. */
const struct bundle_file *bundle_find_file(const struct bundle *b, __u32 id);

/*
 * The bytes of code at @addr of file @file (as struct vmmprof_maps_code has
 * them): the item that has most of them, at least one, and with *size how many
 * it has from there on.  NULL: none.
 */
const __u8 *bundle_code(const struct bundle *b, __u32 file, __u64 addr,
			size_t *size, bool *ia32);

/* The stored table of an item, and its bytes. */
static inline const void *unwind_item_table(const struct vmmprof_maps_unwind *u,
					    size_t *size)
{
	*size = u->hdr.size - offsetof(struct vmmprof_maps_unwind, unwind);
	return &u->unwind;
}

/* The parts of a checked symbol table. */
static inline const struct vmmprof_segment *
symtab_segments(const struct vmmprof_maps_symtab *t)
{
	return (const void *)(t + 1);
}

static inline const struct vmmprof_symbol *
symtab_symbols(const struct vmmprof_maps_symtab *t)
{
	return (const void *)(symtab_segments(t) + t->nr_segments);
}

static inline const char *symtab_strings(const struct vmmprof_maps_symtab *t)
{
	return (const void *)(symtab_symbols(t) + t->nr_symbols);
}

/*
 * Is @name the beginning of one of the @size bytes of strings?  Names that are the
 * ends of others would be larger than their table as soon as they are copied.
 */
static inline bool symtab_name_ok(const char *strings, __u32 size, __u32 name)
{
	return name < size && (!name || !strings[name] || !strings[name - 1]);
}

#endif /* FORMAT_BUNDLE_H */
