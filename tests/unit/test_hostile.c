// SPDX-License-Identifier: GPL-2.0-only
/*
 * A whole session, cut at every byte and with every bit flipped: the account
 * still adds up, what stands before the damage is used, nothing crashes.
 */

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "view/report.h"
#include "model/pass.h"

static const char *const files[] = { "info", "host", "guests/vm1.bundle",
				     "cpu-0.rec" };
#define NR_FILES (sizeof(files) / sizeof(files[0]))

static char top[] = "/tmp/vmmprof-test-XXXXXX";
static char dir[64];
static FILE *null;
static __u8 whole[NR_FILES][4096];
static size_t size[NR_FILES];

static void put_file(size_t i, const void *data, size_t len)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
	/* Not emptied before: that costs more than the rest of the test. */
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len ||
	    ftruncate(fd, len))
		abort();
	close(fd);
}

/* Make the session and remember its files. */
static int setup(void)
{
	char cmd[256], path[128];
	size_t i;
	int fd;

	if (!mkdtemp(top))
		return -1;
	snprintf(dir, sizeof(dir), "%s/s", top);
	snprintf(cmd, sizeof(cmd),
		 "tests/gen/mksession.py tests/data/small.txt %s", dir);
	if (system(cmd))
		return -1;
	for (i = 0; i < NR_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		fd = open(path, O_RDONLY);
		size[i] = read(fd, whole[i], sizeof(whole[i]));
		close(fd);
	}
	null = fopen("/dev/null", "w");
	return null ? 0 : -1;
}

static void cleanup(void)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	if (system(cmd))
		abort();
	fclose(null);
}

/* Samples in the report, or the error. */
static long report(size_t *problems)
{
	struct report r = {
		.dir = dir,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
	};
	struct analysis a;
	long ret;

	r.a = &a;
	ret = analysis_open(&a, dir, NULL, 0);
	if (!ret)
		ret = analysis_run(&a, 0, NULL, NULL);
	if (!ret) {
		ret = names_init(&r.names, &a)		   ?:
			      account_init(&r.account, &a) ?:
			      report_text(&r, null);
		if (!ret)
			ret = r.account.adds_up ? (long)r.account.sum : -1000;
		account_deinit(&r.account);
		names_deinit(&r.names);
	}
	*problems = a.session.problems.nr;
	analysis_close(&a);
	return ret;
}

TEST(session_cut_at_every_byte_is_used_up_to_there)
{
	size_t i, n, problems;
	long samples, want;

	TEST_EQ(setup(), 0);
	TEST_EQ(report(&problems), 3);
	TEST_EQ(problems, 0);
	for (i = 0; i < NR_FILES; i++) {
		for (n = 0; n < size[i]; n++) {
			put_file(i, whole[i], n);
			samples = report(&problems);
			want = 3;
			if (i == 0 && n < 32)
				want = -ENODATA;
			if (i == 3)
				want = n < 96 ? 0 : (long)(n - 96) / 96;
			TEST_EQ(samples, want);
			/* at a record's end nothing shows the cut, but the count */
			TEST_OK(problems || (i == 3 && n >= 32 && n % 16 == 0));
		}
		put_file(i, whole[i], size[i]);
	}
	cleanup();
	return 0;
}

TEST(session_with_any_bit_flipped_is_accounted_for)
{
	size_t i, bit, problems;
	long samples;

	TEST_EQ(setup(), 0);
	for (i = 0; i < NR_FILES; i++) {
		for (bit = 0; bit < size[i] * 8; bit++) {
			whole[i][bit / 8] ^= 1 << bit % 8;
			put_file(i, whole[i], size[i]);
			whole[i][bit / 8] ^= 1 << bit % 8;
			samples = report(&problems);
			TEST_OK(samples >= 0 || problems);
			TEST_OK(samples != -1000);
			TEST_OK(samples <= 3);
		}
		put_file(i, whole[i], size[i]);
	}
	cleanup();
	return 0;
}
