// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of analyzer/os/jit_file.c and jitdump.c.  First byte: what kind
 * of file, and after how many of its bytes it is looked at for the first time.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/jit_file.h"
#include "os/jit_look.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

/* What a writer of items relies on. */
static int check(void *arg, const struct jit_code *code)
{
	(void)arg;
	if (!memchr(code->name, 0, sizeof(code->name)) || !code->name[0] ||
	    !code->size || code->addr + code->size <= code->addr)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	struct jit_file f;
	size_t first;
	int fd;

	if (!size)
		return 0;
	fd = memfd_create("jit", 0);
	if (fd < 0 || jit_file_init(&f, fd, data[0] & 1))
		abort();
	first = (size - 1) * (data[0] >> 1) / 127;
	if (pwrite(fd, data + 1, first, 0) != (ssize_t)first)
		abort();
	jit_look(&f, 100, check, NULL);
	if (pwrite(fd, data + 1, size - 1, 0) != (ssize_t)size - 1)
		abort();
	jit_look(&f, 1 << 20, check, NULL);
	if (f.pos > size - 1)
		abort();
	jit_file_deinit(&f);
	return 0;
}
