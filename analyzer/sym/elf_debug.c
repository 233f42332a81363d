// SPDX-License-Identifier: GPL-2.0-only
/* Symbols of a stripped file from its debug file, if it is its own. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "sym/elf.h"
#include "sym/elf_internal.h"

/* Bytes of a debug file that is found by its checksum. */
#define CRC_MAX (256U << 20)

/* 0 if the whole file has this checksum. */
static int check_crc(int fd, __u32 want)
{
	__u32 crc = crc32(0, NULL, 0);
	__u8 buf[16384];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		at += n;
		if (at > CRC_MAX)
			return -EFBIG;
		crc = crc32(crc, buf, n);
	}
	return n ? -errno : crc == want ? 0 : -ESTALE;
}

static bool same_build_id(const struct elffile *a, const struct elffile *b)
{
	return a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

int elffile_add_debug(struct elffile *elf, int fd)
{
	struct elffile d;
	int err = -ESTALE;

	if (!elf->build_id_size && *elf->debuglink)
		err = check_crc(fd, elf->debuglink_crc);
	if (elf->build_id_size || !err)
		err = elffile_read(fd, &d);
	if (err)
		return err;
	if ((elf->build_id_size && !same_build_id(&d, elf)) || d.stripped) {
		elffile_free(&d);
		return -ESTALE;
	}
	/* of code that it does not describe the bounds and stubs stay */
	err = elf->nr_symbols ? elffile_fill(&d, elf->symbols, elf->nr_symbols,
					     elf->strings) :
				0;
	if (err) {
		elffile_free(&d);
		return err;
	}
	free(elf->symbols);
	free(elf->strings);
	elf->symbols = d.symbols;
	elf->strings = d.strings;
	elf->nr_symbols = d.nr_symbols;
	elf->strings_size = d.strings_size;
	elf->stripped = false;
	free(d.segments);
	return 0;
}
