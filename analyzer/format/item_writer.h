/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a file of items (include/vmmprof/file.h, kinds INFO and MAPS):
 * header, items in the order of the calls, END.
 *
 * One thread writes.  An error stays: every later call returns it and writes
 * nothing, so a caller may check once, at the end.  All functions return 0
 * or -errno.
 */
#ifndef FORMAT_ITEM_WRITER_H
#define FORMAT_ITEM_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <vmmprof/file.h>

struct item_writer {
	int fd;
	int err;
	__u64 items; /* put so far */
	size_t used; /* bytes in buf */
	__u64 bytes; /* put so far, if begun here */
	/*
	 * A reader may refuse a larger file: beyond this limit only the kernel's
	 * items are put, and those that tell of it.  0: no limit; set by the caller.
	 */
	__u64 limit;
	__u64 over; /* items that were not put */
	__u8 *buf;
};

/*
 * Create @path (relative to @dirfd, as openat(); mode 0600, -EEXIST if it is
 * there) and put the header of @kind into it.  Nothing to release on error.
 */
int item_writer_open(struct item_writer *w, int dirfd, const char *path,
		     __u16 kind);

/*
 * The same into an open file, from its current position.  The writer owns @fd
 * from now on, except on error.
 */
int item_writer_begin(struct item_writer *w, int fd, __u16 kind);

/*
 * Continue a file that holds @items items already, at the position of @fd: over
 * its END item.  Otherwise as above.
 */
int item_writer_go_on(struct item_writer *w, int fd, __u64 items);

/*
 * Write what is left and close.  With @finished an END item comes last; a
 * file without one tells its reader that the writer stopped early.
 */
int item_writer_close(struct item_writer *w, bool finished);

/* Write what is buffered: it is then not lost if this process dies. */
int item_writer_flush(struct item_writer *w);

/*
 * Put one item.  @item begins with a struct vmmprof_item_hdr, which needs not
 * be filled in; @size is its whole size, @tail (may be NULL) follows it.
 * -EOVERFLOW if both do not fit into one item.
 */
int item_put(struct item_writer *w, __u32 type, const void *item, size_t size,
	     const void *tail, size_t tail_size);

/*
 * Put one item whose bytes after the header are @parts, one after another.  0,
 * too, if it is over the limit: it is counted.
 */
int item_putv(struct item_writer *w, __u32 type, const struct iovec *parts,
	      int nr_parts);

/*
 * A LOST item of MAPS that counts what was over the limit, if anything was.  0 or the
 * writer's error.
 */
int item_over(struct item_writer *w);

/* A NOTE item, printf-like.  Line ends in it become spaces. */
int item_note(struct item_writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A TEXT item with one line "KEY=VALUE\n"; @fmt is the value's. */
int item_text(struct item_writer *w, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A CLOCK item: the three clocks now.  Taken several times, the tightest
 * reading counts.
 */
int item_writer_clock(struct item_writer *w);

#endif /* FORMAT_ITEM_WRITER_H */
