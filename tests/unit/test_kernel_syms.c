// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/os/kernel_syms.c: which lines of /proc/kallsyms are kept. */

#include "os/kernel_syms.c"

#include "test.h"

TEST(kernelsyms_keeps_text_and_drops_padding)
{
	char in[] = "0000000000000000 A fixed_percpu_data\n"
		    "ffffffff81000000 T _text\n"
		    "ffffffff81000010 t __pfx_foo\n"
		    "ffffffff81000020 t foo\n"
		    "ffffffff82000000 D data\n"
		    "ffffffffc0000000 w bar\t[mod]\n"
		    "broken\n"
		    "ffffffff81000030 T";
	static const char want[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000020 t foo\n"
				   "ffffffffc0000000 w bar\t[mod]\n";
	size_t n = keep_text(in, sizeof(in) - 1);

	TEST_EQ(n, sizeof(want) - 1);
	TEST_EQ(memcmp(in, want, n), 0);
	return 0;
}

TEST(kernelsyms_tells_hidden_addresses)
{
	char in[] = "0000000000000000 T _text\n0000000000000000 t foo\n";

	TEST_EQ(keep_text(in, sizeof(in) - 1), 0);
	return 0;
}
