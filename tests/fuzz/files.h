/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session out of a fuzzer's bytes: one byte says which file (info, host,
 * guests/vm1.bundle, cpu-0.rec, cpu-1.rec), three bytes how long, then the
 * contents, again and again.
 */
#ifndef VMMPROF_FUZZ_FILES_H
#define VMMPROF_FUZZ_FILES_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUZZ_FILES 5

static const char *const fuzz_files[FUZZ_FILES] = { "info", "host",
						    "guests/vm1.bundle",
						    "cpu-0.rec", "cpu-1.rec" };

/* A folder for them: @dir is a template of mkdtemp().  Its descriptor. */
static int fuzz_dir(char *dir)
{
	int fd;

	if (!mkdtemp(dir))
		abort();
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	if (fd < 0 || mkdirat(fd, "guests", 0700))
		abort();
	return fd;
}

static void fuzz_no_files(int dirfd)
{
	size_t i;

	for (i = 0; i < FUZZ_FILES; i++)
		unlinkat(dirfd, fuzz_files[i], 0);
}

static void fuzz_no_dir(int dirfd, const char *dir)
{
	fuzz_no_files(dirfd);
	unlinkat(dirfd, "guests", AT_REMOVEDIR);
	rmdir(dir);
}

static void fuzz_write(int dirfd, const uint8_t *data, size_t size)
{
	size_t i, len;
	int fd;

	fuzz_no_files(dirfd);
	while (size >= 4) {
		i = data[0] % FUZZ_FILES;
		len = data[1] | data[2] << 8 | (data[3] & 1) << 16;
		data += 4;
		size -= 4;
		if (len > size)
			len = size;
		fd = openat(dirfd, fuzz_files[i], O_WRONLY | O_CREAT | O_TRUNC,
			    0600);
		if (fd < 0 || write(fd, data, len) != (ssize_t)len)
			abort();
		close(fd);
		data += len;
		size -= len;
	}
}

#endif /* VMMPROF_FUZZ_FILES_H */
