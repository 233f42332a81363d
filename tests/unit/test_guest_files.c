// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/introspect/bundle_files.c: a file for which there is no memory. */

#include <errno.h>

#include "format/bundle.h"
#include "introspect/bundle.h"
#include "introspect/bundle_files.h"
#include "introspect/elf_image.h"
#include "os/map_items.h"
#include "sym/eh_frame_rows.h"
#include "sym/elf.h"
#include "tests/gen/guest_kernel_make.h"
#include "guest_tree.h"
#include "test.h"

enum { NOTHING, IMAGE, SYMBOLS, FRAMES };

static int fails;

static int image_or_not(const struct elf_bytes *b, struct elf_image *ret)
{
	return fails == IMAGE ? -ENOMEM : elf_image_make(b, ret);
}

static int symbols_or_not(const void *image, size_t size, struct elffile *ret)
{
	return fails == SYMBOLS ? -ENOMEM :
				  elffile_read_memory(image, size, ret);
}

static int frames_or_not(const struct eh_frame *f, struct unwind_table *t)
{
	return fails == FRAMES ? -ENOMEM : eh_frame_table(f, t);
}

#define elf_image_make	    image_or_not
#define elffile_read_memory symbols_or_not
#define eh_frame_table	    frames_or_not

#include "introspect/bundle_files.c"

static struct made m;
static struct guest_kernel k;
static struct guest_bundle_stat stat;

/* With a shared object in the page cache. */
static int begin(void)
{
	TEST_EQ(made_init(&m), 0);
	made_guest(&m, &k);
	TEST_EQ(guest_tree_load(&m), 0);
	k.phys_mask = GUEST_CR3_ADDRESS;
	return 0;
}

/* A bundle of what is there and of what the one in @before has. */
static int bundle_of(int *before, struct bundle *ret)
{
	struct problems problems = { 0 };
	struct item_writer w;
	int fd = memfd_create("bundle", 0), copy = dup(fd), err;

	if (*before >= 0)
		lseek(*before, 0, SEEK_SET);
	err = item_writer_begin(&w, fd, VMMPROF_FILE_MAPS);
	err = err ?: guest_bundle_write(&k, *before, false, &w, &stat);
	err = item_writer_close(&w, true) ?: err;
	lseek(copy, 0, SEEK_SET);
	if (!err)
		err = bundle_init(ret, copy, "bundle", &problems);
	if (*before >= 0)
		close(*before);
	*before = copy;
	problems_deinit(&problems);
	return err;
}

TEST(a_file_without_memory_costs_itself)
{
	struct bundle b;
	int what;

	for (what = IMAGE; what <= FRAMES; what++) {
		int none = -1;

		fails = what;
		TEST_EQ(begin(), 0);
		TEST_EQ(bundle_of(&none, &b), 0);
		close(none);
		TEST_EQ(b.nr_procs, 3);
		TEST_EQ(b.nr_files, 1);
		TEST_EQ(b.files[0].item->flags,
			what == FRAMES ? 0 : VMMPROF_FILE_F_UNREAD);
		TEST_EQ(!b.files[0].symtab, what != FRAMES);
		TEST_OK(!b.files[0].unwind);
		TEST_EQ(stat.files_left, 1);
		TEST_EQ(b.nr_notes, 1);
		TEST_OK(strstr(b.notes[0], "symbols of 1 mapped files"));
		TEST_EQ(guest_tree_end(&m, &b), 0);
	}
	return 0;
}

TEST(what_was_read_before_stays)
{
	struct bundle b;
	int last = -1, what;

	for (what = IMAGE; what <= SYMBOLS; what++) {
		/* its second page has the section headers */
		fails = NOTHING;
		TEST_EQ(begin(), 0);
		made_word(&m, XA_NODE + 16, 0);
		TEST_EQ(bundle_of(&last, &b), 0);
		bundle_deinit(&b);
		fails = what;
		TEST_EQ(bundle_of(&last, &b), 0);
		TEST_EQ(b.nr_files, 1);
		TEST_EQ(b.files[0].item->flags, VMMPROF_FILE_F_NOT_RESIDENT);
		TEST_OK(b.files[0].symtab);
		close(last);
		last = -1;
		TEST_EQ(guest_tree_end(&m, &b), 0);
	}
	return 0;
}
