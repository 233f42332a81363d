// SPDX-License-Identifier: GPL-2.0-only
/* Has each mapped file opened and read once and writes its symbols. */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "sym/eh_frame_rows.h"
#include "base/vec.h"
#include "base/sort.h"
#include "os/file_broker.h"
#include "os/file_parser.h"
#include "os/file_keys.h"
#include "os/map_files.h"
#include "os/map_items.h"
#include "os/symbol_budget.h"

/* Mappings that wait for their file, of all files. */
#define WAITING_MAX 0x100000
/* Users whose turn it is after the first ones had no room for a file. */
#define TRIES	    4
#define NOTES_MAX   64
#define LAST_MS	    500

/* Device number of mappings of no file system, and inode numbers on it. */
#define PSEUDO_DEV  UINT64_MAX
enum { PSEUDO_VDSO = 1, PSEUDO_VDSO32 = 2 };

struct file {
	__u64 dev, ino;
	__u32 generation; /* 0: not known */
	__u32 id;	  /* VMMPROF_NONE: not written yet */
	__u32 flags;
	bool waits;		       /* for its reader */
	bool unread;		       /* its content could not be had so far */
	__u8 tries;		       /* left, of reading it again */
	char *path;		       /* while it waits */
	struct vmmprof_maps_map *maps; /* that wait for it */
	size_t nr_maps, cap_maps;
};

struct map_files {
	struct item_writer *w;
	struct proc_maps_stat *stat;
	struct symbol_budget *budget;
	struct file_broker *broker;
	struct file_broker_config cfg;
	struct file_keys keys;
	struct file *files;
	size_t nr, cap;
	size_t waiting; /* maps of all */
	__u32 next_id;
	unsigned int notes;
	__u8 (*have)[20];
};

/* FILE with a new id and, where there are symbols, SYMTAB. */
static int put_file(struct map_files *f, struct file *file, __u32 flags,
		    const char *path, const struct elffile *elf)
{
	struct vmmprof_maps_file item = {
		.id = f->next_id++,
		.flags = flags,
		.dev = file->dev,
		.ino = file->ino,
		.build_id_size = elf->build_id_size,
	};
	int err;

	file->id = item.id;
	memcpy(item.build_id, elf->build_id, elf->build_id_size);
	if (!elf->nr_symbols &&
	    !(flags & (VMMPROF_FILE_F_UNREAD | VMMPROF_FILE_F_CACHED)))
		item.flags |= VMMPROF_FILE_F_NO_SYMS;
	f->stat->files++;
	err = item_put(f->w, VMMPROF_MAPS_FILE, &item, sizeof(item), path,
		       strlen(path) + 1);
	if (!err && elf->nr_segments) {
		f->stat->symtabs++;
		err = map_items_symtab(f->w, item.id, elf);
	}
	return err;
}

static int put_map(struct map_files *f, struct vmmprof_maps_map *item, __u32 id)
{
	item->file = id;
	return item_put(f->w, VMMPROF_MAPS_MAP, item, sizeof(*item), NULL, 0);
}

/* The file has its id: write the mappings that waited for it. */
static int put_maps(struct map_files *f, struct file *file)
{
	size_t i;
	int err = 0;

	for (i = 0; i < file->nr_maps && !err; i++)
		err = put_map(f, &file->maps[i], file->id);
	f->waiting -= file->nr_maps;
	free(file->maps);
	free(file->path);
	file->maps = NULL;
	file->path = NULL;
	file->nr_maps = 0;
	file->cap_maps = 0;
	file->waits = false;
	return err;
}

/*
 * The tables of an answer as those of an ELF file.  They stay where they are.
 */
static void get_tables(const struct file_broker_answer *a, struct elffile *elf)
{
	const struct file_parsed *p = &a->parsed;

	memset(elf, 0, sizeof(*elf));
	elf->build_id_size = p->build_id_size;
	memcpy(elf->build_id, p->build_id, p->build_id_size);
	elf->nr_segments = p->nr_segments;
	elf->nr_symbols = p->nr_symbols;
	elf->strings_size = p->strings_size;
	elf->segments = (void *)a->memory;
	elf->symbols = (void *)(elf->segments + elf->nr_segments);
	elf->strings = (char *)(elf->symbols + elf->nr_symbols);
}

/*
 * The key of this content, if only one user can have written it; false: none.
 */
static bool content_key(const struct file_broker_answer *a,
			const struct elffile *elf, struct file_key *key)
{
	memset(key, 0, sizeof(*key));
	key->dev = a->owner.uid;
	key->build_id_size = elf->build_id_size;
	memcpy(key->build_id, elf->build_id, elf->build_id_size);
	return a->owner.sole && elf->build_id_size;
}

/* Why a file has no symbols, of the first ones. */
static int note(struct map_files *f, const struct file *file,
		const struct file_broker_answer *a)
{
	const char *why;

	switch (a->err) {
	case -EBADE:
		why = "it is an attack or meets a bug: its reader was ended";
		break;
	case -ETIMEDOUT:
		why = "it takes too long to read";
		break;
	case -EOVERFLOW:
		why = "they unpack to too much";
		break;
	case -EFBIG:
	case -ENOMEM:
		why = "it is too large";
		break;
	case -EDQUOT:
	case -ENOSPC:
	case -ETIME:
		why = "there is too much of its user already";
		break;
	case -ENOBUFS:
		why = "too many files wait";
		break;
	case -EPERM:
	case -EAGAIN:
		why = "there is no process to read it";
		break;
	default:
		return 0;
	}
	symbol_budget_left(f->budget,
			   a->opened ? a->owner.mapper : SYMBOL_BUDGET_ANY,
			   a->err);
	if (f->notes++ >= NOTES_MAX)
		return 0;
	return item_note(f->w, "no symbols of %.300s: %s", file->path, why);
}

/* Not read.  A file that is there, but over somebody's limit, may be another's. */
static int on_unread(struct map_files *f, struct file *file,
		     const struct file_broker_answer *a)
{
	const struct elffile none = { 0 };
	int err = note(f, file, a);

	file->unread = true;
	if (!a->opened && a->err != -ETIMEDOUT)
		file->tries = TRIES;
	else if (a->err == -EDQUOT || a->err == -ETIME)
		file->tries -= file->tries > 0;
	else
		file->tries = 0;
	if (file->id != VMMPROF_NONE)
		return err;
	f->stat->unread++;
	return err   ?:
		       put_file(f, file, file->flags | VMMPROF_FILE_F_UNREAD,
				file->path, &none);
}

static int on_read(struct map_files *f, __u32 index,
		   const struct file_broker_answer *a)
{
	struct file *file = &f->files[index];
	struct file_key key;
	struct elffile elf;
	__u32 flags = file->flags, other = VMMPROF_NONE;
	int err;

	get_tables(a, &elf);
	if (content_key(a, &elf, &key))
		other = file_keys_find(&f->keys, &key);
	file->unread = false;
	if (other != VMMPROF_NONE) {
		file->id = f->files[other].id;
		return 0;
	}
	if (a->parsed.cached)
		flags |= VMMPROF_FILE_F_CACHED;
	if (a->parsed.unwind_cached)
		flags |= VMMPROF_FILE_F_UNWIND_CACHED;
	if (a->owner.trusted)
		flags |= VMMPROF_FILE_F_ROOT;
	err = put_file(f, file, flags, file->path, &elf);
	if (!err && a->parsed.unwind_size)
		err = map_items_unwind(f->w, file->id,
				       elf.strings + elf.strings_size,
				       a->parsed.unwind_size);
	key.index = index;
	if (!err && a->owner.sole && elf.build_id_size)
		err = file_keys_set(&f->keys, &key);
	symbol_budget_take(f->budget, &a->owner, file_parser_size(&a->parsed),
			   0);
	return err;
}

/* .ask() of the file broker. */
static int may_read(void *arg, const struct file_owner *owner)
{
	struct map_files *f = arg;

	return symbol_budget_ask(f->budget, owner, 0);
}

/* 0, or why there is no room for what an answer has. */
static int no_room(struct map_files *f, const struct file_broker_answer *a)
{
	__u64 size = file_parser_size(&a->parsed);

	return size > f->budget->limits->file ?
		       -EFBIG :
		       symbol_budget_ask(f->budget, &a->owner, size);
}

/*
 * Symbols are worth more than an unwind table: one that has no room is left
 * out, and told of.
 */
static int check_unwind(struct map_files *f, const struct file *file,
			struct file_broker_answer *a)
{
	if (a->err)
		return 0;
	if (a->parsed.unwind_size && no_room(f, a)) {
		a->parsed.unwind_size = 0;
		a->parsed.no_unwind = true;
	}
	if (!a->parsed.no_unwind || f->notes++ >= NOTES_MAX)
		return 0;
	return item_note(f->w, "no unwind table of %.300s: it is too large",
			 file->path);
}

static int on_answer(void *arg, const struct file_broker_answer *answer)
{
	struct file_broker_answer a = *answer;
	struct map_files *f = arg;
	struct file *file = &f->files[a.index];
	int err;

	if (a.opened) {
		file->generation = a.owner.generation ?: file->generation;
		symbol_budget_take(f->budget, &a.owner, 0, a.ns);
	}
	if (a.err == -ENOEXEC)
		a.err = 0; /* no ELF file: it has no symbols, which is known now */
	err = check_unwind(f, file, &a);
	if (err)
		return err;
	if (!a.err)
		a.err = no_room(f, &a);
	err = a.err ? on_unread(f, file, &a) : on_read(f, a.index, &a);
	if (!err && !a.err && a.parsed.cut) {
		a.err = -EOVERFLOW;
		err = note(f, file, &a);
	}
	return err ?: put_maps(f, file);
}

int map_files_vdso(struct map_files *f, const void *image, size_t size)
{
	struct file file = { .dev = PSEUDO_DEV, .ino = PSEUDO_VDSO };
	struct file_key key = {
		.dev = file.dev,
		.ino = file.ino,
		.index = f->nr,
	};
	__u32 flags = VMMPROF_FILE_F_PSEUDO;
	struct elffile elf = { 0 };
	int err;

	if (vec_grow(&f->files, &f->cap, f->nr, sizeof(*f->files)))
		return -ENOMEM;
	/*
	 * it is the kernel's and the same in every process: no other process
	 * needs to read it
	 */
	if (elffile_read_memory(image, size, &elf))
		flags |= VMMPROF_FILE_F_UNREAD;
	err = put_file(f, &file, flags, "[vdso]", &elf);
	f->files[f->nr++] = file;
	elffile_free(&elf);
	return err ?: file_keys_set(&f->keys, &key);
}

void map_files_sparing(struct map_files *f)
{
	f->cfg.sparing = true;
}

void map_files_unwind(struct map_files *f)
{
	f->cfg.unwind = true;
}

int map_files_unwind_vdso(struct map_files *f, const void *image, size_t size)
{
	const struct file_key key = { .dev = PSEUDO_DEV, .ino = PSEUDO_VDSO };
	__u32 index = file_keys_find(&f->keys, &key);
	struct elf_section s;
	struct unwind_table t;
	struct eh_frame frame;
	size_t stored;
	void *data;
	int err;

	if (index == VMMPROF_NONE ||
	    elffile_section_memory(image, size, ".eh_frame", &s))
		return 0;
	frame = (struct eh_frame){ s.bytes, s.size, s.addr, s.ia32 };
	err = eh_frame_table(&frame, &t);
	free(s.bytes);
	if (err)
		return err == -ENOMEM ? err : 0;
	err = unwind_table_encode(&t, &data, &stored);
	unwind_table_free(&t);
	if (err)
		return err;
	err = map_items_unwind(f->w, f->files[index].id, data, stored);
	free(data);
	return err;
}

int map_files_create(struct item_writer *w, struct proc_maps_stat *stat,
		     struct symbol_budget *budget, struct map_files **ret)
{
	struct map_files *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->w = w;
	f->stat = stat;
	f->budget = budget;
	f->cfg.memory = budget->limits->file;
	f->cfg.file_ns = budget->limits->file_ns;
	f->cfg.ask = may_read;
	f->cfg.answer = on_answer;
	f->cfg.arg = f;
	err = file_broker_create(&f->cfg, &f->broker);
	if (err)
		free(f);
	else
		*ret = f;
	return err;
}

static int compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, 20);
}

int map_files_have(struct map_files *files, const void *build_ids, size_t n)
{
	static const __u8 none[20];
	__u8(*ids)[20] = malloc(n * sizeof(*ids) + 1);
	struct file_have *have = &files->cfg.have;
	size_t nr = 0;

	if (!ids)
		return -ENOMEM;
	memcpy(ids, build_ids, n * sizeof(*ids));
	while (nr < n && compare_ids(ids[nr], none))
		nr++;
	free(files->have);
	files->have = ids;
	have->symbols = (const void *)ids;
	have->nr_symbols = nr;
	have->unwind = (const void *)(ids + nr + 1);
	have->nr_unwind = nr < n ? n - nr - 1 : 0;
	if (have->nr_symbols)
		sort_array(ids, nr, sizeof(*ids), compare_ids);
	if (have->nr_unwind)
		sort_array(ids + nr + 1, have->nr_unwind, sizeof(*ids),
			   compare_ids);
	return 0;
}

int map_files_end(struct map_files *files, unsigned int ms)
{
	return file_broker_wait(files->broker, ms) ?:
		       file_broker_give_up(files->broker);
}

int map_files_destroy(struct map_files *files)
{
	size_t i;
	int err;

	if (!files)
		return 0;
	err = map_files_end(files, LAST_MS);
	file_broker_destroy(files->broker);
	for (i = 0; i < files->nr; i++) {
		free(files->files[i].maps);
		free(files->files[i].path);
	}
	free(files->files);
	file_keys_deinit(&files->keys);
	free(files->have);
	free(files);
	return err;
}

/* The file of [vdso]; 32-bit processes have another image, not read. */
static int vdso_index(struct map_files *f, __u64 start, __u32 *index)
{
	struct file_key key = { .dev = PSEUDO_DEV, .ino = PSEUDO_VDSO };
	struct file file = { .dev = PSEUDO_DEV };
	const struct elffile none = { 0 };
	int err;

	if (start >> 32 == 0)
		key.ino = PSEUDO_VDSO32;
	*index = file_keys_find(&f->keys, &key);
	if (*index != VMMPROF_NONE)
		return 0;
	if (vec_grow(&f->files, &f->cap, f->nr, sizeof(*f->files)))
		return -ENOMEM;
	file.ino = key.ino;
	*index = f->nr;
	key.index = f->nr;
	err = put_file(f, &file, VMMPROF_FILE_F_PSEUDO | VMMPROF_FILE_F_UNREAD,
		       "[vdso]", &none);
	f->files[f->nr++] = file;
	return err ?: file_keys_set(&f->keys, &key);
}

/* Has it read, for the first time or again. */
static int ask(struct map_files *f, const struct mmap_event *ev, __u32 index)
{
	struct file *file = &f->files[index];
	int err;

	free(file->path);
	file->path = strdup(ev->path);
	if (!file->path)
		return -ENOMEM;
	err = file_broker_add(f->broker, ev, index);
	/* with " (deleted)" taken off, which is not part of the name */
	file->flags = map_items_path(file->path);
	file->waits = !err;
	if (err == -ENOBUFS) {
		const struct file_broker_answer no = { .err = err };

		err = on_unread(f, file, &no) ?: put_maps(f, file);
	}
	return err;
}

static int add_file(struct map_files *f, const struct mmap_event *ev,
		    struct file_key *key)
{
	const struct file file = {
		.dev = ev->dev,
		.ino = ev->ino,
		.generation = ev->generation,
		.id = VMMPROF_NONE,
		.tries = TRIES,
	};
	int err;

	if (vec_grow(&f->files, &f->cap, f->nr, sizeof(*f->files)))
		return -ENOMEM;
	key->index = f->nr;
	err = file_keys_set(&f->keys, key);
	if (err)
		return err;
	f->files[f->nr++] = file;
	return ask(f, ev, key->index);
}

/* The index of the file; asks for a file that is new. */
static int file_index(struct map_files *f, const struct mmap_event *ev,
		      __u32 *index)
{
	struct file_key key = { .dev = ev->dev, .ino = ev->ino };
	struct file *file;
	int err;

	*index = file_keys_find(&f->keys, &key);
	file = *index == VMMPROF_NONE ? NULL : &f->files[*index];
	/* the inode number was reused for another file */
	if (file && ev->generation && file->generation &&
	    ev->generation != file->generation)
		file = NULL;
	if (!file) {
		err = add_file(f, ev, &key);
		*index = key.index;
		return err;
	}
	if (ev->generation)
		file->generation = ev->generation;
	if (file->unread && !file->waits && file->tries)
		return ask(f, ev, *index);
	return 0;
}

int map_files_map(struct map_files *f, const struct mmap_event *ev,
		  bool *of_file)
{
	struct vmmprof_maps_map item = {
		.ns = ev->ns,
		.start = ev->start,
		.end = ev->end,
		.pgoff = ev->pgoff,
		.pid = ev->pid,
	};
	bool vdso = !strcmp(ev->path, "[vdso]");
	struct file *file;
	__u32 index;
	int err;

	*of_file = vdso || (ev->path[0] == '/' && strcmp(ev->path, "//anon") &&
			    ev->ino);
	if (!*of_file)
		return put_map(f, &item, VMMPROF_NONE);
	err = vdso ? vdso_index(f, ev->start, &index) :
		     file_index(f, ev, &index);
	if (err)
		return err;
	file = &f->files[index];
	if (!file->waits)
		return put_map(f, &item, file->id);
	if (f->waiting >= WAITING_MAX) {
		err = file_broker_give_up(f->broker);
		return err ?: put_map(f, &item, file->id);
	}
	err = vec_grow(&file->maps, &file->cap_maps, file->nr_maps,
		       sizeof(*file->maps));
	if (err)
		return err;
	file->maps[file->nr_maps++] = item;
	f->waiting++;
	return 0;
}

int map_files_run(struct map_files *files, unsigned int ms)
{
	return ms ? file_broker_wait(files->broker, ms) :
		    file_broker_run(files->broker);
}

int map_files_pollfds(const struct map_files *files, struct pollfd *fds,
		      int max)
{
	return file_broker_pollfds(files->broker, fds, max);
}
