// SPDX-License-Identifier: GPL-2.0-only
/* Reads code at its addresses, with pread(). */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/search.h"
#include "format/items.h"
#include "sym/code_reader.h"
#include "sym/elf.h"

/* Most segments of a core file; a kernel's has a few. */
#define MAX_PHDRS 4096

/* Up to @size bytes at @offset. */
static int read_at(int fd, __u64 offset, __u64 size, struct code *ret)
{
	ssize_t n;

	if (size > CODE_MAX)
		size = CODE_MAX;
	if (!size || offset > (__u64)INT64_MAX - size)
		return -ENODATA;
	ret->bytes = malloc(size);
	if (!ret->bytes)
		return -ENOMEM;
	n = io_pread(fd, ret->bytes, size, offset);
	if (n > 0) {
		ret->size = n;
		return 0;
	}
	code_free(ret);
	return n ? n : -ENODATA;
}

/* Opened and read; -ESTALE if it is another file. */
static int open_same(const char *path, int flags, const __u8 *build_id,
		     size_t size, struct elffile *elf)
{
	int fd, err;

	if (!size)
		return -ESTALE;
	fd = open_regular(AT_FDCWD, path, flags);
	if (fd < 0)
		return fd;
	err = elffile_read(fd, elf);
	if (!err && (elf->build_id_size != size ||
		     memcmp(elf->build_id, build_id, size)))
		err = -ESTALE;
	else if (!err && elf->no_code)
		err = -ENODATA;
	else if (!err)
		return fd;
	if (err == -ESTALE || err == -ENODATA)
		elffile_free(elf);
	close(fd);
	return err;
}

/* Reads the part of it that lies in executable segments. */
static int read_segment(int fd, const struct elffile *elf, __u64 start,
			__u64 end, struct code *ret)
{
	const struct vmmprof_segment *s;
	__u64 left;
	__u32 i;

	for (i = 0; i < elf->nr_segments; i++) {
		s = &elf->segments[i];
		if (start < s->vaddr || start - s->vaddr >= s->filesz)
			continue;
		left = s->filesz - (start - s->vaddr);
		ret->ia32 = elf->ia32;
		return read_at(fd, s->offset + (start - s->vaddr),
			       end - start < left ? end - start : left, ret);
	}
	return -ENODATA;
}

int code_read(const char *path, int flags, const __u8 *build_id,
	      size_t build_id_size, __u64 start, __u64 end, struct code *ret)
{
	struct elffile elf;
	int fd, err;

	memset(ret, 0, sizeof(*ret));
	fd = open_same(path, flags, build_id, build_id_size, &elf);
	if (fd < 0)
		return fd;
	err = read_segment(fd, &elf, start, end, ret);
	elffile_free(&elf);
	close(fd);
	return err;
}

static bool begins_function(const struct elffile *elf, __u64 addr)
{
	__u32 lo = 0, hi = elf->nr_symbols, mid;

	BISECT(lo, hi, mid, elf->symbols[mid].addr < addr);
	return lo < elf->nr_symbols && elf->symbols[lo].addr == addr;
}

int code_read_kernel(const char *path, const __u8 *build_id,
		     size_t build_id_size, __u64 text, __u64 start, __u64 end,
		     struct code *ret, __u64 *slide)
{
	struct elffile elf;
	int fd, err = -ENODATA;

	memset(ret, 0, sizeof(*ret));
	fd = open_same(path, 0, build_id, build_id_size, &elf);
	if (fd < 0)
		return fd;
	/* The first segment of a vmlinux begins with its first function. */
	if (elf.nr_segments) {
		*slide = text - elf.segments[0].vaddr;
		err = begins_function(&elf, start - *slide) ?
			      read_segment(fd, &elf, start - *slide,
					   end - *slide, ret) :
			      -ENXIO;
	}
	elffile_free(&elf);
	close(fd);
	return err;
}

/* The segment of a core file that holds an address. */
static int find_load(int fd, __u64 start, Elf64_Phdr *ph)
{
	Elf64_Ehdr eh;
	unsigned int i;

	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_type != ET_CORE ||
	    eh.e_phentsize != sizeof(*ph) || eh.e_phnum > MAX_PHDRS)
		return -ENOEXEC;
	for (i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, ph, sizeof(*ph), eh.e_phoff + i * sizeof(*ph)) !=
		    sizeof(*ph))
			return -EBADMSG;
		if (ph->p_type == PT_LOAD && start >= ph->p_vaddr &&
		    start - ph->p_vaddr < ph->p_filesz)
			return 0;
	}
	return -ENODATA;
}

int code_read_core(int fd, __u64 start, __u64 end, struct code *ret)
{
	Elf64_Phdr ph;
	__u64 left;
	int err;

	memset(ret, 0, sizeof(*ret));
	err = find_load(fd, start, &ph);
	if (err)
		return err;
	left = ph.p_filesz - (start - ph.p_vaddr);
	return read_at(fd, ph.p_offset + (start - ph.p_vaddr),
		       end - start < left ? end - start : left, ret);
}

void code_free(struct code *code)
{
	free(code->bytes);
	memset(code, 0, sizeof(*code));
}
