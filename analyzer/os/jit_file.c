// SPDX-License-Identifier: GPL-2.0-only
/* Reads a perf-PID.map or jitdump window by window. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/jit_file.h"

int jit_file_init(struct jit_file *f, int fd, bool dump)
{
	memset(f, 0, sizeof(*f));
	f->fd = fd;
	f->dump = dump;
	f->win = malloc(JIT_WINDOW);
	return f->win ? 0 : -ENOMEM;
}

void jit_file_deinit(struct jit_file *f)
{
	if (f->win)
		close(f->fd);
	free(f->win);
	hash_deinit(&f->index);
	memset(f, 0, sizeof(*f));
}

const __u8 *jit_file_at(struct jit_file *f, __u64 pos, size_t want, size_t *got)
{
	ssize_t n;

	if (pos < f->win_pos || pos + want > f->win_pos + f->win_len) {
		n = pread(f->fd, f->win, JIT_WINDOW, pos);
		f->win_pos = pos;
		f->win_len = n > 0 ? n : 0;
	}
	*got = f->win_pos + f->win_len - pos;
	if (*got > want)
		*got = want;
	return f->win + (pos - f->win_pos);
}
