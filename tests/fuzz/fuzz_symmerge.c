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

static char dir[] = "/tmp/vmmprof-fuzz-XXXXXX";
static struct vmmprof_symcache cache = { .dirfd = -1 };
static struct vmmprof_symcache_guest guest = { .cache = &cache };

static void remove_dir(void)
{
	rmdir(dir);
}

static void begin(void)
{
	if (cache.dirfd < 0) {
		if (!mkdtemp(dir) || vmmprof_symcache_open(&cache, dir, false))
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
	if (vmmprof_symroom_clear(&cache, NULL, &files, &bytes))
		abort();
}

static void write_file(int fd, const uint8_t *data, size_t size)
{
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
}

/* How many files have a symbol table; -1: not to be read. */
static int count_tables(int fd, bool *complete)
{
	struct vmmprof_problems problems = { 0 };
	struct vmmprof_bundle b;
	int n = -1;
	size_t i;

	lseek(fd, 0, SEEK_SET);
	if (!vmmprof_bundle_init(&b, fd, "b", &problems)) {
		for (n = 0, i = 0; i < b.nr_files; i++)
			n += !!b.files[i].symtab;
		*complete = b.complete;
		vmmprof_bundle_deinit(&b);
	}
	vmmprof_problems_deinit(&problems);
	return n;
}

/* The input as an entry of the cache. */
static void read_entry(const uint8_t *data, size_t size)
{
	char name[] = "1111111111111111111111111111111111111111.sym";
	struct vmmprof_bundle b;
	uint8_t id[20];
	int fd;

	memset(id, 0x11, sizeof(id));
	fd = openat(guest.dirfd, name, O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		abort();
	write_file(fd, data, size);
	close(fd);
	fd = vmmprof_symcache_get(&guest, id);
	if (fd < 0)
		abort();
	if (!vmmprof_symentry_read(fd, id, &b))
		vmmprof_bundle_deinit(&b);
	close(fd);
}

/* The recorder's side of it. */
static void *open_files(void *arg)
{
	struct vmmprof_symdesk *d = arg;

	vmmprof_symdesk_serve(d, &guest, UINT64_MAX);
	close(d->clerk);
	return NULL;
}

/* 0: the bundle was read, and what came of it can be. */
static int merge(int fd)
{
	struct vmmprof_problems problems = { 0 };
	struct vmmprof_symmerge_stat stat;
	struct vmmprof_symdesk d, other;
	struct vmmprof_bundle b;
	pthread_t clerk;
	int ret;

	lseek(fd, 0, SEEK_SET);
	ret = vmmprof_bundle_init(&b, fd, "b", &problems);
	vmmprof_problems_deinit(&problems);
	if (ret)
		return ret;
	if (vmmprof_symdesk_open(&d))
		abort();
	other = d;
	other.client = -1;
	d.clerk = -1;
	if (pthread_create(&clerk, NULL, open_files, &other))
		abort();
	ret = vmmprof_symmerge(&d, &b, fd, &stat);
	vmmprof_symdesk_close(&d);
	pthread_join(clerk, NULL);
	vmmprof_bundle_deinit(&b);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vmmprof_codemerge_stat stat;
	bool complete = false, after = false;
	static int fd = -1;
	int n, i, ret;

	if (fd < 0)
		fd = memfd_create("bundle", 0);
	begin();
	read_entry(data, size);
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
	ret = vmmprof_codemerge(fd, data, size, &stat);
	if (n < 0 ? stat.ranges :
		    ret || stat.ranges > VMMPROF_CODE_RANGES ||
			    stat.bytes > VMMPROF_CODE_TOTAL)
		abort();
	if (n >= 0 && (count_tables(fd, &after) != n || after != complete))
		abort();
	end();
	return 0;
}
