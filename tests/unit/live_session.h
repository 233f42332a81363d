/* SPDX-License-Identifier: GPL-2.0-only */
/* A session that is read while it is written, for tests. */
#ifndef VMMPROF_TEST_LIVE_SESSION
#define VMMPROF_TEST_LIVE_SESSION

#include <fcntl.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "model/live.h"
#include "tui/listing.h"
#include "tui/panels.h"
#include "view/table.h"
#include "model/pass.h"

#define NR_FILES 2
#define MS	 1000000ull

struct rec_file {
	char *data;
	size_t size, at;
	int fd;
};

struct recorded {
	struct live l;
	struct chain_pass chains;
	struct rec_file file[NR_FILES];
	char dir[64];
};

/*
 * The session of a file in tests/data without its end, and no records yet.
 * @from: its start.
 */
static inline int begin_with(struct recorded *s, const char *data, __u64 from)
{
	/* and the host's code has a name */
	static const char edit[] =
		"/^  stop/d; /when=stop/d; /^  cpu cpu=/d;"
		"s/flags=NVMO pid/ip=0xffffffff81000010 &/;"
		"/^file host/a\\  kallsyms\\n    ffffffff81000000 T work\\n"
		"    ffffffff81000100 T _etext\\n  .";
	char cmd[768], path[128];
	struct rec_file *f;
	int i;

	memset(s, 0, sizeof(*s));
	strcpy(s->dir, "/tmp/vmmprof-live-XXXXXX");
	if (!mkdtemp(s->dir))
		return -errno;
	snprintf(
		cmd, sizeof(cmd),
		"sed '%s' tests/data/%s > %s/d && tests/gen/mksession.py %s/d %s/s",
		edit, data, s->dir, s->dir, s->dir);
	if (system(cmd))
		return -EIO;
	for (i = 0; i < NR_FILES; i++) {
		f = &s->file[i];
		snprintf(path, sizeof(path), "%s/s/cpu-%d.rec", s->dir, i);
		f->fd = open(path, O_RDWR);
		f->size = lseek(f->fd, 0, SEEK_END);
		f->data = malloc(f->size);
		if (!f->data ||
		    pread(f->fd, f->data, f->size, 0) != (ssize_t)f->size)
			return -EIO;
		f->at = sizeof(struct vmmprof_file_hdr);
	}
	snprintf(path, sizeof(path), "%s/s", s->dir);
	return analysis_open(&s->l.a, path, NULL, 0) ?: live_init(&s->l, from);
}

static inline int begin(struct recorded *s)
{
	return begin_with(s, "steal.txt", 100 * MS);
}

static inline void end(struct recorded *s)
{
	char cmd[128];
	int i;

	live_deinit(&s->l);
	chain_pass_deinit(&s->chains);
	for (i = 0; i < NR_FILES; i++) {
		close(s->file[i].fd);
		free(s->file[i].data);
	}
	snprintf(cmd, sizeof(cmd), "rm -r %s", s->dir);
	if (system(cmd))
		abort();
}

/* What the ring has until then becomes the file. */
static inline int drain(struct rec_file *f, __u64 until)
{
	const size_t hdr = sizeof(struct vmmprof_file_hdr);
	struct vmmprof_rec_hdr rec;
	size_t from = f->at;

	while (f->at < f->size) {
		memcpy(&rec, f->data + f->at, sizeof(rec));
		if (rec.tsc > until)
			break;
		f->at += rec.size;
	}
	if (ftruncate(f->fd, hdr) || pwrite(f->fd, f->data + from, f->at - from,
					    hdr) != (ssize_t)(f->at - from))
		return -EIO;
	return 0;
}

/* The first ring is emptied some time after the interval's end. */
static inline int interval(struct recorded *s, __u64 until, __u64 late,
			   bool pause)
{
	return drain(&s->file[0], until + late)	 ?:
		       drain(&s->file[1], until) ?:
						   live_feed(&s->l, until, pause);
}

static inline void add_up(const struct live *l, __u64 *ticks, __u64 *samples)
{
	size_t i, k;

	for (i = 0; i < l->tl.nr; i++)
		for (k = 0; k < NR_STATES; k++)
			ticks[i * NR_STATES + k] += l->tl.tracks[i]->ticks[k];
	*samples += l->a.profile.samples;
}

/* A vCPU's of the interval, in all states. */
static inline __u64 ticks_of(const struct live *l, size_t track)
{
	__u64 sum = 0;
	size_t k;

	for (k = 0; k < NR_STATES; k++)
		sum += l->tl.tracks[track]->ticks[k];
	return sum;
}

/* Ticks of a thread's state in a file's whole pass. */
static inline int whole(const char *data, __u64 *ticks, __u64 *samples)
{
	struct analysis a;
	struct timeline tl;
	char cmd[256], dir[] = "/tmp/vmmprof-live-XXXXXX", path[64];
	size_t i;
	int ret;

	if (!mkdtemp(dir))
		return -errno;
	snprintf(path, sizeof(path), "%s/s", dir);
	snprintf(cmd, sizeof(cmd), "tests/gen/mksession.py %s %s", data, path);
	ret = system(cmd) ? -EIO : analysis_open(&a, path, NULL, 0);
	ret = ret						    ?:
		      timeline_init(&tl, &a, GAPS_WITHOUT_SWITCHES) ?:
		      timeline_run(&tl, 0);
	if (ret)
		return ret;
	for (i = 0; i < tl.nr; i++)
		memcpy(ticks + i * NR_STATES, tl.tracks[i]->ticks,
		       sizeof(tl.tracks[i]->ticks));
	*samples = a.profile.samples;
	timeline_deinit(&tl);
	analysis_close(&a);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	return system(cmd);
}

#endif /* VMMPROF_TEST_LIVE_SESSION */
