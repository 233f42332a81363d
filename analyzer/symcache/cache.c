// SPDX-License-Identifier: GPL-2.0-only
/* Tables of guests' files, kept from one recording to the next. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/io.h"
#include "format/items.h"
#include "base/vec.h"
#include "base/make_dirs.h"
#include "symcache/cache.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
#define MAX_HAVE  65536

bool symcache_path(char *path, size_t size)
{
	const char *own = getenv("VMMPROF_SYMBOL_CACHE");
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = -1;

	if (own && *own)
		n = snprintf(path, size, "%s", own);
	else if (!geteuid())
		n = snprintf(path, size, "/var/cache/vmmprof/symbols");
	else if (xdg && *xdg)
		n = snprintf(path, size, "%s/vmmprof/symbols", xdg);
	else if (home && *home)
		n = snprintf(path, size, "%s/.cache/vmmprof/symbols", home);
	return n > 0 && (size_t)n < size;
}

const char *symcache_strerror(int err)
{
	if (err == -EPERM)
		return "others may write to it: remove it";
	return strerror(-err);
}

int symcache_open(struct symcache *c, const char *path, bool create)
{
	int ret;

	memset(c, 0, sizeof(*c));
	if (create)
		make_dirs(path);
	c->dirfd = open(path, DIR_FLAGS);
	if (c->dirfd < 0)
		return -errno;
	ret = io_own(c->dirfd);
	if (ret)
		symcache_close(c);
	return ret;
}

void symcache_close(struct symcache *c)
{
	io_close(&c->dirfd);
	free(c->claims);
	memset(c, 0, sizeof(*c));
	c->dirfd = -1;
}

static const struct symcache_claim *find_claim(const struct symcache *c,
					       uint32_t pid)
{
	size_t i;

	for (i = 0; i < c->nr_claims; i++)
		if (c->claims[i].pid == pid)
			return &c->claims[i];
	return NULL;
}

int symcache_claim(struct symcache *c, const char *root, uint32_t pid)
{
	struct symcache_claim *claim;
	int ret;

	if (find_claim(c, pid))
		return 0;
	ret = vec_grow(&c->claims, &c->cap_claims, c->nr_claims,
		       sizeof(*c->claims));
	if (ret)
		return ret;
	claim = &c->claims[c->nr_claims++];
	claim->pid = pid;
	if (guest_id(root, pid, claim->id))
		claim->id[0] = '\0';
	return 0;
}

void symcache_unclaim(struct symcache *c, uint32_t pid)
{
	size_t i, nr = 0;

	for (i = 0; i < c->nr_claims; i++)
		if (c->claims[i].pid != pid)
			c->claims[nr++] = c->claims[i];
	c->nr_claims = nr;
}

/* Writes the VM's name for lists; nothing else depends on it. */
static void write_name(int dirfd, const char *name)
{
	int fd = openat(dirfd, "name",
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
			0600);

	if (fd < 0)
		return;
	if (write(fd, name, strlen(name)) < 0 && ftruncate(fd, 0) < 0)
		unlinkat(dirfd, "name", 0);
	close(fd);
}

bool symcache_guest_alone(const struct symcache_guest *g)
{
	const struct symcache_claim *own = find_claim(g->cache, g->pid);
	const struct symcache *c = g->cache;
	size_t i;

	if (!own)
		return false;
	for (i = 0; i < c->nr_claims; i++)
		if (c->claims[i].pid != g->pid &&
		    !strcmp(c->claims[i].id, own->id))
			return false;
	return true;
}

int symcache_guest_open(struct symcache *c, uint32_t pid, const char *name,
			struct symcache_guest *g)
{
	const struct symcache_claim *claim = find_claim(c, pid);
	int ret;

	g->cache = c;
	g->pid = pid;
	g->dirfd = -1;
	if (!claim || !claim->id[0])
		return -ENOENT;
	if (!symcache_guest_alone(g))
		return -EEXIST;
	if (mkdirat(c->dirfd, claim->id, 0700) && errno != EEXIST)
		return -errno;
	g->dirfd = openat(c->dirfd, claim->id, DIR_FLAGS);
	if (g->dirfd < 0)
		return -errno;
	ret = io_own(g->dirfd);
	if (!ret && flock(g->dirfd, LOCK_EX | LOCK_NB))
		ret = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (ret)
		symcache_guest_close(g);
	else
		write_name(g->dirfd, name);
	return ret;
}

void symcache_guest_close(struct symcache_guest *g)
{
	io_close(&g->dirfd);
}

static void entry_name(const struct symcache_key *key, char *name)
{
	hex_put(name, SYMCACHE_NAME + 1, key->build_id, 20);
	strcpy(name + 40, key->kind == SYMCACHE_UNWIND ? ".unw" : ".fun");
}

/* The symbols' entry that a file's name is of; false: of none. */
static bool parse_name(const char *name, struct symcache_key *key)
{
	static const uint8_t none[20];
	char same[SYMCACHE_NAME + 1];

	key->kind = SYMCACHE_SYMBOLS;
	if (hex_get(name, key->build_id, 20) != 20 ||
	    !memcmp(key->build_id, none, 20))
		return false;
	entry_name(key, same);
	return !strcmp(name, same);
}

static bool has_unwind(int dirfd, const struct symcache_key *key)
{
	struct symcache_key k = *key;
	char name[SYMCACHE_NAME + 1];

	k.kind = SYMCACHE_UNWIND;
	entry_name(&k, name);
	return !faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* Appends the build-ids of symbols; @unwind: of those that have tables, too. */
static int put_ids(int fd, int dirfd, bool unwind, unsigned int *room)
{
	int copy = openat(dirfd, ".", DIR_FLAGS), ret = 0;
	struct symcache_key key;
	struct dirent *d;
	DIR *dir;

	dir = copy < 0 ? NULL : fdopendir(copy);
	if (!dir) {
		ret = -errno;
		io_close(&copy);
		return ret;
	}
	while (!ret && *room && (d = readdir(dir))) {
		if (!parse_name(d->d_name, &key) ||
		    (unwind && !has_unwind(dirfd, &key)))
			continue;
		--*room;
		if (write(fd, key.build_id, 20) != 20)
			ret = -ENOMEM;
	}
	closedir(dir);
	return ret;
}

int symcache_have(const struct symcache_guest *g, bool unwind)
{
	static const uint8_t none[20];
	int fd = memfd_create("have", MFD_CLOEXEC), ret;
	unsigned int room = MAX_HAVE;

	if (fd < 0)
		return -errno;
	ret = put_ids(fd, g->dirfd, false, &room);
	if (!ret && room == MAX_HAVE)
		ret = -ENOENT;
	if (!ret && unwind && room) {
		room--;
		ret = write(fd, none, 20) == 20 ?
			      put_ids(fd, g->dirfd, true, &room) :
			      -ENOMEM;
	}
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int symcache_get(const struct symcache_guest *g, const struct symcache_key *key)
{
	char name[SYMCACHE_NAME + 1];
	struct stat st;
	int fd;

	entry_name(key, name);
	fd = open_regular(g->dirfd, name, O_NOFOLLOW);
	if (fd == -ENOENT)
		return fd;
	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
	    st.st_size <= (off_t)SYMCACHE_ENTRY_MAX) {
		futimens(fd, NULL);
		return fd;
	}
	io_close(&fd);
	symcache_drop(g, key);
	return -ENOENT;
}

void symcache_drop(const struct symcache_guest *g,
		   const struct symcache_key *key)
{
	char name[SYMCACHE_NAME + 1];

	entry_name(key, name);
	unlinkat(g->dirfd, name, 0);
}

int symcache_put(const struct symcache_guest *g, const struct symcache_key *key,
		 int from, uint64_t size)
{
	static const char new_name[] = ".new";
	char name[SYMCACHE_NAME + 1];
	int fd, ret;

	if (size > SYMCACHE_ENTRY_MAX)
		return -EFBIG;
	entry_name(key, name);
	/* remove what a killed process left; nobody else uses the directory */
	unlinkat(g->dirfd, new_name, 0);
	fd = openat(g->dirfd, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return -errno;
	ret = io_copy(from, fd, size);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && renameat(g->dirfd, new_name, g->dirfd, name))
		ret = -errno;
	if (ret)
		unlinkat(g->dirfd, new_name, 0);
	return ret;
}
