// SPDX-License-Identifier: GPL-2.0-only
/*
 * topfeed [-i MILLISECONDS] SESSION: what a refresh of `vmmprof top` takes of a CPU.
 * Records of a session that bigsession made come into its files in intervals of a
 * second (-i), as the recorder leaves them for the reader, and SESSION is used up by
 * that; then what cmd/top/reader.c does with an interval is done and measured.
 * Prints: refreshes, samples in each, milliseconds of a refresh (the mean), of which
 * for reading the records and for the screen, of the slowest; peak MiB.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <vmmprof/record.h>

#include "base/clock.h"
#include "base/io.h"
#include "cmd/analysis_open.h"
#include "cmd/names_options.h"
#include "draw.h"
#include "model/live.h"
#include "tui/panels.h"

#define FIRST \
	2 /* refreshes that are not counted: files are opened, memory grows */

struct file {
	const char *data;
	size_t size, at;
	int fd;
};

struct top {
	struct live live;
	struct names names;
	struct panels p;
	struct file *files;
	size_t nr;
	__u64 read_ns, screen_ns, most_ns, samples;
	unsigned int nr_refreshes;
};

/* The records of one CPU, and an empty file in place of theirs. */
static void open_file(struct file *f, const char *dir, unsigned int cpu)
{
	const size_t hdr = sizeof(struct vmmprof_file_hdr);
	char path[4096];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/cpu-%u.rec", dir, cpu);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) || unlink(path))
		err(1, "%s", path);
	f->size = st.st_size;
	f->data = mmap(NULL, f->size, PROT_READ, MAP_SHARED, fd, 0);
	f->at = hdr;
	f->fd = open(path, O_CREAT | O_RDWR, 0600);
	if (f->data == MAP_FAILED || f->fd < 0 || io_write(f->fd, f->data, hdr))
		err(1, "%s", path);
	close(fd);
}

/* What came until then, in place of what was there. */
static void fill(struct file *f, __u64 until)
{
	const size_t hdr = sizeof(struct vmmprof_file_hdr);
	struct vmmprof_rec_hdr rec;
	size_t from = f->at;

	for (; f->at < f->size; f->at += rec.size) {
		memcpy(&rec, f->data + f->at, sizeof(rec));
		if (rec.tsc > until)
			break;
	}
	if (ftruncate(f->fd, hdr) || lseek(f->fd, hdr, SEEK_SET) < 0 ||
	    io_write(f->fd, f->data + from, f->at - from))
		err(1, "a record file");
}

static bool is_left(const struct top *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->files[i].at < t->files[i].size)
			return true;
	return false;
}

/* As open_session() of cmd/top/reader.c, with rights. */
static void open_all(struct top *t, const char *dir)
{
	struct analysis *a = &t->live.a;
	size_t i;

	if (analysis_open(a, dir, NULL, 0))
		errx(1, "cannot open %s", dir);
	/* while it is recorded, nobody knows how it ends */
	a->session.stop = NULL;
	t->nr = a->session.nr_cpus;
	t->files = calloc(t->nr + 1, sizeof(*t->files));
	for (i = 0; i < t->nr; i++) {
		a->session.cpus[i].stat = NULL;
		open_file(&t->files[i], dir, a->session.cpus[i].cpu);
	}
	names_begin(a);
	t->names.tl = &t->live.tl;
	if (live_init(&t->live, DRAW_START) || names_init(&t->names, a) ||
	    panels_init(&t->p, &t->live.tl, &t->live.slices, &t->names))
		errx(1, "no memory");
	t->live.keep = KEEP_ADDR;
	t->p.title = "vmmprof top";
	t->p.live = true;
	t->p.event = 0;
}

static void refresh(struct top *t, struct grid *grid, __u64 until)
{
	__u64 begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID), read, end;

	if (live_feed(&t->live, until, false) || names_renew(&t->names))
		errx(1, "the records cannot be read");
	read = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	panels_refresh(&t->p);
	panels_draw(&t->p, grid);
	end = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (t->p.err)
		errx(1, "the screen cannot be made");
	if (++t->nr_refreshes <= FIRST)
		return;
	t->samples += t->live.samples;
	t->read_ns += read - begin;
	t->screen_ns += end - read;
	if (end - begin > t->most_ns)
		t->most_ns = end - begin;
}

int main(int argc, char **argv)
{
	static struct top t;
	struct grid grid = { 0 };
	unsigned int ms = 1000;
	__u64 until = DRAW_START;
	struct rusage own;
	size_t i;
	int o;

	while ((o = getopt(argc, argv, "i:")) >= 0) {
		if (o != 'i')
			return 2;
		ms = atoi(optarg);
	}
	if (optind + 1 != argc || !ms)
		errx(2, "usage: topfeed [-i MILLISECONDS] SESSION");
	open_all(&t, argv[optind]);
	if (grid_init(&grid, 50, 150, true))
		errx(1, "no memory");
	while (is_left(&t)) {
		until += (__u64)DRAW_KHZ * ms;
		for (i = 0; i < t.nr; i++)
			fill(&t.files[i], until);
		refresh(&t, &grid, until);
	}
	if (t.nr_refreshes <= FIRST)
		errx(1, "the session is too short");
	t.nr_refreshes -= FIRST;
	getrusage(RUSAGE_SELF, &own);
	printf("%u %llu %.1f %.1f %.1f %.1f %.0f\n", t.nr_refreshes,
	       t.samples / t.nr_refreshes,
	       (t.read_ns + t.screen_ns) / 1e6 / t.nr_refreshes,
	       t.read_ns / 1e6 / t.nr_refreshes,
	       t.screen_ns / 1e6 / t.nr_refreshes, t.most_ns / 1e6,
	       own.ru_maxrss / 1024.);
	return 0;
}
