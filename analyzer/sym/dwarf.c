// SPDX-License-Identifier: GPL-2.0-only
/* Address -> source line and inlined functions by libdw. */

#include <errno.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "format/items.h"
#include "sym/debug_path.h"
#include "sym/dwarf.h"
#include "sym/elf.h"
#include "sym/relocated.h"
#include "sym/source.h"
#include "sym/units.h"

struct debuginfo {
	int fd;
	Dwarf *dw;
	Dwfl *dwfl; /* of an object that is not linked: dw is its own */
	bool lacks; /* the file of .gnu_debugaltlink; else .shared, if any */
	int shared_fd;
	Dwarf *shared;
	struct units units;
	struct sources sources;
};

/* The descriptor of path if it is the file with this build-id, else -1. */
static int open_same(const char *path, int flags, const __u8 *build_id,
		     size_t size)
{
	struct elffile elf = { 0 };
	bool same;
	int fd;

	fd = open_regular(AT_FDCWD, path, flags);
	if (fd < 0)
		return -1;
	same = !elffile_read_build_id(fd, &elf) && elf.build_id_size == size &&
	       !memcmp(elf.build_id, build_id, size);
	elffile_free(&elf);
	if (same)
		return fd;
	close(fd);
	return -1;
}

static void end(struct debuginfo *d)
{
	if (d->dwfl)
		dwfl_end(d->dwfl);
	else if (d->dw)
		dwarf_end(d->dw);
	d->dwfl = NULL;
	d->dw = NULL;
}

static bool begin(struct debuginfo *d)
{
	Dwarf_Off off = 0, next;
	size_t hdr;

	d->dw = relocated_begin(d->fd, &d->dwfl);
	if (!d->dw)
		d->dw = dwarf_begin(d->fd, DWARF_C_READ);
	/* Without a unit it is of no use: try elsewhere. */
	if (d->dw && dwarf_nextcu(d->dw, off, &next, &hdr, NULL, NULL, NULL))
		end(d);
	return d->dw;
}

bool debuginfo_share(struct debuginfo *d, const char *path,
		     const __u8 *build_id, size_t build_id_size)
{
	int fd = open_same(path, 0, build_id, build_id_size);
	Dwarf *shared = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);

	if (!shared) {
		io_close(&fd);
		return false;
	}
	dwarf_setalt(d->dw, shared);
	d->shared = shared;
	d->shared_fd = fd;
	d->lacks = false;
	return true;
}

size_t debuginfo_lacks(struct debuginfo *d, __u8 *build_id, size_t max)
{
	const char *name;
	const void *id;
	ssize_t n;

	n = d->lacks ? dwelf_dwarf_gnu_debugaltlink(d->dw, &name, &id) : 0;
	if (n <= 0 || (size_t)n > max)
		return 0;
	memcpy(build_id, id, n);
	return n;
}

/*
 * Opens the file where gdb looks for it: by its build-id, and at the path in
 * the section, which may be relative to @path.  libdw would accept any file
 * there.
 */
static void find_shared(struct debuginfo *d, const char *path)
{
	const char *name, *slash = strrchr(path, '/');
	int dir = slash ? slash + 1 - path : 0;
	char file[PATH_MAX];
	unsigned int i;
	const void *id;
	ssize_t n;
	int err;

	n = dwelf_dwarf_gnu_debugaltlink(d->dw, &name, &id);
	d->lacks = n;
	if (n <= 0)
		return;
	for (i = 0;
	     (err = debug_path_try(i, id, n, file, sizeof(file))) != -ENOENT;
	     i++)
		if (!err && debuginfo_share(d, file, id, n))
			return;
	snprintf(file, sizeof(file), "%.*s%s", *name == '/' ? 0 : dir, path,
		 name);
	debuginfo_share(d, file, id, n);
}

static bool try_path(struct debuginfo *d, const char *path, int flags,
		     const __u8 *build_id, size_t size)
{
	d->fd = open_same(path, flags, build_id, size);
	if (d->fd < 0)
		return false;
	if (begin(d))
		find_shared(d, path);
	else
		close(d->fd);
	return d->dw;
}

/* The name in .gnu_debuglink, which has no slash. */
static bool read_link(const char *path, int flags, const __u8 *build_id,
		      size_t size, char *name)
{
	int fd = open_same(path, flags, build_id, size);
	struct elffile elf;

	*name = '\0';
	if (fd >= 0 && !elffile_read(fd, &elf)) {
		memcpy(name, elf.debuglink, ELFFILE_DEBUGLINK);
		elffile_free(&elf);
	}
	io_close(&fd);
	return *name;
}

static bool try_link(struct debuginfo *d, const char *path, int flags,
		     const __u8 *build_id, size_t size)
{
	char link[ELFFILE_DEBUGLINK], name[PATH_MAX];
	unsigned int i;

	if (!read_link(path, flags, build_id, size, link))
		return false;
	for (i = 0; i < DEBUG_PATH_LINKS; i++)
		if (debug_path_link(path, link, i, name, sizeof(name)) &&
		    try_path(d, name, flags, build_id, size))
			return true;
	return false;
}

static bool try_directories(struct debuginfo *d, const __u8 *build_id,
			    size_t size)
{
	char name[PATH_MAX];
	unsigned int i;
	int err;

	for (i = 0; (err = debug_path_try(i, build_id, size, name,
					  sizeof(name))) != -ENOENT;
	     i++)
		if (!err && try_path(d, name, 0, build_id, size))
			return true;
	return false;
}

struct debuginfo *debuginfo_open(const char *path, int flags,
				 const __u8 *build_id, size_t build_id_size)
{
	struct debuginfo *d;

	if (!build_id_size)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	if ((path && try_path(d, path, flags, build_id, build_id_size)) ||
	    try_directories(d, build_id, build_id_size) ||
	    (path && try_link(d, path, flags, build_id, build_id_size)))
		return d;
	free(d);
	return NULL;
}

void debuginfo_close(struct debuginfo *d)
{
	if (!d)
		return;
	end(d);
	io_close(&d->fd);
	if (d->shared) {
		dwarf_end(d->shared);
		close(d->shared_fd);
	}
	sources_deinit(&d->sources);
	units_deinit(&d->units);
	free(d);
}

/*
 * Searches the symbols of one section; returns how many functions have this
 * name.
 */
static unsigned int functions(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
			      const char *name, __u64 *addr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	unsigned int found = 0;
	const char *is;
	GElf_Sym sym;
	int i;

	for (i = 0; data && gelf_getsym(data, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    sym.st_shndx == SHN_UNDEF)
			continue;
		is = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (!is || strcmp(is, name))
			continue;
		*addr = sym.st_value;
		found++;
	}
	return found;
}

bool debuginfo_function(struct debuginfo *d, const char *name, __u64 *addr)
{
	unsigned int found = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	Elf *elf;

	if (d->dwfl)
		return relocated_function(d->dwfl, name, addr);
	elf = dwarf_getelf(d->dw);
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			found += functions(elf, scn, &sh, name, addr);
	return found == 1;
}

/* Shown is the last part of a path. */
static void put_line(const char *file, int nr, char *buf, size_t size)
{
	const char *slash = strrchr(file, '/');

	snprintf(buf, size, "%s:%d", slash ? slash + 1 : file, nr);
}

/* The file and line of an address; NULL if there is none. */
static const char *line_of(struct debuginfo *d, __u64 addr, int *nr)
{
	Dwarf_Line *line;
	Dwarf_Die unit;

	if (!units_find(&d->units, d->dw, addr, &unit))
		return NULL;
	line = dwarf_getsrc_die(&unit, addr);
	if (!line || dwarf_lineno(line, nr))
		return NULL;
	return dwarf_linesrc(line, NULL, NULL);
}

bool debuginfo_line(struct debuginfo *d, __u64 addr, char *buf, size_t size)
{
	const char *file;
	int nr;

	file = line_of(d, addr, &nr);
	if (!file)
		return false;
	put_line(file, nr, buf, size);
	return true;
}

void debuginfo_sources(struct debuginfo *d, bool local, source_fn *fetch,
		       void *arg)
{
	d->sources.not_local = !local;
	d->sources.fetch = fetch;
	d->sources.arg = arg;
}

bool debuginfo_text(struct debuginfo *d, __u64 addr, char *buf, size_t size)
{
	const char *file;
	struct stat st;
	int nr;

	file = line_of(d, addr, &nr);
	return file && nr > 0 && !fstat(d->fd, &st) &&
	       sources_line(&d->sources, file, nr, &st, buf, size);
}

/* NULL: it is not known. */
static const char *name_of(const struct debuginfo *d, Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr_integrate(die, DW_AT_name, &attr))
		return NULL;
	/* libdw has found a file with another build-id */
	if (d->lacks && (dwarf_cu_getdwarf(attr.cu) != d->dw ||
			 dwarf_whatform(&attr) == DW_FORM_GNU_strp_alt ||
			 dwarf_whatform(&attr) == DW_FORM_strp_sup))
		return NULL;
	return dwarf_formstring(&attr);
}

static void put_call(Dwarf_Die *unit, Dwarf_Die *die, char *buf, size_t size)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word file, line;
	const char *name;

	buf[0] = '\0';
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) ||
	    dwarf_getsrcfiles(unit, &files, NULL))
		return;
	name = dwarf_filesrc(files, file, NULL, NULL);
	if (name && line <= INT_MAX)
		put_line(name, line, buf, size);
}

size_t debuginfo_inlines(struct debuginfo *d, __u64 addr,
			 struct debuginfo_inline *ret, size_t max)
{
	const struct inlines *in;
	const struct inlined *i;
	Dwarf_Die unit, die;
	const char *name;
	size_t n;

	if (!units_find(&d->units, d->dw, addr, &unit))
		return 0;
	in = units_inlines(&d->units, &unit);
	i = in ? inlines_find(in, addr) : NULL;
	for (n = 0; i && n < max; i = inlines_outer(in, i)) {
		if (!dwarf_offdie(d->dw, i->die, &die))
			break;
		name = name_of(d, &die);
		snprintf(ret[n].function, sizeof(ret[n].function), "%s",
			 name ? name : "?");
		put_call(&unit, &die, ret[n].call, sizeof(ret[n].call));
		n++;
	}
	return n;
}

bool debuginfo_cut(const struct debuginfo *d)
{
	return d->units.cut;
}
