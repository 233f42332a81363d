/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of items (DIR/info, DIR/host, bundles) in memory, walked item by
 * item.  The file may be an attacker's; items that are returned lie in the
 * buffer and are as long as they say.
 */
#ifndef FORMAT_ITEMS_H
#define FORMAT_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include <vmmprof/file.h>

#include "base/problem.h"

/* Larger files are refused; real ones are much smaller. */
#define ITEMS_MAX_FILE 0x40000000ull

#define TEXTS_MAX      32

struct items {
	__u8 *buf;
	size_t size;
	size_t pos;
	__u64 nr;   /* items returned */
	bool ended; /* END was there */
	bool cut;   /* the last item is not whole, or damaged */
};

/* The TEXT items of a file: KEY=VALUE lines.  Points into the file. */
struct text {
	size_t nr;
	struct {
		const char *p;
		size_t len;
	} part[TEXTS_MAX];
};

/*
 * Open a regular file for reading, or find it among those that were opened
 * before (preopen.h); what is none (fifo, device, directory) is not opened but
 * refused with -EINVAL.  Below another directory than AT_FDCWD no link is
 * followed; flags: 0 or O_NOFOLLOW, and OPEN_OF_ROOT: refused with -EPERM if
 * others than root can write it.  Returns the descriptor or -errno.
 */
#define OPEN_OF_ROOT 0x40000000
int open_regular(int dirfd, const char *path, int flags);

/* A file that everybody may read by its path (open_beneath.h). */
int open_source(const char *path);

/*
 * From now on this process opens nothing itself: @fn opens paths for it and
 * returns a descriptor or -errno (@public: only files that everybody may
 * read).  In directories only files are found that were opened before
 * (preopen.h).
 */
void open_file_by(int (*fn)(const char *path, bool public));

/*
 * Read the whole file fd (stays the caller's) and check its header.  Returns
 * 0, -ENODATA (no whole header), -EBADMSG, -EPROTONOSUPPORT, -EFBIG, -ENOMEM
 * or what read() says.  Free with items_deinit().
 */
int items_init(struct items *it, int fd, unsigned int kind);

/* The same over a copy of memory. */
int items_init_mem(struct items *it, const void *data, size_t size,
		   unsigned int kind);

void items_deinit(struct items *it);

/*
 * The next item, 8-byte aligned; hdr->size bytes are readable until deinit.
 * END is returned like any other item and is the last one.  Returns 1, or 0
 * at the end; it->cut then tells of bytes that are no whole item.
 */
int items_next(struct items *it, const struct vmmprof_item_hdr **ret);

/* Keep a TEXT item.  The first TEXTS_MAX of a file count. */
void text_add(struct text *t, const struct vmmprof_item_hdr *item);

/*
 * Copy the value of key into buf (size > 0, always NUL-terminated, cut to
 * fit).  The last one given counts.  Returns its length, -ENOENT without one.
 */
int text_get(const struct text *t, const char *key, char *buf, size_t size);

/* A number by key in base 10 or 16; def if it is missing or is none. */
__u64 text_number(const struct text *t, const char *key, int base, __u64 def);

/*
 * The string that ends an item and begins at offset off.  NULL unless it is
 * NUL-terminated within the item.
 */
const char *item_string(const struct vmmprof_item_hdr *item, size_t off);

/* The text of a header error as above; NULL: strerror() has it. */
const char *file_strerror(int err);

#endif /* FORMAT_ITEMS_H */
