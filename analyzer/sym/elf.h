/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What vmmprof needs to know of an ELF file: its build-id, the executable
 * segments and the function symbols.  With its elf_*.c the only user of libelf.
 *
 * The file is untrusted: it may be no ELF file, damaged, made by an attacker,
 * or truncated while it is read.  It is read with pread(), never mapped.
 */
#ifndef SYM_ELF_H
#define SYM_ELF_H

#include <stdbool.h>
#include <string.h>

#include <vmmprof/maps.h>

#define ELFFILE_STUB	     "@plt" /* ends the name of a stub of the PLT */
#define ELFFILE_BUILD_ID_MAX 20
#define ELFFILE_NAME_MAX     4096 /* longer names of functions are cut */
#define ELFFILE_DEBUGLINK    128  /* with the NUL; longer ones are none */

/*
 * Where a name that begins @left bytes before its table's end is over: at its NUL, or
 * cut at ELFFILE_NAME_MAX.  NULL: it has no end.
 */
static inline const char *elffile_name_end(const char *name, size_t left)
{
	const char *end = memchr(
		name, 0, left < ELFFILE_NAME_MAX ? left : ELFFILE_NAME_MAX);

	return end || left < ELFFILE_NAME_MAX ? end : name + ELFFILE_NAME_MAX;
}

struct elffile {
	struct vmmprof_segment *segments; /* executable PT_LOADs */
	struct vmmprof_symbol *symbols;	  /* by addr, one an address */
	char *strings; /* strings_size bytes, the last is NUL */
	__u32 nr_segments;
	__u32 nr_symbols;
	__u32 strings_size; /* 0 without symbols */
	bool stripped;	    /* without .symtab and .gnu_debugdata */
	bool cut;     /* .gnu_debugdata unpacks to too much: it is left out */
	bool no_code; /* a debug file: its code is elsewhere */
	bool ia32;    /* code of 32 bits */
	__u32 debuglink_crc;
	char debuglink[ELFFILE_DEBUGLINK]; /* .gnu_debuglink; "": none */
	__u8 build_id_size;		   /* 0: none; longer ones are cut */
	__u8 build_id[ELFFILE_BUILD_ID_MAX];
};

/*
 * Read the ELF executable or shared object behind @fd (at least readable; its
 * file position does not matter and may change).  Symbols are those of .symtab,
 * without any those of .gnu_debugdata and .dynsym; of several names of one
 * address the one a programmer would use is kept.  x86 only, 32 and 64 bit.
 *
 * 0: *@ret is filled, to be released by elffile_free().  -ENOEXEC: no such ELF;
 * -EBADMSG: a damaged one; -EFBIG: larger than real ones are; -ENOMEM; or what
 * reading gave.
 */
int elffile_read(int fd, struct elffile *ret);

/*
 * As elffile_read(), but only the build-id: cheap.  Also of what dwz(1)
 * writes, which is neither executable nor shared object.
 */
int elffile_read_build_id(int fd, struct elffile *ret);

/* As elffile_read(), but without symbols. */
int elffile_read_segments(int fd, struct elffile *ret);

/* As elffile_read(), of an image in memory ([vdso]). */
int elffile_read_memory(const void *image, size_t size, struct elffile *ret);

/*
 * Take the symbols of the debug file @fd for a stripped @elf, if it has the
 * same build-id, or, where @elf has none, the checksum of its .gnu_debuglink;
 * segments stay.  0, or -errno with @elf as it was: -ESTALE if it is another
 * file's, or has no symbols either; -EFBIG: too large for a checksum.
 */
int elffile_add_debug(struct elffile *elf, int fd);

/*
 * Removes the functions that have no symbol, for which there is no room.  False:
 * there are none.
 */
bool elffile_drop_bounds(struct elffile *elf);

void elffile_free(struct elffile *elf);

/* Bytes of a section, as they are in the file. */
struct elf_section {
	void *bytes; /* to be freed */
	size_t size;
	__u64 addr; /* link address */
	bool ia32;
};

/*
 * The first section of this name with bytes in the file (of debug files, code
 * has none).  0; -ENOENT: there is none; or as elffile_read().
 */
int elffile_section(int fd, const char *name, struct elf_section *ret);

/* As elffile_section(), of an image in memory ([vdso]). */
int elffile_section_memory(const void *image, size_t size, const char *name,
			   struct elf_section *ret);

#endif /* SYM_ELF_H */
