// SPDX-License-Identifier: GPL-2.0-only
/* Reads build-ids out of memory. */

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "introspect/elf_note.h"

#define NOTE_BYTES   4096
#define HEADERS_MAX  64
#define BUILD_ID_MAX 20

__u8 elf_note_build_id(const void *notes, size_t size, __u8 ret[20])
{
	const __u8 *p = notes;
	size_t pos = 0;

	while (pos < size && size - pos >= 12) {
		__u32 head[3]; /* name size, descriptor size, type */
		size_t name, desc;

		memcpy(head, p + pos, sizeof(head));
		pos += 12;
		name = ((size_t)head[0] + 3) & ~(size_t)3;
		if (name > size - pos)
			return 0;
		desc = ((size_t)head[1] + 3) & ~(size_t)3;
		if (desc > size - pos - name)
			return 0;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 &&
		    !memcmp(p + pos, "GNU", 4)) {
			if (head[1] > BUILD_ID_MAX)
				return 0;
			memcpy(ret, p + pos + name, head[1]);
			return head[1];
		}
		pos += name + desc;
	}
	return 0;
}

/* What both classes of program headers have. */
struct header {
	__u32 type;
	__u64 offset, vaddr, filesz;
};

static struct header header_at(const void *p, bool is64)
{
	Elf64_Phdr a;
	Elf32_Phdr b;

	if (is64) {
		memcpy(&a, p, sizeof(a));
		return (struct header){ a.p_type, a.p_offset, a.p_vaddr,
					a.p_filesz };
	}
	memcpy(&b, p, sizeof(b));
	return (struct header){ b.p_type, b.p_offset, b.p_vaddr, b.p_filesz };
}

/* Where the program headers are; false: no ELF file that we know. */
static bool file_header(const __u8 *buf, __u64 *phoff, __u16 *phnum, bool *is64)
{
	const Elf64_Ehdr *a = (const void *)buf;
	const Elf32_Ehdr *b = (const void *)buf;

	*is64 = buf[EI_CLASS] == ELFCLASS64;
	if (memcmp(buf, ELFMAG, SELFMAG) || buf[EI_DATA] != ELFDATA2LSB ||
	    (!*is64 && buf[EI_CLASS] != ELFCLASS32))
		return false;
	*phoff = *is64 ? a->e_phoff : b->e_phoff;
	*phnum = *is64 ? a->e_phnum : b->e_phnum;
	return (*is64 ? a->e_phentsize : b->e_phentsize) ==
		       (*is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) &&
	       *phnum && *phnum <= HEADERS_MAX && *phoff < GUEST_PAGE;
}

int elf_note_read(const struct guest_space *space, __u64 start, __u8 ret[20])
{
	__u8 headers[HEADERS_MAX * sizeof(Elf64_Phdr)];
	__u8 notes[NOTE_BYTES];
	__u64 file[8]; /* aligned for both headers */
	__u64 phoff, first = 0;
	size_t each;
	__u16 nr;
	bool is64, loaded = false;
	int i, err;

	err = guest_space_read(space, start, file, sizeof(file));
	if (err)
		return err;
	if (!file_header((void *)file, &phoff, &nr, &is64))
		return -EBADMSG;
	each = is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	err = guest_space_read(space, start + phoff, headers, nr * each);
	for (i = 0; i < nr && !err; i++) {
		struct header h = header_at(headers + i * each, is64);

		if (h.type == PT_LOAD && !h.offset) {
			first = h.vaddr;
			loaded = true;
		}
	}
	if (err || !loaded)
		return err ?: -EBADMSG;
	for (i = 0; i < nr; i++) {
		struct header h = header_at(headers + i * each, is64);
		__u8 size;

		if (h.type != PT_NOTE || !h.filesz || h.filesz > sizeof(notes))
			continue;
		err = guest_space_read(space, start + (h.vaddr - first), notes,
				       h.filesz);
		if (err)
			return err;
		size = elf_note_build_id(notes, h.filesz, ret);
		if (size)
			return size;
	}
	return 0;
}
