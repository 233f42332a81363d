// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of analyzer/symcache/merge.c and format/code_merge.c: the input as a guest's
 * bundle, as an entry of the cache, and as code that comes later.  Afterwards the
 * bundle is one that can be read, with the tables it had.
 */

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/code_merge.h"
#include "symcache/entry.h"
#include "symcache/merge.h"
#include "symcache/evict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* in memory: on a disk it would wait for that most of the time */
static char dir[] = "/dev/shm/vmmprof-fuzz-XXXXXX";
static struct symcache cache = { .dirfd = -1 };
static struct symcache_guest guest = { .cache = &cache };

static void remove_dir(void)
{
	rmdir(dir);
}

static void begin(void)
{
	if (cache.dirfd < 0) {
		if (!mkdtemp(dir) || symcache_open(&cache, dir, false))
			abort();
		atexit(remove_dir);
	}
	mkdirat(cache.dirfd, "g", 0700);
	guest.dirfd = openat(cache.dirfd, "g", O_RDONLY | O_DIRECTORY);
	if (guest.dirfd < 0)
		abort();
}

static void end(void)
{
	uint64_t files = 0, bytes = 0;

	close(guest.dirfd);
	if (symcache_evict_clear(&cache, NULL, &files, &bytes))
		abort();
}

static void write_file(int fd, const uint8_t *data, size_t size)
{
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
}

/* How many tables files have; -1: not to be read. */
static int count_tables(int fd, bool *complete)
{
	struct problems problems = { 0 };
	struct bundle b;
	int n = -1;
	size_t i;

	lseek(fd, 0, SEEK_SET);
	if (!bundle_init(&b, fd, "b", &problems)) {
		for (n = 0, i = 0; i < b.nr_files; i++)
			n += !!b.files[i].symtab + !!b.files[i].unwind;
		*complete = b.complete;
		bundle_deinit(&b);
	}
	problems_deinit(&problems);
	return n;
}

/* The input as an entry of the cache. */
static void read_entry(const uint8_t *data, size_t size, uint32_t kind)
{
	static const char *const names[SYMCACHE_KINDS] = {
		[SYMCACHE_SYMBOLS] =
			"1111111111111111111111111111111111111111.fun",
		[SYMCACHE_UNWIND] =
			"1111111111111111111111111111111111111111.unw",
	};
	const char *name = names[kind];
	struct symcache_key key = { .kind = kind };
	struct bundle b;
	int fd;

	memset(key.build_id, 0x11, sizeof(key.build_id));
	fd = openat(guest.dirfd, name, O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		abort();
	write_file(fd, data, size);
	close(fd);
	fd = symcache_get(&guest, &key);
	if (fd < 0)
		abort();
	if (!symcache_entry_read(fd, &key, &b))
		bundle_deinit(&b);
	close(fd);
}

/* The recorder's side of it. */
static void *open_files(void *arg)
{
	struct symcache_broker *d = arg;

	symcache_broker_serve(d, &guest, UINT64_MAX);
	close(d->server);
	return NULL;
}

/* 0: the bundle was read, and what came of it can be. */
static int merge(int fd)
{
	struct problems problems = { 0 };
	struct symcache_merge_stat stat;
	struct symcache_broker d, other;
	struct bundle b;
	pthread_t server;
	int ret;

	lseek(fd, 0, SEEK_SET);
	ret = bundle_init(&b, fd, "b", &problems);
	problems_deinit(&problems);
	if (ret)
		return ret;
	if (symcache_broker_open(&d))
		abort();
	other = d;
	other.client = -1;
	d.server = -1;
	if (pthread_create(&server, NULL, open_files, &other))
		abort();
	ret = symcache_merge(&d, &b, fd, &stat);
	symcache_broker_close(&d);
	pthread_join(server, NULL);
	bundle_deinit(&b);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_merge_stat stat;
	bool complete = false, after = false;
	static int fd = -1;
	int n, i, ret;

	if (fd < 0)
		fd = memfd_create("bundle", 0);
	begin();
	read_entry(data, size, SYMCACHE_SYMBOLS);
	read_entry(data, size, SYMCACHE_UNWIND);
	write_file(fd, data, size);
	n = count_tables(fd, &complete);
	for (i = 0; i < 2; i++) {
		ret = merge(fd);
		if (n < 0 ? !ret : ret)
			abort();
	}
	if (n >= 0 && (count_tables(fd, &after) < n || after != complete))
		abort();
	n = count_tables(fd, &complete);
	ret = code_merge(fd, data, size, &stat);
	if (n < 0 ? stat.ranges :
		    ret || stat.ranges > VMMPROF_CODE_RANGES ||
			    stat.bytes > VMMPROF_CODE_TOTAL)
		abort();
	if (n >= 0 && (count_tables(fd, &after) != n || after != complete))
		abort();
	end();
	return 0;
}
