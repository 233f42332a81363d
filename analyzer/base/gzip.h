/* SPDX-License-Identifier: GPL-2.0-only */
/* Data as gzip(1) has it: RFC 1952. */
#ifndef BASE_GZIP_H
#define BASE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <zlib.h>

/*
 * Packs *data, of malloc(), which is then another one, and *size what that has.
 * @level: 1 takes least time, 9 least room.  0 or -ENOMEM: *data is what it was.
 */
int gzip_pack(char **data, size_t *size, int level);

/* Data that comes packed, in pieces.  Zeroed before its first use. */
struct gunzip {
	z_stream z;
	bool begun;
	bool ended; /* all of it has been read */
};

/* Takes the next piece, which stays the caller's and has to last until it is read. */
void gunzip_feed(struct gunzip *g, const void *piece, size_t size);

/*
 * Reads up to @size bytes, not 0, of what the piece has.  Their number; 0: the next
 * piece is wanted, or all was read; -EBADMSG: it is no gzip, or there is more behind
 * its end; -ENOMEM.
 */
ssize_t gunzip_read(struct gunzip *g, void *buf, size_t size);

/* Frees what gunzip_read() took; may be called of one that never began. */
void gunzip_end(struct gunzip *g);

#endif /* BASE_GZIP_H */
