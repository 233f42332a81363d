// SPDX-License-Identifier: GPL-2.0-only
/* The agent writes a window's files while rings are emptied, not before. */

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "cmd/agent/spool.h"
#include "test.h"

static bool held, over; /* when the profile was written */
static int records;

static int see_put(struct spool *s, int from, __u32 nr, __u64 begin_ns,
		   __u64 end_ns);

#define spool_put see_put
#include "cmd/agent/agent.c"

static struct agent t;

static int see_put(struct spool *s, int from, __u32 nr, __u64 begin_ns,
		   __u64 end_ns)
{
	struct stat st;

	(void)s;
	(void)from;
	(void)nr;
	(void)begin_ns;
	(void)end_ns;
	over = true;
	held = t.rec.r.drain.held || fstat(records, &st) ||
	       st.st_size != sizeof(struct vmmprof_file_hdr);
	return 0;
}

static int answer(int fd, bool window)
{
	const struct agent_done done = { .window = window };
	const struct top_wants none = { 0 };
	int ret = io_send(fd, &done, sizeof(done));

	if (!ret && window)
		ret = io_send(fd, &none, sizeof(none));
	return ret || !window ? ret : io_send(fd, &none, sizeof(none));
}

TEST(a_window_is_written_while_rings_are_emptied)
{
	__u64 real;
	int fds[2];

	TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	records = fileno(tmpfile());
	t.kept = KEPT_NONE;
	t.metrics_dir = -1;
	t.listen.sock = -1;
	t.o.spool_dir = "/nonexistent";
	t.rec.r.files = &records;
	t.rec.r.nr_files = 1;
	t.begun_ns = clock_now();
	TEST_EQ(ftruncate(records, 4096), 0);
	t.rec.r.drain.held = true;
	TEST_EQ(answer(fds[1], false), 0);
	TEST_EQ(answered(&t, fds[0]), 0);
	TEST_OK(!over);
	TEST_OK(!t.rec.r.drain.held);

	TEST_EQ(ftruncate(records, 4096), 0);
	t.rec.r.drain.held = true;
	t.window = true;
	/* five seconds ago it was asked to read up to then */
	t.rec.tick_ns = clock_now() - 5000000000ull;
	TEST_EQ(answer(fds[1], true), 0);
	TEST_EQ(answered(&t, fds[0]), 0);
	TEST_OK(over);
	TEST_OK(!held);
	TEST_OK(!t.again);
	/* so the next window is from then on */
	TEST_EQ(t.window_ns, t.rec.tick_ns);
	real = clock_ns(CLOCK_REALTIME) - t.real_ns;
	TEST_OK(real >= 5000000000ull && real < 7000000000ull);

	/* another reader is due, but not behind the last window */
	t.widen = true;
	TEST_EQ(answer(fds[1], true), 0);
	TEST_EQ(answered(&t, fds[0]), 0);
	TEST_OK(t.again);
	t.last = true;
	TEST_EQ(answer(fds[1], true), 0);
	TEST_EQ(answered(&t, fds[0]), 0);
	TEST_OK(t.ended);
	TEST_OK(!t.again);
	return 0;
}
