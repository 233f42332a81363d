/* SPDX-License-Identifier: GPL-2.0-only */
/* All of what is read or written, however many system calls that takes. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <linux/types.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * Read @size bytes, fewer where the file ends.  The bytes read, or -errno: the
 * buffer then holds nothing of use.
 */
ssize_t io_read(int fd, void *buf, size_t size);
ssize_t io_pread(int fd, void *buf, size_t size, off_t at);

/* Closes what is open, and notes it: -1. */
static inline void io_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Does the file or directory belong to the user, and can nobody else write to it?  0,
 * -EPERM: no; or -errno.
 */
int io_own(int fd);

/* Write @size bytes.  0 or -errno. */
int io_write(int fd, const void *buf, size_t size);

/*
 * Was all written that was put into @f up to now, right before the call?  0 or -errno,
 * -EIO where that is not known any more.
 */
int io_stream(FILE *f);

/* The same, and what is still in its buffer is written before. */
int io_flush(FILE *f);

/*
 * The same as io_write() with a blocking stream socket.  0 or -errno; -EPIPE: the
 * other end closed, -ETIMEDOUT: it took longer than io_limit() allows.
 */
int io_recv(int fd, void *buf, size_t size);
int io_send(int fd, const void *buf, size_t size);

/* Each wait of these for the other end takes so many seconds at most.  0 or -errno. */
int io_limit(int fd, unsigned int seconds);

/*
 * Copy the first @size bytes of one file to the beginning of another, whose
 * offsets stay.  0, -ENODATA (the first is shorter) or -errno.
 */
int io_copy(int from, int to, __u64 size);

#endif /* BASE_IO_H */
