// SPDX-License-Identifier: GPL-2.0-only
/* Files of items, wholly in memory; the one place that checks item sizes. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "format/items.h"
#include "format/open_beneath.h"
#include "format/preopen.h"
#include "format/reader.h"

static int (*open_by)(const char *path, bool public);

void open_file_by(int (*fn)(const char *path, bool public))
{
	open_by = fn;
}

static int open_for_reading(int dirfd, const char *path, int flags)
{
	if (open_by)
		return dirfd == AT_FDCWD ? open_by(path, false) : -ENOENT;
	return dirfd == AT_FDCWD ? open_named(dirfd, path, flags) :
				   open_beneath(dirfd, path);
}

int open_source(const char *path)
{
	return open_by ? open_by(path, true) : open_public_file(path);
}

int open_regular(int dirfd, const char *path, int flags)
{
	struct stat st;
	int fd;

	if (!preopen_find(dirfd, path, &fd))
		fd = open_for_reading(dirfd, path, flags & ~OPEN_OF_ROOT);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	if (flags & OPEN_OF_ROOT && (st.st_uid || st.st_mode & 022)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/*
 * Read a file of @size bytes into zeroed memory.  Holes of a sparse file are
 * skipped, so that they need no memory.  Returns the bytes of the file or
 * -errno; the file position is then at their end.
 */
static ssize_t read_extents(int fd, __u8 *p, off_t size)
{
	off_t at = 0, end;
	ssize_t n;

	while (at < size) {
		end = lseek(fd, at, SEEK_DATA);
		if (end < 0 && errno == ENXIO)
			break; /* the rest is a hole */
		if (end >= 0)
			at = end;
		end = lseek(fd, at, SEEK_HOLE);
		if (end < 0 || end > size)
			end = size;
		n = io_pread(fd, p + at, end - at, at);
		if (n < end - at)
			return n < 0 ? n : at + n; /* it was cut */
		at = end;
	}
	return lseek(fd, size, SEEK_SET) < 0 ? -errno : size;
}

static int read_all(int fd, __u8 **buf, size_t *size)
{
	size_t cap = 64 << 10, len = 0;
	struct stat st;
	__u8 *p, *q;
	ssize_t n;

	if (!fstat(fd, &st) && st.st_size > 0) {
		if ((__u64)st.st_size > ITEMS_MAX_FILE)
			return -EFBIG;
		cap = st.st_size + 1;
	}
	p = calloc(1, cap);
	if (!p)
		return -ENOMEM;
	if (cap > (64 << 10)) {
		n = read_extents(fd, p, cap - 1);
		if (n < 0) {
			free(p);
			return n;
		}
		len = n;
	}
	for (;;) {
		n = io_read(fd, p + len, cap - len);
		len += n > 0 ? n : 0;
		if (n < 0 || len > ITEMS_MAX_FILE) {
			free(p);
			return n < 0 ? n : -EFBIG;
		}
		if (len < cap)
			break;
		q = realloc(p, cap * 2);
		if (!q) {
			free(p);
			return -ENOMEM;
		}
		p = q;
		cap *= 2;
	}
	*buf = p;
	*size = len;
	return 0;
}

static int items_start(struct items *it, unsigned int kind)
{
	struct vmmprof_file_hdr hdr;
	int ret;

	memset(&hdr, 0, sizeof(hdr));
	memcpy(&hdr, it->buf, it->size < sizeof(hdr) ? it->size : sizeof(hdr));
	ret = file_hdr_check(&hdr, it->size, kind);
	if (ret)
		items_deinit(it);
	else
		it->pos = hdr.hdr_size;
	return ret;
}

int items_init(struct items *it, int fd, unsigned int kind)
{
	int ret;

	memset(it, 0, sizeof(*it));
	ret = read_all(fd, &it->buf, &it->size);
	if (ret)
		return ret;
	return items_start(it, kind);
}

int items_init_mem(struct items *it, const void *data, size_t size,
		   unsigned int kind)
{
	memset(it, 0, sizeof(*it));
	it->buf = malloc(size + 1);
	if (!it->buf)
		return -ENOMEM;
	if (size)
		memcpy(it->buf, data, size);
	it->size = size;
	return items_start(it, kind);
}

void items_deinit(struct items *it)
{
	free(it->buf);
	memset(it, 0, sizeof(*it));
}

int items_next(struct items *it, const struct vmmprof_item_hdr **ret)
{
	const struct vmmprof_item_hdr *hdr;
	size_t left = it->size - it->pos;

	if (!left || it->ended || it->cut)
		return 0;
	hdr = (const void *)(it->buf + it->pos);
	if (left < sizeof(*hdr) || hdr->size < sizeof(*hdr) ||
	    hdr->size > left) {
		it->cut = true;
		return 0;
	}
	left -= hdr->size;
	it->pos += hdr->size;
	/* The padding of the last item may be missing. */
	it->pos += -(size_t)hdr->size % 8 < left ? -(size_t)hdr->size % 8 :
						   left;
	it->nr++;
	if (hdr->type == VMMPROF_ITEM_END)
		it->ended = true;
	*ret = hdr;
	return 1;
}

void text_add(struct text *t, const struct vmmprof_item_hdr *item)
{
	if (t->nr == TEXTS_MAX)
		return;
	t->part[t->nr].p = (const char *)(item + 1);
	t->part[t->nr].len = item->size - sizeof(*item);
	t->nr++;
}

/* The value of key in one TEXT item: the last line KEY=. */
static const char *text_find(const char *p, size_t len, const char *key,
			     size_t *vlen)
{
	const char *found = NULL, *end = p + len, *nl;
	size_t klen = strlen(key);

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		if ((size_t)(nl - p) > klen && !memcmp(p, key, klen) &&
		    p[klen] == '=') {
			found = p + klen + 1;
			*vlen = nl - found;
		}
		if (nl == end)
			break;
	}
	return found;
}

int text_get(const struct text *t, const char *key, char *buf, size_t size)
{
	size_t i, len = 0;
	const char *v;

	buf[0] = '\0';
	for (i = t->nr; i > 0; i--) {
		v = text_find(t->part[i - 1].p, t->part[i - 1].len, key, &len);
		if (!v)
			continue;
		if (len >= size)
			len = size - 1;
		memcpy(buf, v, len);
		buf[len] = '\0';
		return len;
	}
	return -ENOENT;
}

__u64 text_number(const struct text *t, const char *key, int base, __u64 def)
{
	char buf[32], *end;
	__u64 v;

	if (text_get(t, key, buf, sizeof(buf)) <= 0)
		return def;
	errno = 0;
	v = strtoull(buf, &end, base);
	return errno || *end || buf[0] == '-' ? def : v;
}

const char *item_string(const struct vmmprof_item_hdr *item, size_t off)
{
	const char *s = (const char *)item + off;

	if (item->size <= off || !memchr(s, '\0', item->size - off))
		return NULL;
	return s;
}

const char *file_strerror(int err)
{
	switch (err) {
	case -ENODATA:
		return "shorter than a file header";
	case -EBADMSG:
		return "not a file of vmmprof, or damaged at its beginning";
	case -EPROTONOSUPPORT:
		return "written by a newer vmmprof: read it with that version";
	case -ESTALE:
		return "written by an older vmmprof, in a format that is read no more";
	case -EFBIG:
		return "larger than any honest file (1 GiB)";
	case -ENOMEM:
		return "out of memory: it may take half of this machine's; read it on a larger one";
	case -EINVAL:
		return "not a regular file";
	}
	return NULL;
}
