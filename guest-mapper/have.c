// SPDX-License-Identifier: GPL-2.0-only
/* The list of build-ids whose tables the bundle's reader has already. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "have.h"

#define MAX_IDS 65536
#define ID_SIZE 20

int have_receive(int fd, size_t size, void **list)
{
	char *buf;

	if (size % ID_SIZE)
		return -EINVAL;
	if (size > MAX_IDS * ID_SIZE)
		return -EFBIG;
	buf = malloc(size + 1);
	if (!buf)
		return -ENOMEM;
	if (io_read(fd, buf, size) != (ssize_t)size) {
		free(buf);
		return -EIO;
	}
	*list = buf;
	return 0;
}

int have_read(const char *path, const __u8 (**ids)[20], size_t *nr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *list;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else
		err = S_ISREG(st.st_mode) ?
			      have_receive(fd, st.st_size, &list) :
			      -EINVAL;
	close(fd);
	if (err)
		return err;
	*ids = list;
	*nr = st.st_size / ID_SIZE;
	return 0;
}
