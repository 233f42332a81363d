// SPDX-License-Identifier: GPL-2.0-only
/* Finds files of a bundle again, and reads their code. */

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vmmprof/record.h>

#include "base/io.h"
#include "codefile.h"
#include "os/elf_confined.h"
#include "os/file_owner.h"
#include "os/open_file.h"
#include "sym/elf.h"

/* How many mappings of one file are tried: the first ones and the last ones. */
#define MAX_MAPS   16
#define PATH_BYTES 4096
#define VDSO	   "[vdso]"

struct file {
	struct vmmprof_maps_file item; /* without the path; size 0: none */
	char path[PATH_BYTES];
	struct vmmprof_maps_map maps[MAX_MAPS];
	unsigned int nr_maps; /* found so far, also those not kept */
	bool tried;
	int fd; /* -1: cannot be opened, or the file is in memory */
	struct elffile elf;
};

struct code_file_cache {
	struct file *files;
	size_t nr;
	__u64 end, items; /* of the bundle */
};

static struct file *find(struct code_file_cache *f, __u32 id)
{
	size_t i;

	for (i = 0; i < f->nr; i++)
		if (f->files[i].item.id == id)
			return &f->files[i];
	return NULL;
}

/* Read the rest of an item whose hdr was read. */
static bool read_rest(FILE *in, const struct vmmprof_item_hdr *hdr, void *item,
		      size_t size)
{
	memcpy(item, hdr, sizeof(*hdr));
	return fread((char *)item + sizeof(*hdr), size - sizeof(*hdr), 1, in) ==
	       1;
}

static bool read_file_item(struct code_file_cache *f, FILE *in,
			   const struct vmmprof_item_hdr *hdr)
{
	struct vmmprof_maps_file item;
	struct file *file;
	size_t len;

	if (hdr->size <= sizeof(item) ||
	    !read_rest(in, hdr, &item, sizeof(item)))
		return false;
	len = hdr->size - sizeof(item);
	file = find(f, item.id);
	if (!file || file->item.hdr.size || len > sizeof(file->path) ||
	    item.build_id_size > sizeof(item.build_id))
		return !fseeko(in, len, SEEK_CUR);
	if (fread(file->path, len, 1, in) != 1 || file->path[len - 1])
		return false;
	file->item = item;
	return true;
}

static bool read_map_item(struct code_file_cache *f, FILE *in,
			  const struct vmmprof_item_hdr *hdr)
{
	struct vmmprof_maps_map item;
	struct file *file;
	unsigned int i;

	if (hdr->size != sizeof(item) ||
	    !read_rest(in, hdr, &item, sizeof(item)))
		return false;
	file = find(f, item.file);
	if (!file)
		return true;
	i = file->nr_maps++;
	if (i >= MAX_MAPS)
		i = MAX_MAPS / 2 + i % (MAX_MAPS / 2);
	file->maps[i] = item;
	return true;
}

static int read_bundle(struct code_file_cache *f, FILE *in)
{
	struct vmmprof_file_hdr head;
	struct vmmprof_item_hdr hdr;
	bool ok = fread(&head, sizeof(head), 1, in) == 1 &&
		  !memcmp(head.magic, VMMPROF_MAGIC, sizeof(head.magic)) &&
		  head.kind == VMMPROF_FILE_MAPS &&
		  head.hdr_size == sizeof(head);

	while (ok && fread(&hdr, sizeof(hdr), 1, in) == 1) {
		f->end = ftello(in) - sizeof(hdr);
		if (hdr.type == VMMPROF_ITEM_END)
			return 0;
		f->items++;
		if (hdr.size < sizeof(hdr))
			return -EBADMSG;
		if (hdr.type == VMMPROF_MAPS_FILE)
			ok = read_file_item(f, in, &hdr);
		else if (hdr.type == VMMPROF_MAPS_MAP)
			ok = read_map_item(f, in, &hdr);
		else
			ok = !fseeko(in, hdr.size - sizeof(hdr), SEEK_CUR);
		if (ok)
			ok = !fseeko(in, -hdr.size & 7, SEEK_CUR);
	}
	return -EBADMSG;
}

int code_files_open(const char *bundle, const struct code_want *wants,
		    size_t nr, struct code_file_cache **ret)
{
	struct code_file_cache *f = calloc(1, sizeof(*f));
	FILE *in = fopen(bundle, "re");
	int err = in ? 0 : -errno;
	size_t i;

	if (f)
		f->files = calloc(nr + 1, sizeof(*f->files));
	if (!f || !f->files)
		err = -ENOMEM;
	for (i = 0; !err && i < nr; i++) {
		if (wants[i].file == VMMPROF_NONE || find(f, wants[i].file))
			continue;
		f->files[f->nr].fd = -1;
		f->files[f->nr++].item.id = wants[i].file;
	}
	if (!err)
		err = read_bundle(f, in);
	if (in)
		fclose(in);
	if (!err)
		*ret = f;
	else if (f)
		code_files_close(f);
	return err;
}

__u64 code_files_end(const struct code_file_cache *f, __u64 *items)
{
	*items = f->items;
	return f->end;
}

void code_files_close(struct code_file_cache *f)
{
	size_t i;

	for (i = 0; i < f->nr; i++) {
		io_close(&f->files[i].fd);
		elffile_free(&f->files[i].elf);
	}
	free(f->files);
	free(f);
}

/* Same file?  By build-id; without one, by device and inode. */
static bool same_file(const struct file *file, int fd,
		      const struct elffile *elf)
{
	if (!file->item.build_id_size)
		return file_is(fd, file->item.dev, file->item.ino);
	return elf->build_id_size == file->item.build_id_size &&
	       !memcmp(elf->build_id, file->item.build_id, elf->build_id_size);
}

/* The file at one of its mappings, or -1. */
static int open_at(struct file *file, unsigned int map)
{
	unsigned int way;
	int fd;

	for (way = 0; way < OPEN_MAPPED_WAYS; way++) {
		fd = open_mapped_file(file->maps[map].pid,
				      file->maps[map].start,
				      file->maps[map].end, file->path, way);
		if (fd < 0)
			continue;
		/* users may have written it: read without rights */
		if (!elffile_read_apart(fd, &file->elf) &&
		    same_file(file, fd, &file->elf))
			return fd;
		elffile_free(&file->elf);
		close(fd);
	}
	return -1;
}

static void open_mapped(struct file *file)
{
	unsigned int i;

	for (i = 0; i < MAX_MAPS && i < file->nr_maps && file->fd < 0; i++)
		file->fd = open_at(file, i);
}

/* All processes have the same vDSO, so our own is read. */
static const char *vdso(const struct file *file)
{
	if (strcmp(file->path, VDSO) ||
	    file->item.flags & VMMPROF_FILE_F_UNREAD)
		return NULL;
	return (const char *)getauxval(AT_SYSINFO_EHDR);
}

/* The kernel's own image, of one segment. */
static void read_vdso(const char *image, struct elffile *elf)
{
	const Elf64_Ehdr *eh = (const void *)image;
	const Elf64_Phdr *ph = (const void *)(image + eh->e_phoff);
	unsigned int i;

	for (i = 0; i < eh->e_phnum && ph[i].p_type != PT_LOAD; i++)
		;
	elf->segments = calloc(1, sizeof(*elf->segments));
	if (!elf->segments || i == eh->e_phnum)
		return;
	elf->segments[0].offset = ph[i].p_offset;
	elf->segments[0].filesz = ph[i].p_filesz;
	elf->nr_segments = 1;
}

static void open_file(struct file *file)
{
	const char *image = vdso(file);

	file->tried = true;
	if (!file->item.hdr.size)
		return;
	if (image)
		read_vdso(image, &file->elf);
	else if (file->path[0] == '/')
		open_mapped(file);
}

/* How many bytes of its code there are from want->addr on. */
static size_t bytes_of(const struct elffile *elf, const struct code_want *want)
{
	const struct vmmprof_segment *s;
	__u32 i;

	for (i = 0; i < elf->nr_segments; i++) {
		s = &elf->segments[i];
		if (want->addr >= s->offset &&
		    want->addr - s->offset < s->filesz) {
			__u64 left = s->filesz - (want->addr - s->offset);

			return left < want->size ? left : want->size;
		}
	}
	return 0;
}

int code_files_read(struct code_file_cache *f, const struct code_want *want,
		    void *buf, __u32 *flags)
{
	struct file *file = find(f, want->file);
	const char *image;
	size_t size;
	ssize_t n;

	if (!file)
		return -ENOENT;
	if (!file->tried)
		open_file(file);
	size = bytes_of(&file->elf, want);
	*flags = file->elf.ia32 ? VMMPROF_CODE_F_IA32 : 0;
	image = vdso(file);
	if (size && image) {
		memcpy(buf, image + want->addr, size);
		return size;
	}
	if (file->fd < 0)
		return -ENOENT;
	n = io_pread(file->fd, buf, size, want->addr);
	return n ? n : -ENOENT;
}
