/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that read an ELF file's symbols have in common. */
#ifndef SYM_ELF_INTERNAL_H
#define SYM_ELF_INTERNAL_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <linux/types.h>

struct elffile; /* sym/elf.h */
struct vmmprof_symbol;

/* What a name is, from the best to the worst. */
enum raw_rank {
	RAW_SYMBOL,
	RAW_STUB,    /* of a .plt section: "@plt" belongs to the name */
	RAW_SECTION, /* the name is the section's */
};

/* A symbol of the file's table, before it is sorted into ours. */
struct raw {
	__u64 addr;
	__u64 size;
	const char *name; /* len bytes; 0: none */
	__u32 len;
	__u8 bind;
	__u8 underscores; /* leading */
	__u8 rank;	  /* enum raw_rank */
};

struct raws {
	struct raw *v;
	size_t n;
	size_t max;
	void *unpacked; /* .gnu_debugdata, and the file in it */
	Elf *inner;
	char **made; /* names that no table has */
	size_t nr_made, cap_made;
	bool stripped;
	bool cut;
};

/* Sections of one kind; more are left out. */
#define SECTION_LIST 8
struct section_list {
	Elf_Scn *scn[SECTION_LIST];
	GElf_Shdr sh[SECTION_LIST];
	size_t nr;
};

/* The sections that are used. */
struct sections {
	size_t nr, names;
	bool no_code; /* a section of code has no bytes */
	__u8 *exec;   /* by number: holds code */
	Elf_Scn *symtab, *dynsym, *debugdata, *debuglink, *eh_frame;
	GElf_Shdr symtab_sh, dynsym_sh, debugdata_sh, debuglink_sh, eh_frame_sh;
	struct section_list stubs; /* .plt and the like, .init, .fini */
	struct section_list rela;  /* relocations */
};

/* Data of a section that claims a believable size, or NULL. */
Elf_Data *elf_section_data(Elf_Scn *scn, const GElf_Shdr *sh);

/* 0 or -ENOMEM. */
int raws_add(struct raws *raws, const struct raw *r);

/*
 * Sets the name to the one at @offset of @strings without a version
 * (NAME@@VERSION), cut to ELFFILE_NAME_MAX.  False: there is none.
 */
bool raws_name(const Elf_Data *strings, size_t offset, struct raw *r);

/* Sorts them by address; of one address the best name comes first. */
void raws_sort(struct raws *raws);

/*
 * Sorts them, drops aliases, copies them into the arrays of @ret.  0, -EFBIG or
 * -ENOMEM.
 */
int raws_keep_best(struct raws *raws, struct elffile *ret);

/*
 * Adds what is in sections without symbols: the stubs by which other objects'
 * functions are called, by the name of the function; what is not known to be
 * one by the name of its section.  0 or -ENOMEM.
 */
int raws_add_stubs(Elf *e, const struct sections *s, bool ia32,
		   struct raws *raws);

/*
 * Adds functions that have no symbol to those of @elf: with an empty name, by
 * the entries of the section of type .eh_frame.  0 or -ENOMEM.
 */
int elffile_add_bounds(const struct sections *s, struct elffile *elf);

/*
 * Adds those of @nr symbols, sorted by address, that do not begin inside of a
 * symbol of @elf; one without size takes the size of one at its address.  Their
 * names are in @strings.  0, -EFBIG or -ENOMEM with @elf as it was.
 */
int elffile_fill(struct elffile *elf, const struct vmmprof_symbol *more,
		 size_t nr, const char *strings);

#endif /* SYM_ELF_INTERNAL_H */
