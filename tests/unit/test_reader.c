// SPDX-License-Identifier: GPL-2.0-only
/* The stream of records: sizes are checked, unknown types skipped. */

#include <fcntl.h>
#include <unistd.h>

#include "build.h"
#include "test.h"
#include "format/reader.h"

static struct build b;

static int count(const struct build *f, struct reader *r)
{
	const struct vmmprof_rec_hdr *rec;
	int n = 0, ret;

	ret = reader_init_mem(r, f->data, f->size);
	if (ret)
		return ret;
	while ((ret = reader_next(r, &rec)) > 0)
		n++;
	reader_deinit(r);
	return ret ? ret : n;
}

TEST(reader_returns_records_in_order)
{
	const struct vmmprof_rec_hdr *rec;
	struct reader r;

	build_header(&b, VMMPROF_FILE_RECORDS);
	build_sample(&b, 10, 0);
	build_sample(&b, 20, 0);
	TEST_EQ(reader_init_mem(&r, b.data, b.size), 0);
	TEST_EQ(reader_next(&r, &rec), 1);
	TEST_EQ(rec->tsc, 10);
	TEST_EQ(reader_next(&r, &rec), 1);
	TEST_EQ(rec->tsc, 20);
	TEST_EQ(reader_next(&r, &rec), 0);
	TEST_EQ(r.cut, 0);
	reader_deinit(&r);
	return 0;
}

TEST(reader_refuses_size_past_end_as_cut)
{
	struct vmmprof_rec_sample *s;
	struct reader r;

	build_header(&b, VMMPROF_FILE_RECORDS);
	build_sample(&b, 10, 0);
	s = build_sample(&b, 20, 0);
	s->hdr.size = sizeof(*s) + 16;
	TEST_EQ(count(&b, &r), 1);
	TEST_EQ(r.cut, sizeof(*s));
	return 0;
}

TEST(reader_refuses_sizes_that_break_the_format)
{
	static const __u16 bad[] = { 0, 8, 15, 64, 80, 95, 104 };
	struct vmmprof_rec_sample *s;
	struct reader r;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		build_header(&b, VMMPROF_FILE_RECORDS);
		s = build_sample(&b, 10, 0);
		build_put(&b, NULL, 64);
		s->hdr.size = bad[i];
		TEST_EQ(count(&b, &r), -EBADMSG);
		TEST_EQ(r.nr, 0);
	}
	return 0;
}

TEST(reader_skips_unknown_types_and_longer_records)
{
	struct vmmprof_rec_hdr unknown = { 999, 48, 0, 15 };
	struct vmmprof_rec_sample *s;
	struct reader r;

	build_header(&b, VMMPROF_FILE_RECORDS);
	s = build_sample(&b, 10, 0);
	s->hdr.size = sizeof(*s) + 16;
	build_put(&b, NULL, 16);
	build_put(&b, &unknown, sizeof(unknown));
	build_put(&b, NULL, 32);
	build_sample(&b, 20, 0);
	TEST_EQ(count(&b, &r), 2);
	TEST_EQ(r.unknown, 1);
	return 0;
}

TEST(reader_survives_truncation_at_every_byte)
{
	struct reader r;
	struct build cut;
	int i, want;

	build_header(&b, VMMPROF_FILE_RECORDS);
	for (i = 0; i < 4; i++)
		build_sample(&b, i, 0);
	cut = b;
	for (cut.size = 0; cut.size <= b.size; cut.size++) {
		want = cut.size < 32 ? -ENODATA : (int)(cut.size - 32) / 96;
		TEST_EQ(count(&cut, &r), want);
	}
	return 0;
}

TEST(reader_tells_newer_versions_from_damage)
{
	struct vmmprof_file_hdr *h = (void *)b.data;
	struct reader r;

	build_header(&b, VMMPROF_FILE_RECORDS);
	h->min_version = VMMPROF_FILE_VERSION + 1;
	TEST_EQ(count(&b, &r), -EPROTONOSUPPORT);
	build_header(&b, VMMPROF_FILE_RECORDS);
	h->version = 2;
	TEST_EQ(count(&b, &r), 0);
	build_header(&b, VMMPROF_FILE_INFO);
	TEST_EQ(count(&b, &r), -EBADMSG);
	build_header(&b, VMMPROF_FILE_RECORDS);
	h->magic[0] = 'X';
	TEST_EQ(count(&b, &r), -EBADMSG);
	build_header(&b, VMMPROF_FILE_RECORDS);
	h->hdr_size = 40;
	TEST_EQ(count(&b, &r), -ENODATA);
	return 0;
}

TEST(reader_streams_files_larger_than_its_buffer)
{
	char path[] = "/tmp/vmmprof-test-XXXXXX";
	const struct vmmprof_rec_hdr *rec;
	struct reader r;
	__u64 i, n = 20000;
	int fd = mkstemp(path);

	TEST_OK(fd >= 0);
	unlink(path);
	build_header(&b, VMMPROF_FILE_RECORDS);
	TEST_EQ(write(fd, b.data, b.size), b.size);
	for (i = 0; i < n; i++) {
		b.size = 0;
		build_sample(&b, i, 0);
		TEST_EQ(write(fd, b.data, b.size), b.size);
	}
	lseek(fd, 0, SEEK_SET);
	TEST_EQ(reader_init(&r, fd), 0);
	for (i = 0; i < n; i++) {
		TEST_EQ(reader_next(&r, &rec), 1);
		TEST_EQ(rec->tsc, i);
	}
	TEST_EQ(reader_next(&r, &rec), 0);
	TEST_OK(r.cap <= 1 << 20);
	reader_deinit(&r);
	close(fd);
	return 0;
}

TEST(reader_takes_records_of_any_size_from_a_file)
{
	static __u8 rec[65520];
	char path[] = "/tmp/vmmprof-test-XXXXXX";
	struct vmmprof_rec_hdr h = { .type = VMMPROF_REC_SAMPLE };
	const struct vmmprof_rec_hdr *got;
	struct reader r;
	int fd = mkstemp(path);
	__u32 size;

	TEST_OK(fd >= 0);
	unlink(path);
	build_header(&b, VMMPROF_FILE_RECORDS);
	TEST_EQ(write(fd, b.data, b.size), b.size);
	for (size = 96; size <= sizeof(rec); size += 16 * 89) {
		h.size = size;
		h.tsc = size;
		memcpy(rec, &h, sizeof(h));
		rec[size - 1] = size / 16;
		TEST_EQ(write(fd, rec, size), size);
	}
	lseek(fd, 0, SEEK_SET);
	TEST_EQ(reader_init(&r, fd), 0);
	for (size = 96; size <= sizeof(rec); size += 16 * 89) {
		TEST_EQ(reader_next(&r, &got), 1);
		TEST_EQ(got->tsc, size);
		TEST_EQ(((const __u8 *)got)[size - 1], (__u8)(size / 16));
	}
	TEST_EQ(reader_next(&r, &got), 0);
	TEST_EQ(r.cut, 0);
	reader_deinit(&r);
	close(fd);
	return 0;
}

/* A CHAIN record with room for 4 u64 behind its struct. */
static struct vmmprof_rec_chain *put_chain(void)
{
	struct vmmprof_rec_chain c = { .hdr = { VMMPROF_REC_CHAIN,
						sizeof(c) + 32, 0, 10 } };
	struct vmmprof_rec_chain *ret;

	build_header(&b, VMMPROF_FILE_RECORDS);
	ret = build_put(&b, &c, sizeof(c));
	build_put(&b, NULL, 32);
	return ret;
}

TEST(reader_compares_a_chains_counts_with_its_size)
{
	static const struct {
		__u32 flags, id;
		__u16 kernel, user;
		__u32 stack;
		int want;
	} cases[] = {
		{ 0, 0, 4, 0, 0, 1 },
		{ 0, 0, 1, 1, 16, 1 },
		{ 0, 0, 1, 4, 0, -EBADMSG },
		{ 0, 0, 4, 0, 8, -EBADMSG },
		{ 0, 0, 0, 0, 12, -EBADMSG },
		{ VMMPROF_C_REGS, 0, 0, 0, 0, 1 },
		{ VMMPROF_C_REGS, 0, 0, 1, 0, -EBADMSG },
		{ VMMPROF_C_STATE, 0, 0, 0, 0, 1 },
		{ VMMPROF_C_STATE, 0, 0, 1, 0, -EBADMSG },
		{ VMMPROF_C_STATE | VMMPROF_C_REGS, 0, 0, 0, 0, -EBADMSG },
		{ VMMPROF_C_REF, 7, 127, 128, 32768, 1 },
		{ VMMPROF_C_REF, 7, 128, 0, 0, -EBADMSG },
		{ VMMPROF_C_REF, 7, 0, 129, 0, -EBADMSG },
		{ VMMPROF_C_REF, 7, 0, 0, 32776, -EBADMSG },
		{ VMMPROF_C_REF, 0, 1, 0, 0, -EBADMSG },
		{ VMMPROF_C_REF | VMMPROF_C_WORDS, 7, 512, 0, 0, 1 },
		{ VMMPROF_C_REF | VMMPROF_C_WORDS, 7, 513, 0, 0, -EBADMSG },
	};
	struct vmmprof_rec_chain *c;
	struct reader r;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		c = put_chain();
		c->hdr.flags = cases[i].flags;
		c->id = cases[i].id;
		c->nr_kernel = cases[i].kernel;
		c->nr_user = cases[i].user;
		c->stack_size = cases[i].stack;
		TEST_EQ(count(&b, &r), cases[i].want);
	}
	return 0;
}
