// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bundle is first read by a process that has only the bundle's file and a
 * socket to the cache's broker (symcache/broker.h), and nothing else of the
 * recorder's.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sort.h"
#include "format/bundle.h"
#include "format/task_layout.h"
#include "sandbox/confine.h"
#include "sandbox/limits.h"
#include "transport/import.h"
#include "transport/import_internal.h"

#define MEMORY	    (4 * BUNDLE_MAX)
#define SECONDS	    30 /* of CPU time */
#define ALL_SECONDS 60

struct import {
	int fd;
	const struct symcache_guest *cache;
	struct symcache_broker broker;
	uint64_t deadline_ns;
	struct import_stat *stat; /* in memory of both processes */
};

int import_limits(void)
{
	int ret = limits_file(ITEMS_MAX_FILE);

	return ret ? ret : limits_set(MEMORY, SECONDS);
}

static int by_value(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

static uint32_t count_processes(const struct bundle *b)
{
	uint32_t *pids = calloc(b->nr_procs + 1, sizeof(*pids)), nr = 0;
	size_t i;

	if (!pids)
		return 0;
	for (i = 0; i < b->nr_procs; i++)
		pids[i] = b->procs[i]->pid;
	sort_array(pids, b->nr_procs, sizeof(*pids), by_value);
	for (i = 0; i < b->nr_procs; i++)
		nr += !i || pids[i] != pids[i - 1];
	free(pids);
	return nr;
}

static void count(const struct bundle *b, struct import_stat *stat)
{
	char text[TASK_LAYOUT_TEXT];
	size_t i;

	stat->processes = count_processes(b);
	stat->files = b->nr_files;
	for (i = 0; i < b->nr_files; i++)
		stat->with_symbols += !!b->files[i].symtab;
	stat->with_symbols += stat->cache.of[SYMCACHE_SYMBOLS].cached;
	stat->notes = b->nr_notes;
	stat->kernel = b->kallsyms.len;
	if (text_get(&b->text, TASK_LAYOUT_KEY, text, sizeof(text)) > 0)
		stat->has_layout = task_layout_parse(
			text, text_number(&b->text, "pti", 10, 0),
			&stat->layout);
}

/* In the process without rights. */
static int read_bundle(void *arg)
{
	struct problems problems = { 0 };
	struct import *im = arg;
	struct bundle b;
	int ret;

	if (im->cache && symcache_broker_be_client(&im->broker))
		return IMPORT_NOT_CONFINED;
	confine_files(0,
		      (int[]){ im->fd, im->broker.client, im->broker.from,
			       im->broker.to },
		      4);
	if (import_limits() || lseek(im->fd, 0, SEEK_SET) || confine_self())
		return IMPORT_NOT_CONFINED;
	ret = bundle_init(&b, im->fd, "bundle", &problems);
	if (ret == -ENOMEM)
		return IMPORT_TOO_LARGE;
	if (ret)
		return IMPORT_NONE;
	/* a bundle that could not be completed can still be read */
	if (im->cache)
		symcache_merge(&im->broker, &b, im->fd, &im->stat->cache);
	count(&b, im->stat);
	return IMPORT_DONE;
}

static void open_files(void *arg)
{
	struct import *im = arg;

	if (im->cache)
		symcache_broker_serve(&im->broker, im->cache, im->deadline_ns);
	/* close the socket, so that a further request fails */
	symcache_broker_close(&im->broker);
}

/* Checks that the other process's results are plausible. */
static void take_stat(const struct import *im, struct import_stat *stat)
{
	const struct import_stat said = *im->stat;
	uint32_t kind;

	for (kind = 0; kind < SYMCACHE_KINDS; kind++)
		if (said.cache.of[kind].cached > SYMCACHE_BROKER_FILES ||
		    said.cache.of[kind].stored > SYMCACHE_BROKER_FILES)
			return;
	if (said.cache.bytes <= SYMCACHE_GUEST_MAX &&
	    said.with_symbols <= said.files)
		*stat = said;
}

int import_run(int (*run)(void *), void (*meanwhile)(void *), void *arg,
	       uint64_t deadline_ns, const char *what, struct error *e)
{
	int sig, ret;

	ret = confine_run_until(run, meanwhile, arg, deadline_ns, &sig);
	if (ret == -EINTR && (sig == SIGXCPU || sig == SIGKILL))
		ret = IMPORT_TOO_LARGE;
	switch (ret) {
	case IMPORT_DONE:
		return 0;
	case IMPORT_NONE:
		return error_set(e, -ENOEXEC, "it is no %s", what);
	case IMPORT_TOO_LARGE:
		return error_set(e, -EFBIG, "the %s takes too long to read",
				 what);
	case IMPORT_NOT_CONFINED:
		return error_set(e, -EPERM,
				 "the process that reads the %s keeps rights",
				 what);
	}
	if (ret < 0 && ret != -EINTR && ret != -EBADE)
		return error_set(e, ret, "no process reads the %s: %s", what,
				 strerror(-ret));
	return error_set(e, -EBADE, "the %s is an attack or meets a bug", what);
}

int import_bundle(int fd, const struct symcache_guest *cache,
		  struct import_stat *stat, struct error *e)
{
	struct import im = { .fd = fd,
			     .cache = cache,
			     .broker = { -1, -1, -1, -1 } };
	int ret;

	memset(stat, 0, sizeof(*stat));
	im.deadline_ns = clock_in(ALL_SECONDS);
	im.stat = mmap(NULL, sizeof(*im.stat), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (im.stat == MAP_FAILED)
		return error_set(e, -ENOMEM, "no memory");
	/* without the cache the bundle is used as it was sent */
	if (cache && symcache_broker_open(&im.broker))
		im.cache = NULL;
	ret = import_run(read_bundle, open_files, &im, im.deadline_ns, "bundle",
			 e);
	if (!ret)
		take_stat(&im, stat);
	symcache_broker_close(&im.broker);
	munmap(im.stat, sizeof(*im.stat));
	return ret;
}
