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

static void put_vcpu(struct session_writer *w, __u32 pid, __u32 id, __u64 tsc)
{
	struct vmmprof_info_vcpu_state s = { .pid = pid,
					     .tid = pid + 1 + id,
					     .when = VMMPROF_WHEN_START,
					     .tsc = tsc,
					     .state = VMMPROF_VCPU_HALTED };

	session_writer_vcpu(w, pid, pid + 1 + id, id, "CPU/KVM");
	session_writer_vcpu_state(w, &s);
}

/*
 * VM 500 was there when sampling began, and of 600 a vCPU that was unplugged; 600 is
 * when this reader begins, and 700, of which no vCPU is known yet.
 */
static int make_session(const char *dir)
{
	struct session_writer w;
	struct error e;
	int ret = session_writer_create(dir, false, &w, &e);

	if (ret)
		return ret;
	item_text(&w.info, "tsc_khz", "1000000");
	session_writer_switches(&w, true, 0);
	session_writer_vm(&w, 500, 1, 500, "ended");
	put_vcpu(&w, 500, 0, 1000);
	session_writer_vm(&w, 600, 2, 600, "there");
	put_vcpu(&w, 600, 1, 1000);
	put_vcpu(&w, 600, 0, DAY);
	session_writer_vm(&w, 700, 1, 700, "new");
	return session_writer_close(&w, false);
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

/* A list of all that ever ended would grow for as long as vmmprof agent runs. */
TEST(of_what_ended_before_a_reader_it_has_nothing)
{
	struct top_tick first = { .until = DAY, .nr_vms = 2, .nr_gone = 2 };
	struct top_vm vm[] = { { 600, "there" }, { 700, "later" } };
	struct top_gone gone[] = { { 500, 501 }, { 600, 602 } };
	struct session_load load = { 0 };
	char top[] = "/tmp/changes-XXXXXX", dir[48], cmd[64];
	static struct live l;
	int fd[2], i;

	TEST_OK(mkdtemp(top));
	snprintf(dir, sizeof(dir), "%s/s", top);
	TEST_EQ(make_session(dir), 0);
	load.dir = dir;
	TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	TEST_EQ(io_send(fd[0], gone, sizeof(gone)), 0);
	TEST_EQ(io_send(fd[0], vm, sizeof(vm)), 0);
	TEST_EQ(top_open(&l, &load, &first, fd[1]), 0);
	TEST_EQ(l.a.resolver.guests.nr, 2);
	TEST_STR(l.a.resolver.guests.guests[0].name, "there");
	TEST_STR(l.a.resolver.guests.guests[1].name, "later");
	TEST_EQ(l.tl.nr, 1);
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
