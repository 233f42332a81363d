// SPDX-License-Identifier: GPL-2.0-only
/* Starts a process for each file; few files are read this way. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/elf_confined.h"
#include "sandbox/helper.h"

#define MEMORY	(256u << 20)
#define WAIT_MS 5000

struct answer {
	__s32 err;
	__u32 nr_segments;
	__u8 ia32;
	__u8 build_id_size;
	__u8 build_id[ELFFILE_BUILD_ID_MAX];
	struct vmmprof_segment segments[ELF_CONFINED_SEGMENTS];
};

/* Runs in that process. */
static void run(void *arg)
{
	struct elffile elf;
	struct answer a = { 0 };

	(void)arg;
	helper_confine(MEMORY);
	a.err = elffile_read_segments(HELPER_A, &elf);
	if (!a.err && elf.nr_segments > ELF_CONFINED_SEGMENTS)
		a.err = -EFBIG;
	if (!a.err) {
		a.nr_segments = elf.nr_segments;
		a.ia32 = elf.ia32;
		a.build_id_size = elf.build_id_size;
		memcpy(a.build_id, elf.build_id, sizeof(a.build_id));
		memcpy(a.segments, elf.segments,
		       elf.nr_segments * sizeof(*elf.segments));
	}
	if (send(HELPER_B, &a, sizeof(a), MSG_NOSIGNAL) < 0)
		return;
	if (!a.err)
		elffile_free(&elf);
}

static int take(const struct answer *a, struct elffile *ret)
{
	if (a->err)
		return a->err < 0 ? a->err : -EBADE;
	if (a->nr_segments > ELF_CONFINED_SEGMENTS ||
	    a->build_id_size > sizeof(a->build_id))
		return -EBADE;
	ret->segments = calloc(a->nr_segments + 1, sizeof(*ret->segments));
	if (!ret->segments)
		return -ENOMEM;
	memcpy(ret->segments, a->segments,
	       a->nr_segments * sizeof(*ret->segments));
	ret->nr_segments = a->nr_segments;
	ret->ia32 = a->ia32;
	ret->build_id_size = a->build_id_size;
	memcpy(ret->build_id, a->build_id, sizeof(ret->build_id));
	return 0;
}

int elffile_read_apart(int fd, struct elffile *ret)
{
	struct pollfd p = { .events = POLLIN };
	struct answer a;
	int pair[2], err = -EBADE;
	pid_t pid;

	memset(ret, 0, sizeof(*ret));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = helper_begin(fd, pair[1], run, NULL);
	close(pair[1]);
	p.fd = pair[0];
	if (pid < 0)
		err = pid;
	else if (poll(&p, 1, WAIT_MS) == 1 &&
		 recv(pair[0], &a, sizeof(a), MSG_DONTWAIT) == sizeof(a))
		err = take(&a, ret);
	close(pair[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return err;
}
