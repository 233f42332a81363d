// SPDX-License-Identifier: GPL-2.0-only
/*
 * The agent's reader, as a process of its own that reads bit by bit what a recorder
 * wrote: the metrics and the profile that it leaves at the end of a window.
 */

#include <sys/mman.h>
#include <zlib.h>

#include "live_session.h"
#include "base/io.h"
#include "cmd/agent/reader.h"
#include "format/tar.h"
#include "cmd/top/protocol.h"
#include "sandbox/confine.h"
#include "tui/wire.h"

#define TEXT_MAX 1048576

struct run {
	struct recorded s;
	struct agent_options o;
	struct agent_files files;
	char path[128];
	char metrics[3][TEXT_MAX], profile[3][TEXT_MAX];
	ssize_t unzipped[3];
	__u32 profiles[3];
	struct agent_done done[3];
	unsigned int alarms;
	struct agent_alarm alarm; /* the last one */
	int err;
};

static int read_alone(void *arg)
{
	struct run *r = arg;

	return agent_read(&r->o, &r->files);
}

static int send_tick(int fd, __u64 until, bool more)
{
	const struct tui_event ev = { .key = TUI_KEY_DATA };
	const struct top_tick tick = { .until = until,
				       .lost = 1,
				       .more = more,
				       .real_ns = 1700000000 * 1000000000ull };

	return io_send(fd, &ev, sizeof(ev)) ?: io_send(fd, &tick, sizeof(tick));
}

/* What the reader wants of guests. */
static int skip_wants(int fd)
{
	struct top_wants head;
	struct top_want want;
	int ret = io_recv(fd, &head, sizeof(head));

	for (; !ret && head.nr; head.nr--)
		ret = io_recv(fd, &want, sizeof(want));
	return ret ?: io_recv(fd, &head, sizeof(head));
}

/* The profiles of an archive, one behind the other.  -1: it is none. */
static ssize_t unzip(int fd, char *to, __u32 *profiles)
{
	static char archive[TEXT_MAX];
	ssize_t size = pread(fd, archive, sizeof(archive), 0), sum = 0;
	struct tar_file f;
	size_t at = 0;
	int ret = -1;

	*profiles = 0;
	while (size > 0 && !(ret = tar_next(archive, size, &at, &f))) {
		z_stream z = { .next_in = (unsigned char *)f.data,
			       .avail_in = f.size,
			       .next_out = (unsigned char *)to + sum,
			       .avail_out = TEXT_MAX - sum };

		if (!strstr(f.name, ".pb.gz"))
			continue;
		if (inflateInit2(&z, 15 + 16) != Z_OK ||
		    inflate(&z, Z_FINISH) != Z_STREAM_END)
			sum = -TEXT_MAX;
		sum += z.total_out;
		inflateEnd(&z);
		(*profiles)++;
	}
	return ret == -ENODATA || !size ? sum : -1;
}

static int window(struct run *r, int fd, int i, __u64 from, __u64 to)
{
	struct agent_done done;
	__u64 until;
	int ret = 0;

	for (until = from + 25 * MS; !ret && until <= to; until += 25 * MS) {
		ret = drain(&r->s.file[0], until + MS) ?:
			      drain(&r->s.file[1], until);
		if (!ret)
			ret = ftruncate(r->files.metrics, 0) |
			      ftruncate(r->files.profile, 0);
		lseek(r->files.metrics, 0, SEEK_SET);
		lseek(r->files.profile, 0, SEEK_SET);
		if (!ret)
			ret = send_tick(fd, until, until < to);
		if (!ret)
			ret = io_recv(fd, &done, sizeof(done));
		if (!ret && !done.window != !!(until < to))
			ret = -EPROTO;
		if (ret || !done.alarm.pid)
			continue;
		r->alarms++;
		r->alarm = done.alarm;
	}
	r->done[i] = done;
	if (!ret)
		ret = skip_wants(fd);
	if (pread(r->files.metrics, r->metrics[i], TEXT_MAX - 1, 0) < 0)
		ret = -EIO;
	r->unzipped[i] = unzip(r->files.profile, r->profile[i],
			       &r->profiles[i]);
	return ret;
}

static void serve(void *arg, int fd)
{
	struct run *r = arg;
	struct agent_done ready;

	r->err = send_tick(fd, 100 * MS, false);
	if (!r->err)
		r->err = io_recv(fd, &ready, sizeof(ready));
	if (!r->err)
		r->err = window(r, fd, 0, 100 * MS, 600 * MS);
	if (!r->err)
		r->err = window(r, fd, 1, 600 * MS, 1100 * MS);
	if (!r->err)
		r->err = window(r, fd, 2, 1100 * MS, 1200 * MS);
}

/* The sum of the series of @name that have @labels, in nanoseconds. */
static __u64 sum_of(const char *text, const char *name, const char *labels)
{
	char line[512];
	__u64 sum = 0, s, ns;
	const char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		if (strncmp(line, name, strlen(name)) ||
		    (line[strlen(name)] != '{' && line[strlen(name)] != ' ') ||
		    !strstr(line, labels))
			continue;
		if (sscanf(strrchr(line, ' '), " %llu.%9llu", &s, &ns) == 2)
			sum += s * 1000000000 + ns;
		else
			sum += s;
	}
	return sum;
}

/* Is the text in the profile's bytes? */
static bool has(const struct run *r, int i, const char *text)
{
	return r->unzipped[i] > 0 &&
	       memmem(r->profile[i], r->unzipped[i], text, strlen(text));
}

static int begin_run(struct run *r, const char *spool)
{
	int ret, sig;

	ret = begin(&r->s);
	snprintf(r->path, sizeof(r->path), "%s/s", r->s.dir);
	r->o.top.load.dir = r->path;
	r->o.top.notes = -1;
	r->o.spool_dir = spool;
	r->files.metrics = memfd_create("metrics", 0);
	r->files.profile = memfd_create("profile", 0);
	return ret ?: confine_run_served(read_alone, r, serve, &sig);
}

static void end_run(struct run *r)
{
	close(r->files.metrics);
	close(r->files.profile);
	end(&r->s);
}

TEST(windows_have_metrics_and_profiles)
{
	static const char time[] = "vmmprof_vcpu_time_seconds_total";
	static const char steal[] = "vmmprof_steal_seconds_total";
	static struct run r;
	int i;

	TEST_EQ(begin_run(&r, "spool"), 0);
	TEST_EQ(r.err, 0);
	for (i = 0; i < 3; i++) {
		TEST_EQ(r.done[i].window, 1);
		TEST_EQ(r.done[i].switches, 1);
		TEST_EQ(r.done[i].profile, 1);
		TEST_OK(r.done[i].cpu_ns > 0);
		TEST_EQ(sum_of(r.metrics[i], steal, "vm=\"beta\""),
			sum_of(r.metrics[i], time,
			       "vm=\"beta\",state=\"steal\""));
		TEST_OK(has(&r, i, "nanoseconds"));
		TEST_EQ(r.done[i].profiles, r.profiles[i]);
		TEST_OK(r.profiles[i] >= 2);
	}
	/* two vCPUs of alpha, half a second, then a whole one */
	TEST_EQ(sum_of(r.metrics[0], time, "vm=\"alpha\""), 1000 * MS);
	TEST_EQ(sum_of(r.metrics[1], time, "vm=\"alpha\""), 2000 * MS);
	TEST_EQ(sum_of(r.metrics[1], steal, "vm=\"beta\""), 520 * MS);
	TEST_EQ(sum_of(r.metrics[2], "vmmprof_samples_total", ""), 94);
	/* each tick says that one was lost */
	TEST_EQ(sum_of(r.metrics[0], "vmmprof_lost_samples_total", ""), 20);
	TEST_OK(has(&r, 0, "alpha"));
	TEST_OK(has(&r, 1, "[steal]"));
	end_run(&r);
	return 0;
}

TEST(without_a_spool_there_are_no_profiles)
{
	static struct run r;

	TEST_EQ(begin_run(&r, NULL), 0);
	TEST_EQ(r.err, 0);
	TEST_EQ(r.done[1].profile, 0);
	TEST_EQ(r.unzipped[1], 0);
	TEST_OK(strstr(r.metrics[1], "vmmprof_samples_total "));
	end_run(&r);
	return 0;
}

TEST(each_tick_has_the_alarm)
{
	static struct run r;

	TEST_EQ(begin_run(&r, NULL), 0);
	TEST_EQ(r.err, 0);
	TEST_EQ(r.alarms, 0);
	end_run(&r);
	/* beta waits from 0.2 to 0.3 and from 0.4 to 0.82 s; a tick has 25 ms */
	r.o.freeze = (struct alarm_limit){ 50, 100 * MS };
	TEST_EQ(begin_run(&r, NULL), 0);
	TEST_EQ(r.err, 0);
	TEST_EQ(r.alarms, 1 + 14);
	TEST_EQ(r.alarm.pid, 600);
	TEST_EQ(r.alarm.permille, 420 * 1000 / 425);
	end_run(&r);
	return 0;
}
