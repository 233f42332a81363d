// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks for files by build-id: in the directories of debug files (sym/debug_path.h)
 * and among the files that the host had mapped.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "model/debug_names.h"
#include "os/symbol_budget.h"
#include "sym/debug_path.h"

struct search {
	struct debug_names *d;
	const struct vmmprof_maps_file *item; /* for whom */
	struct debug_entry *entry;
	bool was_mapped; /* a path of the host's own files is tried */
};

static void say(struct search *s, const char *path, const char *why)
{
	if (s->d->problems)
		problem(s->d->problems, "%s: not used for the names of %s: %s",
			path, s->item->path, why);
}

static bool has_build_id(const struct debug_entry *e, const struct elffile *elf)
{
	return elf->build_id_size == e->size &&
	       !memcmp(elf->build_id, e->build_id, e->size);
}

/* Is it what is looked for?  Consumes *@elf. */
static bool take(struct search *s, const char *path, struct elffile *elf)
{
	struct debug_entry *e = s->entry;
	__u64 bytes = elf->nr_symbols * (__u64)sizeof(*elf->symbols) +
		      elf->strings_size;
	const char *why = NULL;

	if (!has_build_id(e, elf))
		why = "its build-id is another one, or missing";
	else if (bytes > symlimits_host.file ||
		 s->d->bytes + bytes > symlimits_host.all)
		why = "there are too many symbols";
	/* What the host had mapped may have been updated since. */
	if (why && (has_build_id(e, elf) || !s->was_mapped))
		say(s, path, why);
	e->path = strdup(path);
	if (why || !e->path || !elf->nr_symbols ||
	    (e->what == DEBUG_NAMES ? elf->stripped : elf->no_code)) {
		elffile_free(elf);
		free(e->path);
		e->path = NULL;
		return false;
	}
	s->d->bytes += bytes;
	e->flags = s->was_mapped ? OPEN_OF_ROOT : 0;
	e->elf = *elf;
	e->there = true;
	return true;
}

/* A file that is not there, or may not be opened, is not worth a word. */
static bool try_path(struct search *s, const char *path, int flags)
{
	int fd = open_regular(AT_FDCWD, path, flags), err;
	struct elffile elf;

	if (fd == -EACCES && !s->d->unreadable) {
		s->d->unreadable = true;
		say(s, path,
		    "it may not be read by all (sessions are read as nobody), or is no ELF file");
	}
	if (fd < 0)
		return false;
	err = elffile_read(fd, &elf);
	close(fd);
	if (err)
		say(s, path,
		    err == -ENOMEM || err == -EFBIG ?
			    "it is too large" :
			    "it is no ELF file, or damaged");
	return !err && take(s, path, &elf);
}

static bool try_directories(struct search *s)
{
	const struct debug_entry *e = s->entry;
	char path[PATH_MAX];
	unsigned int i;
	int err;

	for (i = 0; (err = debug_path_try(i, e->build_id, e->size, path,
					  sizeof(path))) != -ENOENT;
	     i++)
		if (!err && try_path(s, path, 0))
			return true;
	return false;
}

/*
 * Files that the host had mapped.  Anybody can write a build-id: only what root
 * alone could write gives names to others.
 */
static bool try_host(struct search *s)
{
	const struct bundle *host = s->d->host;
	const struct debug_entry *e = s->entry;
	const struct vmmprof_maps_file *f;
	size_t i;

	s->was_mapped = true;
	for (i = 0; host && i < host->nr_files; i++) {
		f = host->files[i].item;
		if (*f->path == '/' && f->flags & VMMPROF_FILE_F_ROOT &&
		    f->build_id_size == e->size &&
		    !memcmp(f->build_id, e->build_id, e->size) &&
		    try_path(s, f->path, OPEN_OF_ROOT))
			return true;
	}
	return false;
}

static struct debug_entry *find(struct debug_names *d,
				const struct vmmprof_maps_file *item, __u8 what)
{
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (d->entries[i].what == what &&
		    d->entries[i].size == item->build_id_size &&
		    !memcmp(d->entries[i].build_id, item->build_id,
			    item->build_id_size))
			return &d->entries[i];
	return NULL;
}

static int add(struct debug_names *d, const struct vmmprof_maps_file *item,
	       __u8 what, struct debug_entry **ret)
{
	struct search s = { .d = d, .item = item };
	int err = vec_grow(&d->entries, &d->cap, d->nr, sizeof(*d->entries));

	if (err)
		return err;
	s.entry = &d->entries[d->nr++];
	memset(s.entry, 0, sizeof(*s.entry));
	s.entry->what = what;
	s.entry->size = item->build_id_size;
	memcpy(s.entry->build_id, item->build_id, item->build_id_size);
	if (!try_directories(&s))
		try_host(&s);
	*ret = s.entry;
	return 0;
}

/* A server's file; one that it does not have is not worth a word. */
static void try_server(struct debug_names *d, bool guest,
		       const struct vmmprof_maps_file *item,
		       struct debug_entry *e)
{
	struct search s = { .d = d, .item = item, .entry = e };
	char name[128];
	int err;

	if (!d->fetch || e->fetched || e->there || e->what != DEBUG_NAMES)
		return;
	err = d->fetch(d->fetch_arg, item, guest, name, sizeof(name));
	e->fetched = err != -EPERM;
	if (!err)
		try_path(&s, name, 0);
	else if (err != -ENOENT && err != -EPERM && err != d->told)
		say(&s, "debuginfod", d->why(err));
	if (err && err != -ENOENT && err != -EPERM)
		d->told = err;
}

/* Do all functions lie in these segments? */
static bool fits(const struct elffile *elf, const struct symbols *segments)
{
	__u64 offset;
	__u32 i;

	for (i = 0; i < elf->nr_symbols; i++)
		if (!symbols_offset(segments, elf->symbols[i].addr, &offset))
			return false;
	return true;
}

/* The file for one of a bundle, if there is one.  0, -ENOENT or -ENOMEM. */
static int look_up(struct debug_names *d, const struct vmmprof_maps_file *item,
		   bool guest, enum debug_what what, struct debug_entry **ret)
{
	int err = 0;

	if (!d || !d->on || !item->build_id_size ||
	    item->build_id_size > ELFFILE_BUILD_ID_MAX)
		return -ENOENT;
	*ret = find(d, item, what);
	if (!*ret)
		err = add(d, item, what, ret);
	if (err)
		return err;
	try_server(d, guest, item, *ret);
	return (*ret)->there ? 0 : -ENOENT;
}

const char *debug_names_path(struct debug_names *d,
			     const struct vmmprof_maps_file *item, bool guest,
			     int *flags)
{
	struct debug_entry *e;

	if (look_up(d, item, guest, DEBUG_NAMES, &e))
		return NULL;
	*flags = e->flags;
	return e->path;
}

int debug_names_get(struct debug_names *d, const struct vmmprof_maps_file *item,
		    bool guest, enum debug_what what,
		    const struct symbols *segments, struct symbols *ret)
{
	struct debug_entry *e;
	int err = look_up(d, item, guest, what, &e);

	if (err)
		return err;
	if (what == DEBUG_NAMES && !fits(&e->elf, segments)) {
		struct search s = { .d = d, .item = item };

		say(&s, e->path,
		    "it has functions outside of that file's code");
		return -ENOENT;
	}
	symbols_of_elf(ret, &e->elf);
	return 0;
}

void debug_names_deinit(struct debug_names *d)
{
	size_t i;

	for (i = 0; i < d->nr; i++) {
		elffile_free(&d->entries[i].elf);
		free(d->entries[i].path);
	}
	free(d->entries);
	memset(d, 0, sizeof(*d));
}
