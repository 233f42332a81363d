// SPDX-License-Identifier: GPL-2.0-only
/* Profiles for stores are bounded, and archives are read as they were written. */

#include <string.h>
#include <zlib.h>

#include "test.h"
#include "format/tar.h"
#include "view/pprof_stacks.h"

static const struct pprof_head head = { .type = "cpu",
					.root = "vm",
					.period_ns = 1,
					.real_ns = 5,
					.duration_ns = 6 };

static unsigned char plain[PPROF_BYTES_MAX + 4096];

/* The profile's bytes unpacked; -1: they are too many, or none. */
static long put(struct stack_list *l, struct pprof_size *size)
{
	char *data = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&data, &bytes);
	z_stream z = { .next_out = plain, .avail_out = sizeof(plain) };
	long ret = -1;

	if (out && !pprof_stacks_put(l, &head, size, out) && !fclose(out)) {
		z.next_in = (unsigned char *)data;
		z.avail_in = bytes;
		if (inflateInit2(&z, 15 + 16) == Z_OK &&
		    inflate(&z, Z_FINISH) == Z_STREAM_END)
			ret = z.total_out;
		inflateEnd(&z);
	}
	free(data);
	return ret;
}

/* So many stacks of one function each, all with names of that length. */
static int fill(struct stack_list *l, unsigned int nr, int length)
{
	char name[2000];
	__u32 frames[2];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		snprintf(name, sizeof(name), "%0*u", length, i);
		ret = stack_list_frame(l, name, "-", &frames[0]);
		if (!ret)
			ret = stack_list_frame(l, "vm", NULL, &frames[1]);
		if (!ret)
			ret = stack_list_add(l, frames, 2, 1 + i);
	}
	return ret;
}

TEST(what_does_not_fit_is_folded)
{
	static const struct {
		unsigned int nr;
		int length;
		__u32 folded;
	} tries[] = { { PPROF_STACKS_MAX, 10, 0 },
		      { PPROF_STACKS_MAX + 1, 10, 2 },
		      { 3000, 1000, 0 },
		      { 9000, 1000, 1 /* or more */ } };
	struct pprof_size size;
	size_t i;
	long n;

	for (i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct stack_list l = { 0 };

		TEST_EQ(fill(&l, tries[i].nr, tries[i].length), 0);
		n = put(&l, &size);
		TEST_OK(n > 0 && n <= PPROF_BYTES_MAX);
		TEST_OK(size.stacks <= PPROF_STACKS_MAX);
		if (tries[i].nr == 9000)
			/* no more than there is no room for */
			TEST_OK(size.folded && n > PPROF_BYTES_MAX / 20 * 18);
		else
			TEST_EQ(size.folded, tries[i].folded);
		TEST_EQ(size.stacks + size.folded - !!size.folded, tries[i].nr);
		/* they are the least */
		TEST_EQ(size.folded_ns, size.folded * (size.folded + 1) / 2);
		TEST_EQ(!memmem(plain, n, "[other]", 7), !size.folded);
		stack_list_deinit(&l);
	}
	return 0;
}

TEST(the_same_stack_is_one)
{
	struct stack_list l = { 0 };

	TEST_EQ(fill(&l, 10, 5), 0);
	TEST_EQ(fill(&l, 10, 5), 0);
	TEST_EQ(l.nr, 10);
	TEST_EQ(l.nr_frames, 11);
	stack_list_sort(&l);
	TEST_EQ(l.stacks[0].ns, 20);
	TEST_EQ(l.stacks[9].ns, 2);
	stack_list_deinit(&l);
	return 0;
}

TEST(an_archive_has_what_was_put)
{
	char *data = NULL, byte;
	size_t size = 0, at = 0, i;
	FILE *out = open_memstream(&data, &size);
	struct tar_file f;
	int ret;

	TEST_OK(out);
	TEST_EQ(tar_put(out, "one", "12345", 5, 1700000000), 0);
	TEST_EQ(tar_put(out, "none", "", 0, 1700000000), 0);
	TEST_EQ(tar_put(out, "two", plain, 512, 1700000000), 0);
	TEST_EQ(tar_end(out), 0);
	TEST_EQ(fclose(out), 0);
	TEST_EQ(size, 7 * 512);
	TEST_EQ(tar_next(data, size, &at, &f), 0);
	TEST_STR(f.name, "one");
	TEST_OK(f.size == 5 && !memcmp(f.data, "12345", 5));
	TEST_EQ(tar_next(data, size, &at, &f), 0);
	TEST_STR(f.name, "none");
	TEST_EQ(f.size, 0);
	TEST_EQ(tar_next(data, size, &at, &f), 0);
	TEST_EQ(f.size, 512);
	TEST_EQ(tar_next(data, size, &at, &f), -ENODATA);
	/* cut off in a head, in a file */
	for (i = 0; i < 4; i++) {
		at = 0;
		TEST_EQ(tar_next(data, 511 + i, &at, &f), -EINVAL);
	}
	/* no byte of a head may change: what it says, or its sum */
	for (i = 0; i < 512; i++) {
		byte = data[i];
		data[i] ^= 1;
		at = 0;
		ret = tar_next(data, size, &at, &f);
		/* but the space behind the sum */
		TEST_OK(ret == -EINVAL || i == 148 + 7);
		data[i] = byte;
	}
	free(data);
	return 0;
}
