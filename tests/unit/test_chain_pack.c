// SPDX-License-Identifier: GPL-2.0-only
/* CHAIN records, packed and unpacked again, are what they were. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vmmprof/file.h>

#include "test.h"
#include "format/chain_pack.h"
#include "format/chain_unpack.h"
#include "format/reader.h"

#define MORE	   (CHAIN_MEMBERS + CHAIN_WORDS_MAX + 1)
#define STACK_BIT  VMMPROF_WORD_STACK
#define WORD(a, i) ((__u64)(a) << 16 | (i))

/* A CHAIN record with room for all that one may have but a stack. */
struct chain_rec {
	struct vmmprof_rec_chain head;
	__u64 more[MORE];
};

static struct chain_pack *p;
static struct chain_unpack *u;

static void begin(void)
{
	chain_pack_free(p);
	chain_unpack_free(u);
	p = chain_pack_new();
	u = chain_unpack_new();
	if (!p || !u)
		abort();
}

static void end(void)
{
	chain_pack_free(p);
	chain_unpack_free(u);
	p = NULL;
	u = NULL;
}

static size_t members(__u32 flags)
{
	return (flags & VMMPROF_C_REGS ? 4 : 0) +
	       (flags & VMMPROF_C_STATE ? 4 : 0);
}

static struct chain_rec make(__u32 flags, __u32 id, const __u64 *data,
			     __u16 nr_kernel, __u16 nr_user)
{
	struct chain_rec r = { .head = { .hdr = { .type = VMMPROF_REC_CHAIN,
						  .flags = flags,
						  .tsc = 5 },
					 .id = id,
					 .nr_kernel = nr_kernel,
					 .nr_user = nr_user,
					 .end_kernel = 1,
					 .end_user = 15 } };
	size_t nr = flags & VMMPROF_C_REF ? 0 : nr_kernel + nr_user;

	if (nr)
		memcpy(r.more + members(flags), data, nr * sizeof(*data));
	nr += members(flags);
	r.head.hdr.size = sizeof(r.head) + 8 * (nr + (nr & 1));
	return r;
}

/* Its size when packed; 0: not packed, or not what it was: @data. */
static size_t there_and_back(const struct chain_rec *r, const __u64 *data)
{
	const struct vmmprof_rec_hdr *hdr = (const void *)p->buf;
	struct vmmprof_rec_chain head = r->head;
	size_t m = members(head.hdr.flags), nr = head.nr_kernel + head.nr_user;

	if (chain_pack_take(p, r, head.hdr.size) || p->taken != head.hdr.size ||
	    p->used != hdr->size || hdr->type != VMMPROF_REC_PACKED ||
	    chain_unpack(u, hdr))
		return 0;
	head.hdr.flags &= ~(__u32)VMMPROF_C_REF;
	head.hdr.size = sizeof(head) + 8 * (m + nr + ((m + nr) & 1));
	head.id = 0;
	if (memcmp(&head, &u->rec.head, sizeof(head)) ||
	    memcmp(r->more, u->rec.more, m * sizeof(*data)) ||
	    (nr && memcmp(data, u->rec.more + m, nr * sizeof(*data))))
		return 0;
	return p->used;
}

TEST(pack_tells_a_chain_met_again_in_16_bytes)
{
	const __u64 data[] = { 0xffffffff81001234, 0x401000, 0x401100 };
	struct chain_rec r;

	begin();
	r = make(VMMPROF_C_REGS, 3, data, 1, 2);
	r.more[0] = 7;
	r.more[1] = 0x7ffc00001000;
	TEST_OK(there_and_back(&r, data) > 16);
	r = make(VMMPROF_C_REGS | VMMPROF_C_REF, 3, data, 1, 2);
	r.more[0] = 7;
	r.more[1] = 0x7ffc00001000;
	TEST_EQ(there_and_back(&r, data), 16);
	r.more[1] -= 8;
	TEST_EQ(there_and_back(&r, data), 32);
	TEST_EQ(there_and_back(&r, data), 16);
	/* without a chain: why */
	r = make(VMMPROF_C_GUEST, 0, NULL, 0, 0);
	TEST_EQ(there_and_back(&r, data), 16);
	end();
	return 0;
}

/* The same way into the kernel, and another stack pointer below it. */
TEST(pack_finds_the_same_frames_of_a_stack_that_is_deeper)
{
	enum { NR = 40 };
	__u64 a[NR + 2], b[NR + 3];
	__u32 flags = VMMPROF_C_GUEST | VMMPROF_C_WORDS;
	struct chain_rec r;
	unsigned int i;

	begin();
	for (i = 0; i < NR; i++) {
		a[i] = i % 3 ? WORD(0xffff81000000 + 977 * i, 2 * i) :
			       WORD(16 * i + 400, STACK_BIT | 2 * i);
		b[i + 1] = a[i] + 5 + (i % 3 ? 0 : 40 << 16);
	}
	b[0] = WORD(0xffff81012345, 2);
	for (i = 0; i < 2; i++) {
		a[NR + i] = 0x401000 + i;
		b[NR + 1 + i] = a[NR + i];
	}
	r = make(flags, 1, a, NR, 2);
	TEST_OK(there_and_back(&r, a) > 100);
	r = make(flags, 2, b, NR + 1, 2);
	TEST_EQ(there_and_back(&r, b), 32);
	/* of another kind: nothing is the same */
	r = make(VMMPROF_C_GUEST, 3, b, NR + 1, 2);
	TEST_OK(there_and_back(&r, b) > 100);
	end();
	return 0;
}

static __u64 draw(__u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 20;
}

static __u64 any_word(__u64 *s, bool words, unsigned int i)
{
	switch (draw(s) % 5) {
	case 0:
		return ~0ull - draw(s) % 3;
	case 1:
		return draw(s) << 40 | draw(s);
	case 2:
		return words ? WORD(draw(s) % 16384, STACK_BIT | 3 * i) :
			       0x401000 + draw(s) % 64;
	default:
		return words ? WORD(0xffff81000000 + draw(s) % 99, 3 * i) :
			       0xffffffff81000000 + draw(s) % 99;
	}
}

TEST(pack_loses_nothing_of_any_chain)
{
	static __u64 known[8][CHAIN_WORDS_MAX];
	static __u16 nr[8][2];
	static __u32 kind[8];
	__u64 s = 1, *data;
	unsigned int i, k, refs = 0;

	begin();
	for (i = 0; i < 20000; i++) {
		__u32 flags = draw(&s) &
			      (VMMPROF_PACKED_FLAGS & ~VMMPROF_C_REF);
		__u32 id = 1 + draw(&s) % 7;
		struct chain_rec r;

		data = known[id];
		if (draw(&s) % 2 && nr[id][0] + nr[id][1]) {
			flags = (flags & ~VMMPROF_C_WORDS) | kind[id] |
				VMMPROF_C_REF;
			refs++;
		} else {
			kind[id] = flags & VMMPROF_C_WORDS;
			nr[id][0] = draw(&s) %
				    (kind[id] && !(i % 9) ? 513 : 20);
			nr[id][1] = 1 + draw(&s) % 6;
			k = nr[id][0] + nr[id][1];
			/* some of the outermost stay */
			k -= draw(&s) % k;
			while (k-- > 0)
				data[k] = any_word(
					&s, kind[id] && k < nr[id][0], k);
		}
		r = make(flags, id, data, nr[id][0], nr[id][1]);
		for (k = 0; k < members(flags); k++)
			r.more[k] = draw(&s) % 3 ? 0x7000 : draw(&s);
		TEST_OK(there_and_back(&r, data) >= 16);
	}
	TEST_OK(refs > 5000);
	end();
	return 0;
}

TEST(pack_leaves_the_others_as_they_are)
{
	static struct {
		struct vmmprof_rec_hdr pad[2];
		struct vmmprof_rec_sample sample;
		struct {
			struct vmmprof_rec_chain head;
			__u64 data[2];
		} stack, large, ref;
	} in;

	begin();
	in.pad[0].size = sizeof(in.pad);
	in.sample.hdr = (struct vmmprof_rec_hdr){ VMMPROF_REC_SAMPLE,
						  sizeof(in.sample), 0, 1 };
	in.stack.head = (struct vmmprof_rec_chain){
		.hdr = { VMMPROF_REC_CHAIN, sizeof(in.stack), 0, 1 },
		.stack_size = 16,
	};
	in.large.head = (struct vmmprof_rec_chain){
		.hdr = { VMMPROF_REC_CHAIN, sizeof(in.large), 0, 1 },
		.id = 9,
		.end_user = 16, /* not of this format */
		.nr_user = 2,
	};
	in.ref.head = in.large.head;
	in.ref.head.hdr.flags = VMMPROF_C_REF;
	in.ref.head.end_user = 1;
	TEST_EQ(chain_pack_take(p, &in, sizeof(in)), 0);
	TEST_EQ(p->taken, sizeof(in));
	TEST_EQ(p->used, sizeof(in) - sizeof(in.pad));
	TEST_EQ(memcmp(p->buf, &in.sample, p->used), 0);
	in.stack.head.nr_user = 1; /* longer than the record */
	TEST_EQ(chain_pack_take(p, &in, sizeof(in)), -EBADMSG);
	/* what is not whole is left for later */
	TEST_EQ(chain_pack_take(p, &in, sizeof(in.pad) + 8), 0);
	TEST_EQ(p->taken, sizeof(in.pad));
	end();
	return 0;
}

/* Any bytes: an error, or a record that is one. */
TEST(unpack_takes_any_bytes)
{
	struct {
		struct vmmprof_rec_hdr hdr;
		__u8 more[240];
	} in;
	unsigned int i, k, good = 0;
	__u64 s = 1;

	begin();
	for (i = 0; i < 100000; i++) {
		in.hdr = (struct vmmprof_rec_hdr){
			.type = VMMPROF_REC_PACKED,
			.size = 16 + 16 * (draw(&s) % 16),
			.flags = (draw(&s) & 0x3d) | (draw(&s) % 3) << 16,
		};
		for (k = 0; k < sizeof(in.more); k++)
			in.more[k] = draw(&s) % (k < 12 ? 5 : 256);
		in.more[0] &= chain_members(in.hdr.flags);
		if (chain_unpack(u, &in.hdr))
			continue;
		good++;
		TEST_OK(u->rec.head.hdr.size <= sizeof(u->rec));
		TEST_OK(u->rec.head.hdr.size >=
			reader_chain_size(&u->rec.head));
	}
	TEST_OK(good > 1000);
	in.hdr.flags = VMMPROF_PACKED_IDS << 16;
	TEST_EQ(chain_unpack(u, &in.hdr), -EBADMSG);
	in.hdr.flags = VMMPROF_C_REF;
	TEST_EQ(chain_unpack(u, &in.hdr), -EBADMSG);
	end();
	return 0;
}

static int write_file(const char *name, const void *data, size_t size)
{
	struct vmmprof_file_hdr hdr = { .magic = VMMPROF_MAGIC,
					.kind = VMMPROF_FILE_RECORDS,
					.hdr_size = sizeof(hdr) };
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	TEST_EQ(write(fd, &hdr, sizeof(hdr)), sizeof(hdr));
	TEST_EQ(write(fd, data, size), size);
	return close(fd);
}

static long size_of(const char *name)
{
	struct stat st;

	return stat(name, &st) ? -1 : st.st_size;
}

/* Larger than what is read at once, so that records are at its borders. */
TEST(pack_takes_the_place_of_a_whole_file_alone)
{
	static struct chain_rec r[200];
	char dir[] = "/tmp/vmmprof-test-XXXXXX";
	__u64 data[CHAIN_WORDS_MAX];
	unsigned int i, k;

	for (i = 0; i < 200; i++) {
		for (k = 0; k < 255; k++)
			data[k] = i * 1000003ull + k;
		r[i] = make(0, i + 1, data, 127, 128);
	}
	TEST_OK(mkdtemp(dir) && !chdir(dir));
	for (i = 0; i < 200; i++)
		memmove((__u8 *)r + i * r[0].head.hdr.size, &r[i],
			r[0].head.hdr.size);
	i = 200 * r[0].head.hdr.size;
	TEST_OK(i > 256 << 10);
	TEST_EQ(write_file("whole", r, i), 0);
	TEST_EQ(chain_pack_file(AT_FDCWD, "whole"), 0);
	TEST_OK(size_of("whole") > 200 * 255 && size_of("whole") < i / 4);
	TEST_EQ(write_file("cut", r, i - 16), 0);
	TEST_EQ(chain_pack_file(AT_FDCWD, "cut"), -EBADMSG);
	TEST_EQ(size_of("cut"), 32 + i - 16);
	TEST_EQ(write_file("none", r, 0), 0);
	TEST_EQ(chain_pack_file(AT_FDCWD, "none"), 0);
	TEST_EQ(size_of("none"), 32);
	TEST_EQ(size_of("cut.part"), -1);
	TEST_EQ(chain_pack_file(AT_FDCWD, "missing"), -ENOENT);
	TEST_OK(!unlink("whole") && !unlink("cut") && !unlink("none") &&
		!chdir("/") && !rmdir(dir));
	return 0;
}
