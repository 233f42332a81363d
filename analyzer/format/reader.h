/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One record file (cpu-N.rec) as a stream of checked records.  Memory is
 * bounded by one buffer whatever the size of the file; read(), not mmap(), so
 * that a file that shrinks meanwhile is a short read and not a signal.
 */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include <vmmprof/file.h>
#include <vmmprof/record.h>

/* Bytes of memory behind a reader's buffer: a record may be copied as a longer one. */
#define READER_BEHIND 128

struct reader {
	int fd; /* -1: everything is in buf already */
	__u8 *buf;
	size_t cap;
	size_t pos;   /* next record in buf */
	size_t len;   /* valid bytes in buf */
	__u64 offset; /* of buf[0] in the file */
	__u32 cpu;
	__u64 nr;      /* records returned, PAD not counted */
	__u64 unknown; /* records of types this reader does not know */
	size_t cut;    /* bytes after the last whole record */
	bool eof;
};

/*
 * Check the file header and prepare to read.  fd stays the caller's and must
 * live as long as r.  Returns 0, -ENODATA (shorter than a header), -EBADMSG
 * (not a record file of ours), -EPROTONOSUPPORT (made by a newer version),
 * -ESTALE (by one that is too old), or what read() says.
 */
int reader_init(struct reader *r, int fd);

/* The same over memory; data is copied.  For tests and the fuzzer. */
int reader_init_mem(struct reader *r, const void *data, size_t size);

void reader_deinit(struct reader *r);

/*
 * The next record, if it is a sample that is in memory already, as nearly all
 * are; NULL: reader_next() has to look.  Valid as with that one.
 */
static inline const struct vmmprof_rec_sample *
reader_next_sample(struct reader *r)
{
	const struct vmmprof_rec_sample *s = (const void *)(r->buf + r->pos);

	if (r->len - r->pos < sizeof(*s) || s->hdr.type != VMMPROF_REC_SAMPLE ||
	    s->hdr.size != sizeof(*s))
		return NULL;
	r->pos += sizeof(*s);
	r->nr++;
	return s;
}

/*
 * As reader_next(), of the records that are in memory already: they stay valid
 * until reader_more().  Returns 1, -EBADMSG, or 0: reader_more() has to look.
 */
int reader_next_here(struct reader *r, const struct vmmprof_rec_hdr **ret);

/*
 * Read on, when no whole record is in memory.  Returns 1, 0 at the end (r->cut
 * as below), or what read() says.
 */
int reader_more(struct reader *r);

/*
 * The same, until @want bytes are in memory, if that is more than there are.  The last
 * @keep bytes before the record that would come next stay in memory, in front of it,
 * but move by .pos's difference; @keep + @want: at most half of .cap.
 */
int reader_more_keep(struct reader *r, size_t keep, size_t want);

/*
 * The next record of a known type, at least as long as its struct (CHAIN: as its
 * counts say) and aligned to 8; valid until the next call.  Returns 1, 0 at the
 * end (r->cut tells whether bytes were left over), -EBADMSG for a record that
 * breaks the format (r->offset + r->pos is where), or what read() says.
 */
int reader_next(struct reader *r, const struct vmmprof_rec_hdr **ret);

/* The size that a CHAIN record has by its counts; none has it: ~0. */
size_t reader_chain_size(const struct vmmprof_rec_chain *c);

/* Position in the file of the record that would come next. */
static inline __u64 reader_tell(const struct reader *r)
{
	return r->offset + r->pos;
}

/*
 * Check a file header against a kind.  size: bytes there are.  Returns 0,
 * -ENODATA, -EBADMSG or -EPROTONOSUPPORT as above.
 */
int file_hdr_check(const struct vmmprof_file_hdr *hdr, size_t size,
		   unsigned int kind);

#endif /* FORMAT_READER_H */
