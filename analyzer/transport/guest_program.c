// SPDX-License-Identifier: GPL-2.0-only

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gzip.h"
#include "base/io.h"
#include "transport/guest_program.h"

/* More is sent as it is. */
#define PACKED_MAX (64u << 20)

static char *read_program(int fd, size_t *size)
{
	struct stat st;
	char *data;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size ||
	    st.st_size > PACKED_MAX)
		return NULL;
	*size = st.st_size;
	data = malloc(*size);
	if (data && io_pread(fd, data, *size, 0) != (ssize_t)*size) {
		free(data);
		data = NULL;
	}
	return data;
}

/*
 * Sealed: each process that talks to a guest has it, and what the guest of one made
 * of that process must not change what another guest is sent.
 */
void guest_program_pack(struct guest_program *p)
{
	size_t size;
	char *data = p->packed < 0 ? read_program(p->fd, &size) : NULL;

	if (!data)
		return;
	p->packed = memfd_create("vmmprof-guest.gz",
				 MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (p->packed < 0 || gzip_pack(&data, &size, 1) ||
	    io_write(p->packed, data, size) ||
	    fcntl(p->packed, F_ADD_SEALS,
		  F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL))
		io_close(&p->packed);
	free(data);
}

int guest_program_open(struct guest_program *p, const char *path)
{
	p->fd = open(path, O_RDONLY | O_CLOEXEC);
	p->packed = -1;
	return p->fd < 0 ? -errno : 0;
}

void guest_program_close(struct guest_program *p)
{
	io_close(&p->fd);
	io_close(&p->packed);
}
