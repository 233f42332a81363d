// SPDX-License-Identifier: GPL-2.0-only
/* Lists the cache of symbol tables, and removes what was unused for longest. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/items.h"
#include "base/vec.h"
#include "base/sort.h"
#include "symcache/evict.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
/* A file takes whole blocks of this size on the disk. */
#define BLOCK	  4096ull

struct entry {
	char name[SYMCACHE_NAME + 1];
	uint64_t bytes;
	struct timespec used;
	size_t guest;
};

/* All that is in the cache. */
struct content {
	struct symcache_evict_guest *guests;
	struct entry *entries;
	size_t nr_guests, cap_guests, nr_entries, cap_entries;
	uint64_t bytes;
};

/* Calls @f with each name in the directory; it stays open. */
static int each_name(int dirfd,
		     int (*f)(void *data, int dirfd, const char *name),
		     void *data)
{
	int copy = openat(dirfd, ".", DIR_FLAGS), ret = 0;
	struct dirent *d;
	DIR *dir;

	if (copy < 0)
		return -errno;
	dir = fdopendir(copy);
	if (!dir) {
		close(copy);
		return -ENOMEM;
	}
	while (!ret && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			ret = f(data, dirfd, d->d_name);
	closedir(dir);
	return ret;
}

static int add_entry(void *data, int dirfd, const char *name)
{
	struct content *all = data;
	struct symcache_evict_guest *g = &all->guests[all->nr_guests - 1];
	struct entry *e;
	struct stat st;
	int ret;

	if (strlen(name) != SYMCACHE_NAME ||
	    fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	ret = vec_grow(&all->entries, &all->cap_entries, all->nr_entries,
		       sizeof(*all->entries));
	if (ret)
		return ret;
	e = &all->entries[all->nr_entries++];
	strcpy(e->name, name);
	e->bytes = (st.st_size + BLOCK - 1) & ~(BLOCK - 1);
	e->used = st.st_mtim;
	e->guest = all->nr_guests - 1;
	g->files++;
	g->bytes += e->bytes;
	if (st.st_mtim.tv_sec > g->used)
		g->used = st.st_mtim.tv_sec;
	all->bytes += e->bytes;
	return 0;
}

static void read_name(int dirfd, char *name)
{
	int fd = open_regular(dirfd, "name", O_NOFOLLOW);
	ssize_t n;

	name[0] = '\0';
	if (fd < 0)
		return;
	n = read(fd, name, SYMCACHE_LABEL - 1);
	name[n > 0 ? n : 0] = '\0';
	close(fd);
}

static int add_guest(void *data, int dirfd, const char *name)
{
	struct symcache_evict_guest *g;
	struct content *all = data;
	int fd, ret;

	if (strlen(name) >= sizeof(g->id))
		return 0;
	fd = openat(dirfd, name, DIR_FLAGS);
	if (fd < 0)
		return 0;
	ret = vec_grow(&all->guests, &all->cap_guests, all->nr_guests,
		       sizeof(*all->guests));
	if (!ret) {
		g = &all->guests[all->nr_guests++];
		memset(g, 0, sizeof(*g));
		strcpy(g->id, name);
		read_name(fd, g->name);
		ret = each_name(fd, add_entry, all);
	}
	close(fd);
	return ret;
}

static int read_content(const struct symcache *c, struct content *all)
{
	int ret;

	memset(all, 0, sizeof(*all));
	ret = each_name(c->dirfd, add_guest, all);
	if (ret) {
		free(all->guests);
		free(all->entries);
	}
	return ret;
}

static int by_name(const void *pa, const void *pb)
{
	const struct symcache_evict_guest *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->id, b->id);
}

int symcache_evict_list(const struct symcache *c,
			struct symcache_evict_guest **list, size_t *nr)
{
	struct content all;
	int ret = read_content(c, &all);

	if (ret)
		return ret;
	free(all.entries);
	if (all.nr_guests)
		sort_array(all.guests, all.nr_guests, sizeof(*all.guests),
			   by_name);
	*list = all.guests;
	*nr = all.nr_guests;
	return 0;
}

/* Removes a directory if it has no more entries. */
static void drop_guest(const struct symcache *c, int fd, const char *id)
{
	unlinkat(fd, ".new", 0);
	unlinkat(fd, "name", 0);
	unlinkat(c->dirfd, id, AT_REMOVEDIR);
}

int symcache_evict_clear(const struct symcache *c, const char *name,
			 uint64_t *files, uint64_t *bytes)
{
	struct content all;
	int ret = read_content(c, &all), err = 0;
	size_t i, k;

	if (ret)
		return ret;
	for (i = 0; i < all.nr_guests; i++) {
		const struct symcache_evict_guest *g = &all.guests[i];
		int fd;

		if (name && strcmp(name, g->name))
			continue;
		fd = openat(c->dirfd, g->id, DIR_FLAGS);
		for (k = 0; fd >= 0 && k < all.nr_entries; k++) {
			if (all.entries[k].guest != i)
				continue;
			if (unlinkat(fd, all.entries[k].name, 0)) {
				err = -errno;
				continue;
			}
			++*files;
			*bytes += all.entries[k].bytes;
		}
		if (fd < 0)
			continue;
		drop_guest(c, fd, g->id);
		close(fd);
	}
	free(all.guests);
	free(all.entries);
	return err;
}

static int oldest_first(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
	if (a->used.tv_nsec != b->used.tv_nsec)
		return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* A directory without entries. */
static void remove_guest(const struct symcache *c,
			 const struct symcache_evict_guest *g)
{
	int fd = openat(c->dirfd, g->id, DIR_FLAGS);

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		drop_guest(c, fd, g->id);
	close(fd);
}

static void remove_entry(const struct symcache *c, struct content *all,
			 const struct entry *e)
{
	struct symcache_evict_guest *g = &all->guests[e->guest];
	int fd = openat(c->dirfd, g->id, DIR_FLAGS);

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB) && !unlinkat(fd, e->name, 0)) {
		g->bytes -= e->bytes;
		g->files--;
		all->bytes -= e->bytes;
	}
	close(fd);
}

int symcache_evict_trim(const struct symcache *c, uint64_t guest_max,
			uint64_t max)
{
	struct content all;
	int ret = read_content(c, &all);
	size_t i;

	if (ret)
		return ret;
	if (all.nr_entries)
		sort_array(all.entries, all.nr_entries, sizeof(*all.entries),
			   oldest_first);
	/* guests first: what is removed there also makes room for all */
	for (i = 0; i < all.nr_entries; i++) {
		if (all.guests[all.entries[i].guest].bytes <= guest_max)
			continue;
		remove_entry(c, &all, &all.entries[i]);
		all.entries[i].name[0] = '\0';
	}
	for (i = 0; i < all.nr_entries && all.bytes > max; i++)
		if (all.entries[i].name[0])
			remove_entry(c, &all, &all.entries[i]);
	for (i = 0; i < all.nr_guests; i++)
		if (!all.guests[i].files)
			remove_guest(c, &all.guests[i]);
	free(all.guests);
	free(all.entries);
	return 0;
}
