// SPDX-License-Identifier: GPL-2.0-only
/* The search for hot functions after a recording, in a process of its own. */

#include <unistd.h>

#include "test.h"
#include "cmd/record/code.c"

static char top[64], dir[96];
static struct record_options opts;
static struct recording r;
static struct collect_guest guests[2];

/* As after a recording of tests/data/small.txt; its VM is the second of two. */
static void begin(void)
{
	char cmd[256];

	strcpy(top, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(top))
		abort();
	snprintf(dir, sizeof(dir), "%s/s", top);
	snprintf(cmd, sizeof(cmd),
		 "tests/gen/mksession.py tests/data/small.txt %s", dir);
	if (system(cmd))
		abort();
	opts.dir = dir;
	r.opts = &opts;
	r.guests.guests = guests;
	r.guests.nr = 2;
	guests[0].pid = 49;
	guests[1].pid = 50;
}

static void end(void)
{
	char cmd[96];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	if (system(cmd))
		abort();
}

TEST(what_is_hot_is_found_in_the_session)
{
	struct collect_list *lists;

	begin();
	lists = search(&r);
	TEST_OK(lists);
	TEST_OK(lists[0].pid == 49 && !lists[0].size);
	TEST_EQ(lists[1].pid, 50);
	TEST_EQ(lists[1].size, strlen(lists[1].list));
	TEST_STR(lists[1].list, "kernel ffffffff91000000 32768\n1 0 4096\n");
	free(lists);
	end();
	return 0;
}

/* A long recording has more to search. */
TEST(the_search_has_time_by_the_size_of_the_records)
{
	FILE *big = tmpfile(), *small = tmpfile();
	int files[] = { fileno(big), fileno(small) };
	struct recording some = { .files = files, .nr_files = 2 };

	TEST_EQ(search_seconds(&some), 60);
	TEST_OK(!ftruncate(files[0], 37ll << 30)); /* 64 CPUs, 0.1 ms, 10 min */
	TEST_OK(!ftruncate(files[1], 1 << 20));
	TEST_EQ(search_seconds(&some), 60 + 37 * 32);
	fclose(big);
	fclose(small);
	return 0;
}

TEST(a_session_that_cannot_be_read_has_nothing_hot)
{
	struct collect_list *lists;

	begin();
	opts.dir = "/tmp/vmmprof-test-none";
	lists = search(&r);
	TEST_OK(lists && !lists[0].size && !lists[1].size);
	free(lists);
	end();
	return 0;
}

TEST(a_process_that_was_taken_over_names_no_other_guest_or_file)
{
	static struct collect_list said[2], lists[2];
	const struct search s = { .lists = said, .nr = 2 };

	begin();
	said[0].pid = 1;
	said[0].size = strlen(strcpy(said[0].list, "1 2 3\n../passwd\n"));
	said[1].pid = 49;
	said[1].size = strlen(strcpy(said[1].list, "1 2 3\n"));
	copy_lists(&r, &s, lists);
	TEST_OK(lists[0].pid == 49 && !lists[0].size);
	TEST_OK(lists[1].pid == 50 && lists[1].size == 6);
	said[1].size = CODE_LIST_MAX + 1;
	copy_lists(&r, &s, lists);
	TEST_OK(!lists[1].size);
	end();
	return 0;
}
