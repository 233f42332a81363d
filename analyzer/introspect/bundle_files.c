// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files' items of a bundle that is read from memory.  Each file has a budget
 * of its own within one for all, so that no file takes what others need.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <vmmprof/maps.h>
#include <vmmprof/record.h>

#include "base/clock.h"
#include "base/vec.h"
#include "introspect/bundle_files.h"
#include "introspect/elf_image.h"
#include "introspect/page_cache.h"
#include "os/map_items.h"
#include "sym/eh_frame_rows.h"

#define FILE_READS 400000ull	 /* of one */
#define FILE_BYTES (96ull << 20) /* the same, tree and pages */
#define ALL_BYTES  (384ull << 20)
#define TABLES_MAX (128ull << 20) /* bytes of all SYMTAB and UNWIND items */
#define ALL_NS	   15000000000ull /* of CPU time */
#define VDSO_MAX   (64u << 10)
#define VDSO32_END 0x100000000ull

struct bundle_file_waiting {
	__u64 dev, ino;
	__u32 id, flags; /* VMMPROF_FILE_F_* */
	__u8 build_id[20], build_id_size;
	struct page_cache cache;
	bool cached; /* its pages may be in the page cache */
	__u64 vdso;  /* or the image is at this kernel address, */
	__u64 size;  /* of this size */
	char *path;
	__u64 hash; /* in bundle_files.known */
	/* as readings before found it, NULL: they did not */
	const struct bundle_file *old;
	bool met; /* by this reading */
};

/* What is written of all. */
struct files_out {
	const struct guest_kernel *k;
	struct item_writer *w;
	struct guest_bundle_stat *stat;
	__u64 bytes;  /* of the guest's memory that may be read */
	__u64 tables; /* bytes that may be written */
	__u64 until;  /* of the process's CPU time */
};

/* [vdso] of processes of 32 bits, which has no file, is another one. */
static __u64 file_hash(const struct bundle_file_waiting *w, const char *path,
		       __u64 start)
{
	const bool small = !w->dev && !w->ino && start < VDSO32_END;
	const __u64 key[4] = { w->dev, w->ino, hash_bytes(path, strlen(path)),
			       w->flags << 1 | small };

	return hash_words(key, 4);
}

/* The kernel's own copy of what [vdso] maps. */
static void find_vdso(const struct guest_kernel *k, bool small,
		      struct bundle_file_waiting *w)
{
	__u64 image = k->known[small ? GUEST_SYM_VDSO_32 : GUEST_SYM_VDSO_64];

	image = image ?: k->known[small ? GUEST_SYM_VDSO32 : GUEST_SYM_VDSO64];
	if (!image || !guest_members_have(&k->members, GUEST_VDSO) ||
	    guest_get(k, image, GUEST_VDSO_DATA, &w->vdso) ||
	    guest_get(k, image, GUEST_VDSO_SIZE, &w->size) ||
	    w->size > VDSO_MAX)
		w->vdso = 0;
}

/* A new one; its path becomes @w's.  0 or -ENOMEM. */
static int add_file(struct bundle_files *f, const struct bundle_file_waiting *w,
		    const char *path)
{
	struct bundle_file_waiting *to;

	if (vec_grow(&f->waiting, &f->cap, f->nr, sizeof(*to)))
		return -ENOMEM;
	to = &f->waiting[f->nr];
	*to = *w;
	to->id = f->nr;
	to->path = strdup(path);
	if (!to->path || hash_set(&f->known, to->hash, f->nr)) {
		free(to->path);
		return -ENOMEM;
	}
	f->nr++;
	return 0;
}

/* Of a mapping of each file where it begins; to be freed. */
static __u64 *find_starts(const struct bundle *b)
{
	__u64 *start = calloc(b->nr_files + 1, sizeof(*start));
	size_t i;

	for (i = 0; start && i < b->nr_maps; i++)
		if (b->maps[i]->file < b->nr_files)
			start[b->maps[i]->file] = b->maps[i]->start;
	return start;
}

int bundle_files_init(struct bundle_files *f, const struct bundle *before)
{
	__u64 *start = find_starts(before);
	size_t i;
	int err = start ? 0 : -ENOMEM;

	for (i = 0; i < before->nr_files && !err; i++) {
		const struct bundle_file *old = &before->files[i];
		const struct vmmprof_maps_file *item = old->item;
		struct bundle_file_waiting w = {
			.dev = item->dev,
			.ino = item->ino,
			.flags = item->flags & (VMMPROF_FILE_F_DELETED |
						VMMPROF_FILE_F_PSEUDO),
			.build_id_size = item->build_id_size,
			.old = old,
		};

		memcpy(w.build_id, item->build_id, sizeof(w.build_id));
		w.hash = file_hash(&w, item->path, start[i]);
		err = add_file(f, &w, item->path);
	}
	free(start);
	return err;
}

/* Is there more to be known than what readings before found? */
static bool lacks(const struct bundle_file *old)
{
	return !old || old->item->flags & (VMMPROF_FILE_F_NOT_RESIDENT |
					   VMMPROF_FILE_F_UNREAD);
}

/* Where its pages are found. */
static void meet(const struct guest_kernel *k,
		 const struct bundle_file_seen *seen,
		 struct bundle_file_waiting *w)
{
	w->met = true;
	if (!lacks(w->old))
		return;
	if (seen->addr)
		w->cached = !page_cache_open(k, seen->addr, &w->cache);
	else if (!strcmp(seen->path, "[vdso]"))
		find_vdso(k, seen->start < VDSO32_END, w);
}

int bundle_files_id(struct bundle_files *f, const struct guest_kernel *k,
		    const struct bundle_file_seen *seen, __u32 *id, bool *first)
{
	struct bundle_file_waiting w = {
		.dev = seen->file.dev,
		.ino = seen->file.ino,
		.flags = map_items_path(seen->path),
	};

	*first = false;
	w.hash = file_hash(&w, seen->path, seen->start);
	*id = hash_get(&f->known, w.hash);
	if (*id != VMMPROF_NONE && f->waiting[*id].met)
		return 0;
	if (*id == VMMPROF_NONE) {
		*id = f->nr;
		if (add_file(f, &w, seen->path))
			return -ENOMEM;
	}
	meet(k, seen, &f->waiting[*id]);
	*first = true;
	return 0;
}

int bundle_files_build_id(struct bundle_files *f, const struct guest_kernel *k,
			  const struct bundle_file_seen *seen, __u32 *id,
			  const __u8 *build_id, __u8 size)
{
	struct bundle_file_waiting *w = &f->waiting[*id], other;

	if (w->old && w->build_id_size &&
	    (w->build_id_size != size || memcmp(w->build_id, build_id, size))) {
		other = *w;
		other.old = NULL;
		w->met = false;
		*id = f->nr;
		if (add_file(f, &other, other.path))
			return -ENOMEM;
		w = &f->waiting[*id];
		/* of the other one there was perhaps nothing to be found */
		meet(k, seen, w);
	}
	memcpy(w->build_id, build_id, size);
	w->build_id_size = size;
	return 0;
}

/* struct elf_bytes.read; what changes meanwhile is as if it were not there. */
static int read_cached(void *arg, __u64 offset, void *buf, size_t size)
{
	int err = page_cache_read(arg, offset, buf, size);

	return err == -ESTALE || err == -EFAULT || err == -ENODATA ? -ENOENT :
								     err;
}

struct vdso {
	const struct guest_kernel *k;
	__u64 at;
};

static int read_vdso(void *arg, __u64 offset, void *buf, size_t size)
{
	const struct vdso *v = arg;

	return guest_space_read(&v->k->space, v->at + offset, buf, size);
}

/* -ENOENT: nothing of it is known. */
static int make_image(struct files_out *o, struct bundle_file_waiting *w,
		      struct elf_image *image)
{
	struct vdso vdso = { o->k, w->vdso };
	struct elf_bytes b = { read_vdso, &vdso, w->size, o->until };
	int err;

	if (w->vdso)
		return elf_image_make(&b, image);
	if (!w->cached || !page_cache_valid(&w->cache, w->ino))
		return -ENOENT;
	b = (struct elf_bytes){ read_cached, &w->cache, w->cache.size,
				o->until };
	err = elf_image_make(&b, image);
	/* Were its pages of one file? */
	if (!err &&
	    (!page_cache_valid(&w->cache, w->ino) ||
	     (w->build_id_size && image->build_id_size &&
	      (w->build_id_size != image->build_id_size ||
	       memcmp(w->build_id, image->build_id, image->build_id_size))))) {
		elf_image_deinit(image);
		err = -ENOENT;
	}
	return err;
}

/* With the file's own budget. */
static int image_of(struct files_out *o, struct bundle_file_waiting *w,
		    struct elf_image *image)
{
	struct guest_memory *mem = o->k->space.mem;
	const __u64 bytes = mem->bytes;
	struct guest_budget rest;
	int err;

	memset(image, 0, sizeof(*image));
	guest_memory_part(mem, FILE_READS,
			  o->bytes < FILE_BYTES ? o->bytes : FILE_BYTES, &rest);
	err = make_image(o, w, image);
	guest_memory_whole(mem, &rest);
	o->bytes -= bytes - mem->bytes;
	return err;
}

static __u64 tables_size(const struct elffile *elf)
{
	return elf->nr_segments * (__u64)sizeof(*elf->segments) +
	       elf->nr_symbols * (__u64)sizeof(*elf->symbols) +
	       elf->strings_size;
}

/* What of @elf fits. */
static int put_symbols(struct files_out *o, __u32 id, struct elffile *elf)
{
	if (tables_size(elf) > o->tables)
		elffile_drop_bounds(elf);
	if (tables_size(elf) > o->tables) {
		o->stat->files_left++;
		return 0;
	}
	if (!elf->nr_segments)
		return 0;
	o->tables -= tables_size(elf);
	o->stat->symtabs++;
	return map_items_symtab(o->w, id, elf);
}

static int put_unwind(struct files_out *o, __u32 id,
		      const struct elf_image *image)
{
	struct unwind_table t;
	struct elf_section s;
	struct eh_frame f;
	void *data;
	size_t size;
	int err;

	if (elffile_section_memory(image->bytes, image->size, ".eh_frame", &s))
		return 0;
	f = (struct eh_frame){ s.bytes, s.size, s.addr, s.ia32 };
	err = eh_frame_table(&f, &t);
	free(s.bytes);
	if (!err) {
		err = unwind_table_encode(&t, &data, &size);
		unwind_table_free(&t);
	}
	o->stat->files_left += err == -ENOMEM;
	if (err)
		return 0;
	if (size <= o->tables) {
		o->tables -= size;
		err = map_items_unwind(o->w, id, data, size);
	}
	free(data);
	return err;
}

static int put_file(struct files_out *o, struct bundle_file_waiting *w,
		    __u32 flags)
{
	struct vmmprof_maps_file item = {
		.id = w->id,
		.flags = w->flags | flags,
		.dev = w->dev,
		.ino = w->ino,
		.build_id_size = w->build_id_size,
	};

	memcpy(item.build_id, w->build_id, sizeof(item.build_id));
	o->stat->files++;
	o->stat->build_ids += w->build_id_size != 0;
	o->stat->not_resident += !!(flags & VMMPROF_FILE_F_NOT_RESIDENT);
	return item_put(o->w, VMMPROF_MAPS_FILE, &item, sizeof(item), w->path,
			strlen(w->path) + 1);
}

/* What readings before found of it. */
static int put_old(struct files_out *o, struct bundle_file_waiting *w)
{
	const struct vmmprof_maps_symtab *t = w->old->symtab;
	const struct vmmprof_maps_unwind *u = w->old->unwind;
	int err = put_file(o, w, w->old->item->flags & ~w->flags);

	if (!err && t && t->hdr.size <= o->tables) {
		o->tables -= t->hdr.size;
		o->stat->symtabs++;
		err = item_put(o->w, VMMPROF_MAPS_SYMTAB, t, t->hdr.size, NULL,
			       0);
	}
	if (!err && u && u->hdr.size <= o->tables) {
		o->tables -= u->hdr.size;
		err = item_put(o->w, VMMPROF_MAPS_UNWIND, u, u->hdr.size, NULL,
			       0);
	}
	return err;
}

/* Has a reading before found more functions in it? */
static bool had_more(const struct bundle_file_waiting *w,
		     const struct elffile *elf)
{
	return w->old && w->old->symtab &&
	       w->old->symtab->nr_symbols > elf->nr_symbols;
}

/* A file of which something is known. */
static int put_image(struct files_out *o, struct bundle_file_waiting *w,
		     const struct elf_image *image)
{
	struct elffile elf = { 0 };
	__u32 flags = image->lacks ? VMMPROF_FILE_F_NOT_RESIDENT : 0;
	int err = elffile_read_memory(image->bytes, image->size, &elf);

	if (!w->build_id_size) {
		memcpy(w->build_id, image->build_id, image->build_id_size);
		w->build_id_size = image->build_id_size;
	}
	o->stat->files_left += image->large || err == -ENOMEM;
	if (err)
		return w->old ? put_old(o, w) :
				put_file(o, w, VMMPROF_FILE_F_UNREAD);
	if (had_more(w, &elf)) {
		elffile_free(&elf);
		return put_old(o, w);
	}
	if (!elf.nr_symbols && !flags)
		flags = VMMPROF_FILE_F_NO_SYMS;
	err = put_file(o, w, flags);
	err = err ?: put_symbols(o, w->id, &elf);
	elffile_free(&elf);
	return err ?: put_unwind(o, w->id, image);
}

static int write_file(struct files_out *o, struct bundle_file_waiting *w)
{
	struct elf_image image;
	int err;

	if (w->old && (!w->met || !lacks(w->old)))
		return put_old(o, w);
	err = clock_ns(CLOCK_PROCESS_CPUTIME_ID) < o->until ?
		      image_of(o, w, &image) :
		      -EDQUOT;
	if (w->old && err)
		return put_old(o, w);
	switch (err) {
	case 0:
		err = put_image(o, w, &image);
		elf_image_deinit(&image);
		return err;
	case -ENOMEM: /* which it takes itself: others need less */
	case -EDQUOT:
		o->stat->files_left++;
		return put_file(o, w, VMMPROF_FILE_F_UNREAD);
	case -EBADMSG:
		return put_file(o, w, VMMPROF_FILE_F_UNREAD);
	default:
		return put_file(o, w, VMMPROF_FILE_F_NOT_RESIDENT);
	}
}

int bundle_files_write(struct bundle_files *f, const struct guest_kernel *k,
		       struct item_writer *w, struct guest_bundle_stat *stat)
{
	struct files_out o = {
		.k = k,
		.w = w,
		.stat = stat,
		.bytes = ALL_BYTES,
		.tables = TABLES_MAX,
		.until = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ALL_NS,
	};
	size_t i;
	int err = 0;

	for (i = 0; i < f->nr && !err; i++)
		err = write_file(&o, &f->waiting[i]);
	return err;
}

void bundle_files_deinit(struct bundle_files *f)
{
	size_t i;

	for (i = 0; i < f->nr; i++)
		free(f->waiting[i].path);
	free(f->waiting);
	hash_deinit(&f->known);
	memset(f, 0, sizeof(*f));
}
