// SPDX-License-Identifier: GPL-2.0-only
/* Reads what is known of an ELF file, and makes a small file of it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "introspect/elf_image.h"
#include "introspect/elf_image_parts.h"
#include "introspect/elf_note.h"

#define NOTES_MAX 4096

int elf_parts_load(struct elf_parts *p, __u64 offset, __u64 size, int fill,
		   __u8 **ret, size_t *known)
{
	__u64 at = 0;
	bool gap = false;
	__u8 *buf;

	*ret = NULL;
	*known = 0;
	if (offset > p->b->size || size > p->b->size - offset)
		return -EBADMSG;
	if (size > p->left) {
		p->large = true;
		return -EFBIG;
	}
	buf = malloc(size ? size : 1);
	if (!buf)
		return -ENOMEM;
	while (at < size) {
		size_t part = GUEST_PAGE - (offset + at) % GUEST_PAGE;
		int err;

		if (part > size - at)
			part = size - at;
		err = p->b->read(p->b->arg, offset + at, buf + at, part);
		if (err && err != -ENOENT) {
			free(buf);
			return err;
		}
		gap |= err != 0;
		if (err)
			memset(buf + at, fill, part);
		at += part;
		if (!gap)
			*known = at;
	}
	p->left -= size;
	p->lacks |= gap;
	*ret = buf;
	return 0;
}

int elf_parts_read(struct elf_parts *p, __u64 offset, void *buf, size_t size)
{
	bool lacked = p->lacks;
	size_t known;
	__u8 *bytes;
	int err = elf_parts_load(p, offset, size, 0, &bytes, &known);

	if (err)
		return err;
	p->left += size;
	p->lacks = lacked;
	memcpy(buf, bytes, known);
	free(bytes);
	return known == size ? 0 : -ENOENT;
}

/* The file's header, of 32 bits too, as one of 64. */
static int read_head(struct elf_parts *p)
{
	Elf64_Ehdr *to = &p->eh;
	Elf32_Ehdr e;
	int err = elf_parts_read(p, 0, &e, sizeof(e));

	if (err)
		return err;
	p->is64 = e.e_ident[EI_CLASS] == ELFCLASS64;
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (!p->is64 && e.e_ident[EI_CLASS] != ELFCLASS32) ||
	    (e.e_type != ET_EXEC && e.e_type != ET_DYN) ||
	    (e.e_machine != EM_X86_64 && e.e_machine != EM_386))
		return -EBADMSG;
	if (p->is64)
		return elf_parts_read(p, 0, to, sizeof(*to));
	memcpy(to, &e, sizeof(e.e_ident) + 8); /* up to e_version */
	to->e_phoff = e.e_phoff;
	to->e_shoff = e.e_shoff;
	to->e_phentsize = e.e_phentsize;
	to->e_phnum = e.e_phnum;
	to->e_shentsize = e.e_shentsize;
	to->e_shnum = e.e_shnum;
	to->e_shstrndx = e.e_shstrndx;
	return 0;
}

static Elf64_Phdr wide(const Elf32_Phdr *h)
{
	return (Elf64_Phdr){
		.p_type = h->p_type,
		.p_flags = h->p_flags,
		.p_offset = h->p_offset,
		.p_vaddr = h->p_vaddr,
		.p_filesz = h->p_filesz,
		.p_memsz = h->p_memsz,
		.p_align = h->p_align,
	};
}

static int read_segments(struct elf_parts *p)
{
	const size_t each = p->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	size_t i;
	int err = 0;

	if (p->eh.e_phentsize != each || p->eh.e_phnum > ELF_IMAGE_SEGMENTS)
		return -EBADMSG;
	for (i = 0; i < p->eh.e_phnum && !err; i++) {
		const __u64 at = p->eh.e_phoff + i * each;
		Elf32_Phdr h;

		if (p->is64) {
			err = elf_parts_read(p, at, &p->ph[i], each);
			continue;
		}
		err = elf_parts_read(p, at, &h, each);
		if (!err)
			p->ph[i] = wide(&h);
	}
	p->nr_ph = p->eh.e_phnum;
	return err;
}

static void read_build_id(struct elf_parts *p, struct elf_image *ret)
{
	__u8 notes[NOTES_MAX];
	size_t i;

	for (i = 0; i < p->nr_ph && !ret->build_id_size; i++)
		if (p->ph[i].p_type == PT_NOTE &&
		    p->ph[i].p_filesz <= sizeof(notes) &&
		    !elf_parts_read(p, p->ph[i].p_offset, notes,
				    p->ph[i].p_filesz))
			ret->build_id_size = elf_note_build_id(
				notes, p->ph[i].p_filesz, ret->build_id);
}

bool elf_parts_offset(const struct elf_parts *p, __u64 addr, __u64 *offset,
		      __u64 *left)
{
	size_t i;

	for (i = 0; i < p->nr_ph; i++) {
		const Elf64_Phdr *h = &p->ph[i];

		if (h->p_type != PT_LOAD || addr < h->p_vaddr ||
		    addr - h->p_vaddr >= h->p_filesz)
			continue;
		*offset = h->p_offset + (addr - h->p_vaddr);
		*left = h->p_filesz - (addr - h->p_vaddr);
		return true;
	}
	return false;
}

/* Sets where its bytes are to come in the image.  The image's size. */
static size_t place(struct elf_parts *p, size_t nr_load)
{
	size_t at = sizeof(Elf64_Ehdr) + nr_load * sizeof(Elf64_Phdr) +
		    p->nr * sizeof(Elf64_Shdr);
	size_t i;

	for (i = 0; i < p->nr; i++) {
		if (!p->part[i].bytes)
			continue;
		at = (at + 7) & ~7ul;
		p->part[i].sh.sh_offset = at;
		at += p->part[i].sh.sh_size;
	}
	for (i = 0; i < p->nr; i++) {
		Elf64_Shdr *sh = &p->part[i].sh;

		if (p->part[i].bytes || sh->sh_type == SHT_NOBITS)
			continue;
		/* Of code only where it is counts: it lies behind the end. */
		if (sh->sh_flags & SHF_EXECINSTR)
			sh->sh_offset = at;
		else
			memset(sh, 0, sizeof(*sh));
	}
	return at;
}

/* All of it as a file of 64 bits. */
static int put_together(struct elf_parts *p, struct elf_image *ret)
{
	size_t nr = 0, at = sizeof(p->eh), i;

	for (i = 0; i < p->nr_ph; i++)
		if (p->ph[i].p_type == PT_LOAD)
			p->ph[nr++] = p->ph[i];
	p->eh.e_ident[EI_CLASS] = ELFCLASS64;
	p->eh.e_ehsize = sizeof(p->eh);
	p->eh.e_phoff = at;
	p->eh.e_phentsize = sizeof(Elf64_Phdr);
	p->eh.e_phnum = nr;
	p->eh.e_shoff = p->nr ? at + nr * sizeof(Elf64_Phdr) : 0;
	p->eh.e_shentsize = sizeof(Elf64_Shdr);
	p->eh.e_shnum = p->nr;
	ret->size = place(p, nr);
	ret->bytes = calloc(1, ret->size);
	if (!ret->bytes)
		return -ENOMEM;
	memcpy(ret->bytes, &p->eh, sizeof(p->eh));
	memcpy((__u8 *)ret->bytes + at, p->ph, nr * sizeof(Elf64_Phdr));
	at += nr * sizeof(Elf64_Phdr);
	for (i = 0; i < p->nr; i++, at += sizeof(Elf64_Shdr)) {
		const struct elf_part *one = &p->part[i];

		memcpy((__u8 *)ret->bytes + at, &one->sh, sizeof(one->sh));
		if (one->bytes)
			memcpy((__u8 *)ret->bytes + one->sh.sh_offset,
			       one->bytes, one->sh.sh_size);
	}
	return 0;
}

static void drop(struct elf_parts *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		free(p->part[i].bytes);
	free(p->part);
	p->part = NULL;
	p->nr = 0;
}

static int read_parts(struct elf_parts *p, struct elf_image *ret)
{
	int err = elf_parts_sections(p);

	ret->sections = !err;
	if (err != -ENOENT)
		return err;
	drop(p);
	p->left = ELF_IMAGE_MAX;
	/* A full table of symbols is perhaps where nothing is known. */
	p->lacks = true;
	return elf_parts_dynamic(p);
}

int elf_image_make(const struct elf_bytes *b, struct elf_image *ret)
{
	struct elf_parts *p = calloc(1, sizeof(*p));
	int err;

	memset(ret, 0, sizeof(*ret));
	if (!p)
		return -ENOMEM;
	p->b = b;
	p->until_ns = b->until_ns;
	p->left = ELF_IMAGE_MAX;
	err = read_head(p);
	err = err ?: read_segments(p);
	if (!err)
		read_build_id(p, ret);
	err = err ?: read_parts(p, ret);
	err = err ?: put_together(p, ret);
	ret->lacks = p->lacks;
	ret->large = p->large;
	drop(p);
	free(p);
	if (err)
		elf_image_deinit(ret);
	return err;
}

void elf_image_deinit(struct elf_image *image)
{
	free(image->bytes);
	memset(image, 0, sizeof(*image));
}
