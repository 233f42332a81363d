// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of analyzer/sym/elf*.c: the input as a file (in memory), read in
 * full and for its build-id, as the debug file of itself, and as an image in
 * memory.
 */

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sym/elf.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

/* What a reader may rely on. */
static void check(const struct elffile *e)
{
	size_t i;

	if (e->strings_size && e->strings[e->strings_size - 1])
		abort();
	for (i = 0; i < e->nr_symbols; i++)
		if (e->symbols[i].name >= e->strings_size ||
		    (i && e->symbols[i - 1].addr >= e->symbols[i].addr))
			abort();
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	static int fd = -1;
	struct elffile e;

	if (fd < 0)
		fd = memfd_create("elf", 0);
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	if (!elffile_read(fd, &e)) {
		check(&e);
		/* of a stripped file there may be a whole one */
		elffile_drop_bounds(&e);
		elffile_add_debug(&e, fd);
		check(&e);
		elffile_free(&e);
	}
	if (!elffile_read_build_id(fd, &e))
		elffile_free(&e);
	if (!elffile_read_memory(data, size, &e)) {
		check(&e);
		elffile_free(&e);
	}
	return 0;
}
