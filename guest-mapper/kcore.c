// SPDX-License-Identifier: GPL-2.0-only
/* The ELF headers of /proc/kcore, and reading by kernel address. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "kcore.h"

#define SEGMENTS_MAX 65536
#define NOTES_MAX    0x100000
#define KERNEL_IMAGE 0xffffffff80000000ULL /* __START_KERNEL_map */

static int read_at(int fd, void *buf, size_t size, __u64 offset)
{
	ssize_t n = pread(fd, buf, size, offset);

	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -EBADMSG;
}

/* Keep the text of the note "VMCOREINFO". */
static int find_info(struct kcore *k, const char *notes, size_t size)
{
	size_t pos = 0;

	while (size - pos >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr nh;
		size_t name, desc;

		memcpy(&nh, notes + pos, sizeof(nh));
		pos += sizeof(nh);
		name = (nh.n_namesz + 3ULL) & ~3ULL;
		desc = (nh.n_descsz + 3ULL) & ~3ULL;
		if (name > size - pos || desc > size - pos - name)
			break;
		if (nh.n_namesz >= 10 &&
		    !memcmp(notes + pos, "VMCOREINFO", 10)) {
			k->info = strndup(notes + pos + name, nh.n_descsz);
			return k->info ? 0 : -ENOMEM;
		}
		pos += name + desc;
	}
	return 0;
}

static int read_notes(struct kcore *k)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && !k->info && i < k->nr; i++) {
		const Elf64_Phdr *ph = &k->segments[i];
		char *notes;

		if (ph->p_type != PT_NOTE || ph->p_filesz > NOTES_MAX)
			continue;
		notes = malloc(ph->p_filesz ? ph->p_filesz : 1);
		if (!notes)
			return -ENOMEM;
		err = read_at(k->fd, notes, ph->p_filesz, ph->p_offset);
		if (!err)
			err = find_info(k, notes, ph->p_filesz);
		free(notes);
	}
	if (!err && !k->info) {
		k->info = strdup("");
		err = k->info ? 0 : -ENOMEM;
	}
	return err;
}

static int read_headers(struct kcore *k)
{
	Elf64_Ehdr eh;
	int err = read_at(k->fd, &eh, sizeof(eh), 0);

	if (err)
		return err;
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_type != ET_CORE ||
	    eh.e_phentsize != sizeof(Elf64_Phdr) || !eh.e_phnum)
		return -EBADMSG;
	k->nr = eh.e_phnum;
	k->segments = calloc(k->nr, sizeof(*k->segments));
	if (!k->segments)
		return -ENOMEM;
	return read_at(k->fd, k->segments, k->nr * sizeof(*k->segments),
		       eh.e_phoff);
}

int kcore_open(struct kcore *ret)
{
	int err;

	memset(ret, 0, sizeof(*ret));
	ret->fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (ret->fd < 0) {
		ret->fd = -1;
		return errno == EACCES ? -EPERM : -errno;
	}
	err = read_headers(ret);
	if (!err)
		err = read_notes(ret);
	if (err)
		kcore_close(ret);
	return err;
}

void kcore_close(struct kcore *k)
{
	io_close(&k->fd);
	free(k->segments);
	free(k->info);
	memset(k, 0, sizeof(*k));
	k->fd = -1;
}

static const Elf64_Phdr *find_segment(const struct kcore *k, __u64 addr,
				      size_t size)
{
	unsigned int i;

	for (i = 0; i < k->nr; i++) {
		const Elf64_Phdr *ph = &k->segments[i];

		if (ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    addr - ph->p_vaddr < ph->p_memsz &&
		    ph->p_memsz - (addr - ph->p_vaddr) >= size)
			return ph;
	}
	return NULL;
}

int kcore_read(const struct kcore *k, __u64 addr, void *buf, size_t size)
{
	const Elf64_Phdr *ph = find_segment(k, addr, size);

	if (!ph)
		return -EFAULT;
	return read_at(k->fd, buf, size, addr - ph->p_vaddr + ph->p_offset);
}

int kcore_phys(const struct kcore *k, __u64 addr, __u64 *ret)
{
	const Elf64_Phdr *ph = find_segment(k, addr, 1);

	if (!ph || ph->p_paddr == (__u64)-1)
		return -EFAULT;
	*ret = addr - ph->p_vaddr + ph->p_paddr;
	return 0;
}

int kcore_page_offset(const struct kcore *k, __u64 *ret)
{
	__u64 largest = 0;
	unsigned int i;

	/* fs/proc/kcore.c gives physical addresses to RAM and image only. */
	for (i = 0; i < k->nr; i++) {
		const Elf64_Phdr *ph = &k->segments[i];

		if (ph->p_type != PT_LOAD || ph->p_paddr == (__u64)-1 ||
		    ph->p_vaddr >= KERNEL_IMAGE || ph->p_memsz <= largest ||
		    ph->p_vaddr < ph->p_paddr)
			continue;
		largest = ph->p_memsz;
		*ret = ph->p_vaddr - ph->p_paddr;
	}
	return largest ? 0 : -ENOENT;
}

int kcore_info(const struct kcore *k, const char *key, __u64 *ret)
{
	const char *line = k->info;
	size_t len = strlen(key);
	int base = strncmp(key, "NUMBER", 6) ? 16 : 10;

	while (line && strncmp(line, key, len)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return -ENOENT;
	*ret = base == 10 ? (__u64)strtoll(line + len, NULL, 10) :
			    strtoull(line + len, NULL, 16);
	return 0;
}
