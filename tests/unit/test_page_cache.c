// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/introspect/page_cache.c: pages of a file, and trees that lead astray. */

#include "introspect/page_cache.h"
#include "tests/gen/guest_kernel_make.h"
#include "test.h"

static struct made m;
static struct guest_kernel k;
static struct page_cache c;

static int begin(void)
{
	unsigned int i;

	TEST_EQ(made_init(&m), 0);
	made_guest(&m, &k);
	for (i = 0; i < MADE_FILE_PAGES; i++)
		memset(m.mem + CONTENT + i * GUEST_PAGE, 'a' + i, GUEST_PAGE);
	TEST_EQ(page_cache_open(&k, D(FILE_1), &c), 0);
	return 0;
}

static int end(void)
{
	made_deinit(&m);
	return 0;
}

/* What is read of page @i; '?': nothing; otherwise -errno. */
static int page(__u64 i)
{
	char buf[8] = "";
	int err = page_cache_read(&c, i * GUEST_PAGE + 100, buf, 1);

	return err == -ENOENT ? '?' : err ?: *buf;
}

/* The same with a word changed and nothing remembered. */
static int with(__u64 at, __u64 value, __u64 i)
{
	__u64 was;
	int got;

	memcpy(&was, m.mem + at, 8);
	made_word(&m, at, value);
	c.has_node = false;
	guest_memory_forget(&m.guest);
	got = page(i);
	made_word(&m, at, was);
	c.has_node = false;
	return got;
}

TEST(pages_that_are_there_are_read)
{
	char buf[16];

	TEST_EQ(begin(), 0);
	TEST_EQ(c.size, MADE_FILE_PAGES * GUEST_PAGE);
	TEST_OK(page_cache_valid(&c, 1234));
	TEST_OK(!page_cache_valid(&c, 1235));
	TEST_EQ(page(0), 'a');
	TEST_EQ(page(1), '?');
	TEST_EQ(page(2), 'c');
	TEST_EQ(page(3), 'd');
	TEST_EQ(page(4), '?');
	TEST_EQ(page(64), '?');
	TEST_EQ(page(-1ull >> 12), '?');
	/* the only node ends before all three, and has nothing of the others */
	TEST_EQ(page(65), '?');
	TEST_EQ(page(66), '?');
	TEST_EQ(page(67), '?');
	TEST_EQ(page(3), 'd');
	TEST_EQ(page_cache_read(&c, 4 * GUEST_PAGE - 16, buf, 16), 0);
	TEST_OK(!memcmp(buf, "dddddddddddddddd", 16));
	return end();
}

TEST(pages_of_folios_are_counted_from_their_first)
{
	TEST_EQ(begin(), 0);
	/* slots 2 and 3 are one folio: the second is a sibling of the first */
	TEST_EQ(with(XA_NODE + 8 + 3 * 8, 2 << 2 | 2, 3), 'd');
	/* of one more level */
	made_word(&m, XA_NODE + 0x200 + 8, D(XA_NODE) | 2);
	m.mem[XA_NODE + 0x200] = 6;
	TEST_EQ(with(MAPPING + 8, D(XA_NODE + 0x200) | 2, 2), 'c');
	TEST_EQ(with(MAPPING + 8, D(XA_NODE + 0x200) | 2, 64), '?');
	TEST_EQ(with(MAPPING + 8, D(XA_NODE + 0x200) | 2, 64 * 64), '?');
	/* a file of one page has no node */
	TEST_EQ(with(MAPPING + 8, D(PAGES), 0), 'a');
	TEST_EQ(with(MAPPING + 8, D(PAGES), 1), '?');
	/* swapped out */
	TEST_EQ(with(XA_NODE + 8, 0x1001, 0), '?');
	/* being read */
	TEST_EQ(with(PAGES, 0, 0), '?');
	return end();
}

TEST(trees_of_pages_that_lead_astray_end)
{
	TEST_EQ(begin(), 0);
	/* itself, a shift that is none */
	TEST_EQ(with(XA_NODE + 8, D(XA_NODE) | 2, 0), -ESTALE);
	m.mem[XA_NODE] = 7;
	c.has_node = false;
	TEST_EQ(page(0), -ESTALE);
	m.mem[XA_NODE] = 66;
	TEST_EQ(page(0), -ESTALE);
	m.mem[XA_NODE] = 0;
	/* another file's, another page, beyond a folio, no struct page */
	TEST_EQ(with(PAGES + 24, D(MAPPING) + 64, 0), -ESTALE);
	TEST_EQ(with(PAGES + 2 * 64 + 32, 3, 2), -ESTALE);
	TEST_EQ(with(XA_NODE + 8 + 2 * 8, D(PAGES), 2), 'c');
	made_word(&m, XA_NODE + 8 + 2 * 8, D(PAGES + 2 * 64));
	TEST_EQ(with(XA_NODE + 8, D(PAGES) + 4, 0), -ESTALE);
	TEST_EQ(with(XA_NODE + 8, D(PAGES) + 8, 0), -ESTALE);
	TEST_EQ(with(XA_NODE + 8, 64, 0), -ESTALE);
	/* an entry that is being changed, memory that is none */
	TEST_EQ(with(XA_NODE + 8, 256 << 2 | 2, 0), -ESTALE);
	TEST_EQ(with(XA_NODE + 8, D(MADE_SIZE) & ~63ull, 0), -EFAULT);
	TEST_EQ(with(MAPPING + 8, 0, 0), '?');
	k.members.xa_slots = 16;
	TEST_EQ(page_cache_open(&k, D(FILE_1), &c), -EOPNOTSUPP);
	k.members.xa_slots = PAGE_CACHE_SLOTS;
	k.members.lacks[GUEST_CACHE] = GUEST_XA_HEAD;
	TEST_EQ(page_cache_open(&k, D(FILE_1), &c), -EOPNOTSUPP);
	return end();
}
