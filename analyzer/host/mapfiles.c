// SPDX-License-Identifier: GPL-2.0-only
/* Opens each mapped file once and writes its symbols. */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vmmprof/record.h>

#include "data/hash.h"
#include "debugfile.h"
#include "mapfiles.h"
#include "openfile.h"
#include "sym/elf.h"

/* What a file is known by: a build-id, or device and inode. */
struct key {
	__u64 dev;
	__u64 ino;
	__u8 build_id[20];
	__u8 build_id_size; /* 0: by dev and ino */
	__u8 unread;	    /* its content could not be had so far */
	__u32 id;
};

struct vmmprof_mapfiles {
	struct vmmprof_itemwriter *w;
	struct vmmprof_procmaps_stat *stat;
	struct key *keys; /* hash table, open addressing */
	size_t nr_keys;
	size_t nr_slots; /* power of two, 0 at first */
	__u32 next_id;
	__u8 (*have)[20]; /* sorted: build-ids whose symbols nobody wants */
	size_t nr_have;
};

/* Device number of what is in no file system; inode numbers on it. */
#define PSEUDO_DEV UINT64_MAX
enum { PSEUDO_VDSO = 1, PSEUDO_VDSO32 = 2 };

static size_t hash(const struct key *k)
{
	const __u64 inode[2] = { k->dev, k->ino };

	return k->build_id_size ?
		       vmmprof_hash_bytes(k->build_id, k->build_id_size) :
		       vmmprof_hash_bytes(inode, sizeof(inode));
}

static bool same(const struct key *a, const struct key *b)
{
	if (a->build_id_size != b->build_id_size)
		return false;
	if (a->build_id_size)
		return !memcmp(a->build_id, b->build_id, a->build_id_size);
	return a->dev == b->dev && a->ino == b->ino;
}

/* Free slots have the id VMMPROF_NONE.  nr_slots must not be 0. */
static struct key *find_slot(struct vmmprof_mapfiles *f, const struct key *k)
{
	size_t i = hash(k) & (f->nr_slots - 1);

	while (f->keys[i].id != VMMPROF_NONE && !same(&f->keys[i], k))
		i = (i + 1) & (f->nr_slots - 1);
	return &f->keys[i];
}

static struct key *lookup(struct vmmprof_mapfiles *f, const struct key *k)
{
	struct key *slot = f->nr_slots ? find_slot(f, k) : NULL;

	return slot && slot->id != VMMPROF_NONE ? slot : NULL;
}

static int grow(struct vmmprof_mapfiles *f)
{
	struct vmmprof_mapfiles bigger = {
		.nr_slots = f->nr_slots ? 2 * f->nr_slots : 256,
	};
	size_t i;

	bigger.keys = calloc(bigger.nr_slots, sizeof(*bigger.keys));
	if (!bigger.keys)
		return -ENOMEM;
	for (i = 0; i < bigger.nr_slots; i++)
		bigger.keys[i].id = VMMPROF_NONE;
	for (i = 0; i < f->nr_slots; i++)
		if (f->keys[i].id != VMMPROF_NONE)
			*find_slot(&bigger, &f->keys[i]) = f->keys[i];
	free(f->keys);
	f->keys = bigger.keys;
	f->nr_slots = bigger.nr_slots;
	return 0;
}

static int remember(struct vmmprof_mapfiles *f, const struct key *k)
{
	struct key *slot;
	int err;

	if (f->nr_keys >= f->nr_slots / 2) {
		err = grow(f);
		if (err)
			return err;
	}
	slot = find_slot(f, k);
	if (slot->id == VMMPROF_NONE)
		f->nr_keys++;
	*slot = *k;
	return 0;
}

/*
 * Is this the file that was mapped?  A path may lead to another one by now;
 * map_files is @exact, but overlayfs gives another inode number through it.
 * Closes @fd if not.
 */
static int verify(int fd, const struct vmmprof_mmap_event *ev, bool exact)
{
	struct vmmprof_elf elf;
	struct stat st;
	bool ok = false;

	if (fd < 0)
		return fd;
	if (ev->build_id_size)
		ok = !vmmprof_elf_read_build_id(fd, &elf) &&
		     elf.build_id_size == ev->build_id_size &&
		     !memcmp(elf.build_id, ev->build_id, ev->build_id_size);
	else
		ok = exact || (!fstat(fd, &st) && st.st_ino == ev->ino);
	if (ok)
		return fd;
	close(fd);
	return -ESTALE;
}

int vmmprof_mapfiles_open(const struct vmmprof_mmap_event *ev)
{
	char link[80];
	int fd;

	snprintf(link, sizeof(link), "/proc/%u/map_files/%llx-%llx", ev->pid,
		 ev->start, ev->end);
	fd = verify(vmmprof_reopen_regular(open(link, O_PATH | O_CLOEXEC)), ev,
		    true);
	if (fd >= 0 || fd == -ENOEXEC || ev->path[0] != '/')
		return fd;
	fd = verify(vmmprof_open_in_root(ev->pid, ev->path), ev, false);
	if (fd >= 0 || fd == -ENOEXEC)
		return fd;
	return verify(
		vmmprof_reopen_regular(open(ev->path, O_PATH | O_CLOEXEC)), ev,
		false);
}

static int put_symtab(struct vmmprof_mapfiles *f, __u32 id,
		      const struct vmmprof_elf *elf)
{
	const struct vmmprof_maps_symtab st = {
		.file = id,
		.nr_segments = elf->nr_segments,
		.nr_symbols = elf->nr_symbols,
		.strings_size = elf->strings_size,
	};
	const struct iovec parts[] = {
		{ (void *)&st.file, sizeof(st) - sizeof(st.hdr) },
		{ elf->segments, elf->nr_segments * sizeof(*elf->segments) },
		{ elf->symbols, elf->nr_symbols * sizeof(*elf->symbols) },
		{ elf->strings, elf->strings_size },
	};

	f->stat->symtabs++;
	return vmmprof_item_putv(f->w, VMMPROF_MAPS_SYMTAB, parts, 4);
}

static int compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, 20);
}

/*
 * As vmmprof_elf_read(); of a file whose symbols nobody wants the build-id
 * alone, and VMMPROF_FILE_F_CACHED in *flags.
 */
static int read_file(const struct vmmprof_mapfiles *f, int fd,
		     struct vmmprof_elf *elf, __u32 *flags)
{
	if (f->nr_have && !vmmprof_elf_read_build_id(fd, elf) &&
	    elf->build_id_size &&
	    bsearch(elf->build_id, f->have, f->nr_have, sizeof(*f->have),
		    compare_ids)) {
		*flags |= VMMPROF_FILE_F_CACHED;
		return 0;
	}
	return vmmprof_elf_read(fd, elf);
}

/* FILE and, where there are symbols, SYMTAB. */
static int put_file(struct vmmprof_mapfiles *f, const struct key *k,
		    __u32 flags, const char *path,
		    const struct vmmprof_elf *elf)
{
	struct vmmprof_maps_file item = {
		.id = k->id,
		.flags = flags,
		.dev = k->dev,
		.ino = k->ino,
		.build_id_size = k->build_id_size,
	};
	int err;

	memcpy(item.build_id, k->build_id, k->build_id_size);
	if (!elf->nr_symbols &&
	    !(flags & (VMMPROF_FILE_F_UNREAD | VMMPROF_FILE_F_CACHED)))
		item.flags |= VMMPROF_FILE_F_NO_SYMS;
	f->stat->files++;
	err = vmmprof_item_put(f->w, VMMPROF_MAPS_FILE, &item, sizeof(item),
			       path, strlen(path) + 1);
	if (!err && elf->nr_segments)
		err = put_symtab(f, k->id, elf);
	return err;
}

/* Take the " (deleted)" off that /proc/PID/maps adds. */
static __u32 clean_path(char *path, size_t size, const char *from)
{
	static const char mark[] = " (deleted)";
	__u32 flags = 0;
	size_t len;

	snprintf(path, size, "%s", from);
	len = strlen(path);
	if (len > sizeof(mark) &&
	    !strcmp(path + len + 1 - sizeof(mark), mark)) {
		path[len + 1 - sizeof(mark)] = '\0';
		flags |= VMMPROF_FILE_F_DELETED;
	}
	if (!strncmp(path, "/memfd:", 7) || path[0] != '/')
		flags |= VMMPROF_FILE_F_PSEUDO;
	return flags;
}

/*
 * A file not known by @by: read it.  If its build-id is known, it is an old
 * acquaintance under another name.  @old: its key if it was UNREAD before.
 */
static int add_file(struct vmmprof_mapfiles *f,
		    const struct vmmprof_mmap_event *ev, struct key by,
		    const struct key *old, __u32 *id)
{
	struct key bid = { .dev = ev->dev, .ino = ev->ino };
	struct vmmprof_elf elf = { 0 };
	const struct key *known = NULL;
	char path[4096];
	__u32 flags;
	int fd, err;

	flags = clean_path(path, sizeof(path), ev->path);
	fd = vmmprof_mapfiles_open(ev);
	err = fd < 0 ? fd : read_file(f, fd, &elf, &flags);
	if (fd >= 0)
		close(fd);
	if (!err && !(flags & VMMPROF_FILE_F_CACHED))
		vmmprof_debugfile_add(ev->pid, path, &elf);
	by.unread = err && err != -ENOEXEC;
	if (by.unread && old) {
		*id = old->id;
		return 0;
	}
	if (by.unread) {
		flags |= VMMPROF_FILE_F_UNREAD;
		f->stat->unread++;
	}
	bid.build_id_size = by.build_id_size ?: elf.build_id_size;
	memcpy(bid.build_id, by.build_id_size ? by.build_id : elf.build_id,
	       sizeof(bid.build_id));
	bid.unread = by.unread;
	if (bid.build_id_size && !by.build_id_size)
		known = lookup(f, &bid);
	if (known && !known->unread) {
		*id = by.id = known->id;
		err = remember(f, &by);
	} else {
		*id = by.id = bid.id = f->next_id++;
		err = put_file(f, &bid, flags, path, &elf);
		if (!err)
			err = remember(f, &by);
		if (!err)
			err = remember(f, &bid);
	}
	vmmprof_elf_free(&elf);
	return err;
}

int vmmprof_mapfiles_vdso(struct vmmprof_mapfiles *files, const void *image,
			  size_t size)
{
	struct key k = {
		.dev = PSEUDO_DEV,
		.ino = PSEUDO_VDSO,
		.id = files->next_id++,
	};
	__u32 flags = VMMPROF_FILE_F_PSEUDO;
	struct vmmprof_elf elf = { 0 };
	int err;

	if (vmmprof_elf_read_memory(image, size, &elf))
		flags |= VMMPROF_FILE_F_UNREAD;
	err = put_file(files, &k, flags, "[vdso]", &elf);
	vmmprof_elf_free(&elf);
	return err ?: remember(files, &k);
}

int vmmprof_mapfiles_create(struct vmmprof_itemwriter *w,
			    struct vmmprof_procmaps_stat *stat,
			    struct vmmprof_mapfiles **ret)
{
	struct vmmprof_mapfiles *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->w = w;
	f->stat = stat;
	*ret = f;
	return 0;
}

int vmmprof_mapfiles_have(struct vmmprof_mapfiles *files, const void *build_ids,
			  size_t n)
{
	void *copy = malloc(n * sizeof(*files->have) + 1);

	if (!copy)
		return -ENOMEM;
	if (n) {
		memcpy(copy, build_ids, n * sizeof(*files->have));
		qsort(copy, n, sizeof(*files->have), compare_ids);
	}
	free(files->have);
	files->have = copy;
	files->nr_have = n;
	return 0;
}

void vmmprof_mapfiles_destroy(struct vmmprof_mapfiles *files)
{
	if (!files)
		return;
	free(files->have);
	free(files->keys);
	free(files);
}

/* The file of [vdso]; 32-bit processes have another image, not read. */
static int vdso_id(struct vmmprof_mapfiles *f, __u64 start, __u32 *id)
{
	struct key k = { .dev = PSEUDO_DEV, .ino = PSEUDO_VDSO };
	const struct vmmprof_elf none = { 0 };
	const struct key *known;

	if (start >> 32 == 0)
		k.ino = PSEUDO_VDSO32;
	known = lookup(f, &k);
	if (known) {
		*id = known->id;
		return 0;
	}
	*id = k.id = f->next_id++;
	return put_file(f, &k, VMMPROF_FILE_F_PSEUDO | VMMPROF_FILE_F_UNREAD, "[vdso]", &none) ?:
		       remember(f, &k);
}

int vmmprof_mapfiles_id(struct vmmprof_mapfiles *files,
			const struct vmmprof_mmap_event *ev, __u32 *id)
{
	struct key k = { .dev = ev->dev, .ino = ev->ino };
	const struct key *known;

	*id = VMMPROF_NONE;
	if (!strcmp(ev->path, "[vdso]"))
		return vdso_id(files, ev->start, id);
	if (ev->path[0] != '/' || !strcmp(ev->path, "//anon"))
		return 0;
	if (!ev->build_id_size && !ev->ino)
		return 0;
	k.build_id_size = ev->build_id_size;
	memcpy(k.build_id, ev->build_id, sizeof(k.build_id));
	known = lookup(files, &k);
	if (known && !known->unread) {
		*id = known->id;
		return 0;
	}
	return add_file(files, ev, k, known, id);
}
