// SPDX-License-Identifier: GPL-2.0-only
/* A file of records, copied with its chains packed. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <vmmprof/file.h>

#include "base/io.h"
#include "format/chain_pack.h"

#define PIECE (256u << 10) /* more than a record has */
#define FLAGS (O_CLOEXEC | O_NOFOLLOW)

/* All records from @from to @to; the header was copied. */
static int pack_records(struct chain_pack *p, int from, int to, __u8 *buf)
{
	size_t len = 0, at;
	ssize_t n;
	int err;

	for (;;) {
		n = io_read(from, buf + len, PIECE - len);
		if (n < 0)
			return n;
		len += n;
		if (!len)
			return 0;
		for (at = 0; at < len; at += p->taken) {
			err = chain_pack_take(p, buf + at, len - at);
			if (!err)
				err = io_write(to, p->buf, p->used);
			if (err)
				return err;
			if (!p->taken)
				break;
		}
		if (!at) /* the end of it is missing */
			return -EBADMSG;
		len -= at;
		memmove(buf, buf + at, len);
	}
}

static int pack_to(int from, int to)
{
	struct chain_pack *p = chain_pack_new();
	__u8 *buf = malloc(PIECE);
	struct vmmprof_file_hdr hdr;
	ssize_t n;
	int err = p && buf ? 0 : -ENOMEM;

	if (!err) {
		n = io_read(from, &hdr, sizeof(hdr));
		err = n < 0 ? n : n < (ssize_t)sizeof(hdr) ? -EBADMSG : 0;
	}
	if (!err && hdr.hdr_size != sizeof(hdr))
		err = -EBADMSG;
	if (!err)
		err = io_write(to, &hdr, sizeof(hdr));
	if (!err)
		err = pack_records(p, from, to, buf);
	chain_pack_free(p);
	free(buf);
	return err;
}

int chain_pack_file(int dirfd, const char *name)
{
	char part[64];
	int from, to, err;

	if (snprintf(part, sizeof(part), "%s.part", name) >= (int)sizeof(part))
		return -ENAMETOOLONG;
	from = openat(dirfd, name, O_RDONLY | FLAGS);
	if (from < 0)
		return -errno;
	to = openat(dirfd, part, O_WRONLY | O_CREAT | O_EXCL | FLAGS, 0600);
	err = to < 0 ? -errno : pack_to(from, to);
	if (to >= 0 && close(to) && !err)
		err = -errno;
	close(from);
	if (!err && renameat(dirfd, part, dirfd, name))
		err = -errno;
	if (err && to >= 0)
		unlinkat(dirfd, part, 0);
	return err;
}
