// SPDX-License-Identifier: GPL-2.0-only
/* Address -> source line by libdw. */

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../data/items.h"
#include "dwarf.h"
#include "elf.h"

struct vmmprof_dwarf {
	int fd;
	Dwarf *dw;
};

/* The descriptor of path if it is the file with this build-id, else -1. */
static int open_same(const char *path, const __u8 *build_id, size_t size)
{
	struct vmmprof_elf elf = { 0 };
	bool same;
	int fd;

	fd = vmmprof_open_regular(AT_FDCWD, path, 0);
	if (fd < 0)
		return -1;
	same = !vmmprof_elf_read_build_id(fd, &elf) &&
	       elf.build_id_size == size &&
	       !memcmp(elf.build_id, build_id, size);
	vmmprof_elf_free(&elf);
	if (same)
		return fd;
	close(fd);
	return -1;
}

/* debug-file-directory/.build-id/ab/cdef.debug, as gdb documents it. */
static void debug_path(const __u8 *build_id, size_t n, char *buf, size_t size)
{
	size_t i, len;

	len = snprintf(buf, size, "/usr/lib/debug/.build-id/%02x/",
		       build_id[0]);
	for (i = 1; i < n && len < size; i++)
		len += snprintf(buf + len, size - len, "%02x", build_id[i]);
	if (len < size)
		snprintf(buf + len, size - len, ".debug");
}

static Dwarf *begin(int fd)
{
	Dwarf *dw = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	Dwarf_Off off = 0, next;
	size_t hdr;

	/* Without a unit it is of no use: try elsewhere. */
	if (dw && dwarf_nextcu(dw, off, &next, &hdr, NULL, NULL, NULL)) {
		dwarf_end(dw);
		dw = NULL;
	}
	return dw;
}

struct vmmprof_dwarf *vmmprof_dwarf_open(const char *path, const __u8 *build_id,
					 size_t build_id_size)
{
	struct vmmprof_dwarf *d;
	char debug[128];

	if (!build_id_size)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->fd = open_same(path, build_id, build_id_size);
	d->dw = begin(d->fd);
	if (d->dw)
		return d;
	if (d->fd >= 0)
		close(d->fd);
	debug_path(build_id, build_id_size, debug, sizeof(debug));
	d->fd = open_same(debug, build_id, build_id_size);
	d->dw = begin(d->fd);
	if (d->dw)
		return d;
	vmmprof_dwarf_close(d);
	return NULL;
}

void vmmprof_dwarf_close(struct vmmprof_dwarf *d)
{
	if (!d)
		return;
	if (d->dw)
		dwarf_end(d->dw);
	if (d->fd >= 0)
		close(d->fd);
	free(d);
}

/* The unit of addr: by .debug_aranges, or by asking every unit. */
static bool find_unit(Dwarf *dw, __u64 addr, Dwarf_Die *ret)
{
	Dwarf_Off off = 0, next;
	size_t hdr;

	if (dwarf_addrdie(dw, addr, ret))
		return true;
	while (!dwarf_nextcu(dw, off, &next, &hdr, NULL, NULL, NULL)) {
		if (dwarf_offdie(dw, off + hdr, ret) &&
		    dwarf_haspc(ret, addr) > 0)
			return true;
		off = next;
	}
	return false;
}

bool vmmprof_dwarf_line(struct vmmprof_dwarf *d, __u64 addr, char *buf,
			size_t size)
{
	const char *file, *slash;
	Dwarf_Line *line;
	Dwarf_Die unit;
	int nr;

	if (!find_unit(d->dw, addr, &unit))
		return false;
	line = dwarf_getsrc_die(&unit, addr);
	if (!line || dwarf_lineno(line, &nr))
		return false;
	file = dwarf_linesrc(line, NULL, NULL);
	if (!file)
		return false;
	slash = strrchr(file, '/');
	snprintf(buf, size, "%s:%d", slash ? slash + 1 : file, nr);
	return true;
}
