// SPDX-License-Identifier: GPL-2.0-only
/* The list of build-ids whose symbols the bundle's reader has already. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "have.h"

#define MAX_IDS 65536

static int read_list(int fd, const __u8 (**ids)[20], size_t *nr)
{
	struct stat st;
	void *list;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size % sizeof(**ids))
		return -EINVAL;
	if (st.st_size > (off_t)(MAX_IDS * sizeof(**ids)))
		return -EFBIG;
	list = malloc(st.st_size + 1);
	if (!list)
		return -ENOMEM;
	if (read(fd, list, st.st_size) != st.st_size) {
		free(list);
		return -EIO;
	}
	*ids = list;
	*nr = st.st_size / sizeof(**ids);
	return 0;
}

int vmmprof_have_read(const char *path, const __u8 (**ids)[20], size_t *nr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int err;

	if (fd < 0)
		return -errno;
	err = read_list(fd, ids, nr);
	close(fd);
	return err;
}
