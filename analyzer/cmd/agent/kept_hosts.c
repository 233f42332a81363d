// SPDX-License-Identifier: GPL-2.0-only
/* Several files `host` of one session, one after another. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/agent/kept_hosts.h"
#include "format/items.h"
#include <vmmprof/maps.h>
#include <vmmprof/record.h>

static const char dir[] = "hosts";

/* What is written again by each file, as it is then, or tells of that file alone. */
static bool is_of_now(const struct vmmprof_item_hdr *item)
{
	const struct vmmprof_maps_unwind *unwind = (const void *)item;

	switch (item->type) {
	case VMMPROF_ITEM_TEXT:
	case VMMPROF_ITEM_NOTE:
	case VMMPROF_MAPS_KALLSYMS:
	case VMMPROF_MAPS_MODULES:
		return true;
	case VMMPROF_MAPS_UNWIND:
		return item->size >= sizeof(*unwind) &&
		       unwind->file == VMMPROF_NONE;
	}
	return false;
}

static int read_items(struct items *it, int fd)
{
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	return items_init(it, fd, VMMPROF_FILE_MAPS);
}

static int put_earlier(struct item_writer *w, struct items *it)
{
	const struct vmmprof_item_hdr *item;
	int ret = 0;

	while (!ret && items_next(it, &item) && item->type != VMMPROF_ITEM_END)
		if (!is_of_now(item))
			ret = item_put(w, item->type, item, item->size, NULL,
				       0);
	return ret;
}

/* Writes file @name anew, of the items of @host. */
static int write_earlier(int hosts, const char *name, int host)
{
	struct item_writer w;
	struct items it;
	int ret, err;

	ret = read_items(&it, host);
	if (ret)
		return ret;
	ret = item_writer_open(&w, hosts, name, VMMPROF_FILE_MAPS);
	if (!ret) {
		ret = put_earlier(&w, &it);
		err = item_writer_close(&w, !ret);
		ret = ret ? ret : err;
		if (ret)
			unlinkat(hosts, name, 0);
	}
	items_deinit(&it);
	return ret;
}

static int open_hosts(int at)
{
	int fd = openat(at, dir,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int kept_hosts_put(int at, int host, __u64 now)
{
	char name[KEPT_NAME_DIGITS + 1];
	int fd, ret;

	if (mkdirat(at, dir, 0700) && errno != EEXIST)
		return -errno;
	fd = open_hosts(at);
	if (fd < 0)
		return fd;
	snprintf(name, sizeof(name), "%0*llu", KEPT_NAME_DIGITS, now);
	ret = write_earlier(fd, name, host);
	close(fd);
	return ret;
}

int kept_hosts_init(struct kept_hosts *h, int at)
{
	*h = (struct kept_hosts){ .dirfd = open_hosts(at) };
	if (h->dirfd >= 0)
		return kept_list(h->dirfd, &h->list, &h->nr);
	return h->dirfd == -ENOENT ? 0 : h->dirfd;
}

void kept_hosts_deinit(struct kept_hosts *h)
{
	free(h->list);
	h->list = NULL;
	io_close(&h->dirfd);
}

int kept_hosts_trim(int at, __u64 from, __u64 *bytes)
{
	struct kept_hosts h;
	struct stat st;
	size_t i, left = 0;
	int ret = kept_hosts_init(&h, at);

	for (i = 0; i < h.nr && !ret; i++) {
		if (h.list[i].from <= from) {
			if (unlinkat(h.dirfd, h.list[i].name, 0))
				ret = -errno;
			continue;
		}
		left++;
		if (fstatat(h.dirfd, h.list[i].name, &st, AT_SYMLINK_NOFOLLOW))
			ret = -errno;
		else
			*bytes += st.st_size;
	}
	if (!ret && h.dirfd >= 0 && !left && unlinkat(at, dir, AT_REMOVEDIR))
		ret = -errno;
	kept_hosts_deinit(&h);
	return ret;
}

/* A file that is copied behind others. */
struct behind {
	__u32 first;	/* number of its first file of symbols */
	__u32 next;	/* ... of the file behind it */
	__u64 begin_ns; /* when it began, CLOCK_MONOTONIC; 0: as the first one */
	bool clock_seen;
};

static int number(const struct behind *b, __u32 *file)
{
	/* VMMPROF_MAP_GONE and VMMPROF_NONE are none */
	if (*file >= VMMPROF_MAP_GONE)
		return 0;
	if (*file >= VMMPROF_MAP_GONE - b->first)
		return -EOVERFLOW;
	*file += b->first;
	return 0;
}

static void not_before(const struct behind *b, __u64 *ns)
{
	if (*ns < b->begin_ns)
		*ns = b->begin_ns;
}

/* The item as it is in the file of all; @item is a copy. */
static int change(struct behind *b, struct vmmprof_item_hdr *item)
{
	union {
		struct vmmprof_item_hdr *hdr;
		struct vmmprof_maps_proc *proc;
		struct vmmprof_maps_map *map;
		struct vmmprof_maps_file *file;
		struct vmmprof_maps_symtab *symtab;
		struct vmmprof_maps_jit *jit;
		struct vmmprof_maps_cgroup *cgroup;
		struct vmmprof_maps_code *code;
		struct vmmprof_maps_unwind *unwind;
	} i = { .hdr = item };
	int ret;

	switch (item->type) {
	case VMMPROF_MAPS_PROC:
		if (item->size >= sizeof(*i.proc))
			not_before(b, &i.proc->ns);
		return 0;
	case VMMPROF_MAPS_CGROUP:
		if (item->size >= sizeof(*i.cgroup))
			not_before(b, &i.cgroup->ns);
		return 0;
	case VMMPROF_MAPS_JIT:
		if (item->size >= sizeof(*i.jit) &&
		    i.jit->source == VMMPROF_JIT_PERF_MAP)
			not_before(b, &i.jit->ns);
		return 0;
	case VMMPROF_MAPS_MAP:
		if (item->size < sizeof(*i.map))
			return 0;
		not_before(b, &i.map->ns);
		return number(b, &i.map->file);
	case VMMPROF_MAPS_FILE:
		if (item->size < sizeof(*i.file))
			return 0;
		ret = number(b, &i.file->id);
		if (!ret && i.file->id >= b->next)
			b->next = i.file->id + 1;
		return ret;
	case VMMPROF_MAPS_SYMTAB:
		return item->size < sizeof(*i.symtab) ?
			       0 :
			       number(b, &i.symtab->file);
	case VMMPROF_MAPS_CODE:
		return item->size < sizeof(*i.code) ? 0 :
						      number(b, &i.code->file);
	case VMMPROF_MAPS_UNWIND:
		return item->size < sizeof(*i.unwind) ?
			       0 :
			       number(b, &i.unwind->file);
	}
	return 0;
}

static int copy_item(struct behind *b, const struct vmmprof_item_hdr *item,
		     struct item_writer *to)
{
	struct vmmprof_item_hdr *copy;
	int ret;

	if (item->type == VMMPROF_MAPS_KALLSYMS)
		return item_put(to, item->type, item, item->size, NULL, 0);
	copy = malloc(item->size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, item, item->size);
	ret = change(b, copy);
	if (!ret)
		ret = item_put(to, item->type, copy, item->size, NULL, 0);
	free(copy);
	return ret;
}

static int copy_file(struct behind *b, int fd, bool later,
		     struct item_writer *to)
{
	const struct vmmprof_item_clock *clock;
	const struct vmmprof_item_hdr *item;
	struct items it;
	int ret;

	ret = read_items(&it, fd);
	if (ret)
		return ret;
	b->first = b->next;
	b->begin_ns = 0;
	b->clock_seen = false;
	while (!ret && items_next(&it, &item)) {
		if (item->type == VMMPROF_ITEM_END)
			break;
		clock = (const void *)item;
		if (item->type == VMMPROF_ITEM_CLOCK && later &&
		    !b->clock_seen && item->size >= sizeof(*clock)) {
			b->clock_seen = true;
			b->begin_ns = clock->mono_ns;
		}
		ret = copy_item(b, item, to);
	}
	items_deinit(&it);
	return ret;
}

int kept_hosts_copy(const struct kept_hosts *h, int host,
		    struct item_writer *to)
{
	struct behind b = { 0 };
	int fd, ret = 0;
	size_t i;

	for (i = 0; i < h->nr && !ret; i++) {
		fd = openat(h->dirfd, h->list[i].name,
			    O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		ret = copy_file(&b, fd, i > 0, to);
		close(fd);
	}
	return ret ? ret : copy_file(&b, host, h->nr > 0, to);
}
