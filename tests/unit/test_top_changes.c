// SPDX-License-Identifier: GPL-2.0-only
/* A reader of a session that other readers have read before. */

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"
#include "base/io.h"
#include "cmd/analysis_open.h"
#include "cmd/top/changes.h"
#include "format/session_writer.h"

#define S   1000000000ull /* ticks of a second */
#define DAY (86400 * S)

static void put_vcpu(struct session_writer *w, __u32 pid, const char *name,
		     __u64 tsc)
{
	struct vmmprof_info_vcpu_state s = { .pid = pid,
					     .tid = pid + 1,
					     .when = VMMPROF_WHEN_START,
					     .tsc = tsc,
					     .state = VMMPROF_VCPU_HALTED };

	session_writer_vm(w, pid, pid, 1, name);
	session_writer_vcpu(w, pid, pid + 1, 0, "CPU 0/KVM");
	session_writer_vcpu_state(w, &s);
}

/* VM 500 was there when sampling began, 600 is when this reader does. */
static int open_session(struct live *l, const char *dir)
{
	struct session_writer w;
	struct error e;
	int ret = session_writer_create(dir, false, &w, &e);

	if (ret)
		return ret;
	item_text(&w.info, "tsc_khz", "1000000");
	session_writer_switches(&w, true, 0);
	put_vcpu(&w, 500, "ended", 1000);
	put_vcpu(&w, 600, "there", DAY);
	ret = session_writer_close(&w, false);
	if (!ret)
		ret = analysis_open(&l->a, dir, NULL, 0);
	return ret ? ret : live_init(l, DAY);
}

static __u64 time_of(const struct live *l, __u32 pid)
{
	__u64 sum = 0;
	size_t i;
	int state;

	for (i = 0; i < l->tl.nr; i++)
		for (state = 0; state < NR_STATES; state++)
			if (l->tl.tracks[i]->pid == pid)
				sum += l->tl.tracks[i]->ticks[state];
	return sum;
}

TEST(a_vcpu_that_ended_before_has_no_time)
{
	struct top_tick first = { .until = DAY, .nr_gone = 1 };
	struct top_gone gone = { .pid = 500, .tid = 501 };
	char top[] = "/tmp/changes-XXXXXX", dir[48], cmd[64];
	static struct live l;
	int fd[2], i;

	TEST_OK(mkdtemp(top));
	snprintf(dir, sizeof(dir), "%s/s", top);
	TEST_EQ(open_session(&l, dir), 0);
	TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	TEST_EQ(io_send(fd[0], &gone, sizeof(gone)), 0);
	TEST_EQ(top_read_first(&l, &first, fd[1]), 0);
	for (i = 1; i <= 3; i++) {
		TEST_EQ(live_feed(&l, DAY + i * 60 * S, false), 0);
		TEST_EQ(time_of(&l, 600), 60 * S);
		TEST_EQ(time_of(&l, 500), 0);
	}
	live_deinit(&l);
	close(fd[0]);
	close(fd[1]);
	snprintf(cmd, sizeof(cmd), "rm -r %s", top);
	TEST_EQ(system(cmd), 0);
	return 0;
}
