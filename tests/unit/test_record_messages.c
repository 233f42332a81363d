// SPDX-License-Identifier: GPL-2.0-only
/* What `record` says has names of others in it. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "cmd/record/messages.h"
#include "cmd/record/options.h"
#include "cmd/record/same.h"

/* What goes to stderr from here to heard(). */
static FILE *listen_to_stderr(int *saved)
{
	FILE *f = tmpfile();

	*saved = dup(STDERR_FILENO);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	return f;
}

static void heard(FILE *f, int saved, char *buf, size_t size)
{
	size_t n;

	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = 0;
	fclose(f);
}

/* The summary of one CPU whose module lost @other records, @names of them. */
static void say_lost(uint64_t other, uint64_t names, char *buf, size_t size)
{
	struct record_options opts = { .quiet = true };
	struct event_list events = { 0 };
	struct vmmprof_cpu_stat stat = { .lost_other = other };
	int saved;
	FILE *f = listen_to_stderr(&saved);

	record_say_summary(&opts, &events, &stat, 1, 0, names, 0, 1);
	heard(f, saved, buf, size);
}

TEST(record_says_that_a_kernel_without_names_has_no_guests)
{
	static const struct {
		uint32_t vendor, features;
		bool warns;
	} kernels[] = {
		{ VMMPROF_VENDOR_VMX, 0, true },
		{ VMMPROF_VENDOR_VMX, VMMPROF_FEAT_GUEST, false },
		{ VMMPROF_VENDOR_NONE, 0, false },
	};
	struct vmmprof_info info = { 0 };
	char said[512];
	unsigned int i;
	int saved;
	FILE *f;

	for (i = 0; i < 3; i++) {
		info.vendor = kernels[i].vendor;
		info.features = kernels[i].features;
		f = listen_to_stderr(&saved);
		record_say_guests(&info);
		heard(f, saved, said, sizeof(said));
		TEST_EQ(!!strstr(said, "CONFIG_KALLSYMS"), kernels[i].warns);
	}
	return 0;
}

TEST(record_tells_records_left_out_from_lost_ones)
{
	char said[512];

	say_lost(7, 7, said, sizeof(said));
	TEST_OK(strstr(said, " 7 SWITCH records were left out"));
	TEST_OK(!strstr(said, "were lost"));
	say_lost(9, 7, said, sizeof(said));
	TEST_OK(strstr(said, " 7 SWITCH records were left out"));
	TEST_OK(strstr(said, " 2 records of switches and vCPUs were lost"));
	say_lost(0, 0, said, sizeof(said));
	TEST_STR(said, "");
	return 0;
}

TEST(record_says_the_same_of_many_guests_in_one_line)
{
	struct record_same same = { 0 };
	char said[1024], name[32];
	unsigned int i;
	int saved;
	FILE *f;

	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "vm%u", i);
		record_same_add(&same, name, "no names: none");
		if (i < 3)
			record_same_add(&same, name, "two\033");
	}
	record_same_add(&same, "other", "no names: another");
	f = listen_to_stderr(&saved);
	TEST_EQ(record_same_say(&same), 97);
	heard(f, saved, said, sizeof(said));
	TEST_STR(
		said,
		"vmmprof record: warning: 100 guests (vm0, vm1, vm2 and 97 more): no names: none\n"
		"vmmprof record: warning: 3 guests (vm0, vm1, vm2): two\\x1b\n"
		"vmmprof record: warning: guest other: no names: another\n");
	/* and that was all */
	f = listen_to_stderr(&saved);
	TEST_EQ(record_same_say(&same), 0);
	heard(f, saved, said, sizeof(said));
	TEST_STR(said, "");
	return 0;
}

TEST(record_says_one_line_that_a_terminal_only_shows)
{
	int saved = dup(STDERR_FILENO);
	FILE *f = tmpfile();
	char line[256] = "";
	size_t n;

	TEST_OK(f && saved >= 0);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	record_say("guest %s: %s", "a\033[2J\nb", "\xe2\x80\xae\x9b\xff");
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	n = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	TEST_OK(n < sizeof(line));
	TEST_STR(
		line,
		"vmmprof record: guest a\\x1b[2J\\x0ab: \\xe2\\x80\\xae\\x9b\\xff\n");
	return 0;
}
