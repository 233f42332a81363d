// SPDX-License-Identifier: GPL-2.0-only
/*
 * agentfeed [-w SECONDS] [-g GUESTS] SESSION OUT: the agent without the module. Its
 * reader and what writes its files are the program's; the recorder's part is played:
 * records of a session that bigsession made are given to the reader in ticks of a
 * second, as the rings would, and SESSION is used up by that.  Each window of so many
 * seconds (60) leaves the file OUT/NNNN.prom, and its profiles in OUT/spool.
 * -g: maps of the first GUESTS guests arrive while it runs, out of the session.
 * Prints: windows, records, CPU seconds of the reader, CPU seconds of the copying
 * of records, peak MiB of the reader.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <vmmprof/record.h>
#include <vmmprof/session.h>

#include "base/clock.h"
#include "base/io.h"
#include "cmd/agent/reader.h"
#include "cmd/agent/spool.h"
#include "cmd/agent/status.h"
#include "cmd/cmd.h"
#include "cmd/top/protocol.h"
#include "draw.h"
#include "sandbox/confine.h"
#include "transport/refresh.h"
#include "tui/wire.h"

#define MAX_CPUS 4096

struct ring {
	const char *data;
	size_t size, at;
	int fd;
};

struct feed {
	struct agent_options o;
	struct agent_files files;
	struct agent_status status;
	struct spool spool;
	struct ring rings[MAX_CPUS];
	unsigned int nr, guests, window_s;
	int out, notes[2];
	unsigned long records;
	__u64 begin_ns; /* CLOCK_REALTIME: as if it were played then */
	__u64 read_cpu_ns;
	int err;
};

/* The records of one CPU, and an empty file in place of theirs. */
static bool ring_open(struct ring *r, const char *dir, unsigned int cpu)
{
	const size_t hdr = sizeof(struct vmmprof_file_hdr);
	char path[4096];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/cpu-%u.rec", dir, cpu);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) || unlink(path))
		err(1, "%s", path);
	r->size = st.st_size;
	r->data = mmap(NULL, r->size, PROT_READ, MAP_SHARED, fd, 0);
	r->at = hdr;
	r->fd = open(path, O_CREAT | O_RDWR, 0600);
	if (r->data == MAP_FAILED || r->fd < 0 || io_write(r->fd, r->data, hdr))
		err(1, "%s", path);
	close(fd);
	return true;
}

static int ring_drain(struct feed *f, struct ring *r, __u64 until)
{
	const size_t hdr = sizeof(struct vmmprof_file_hdr);
	struct vmmprof_rec_hdr rec;
	size_t from = r->at;

	for (; r->at < r->size; r->at += rec.size) {
		memcpy(&rec, r->data + r->at, sizeof(rec));
		if (rec.tsc > until)
			break;
		f->records++;
	}
	if (ftruncate(r->fd, hdr) || lseek(r->fd, hdr, SEEK_SET) < 0)
		return -EIO;
	return io_write(r->fd, r->data + from, r->at - from);
}

static bool is_empty(const struct feed *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		if (f->rings[i].at < f->rings[i].size)
			return false;
	return true;
}

/* A guest's maps, as who fetched them sends them. */
static int send_maps(struct feed *f, unsigned int guest)
{
	struct refresh_note n = { .pid = DRAW_VM_PID(guest),
				  .how = VMMPROF_REACH_AGENT };
	char path[4096];
	int fd, ret;

	n.asked_ns = clock_now();
	snprintf(path, sizeof(path), "%s/guests/vm%u.bundle", f->o.top.load.dir,
		 guest);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	ret = refresh_send(f->notes[1], &n, fd);
	close(fd);
	return ret;
}

static int send_tick(int fd, __u64 until, bool more, __u64 real_ns)
{
	const struct tui_event ev = { .key = TUI_KEY_DATA };
	const struct top_tick tick = { .until = until,
				       .more = more,
				       .real_ns = real_ns };

	return io_send(fd, &ev, sizeof(ev)) ?: io_send(fd, &tick, sizeof(tick));
}

/* What the reader wants of guests. */
static int skip_wants(int fd)
{
	struct refresh_code code;
	struct top_wants head;
	struct top_want want;
	int ret = io_recv(fd, &head, sizeof(head));

	for (; !ret && head.nr; head.nr--)
		ret = io_recv(fd, &want, sizeof(want));
	if (!ret)
		ret = io_recv(fd, &head, sizeof(head));
	for (; !ret && head.nr; head.nr--)
		ret = io_recv(fd, &code, sizeof(code));
	return ret;
}

/* As take_window() of cmd/agent/agent.c. */
static int end_window(struct feed *f, const struct agent_done *done,
		      __u64 begin_ns)
{
	char text[AGENT_STATUS_TEXT], name[32];
	__u64 end_ns = begin_ns + f->window_s * 1000000000ull;
	struct stat st;

	f->status.windows++;
	f->status.freezes = true;
	f->status.switches = done->switches;
	f->status.folded += done->folded;
	f->status.window_end_ns = end_ns;
	f->read_cpu_ns = done->cpu_ns;
	f->status.cpu_ns = done->cpu_ns + clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (spool_put(&f->spool, done->profile ? f->files.profile : -1,
		      done->profiles, begin_ns, end_ns))
		return -EIO;
	agent_status_text(&f->status, &f->spool, text, sizeof(text));
	snprintf(name, sizeof(name), "%04llu.prom", f->status.windows);
	if (fstat(f->files.metrics, &st))
		return -errno;
	return spool_write_file(f->out, ".tmp", name, f->files.metrics,
				st.st_size, text);
}

/* A second of records; @end: of a window. */
static int tick(struct feed *f, int fd, __u64 until, bool end)
{
	__u64 begin_ns = f->begin_ns +
			 f->status.windows * f->window_s * 1000000000ull;
	struct agent_done done;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < f->nr && !ret; i++)
		ret = ring_drain(f, &f->rings[i], until);
	if (!ret &&
	    (ftruncate(f->files.metrics, 0) || ftruncate(f->files.profile, 0)))
		ret = -errno;
	lseek(f->files.metrics, 0, SEEK_SET);
	lseek(f->files.profile, 0, SEEK_SET);
	if (!ret)
		ret = send_tick(fd, until, !end, begin_ns);
	if (!ret)
		ret = io_recv(fd, &done, sizeof(done));
	if (!ret && !done.window != !end)
		ret = -EPROTO;
	if (!ret && end)
		ret = skip_wants(fd);
	return !ret && end ? end_window(f, &done, begin_ns) : ret;
}

static void serve(void *arg, int fd)
{
	struct feed *f = arg;
	struct agent_done ready;
	__u64 until = DRAW_START;
	unsigned int i, s = 0;

	f->err = send_tick(fd, until, false, 0);
	if (!f->err)
		f->err = io_recv(fd, &ready, sizeof(ready));
	for (i = 0; i < f->guests && !f->err; i++)
		f->err = send_maps(f, i);
	while (!f->err && !is_empty(f)) {
		until += DRAW_KHZ * 1000;
		f->err = tick(f, fd, until, ++s % f->window_s == 0);
	}
}

static int read_alone(void *arg)
{
	struct feed *f = arg;

	return agent_read(&f->o, &f->files);
}

static void open_all(struct feed *f, const char *session, const char *out)
{
	char path[4096];

	f->o.top.load.dir = session;
	f->o.top.load.verb = "agent";
	f->o.top.code.asks = ASKS_DEFAULT;
	f->o.top.record.transports = f->guests;
	f->o.spool_dir = "spool";
	if (mkdir(out, 0700) && errno != EEXIST)
		err(1, "%s", out);
	f->out = open(out, O_RDONLY | O_DIRECTORY);
	snprintf(path, sizeof(path), "%s/spool", out);
	if (f->out < 0 || spool_open(&f->spool, path, -1))
		err(1, "%s", path);
	f->spool.max_bytes = 256 << 20;
	f->spool.max_age_ns = 3300000000000ull;
	f->files.metrics = memfd_create("metrics", 0);
	f->files.profile = memfd_create("profile", 0);
	while (f->nr < MAX_CPUS && ring_open(&f->rings[f->nr], session, f->nr))
		f->nr++;
	if (!f->nr)
		errx(1, "%s: no records", session);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, f->notes))
		err(1, "socketpair");
	f->o.top.notes = f->notes[0];
}

int main(int argc, char **argv)
{
	static struct feed f = { .window_s = 60 };
	struct rusage own, children;
	int o, ret, sig = 0;

	while ((o = getopt(argc, argv, "w:g:")) >= 0) {
		if (o == 'w')
			f.window_s = atoi(optarg);
		else if (o == 'g')
			f.guests = atoi(optarg);
		else
			return 2;
	}
	if (optind + 2 != argc || !f.window_s)
		errx(2,
		     "usage: agentfeed [-w SECONDS] [-g GUESTS] SESSION OUT");
	f.begin_ns = clock_ns(CLOCK_REALTIME);
	open_all(&f, argv[optind], argv[optind + 1]);
	ret = confine_run_served(read_alone, &f, serve, &sig);
	if (ret || f.err)
		errx(1, "the reader: status %d, signal %d, %s", ret, sig,
		     strerror(-f.err));
	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("%llu %lu %.3f %.3f %.1f\n", f.status.windows, f.records,
	       f.read_cpu_ns / 1e9,
	       own.ru_utime.tv_sec + own.ru_stime.tv_sec +
		       (own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e6,
	       children.ru_maxrss / 1024.);
	return 0;
}
