// SPDX-License-Identifier: GPL-2.0-only
/*
 * The agent's newest records on disk: what is made a session of them says the same
 * as the windows did meanwhile, and they are bounded by time and bytes.
 */

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kept_records.h"
#include "told_ring.h"
#include "base/io.h"
#include "cmd/agent/kept_list.h"
#include "view/metrics.h"
#include "model/pass.h"

static size_t stretches(const struct tried *k)
{
	struct kept_stretch *list;
	size_t nr = 0;

	if (kept_list(k->kept.dirfd, &list, &nr))
		nr = 1000;
	free(list);
	return nr;
}

/* The metrics of a session that is frozen now. */
static int frozen(struct tried *k, struct metrics *m, __u64 *span)
{
	struct timeline tl = { 0 };
	struct analysis a;
	struct error e;
	char to[96];
	int ret;

	snprintf(to, sizeof(to), "%s/frozen", k->s.dir);
	ret = kept_freeze(k->dir, to, &e);
	if (ret) {
		printf("# %s\n", e.text);
		return ret;
	}
	ret = analysis_open(&a, to, NULL, 0);
	if (!ret)
		ret = timeline_init(&tl, &a, GAPS_WITHOUT_SWITCHES);
	if (!ret)
		ret = timeline_run(&tl, 0);
	if (!ret)
		ret = metrics_add(m, &tl);
	for (size_t i = 0; i < a.session.problems.nr; i++)
		printf("# %s\n", a.session.problems.line[i]);
	m->samples = a.counts.samples;
	*span = tl.end - tl.begin;
	if (a.session.problems.nr || !a.session.stop)
		ret = -EBADMSG;
	timeline_deinit(&tl);
	analysis_close(&a);
	return ret;
}

static const struct metrics_vm *vm_of(const struct metrics *m, const char *name)
{
	static const struct metrics_vm none;
	size_t i;

	for (i = 0; i < m->nr; i++)
		if (!strcmp(m->vms[i].name, name))
			return &m->vms[i];
	return &none;
}

static __u64 taken(const struct metrics_vm *vm, const char *thief)
{
	size_t i;

	for (i = 0; i < vm->thieves.nr; i++)
		if (!strcmp(vm->thieves.parts[i].name, thief))
			return vm->thieves.parts[i].ns;
	return 0;
}

/*
 * @windows: a thief that the next record told was not known at the end of a bit,
 * so "unknown" may have some of the others'.
 */
static int same_steal(const struct metrics_vm *windows,
		      const struct metrics_vm *b)
{
	const struct metrics_part *p;
	__u64 more = 0;
	size_t i;

	TEST_OK(windows->state[COLUMN_STEAL].ns > 0);
	TEST_EQ(windows->state[COLUMN_STEAL].ns, b->state[COLUMN_STEAL].ns);
	for (i = 0; i < b->thieves.nr; i++) {
		p = &b->thieves.parts[i];
		if (!strcmp(p->name, "unknown"))
			continue;
		TEST_OK(taken(windows, p->name) <= p->ns);
		more += p->ns - taken(windows, p->name);
	}
	TEST_EQ(taken(windows, "unknown"), taken(b, "unknown") + more);
	return 0;
}

/* All of it: from the first record on. */
static int all_frozen(__u64 late)
{
	struct metrics m = { 0 }, live = { 0 };
	__u64 until, span;
	struct tried k;

	TEST_EQ(begin_tried(&k, 1 << 30, 10000 * MS), 0);
	TEST_EQ(tick(&k, 100 * MS, 0), 0);
	for (until = 110 * MS; until <= 1100 * MS; until += 10 * MS)
		TEST_EQ(tick(&k, until, late), 0);
	TEST_EQ(interval(&k.s, 1100 * MS, 0, false), 0);
	TEST_EQ(metrics_add(&live, &k.s.l.tl), 0);
	TEST_EQ(frozen(&k, &m, &span), 0);
	TEST_EQ(span, 1000 * MS);
	TEST_EQ(m.samples, 94);
	TEST_EQ(same_steal(vm_of(&live, "alpha"), vm_of(&m, "alpha")), 0);
	TEST_EQ(same_steal(vm_of(&live, "beta"), vm_of(&m, "beta")), 0);
	metrics_deinit(&m);
	metrics_deinit(&live);
	end_tried(&k);
	return 0;
}

TEST(what_is_frozen_is_what_the_windows_said)
{
	return all_frozen(0);
}

TEST(a_ring_that_is_emptied_later_is_frozen_as_well)
{
	return all_frozen(7 * MS);
}

static int renew(void *arg)
{
	int *calls = arg;

	return ++*calls == 3 ? -EIO : 0;
}

/* The reader begins anew, and with it the host's file: records go on. */
TEST(another_reader_is_no_end)
{
	struct metrics m = { 0 }, live = { 0 };
	int host, none, err, calls = 0;
	__u64 until, span;
	struct error e;
	struct tried k;
	char path[96];

	TEST_EQ(begin_tried(&k, 1 << 30, 10000 * MS), 0);
	snprintf(path, sizeof(path), "%s/host", k.session);
	host = open(path, O_RDONLY | O_CLOEXEC);
	none = open("/dev/null", O_RDONLY | O_CLOEXEC);
	TEST_EQ(tick(&k, 100 * MS, 0), 0);
	for (until = 110 * MS; until <= 1100 * MS; until += 10 * MS) {
		TEST_EQ(tick(&k, until, 0), 0);
		if (until % (400 * MS) == 0)
			TEST_EQ(kept_renew(&k.kept, host, until, renew, &calls,
					   &err),
				0);
	}
	TEST_EQ(calls, 2);
	TEST_EQ(interval(&k.s, 1100 * MS, 0, false), 0);
	TEST_EQ(metrics_add(&live, &k.s.l.tl), 0);
	TEST_EQ(frozen(&k, &m, &span), 0);
	TEST_EQ(span, 1000 * MS);
	TEST_EQ(m.samples, 94);
	TEST_EQ(same_steal(vm_of(&live, "alpha"), vm_of(&m, "alpha")), 0);
	metrics_deinit(&m);
	metrics_deinit(&live);

	/* an error is told; where the old one cannot be kept, nothing is */
	TEST_EQ(kept_renew(&k.kept, host, until, renew, &calls, &err), -EIO);
	TEST_EQ(err, 0);
	TEST_OK(stretches(&k) > 0);
	TEST_EQ(kept_renew(&k.kept, none, until, renew, &calls, &err), 0);
	TEST_EQ(err, -ENODATA);
	TEST_EQ(stretches(&k), 0);
	TEST_EQ(kept_freeze(k.dir, "/nonexistent/frozen", &e), -ENODATA);
	close(host);
	close(none);
	end_tried(&k);
	return 0;
}

/* Bytes of a record that is being added are not taken. */
TEST(half_a_record_is_not_frozen)
{
	struct metrics m = { 0 };
	__u64 until, span;
	struct tried k;
	char cmd[200];

	TEST_EQ(begin_tried(&k, 1 << 30, 600 * MS), 0);
	TEST_EQ(tick(&k, 100 * MS, 0), 0);
	for (until = 110 * MS; until <= 500 * MS; until += 10 * MS)
		TEST_EQ(tick(&k, until, 0), 0);
	/* while the agent has the lock, for half a second, there is some more */
	snprintf(
		cmd, sizeof(cmd),
		"cd %s; flock until sh -c 'f=$(ls -d 0*/cpu-0 | tail -n 1); head -c 20 $f >> $f; sleep 0.5; truncate -s -20 $f' & sleep 0.2",
		k.dir);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(frozen(&k, &m, &span), 0);
	TEST_EQ(span, 400 * MS);
	metrics_deinit(&m);
	end_tried(&k);
	return 0;
}

TEST(only_the_newest_time_is_kept)
{
	struct metrics m = { 0 }, live = { 0 };
	__u64 until, span;
	struct tried k;

	TEST_EQ(begin_tried(&k, 1 << 30, 300 * MS), 0);
	TEST_EQ(tick(&k, 100 * MS, 0), 0);
	for (until = 101 * MS; until <= 800 * MS; until += MS)
		TEST_EQ(tick(&k, until, 0), 0);
	/* sixty of 5 ms, and the one that goes on */
	TEST_OK(stretches(&k) >= 50);
	TEST_OK(stretches(&k) <= 62);
	TEST_EQ(frozen(&k, &m, &span), 0);
	TEST_OK(span >= 300 * MS);
	TEST_OK(span <= 310 * MS);
	metrics_deinit(&m);
	end_tried(&k);

	/* the same time, of one window */
	TEST_EQ(begin(&k.s), 0);
	TEST_EQ(interval(&k.s, 800 * MS - span, 0, false), 0);
	TEST_EQ(interval(&k.s, 800 * MS, 0, false), 0);
	TEST_EQ(metrics_add(&live, &k.s.l.tl), 0);
	TEST_OK(live.nr > 0);
	end(&k.s);
	metrics_deinit(&live);
	return 0;
}

/* What the first records told is in the session though these are gone. */
TEST(what_was_told_before_the_newest_time_is_kept)
{
	struct told told = { .until = 100 * MS };
	struct vmmprof_rec_hdr hdr[2];
	struct metrics m = { 0 };
	__u64 until, span;
	struct tried k;
	char path[112];
	int i, fd;

	ring_begin();
	put_vcpu(1, 1, 11, 100);
	put_task(2, 16, 100, 0);
	told_look(&told, 1, &ring, head.head);
	TEST_EQ(begin_tried(&k, 1 << 30, 300 * MS), 0);
	k.kept.told = &told;
	for (until = 100 * MS; until <= 800 * MS; until += MS) {
		told.until = until;
		TEST_EQ(tick(&k, until, 0), 0);
	}
	TEST_OK(stretches(&k) <= 62);
	TEST_EQ(frozen(&k, &m, &span), 0);
	TEST_OK(span >= 300 * MS);
	TEST_OK(span <= 310 * MS);
	snprintf(path, sizeof(path), "%s/frozen/cpu-1.rec", k.s.dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	for (i = 0; i < 2; i++)
		TEST_EQ(pread(fd, &hdr[i], sizeof(*hdr),
			      sizeof(struct vmmprof_file_hdr) + i * 64),
			sizeof(*hdr));
	TEST_EQ(hdr[0].type, VMMPROF_REC_VCPU);
	TEST_EQ(hdr[1].type, VMMPROF_REC_IDENTITY);
	TEST_OK(hdr[1].tsc >= 490 * MS);
	close(fd);
	metrics_deinit(&m);
	end_tried(&k);
	told_deinit(&told);
	return 0;
}

TEST(no_more_bytes_are_kept)
{
	struct tried k;
	__u64 until;
	char cmd[160];

	TEST_EQ(begin_tried(&k, 1500, 600 * MS), 0);
	for (until = 100 * MS; until <= 1100 * MS; until += MS)
		TEST_EQ(tick(&k, until, 0), 0);
	snprintf(cmd, sizeof(cmd),
		 "n=$(cat %s/*/cpu-* | wc -c); test $n -le 1500 -a $n -gt 500",
		 k.dir);
	TEST_EQ(system(cmd), 0);
	end_tried(&k);
	return 0;
}

/* Adds @nr times a thousand bytes, of no records. */
static int add_bytes(struct kept *r, int nr)
{
	static const char bytes[1000 + sizeof(struct vmmprof_file_hdr)];
	static const __u32 cpu;
	static __u64 now;
	int i, ret = 0, fd = memfd_create("records", MFD_CLOEXEC);

	ret = io_write(fd, bytes, sizeof(bytes));
	for (i = 0; i < nr && !ret; i++, now++)
		ret = kept_add(r, &fd, &cpu, now, now);
	close(fd);
	return ret;
}

static long bytes_of(const struct tried *k)
{
	char cmd[128], text[32] = "";
	FILE *f;

	snprintf(cmd, sizeof(cmd), "cat %s/*/cpu-* | wc -c", k->dir);
	f = popen(cmd, "r");
	if (!f || !fgets(text, sizeof(text), f))
		*text = '\0';
	if (f)
		pclose(f);
	return atol(text);
}

/* For good, not until as much as that has been written once. */
TEST(stretches_are_sixtieths_of_the_bytes)
{
	struct kept r;
	struct tried k;
	char path[96];
	int fd;

	TEST_EQ(begin_tried(&k, 1, 1), 0);
	kept_close(&k.kept);
	TEST_EQ(kept_open(&r, k.dir, k.session, 1), 0);
	r.max_bytes = 600000;
	r.max_ticks = ~0ull;
	k.kept.dirfd = r.dirfd;
	TEST_EQ(add_bytes(&r, 3000), 0);
	TEST_OK(stretches(&k) >= 50);
	TEST_OK(stretches(&k) <= 62);
	TEST_OK(bytes_of(&k) <= 600000);
	TEST_OK(bytes_of(&k) > 500000);

	/* a freeze that was stopped: as much again, and no more */
	snprintf(path, sizeof(path), "%s/session", k.dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	TEST_EQ(flock(fd, LOCK_SH), 0);
	TEST_EQ(add_bytes(&r, 400), 0);
	TEST_OK(bytes_of(&k) > 900000);
	TEST_EQ(add_bytes(&r, 600), 0);
	TEST_OK(bytes_of(&k) <= 600000);
	close(fd);
	k.kept.dirfd = -1;
	kept_close(&r);
	end_tried(&k);
	return 0;
}

TEST(nothing_is_removed_while_it_is_copied)
{
	struct tried k;
	__u64 until;
	char path[96];
	int fd;

	TEST_EQ(begin_tried(&k, 1 << 30, 300 * MS), 0);
	snprintf(path, sizeof(path), "%s/session", k.dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	TEST_EQ(flock(fd, LOCK_SH), 0); /* as kept_freeze() does */
	for (until = 100 * MS; until <= 800 * MS; until += MS)
		TEST_EQ(tick(&k, until, 0), 0);
	TEST_OK(stretches(&k) > 100);
	close(fd);
	for (; until <= 810 * MS; until += MS)
		TEST_EQ(tick(&k, until, 0), 0);
	TEST_OK(stretches(&k) <= 62);
	end_tried(&k);
	return 0;
}

/* Is a session made? */
static int tries(const struct tried *k)
{
	char to[96], cmd[128];
	struct error e;
	int ret;

	snprintf(to, sizeof(to), "%s/frozen", k->s.dir);
	ret = kept_freeze(k->dir, to, &e);
	if (ret)
		printf("# %s\n", e.text);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", to);
	return system(cmd) ? -EIO : ret;
}

/* The path of a session is free for anybody when its agent was killed. */
TEST(only_a_session_of_its_own_is_believed)
{
	struct tried k;
	char cmd[200];

	TEST_EQ(begin_tried(&k, 1 << 30, 600 * MS), 0);
	TEST_EQ(tick(&k, 100 * MS, 0), 0);
	TEST_EQ(tick(&k, 200 * MS, 0), 0);
	TEST_EQ(tries(&k), 0);
	TEST_EQ(chmod(k.session, 0777), 0);
	TEST_EQ(tries(&k), -EPERM);
	TEST_EQ(chmod(k.session, 0700), 0);
	if (!geteuid()) {
		TEST_EQ(chown(k.session, 65534, -1), 0);
		TEST_EQ(tries(&k), -EPERM);
		TEST_EQ(chown(k.session, 0, -1), 0);
	}
	/* what is no file is not waited for */
	snprintf(cmd, sizeof(cmd),
		 "cd %s && mv info old && mkfifo info && mv host old.host",
		 k.session);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(tries(&k), -ENOENT);
	snprintf(cmd, sizeof(cmd), "cd %s && mv old.host host", k.session);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(tries(&k), -EINVAL);
	snprintf(cmd, sizeof(cmd),
		 "cd %s && mv old info && rm host && mkfifo host", k.session);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(tries(&k), -EINVAL);
	end_tried(&k);
	return 0;
}

TEST(nothing_is_frozen_of_an_agent_that_ended)
{
	struct tried k, other;
	char path[96];

	TEST_EQ(begin_tried(&k, 1 << 30, 600 * MS), 0);
	TEST_EQ(tick(&k, 100 * MS, 0), 0);
	TEST_EQ(tick(&k, 200 * MS, 0), 0);
	snprintf(path, sizeof(path), "%s/session", k.dir);
	TEST_EQ(access(path, F_OK), 0);
	kept_close(&k.kept);
	TEST_OK(access(path, F_OK) && errno == ENOENT);
	TEST_EQ(tries(&k), -ENODATA);
	/* of two agents, which should not be, the second one's stays */
	TEST_EQ(kept_open(&k.kept, k.dir, k.session, NR_FILES), 0);
	TEST_EQ(kept_open(&other.kept, k.dir, k.session, NR_FILES), 0);
	kept_close(&k.kept);
	TEST_EQ(access(path, F_OK), 0);
	kept_close(&other.kept);
	TEST_OK(access(path, F_OK) && errno == ENOENT);
	end_tried(&k);
	return 0;
}

TEST(closing_none_closes_no_file)
{
	struct kept none = KEPT_NONE;

	TEST_OK(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	kept_close(&none);
	TEST_OK(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	return 0;
}

TEST(what_another_agent_left_is_removed)
{
	struct tried k;
	struct error e;
	char cmd[160];

	TEST_EQ(begin_tried(&k, 1 << 30, 600 * MS), 0);
	TEST_EQ(tick(&k, 100 * MS, 0), 0);
	TEST_EQ(tick(&k, 200 * MS, 0), 0);
	TEST_EQ(stretches(&k), 2);
	kept_close(&k.kept);
	TEST_EQ(kept_open(&k.kept, k.dir, k.session, NR_FILES), 0);
	TEST_EQ(stretches(&k), 0);
	TEST_EQ(kept_freeze(k.dir, "/nonexistent/frozen", &e), -ENODATA);
	/* where others may write, nothing is believed */
	kept_close(&k.kept);
	snprintf(cmd, sizeof(cmd), "chmod 777 %s", k.dir);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(kept_open(&k.kept, k.dir, k.session, NR_FILES), -EPERM);
	TEST_EQ(kept_freeze(k.dir, "/nonexistent/frozen", &e), -EPERM);
	end_tried(&k);
	return 0;
}
