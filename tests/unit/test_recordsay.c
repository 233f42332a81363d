// SPDX-License-Identifier: GPL-2.0-only
/* What `record` says has names of others in it. */

#include <stdio.h>
#include <unistd.h>

#include "test.h"
#include "cmd/recordsay.h"

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
