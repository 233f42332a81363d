// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads segments, build-id and function symbols of an ELF file with libelf, and
 * checks every size and offset that the file states.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/debug_data.h"
#include "sym/elf.h"
#include "sym/elf_internal.h"

/* Larger files or tables than these are refused. */
#define FILE_MAX  (16ULL << 30)
#define TABLE_MAX (512ULL << 20)
#define NOTES_MAX (64U << 10)

/* Executable PT_LOADs. */
static int read_segments(Elf *e, struct elffile *ret)
{
	size_t n, i;

	if (elf_getphdrnum(e, &n))
		return -EBADMSG;
	ret->segments = calloc(n ? n : 1, sizeof(*ret->segments));
	if (!ret->segments)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		struct vmmprof_segment *s = &ret->segments[ret->nr_segments];
		GElf_Phdr ph;

		if (!gelf_getphdr(e, i, &ph))
			return -EBADMSG;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		s->offset = ph.p_offset;
		s->vaddr = ph.p_vaddr;
		s->filesz = ph.p_filesz;
		ret->nr_segments++;
	}
	return 0;
}

/* Look for NT_GNU_BUILD_ID in the notes of one segment. */
static bool find_build_id(Elf_Data *data, struct elffile *ret)
{
	size_t pos = 0, name, desc;
	GElf_Nhdr nh;

	while ((pos = gelf_getnote(data, pos, &nh, &name, &desc)) > 0) {
		size_t size = nh.n_descsz;

		if (nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) || !size)
			continue;
		if (size > ELFFILE_BUILD_ID_MAX)
			size = ELFFILE_BUILD_ID_MAX;
		memcpy(ret->build_id, (char *)data->d_buf + desc, size);
		ret->build_id_size = size;
		return true;
	}
	return false;
}

/* The build-id of a file without segments, as dwz(1) writes them. */
static void read_section_build_id(Elf *e, struct elffile *ret)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(e, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE ||
		    sh.sh_size > NOTES_MAX)
			continue;
		data = elf_getdata_rawchunk(e, sh.sh_offset, sh.sh_size,
					    ELF_T_NHDR);
		if (data && data->d_buf && find_build_id(data, ret))
			return;
	}
}

static int read_build_id(Elf *e, struct elffile *ret)
{
	size_t n, i;

	if (elf_getphdrnum(e, &n))
		return -EBADMSG;
	if (!n)
		read_section_build_id(e, ret);
	for (i = 0; i < n; i++) {
		Elf_Data *data;
		GElf_Phdr ph;

		if (!gelf_getphdr(e, i, &ph))
			return -EBADMSG;
		if (ph.p_type != PT_NOTE || ph.p_filesz > NOTES_MAX)
			continue;
		data = elf_getdata_rawchunk(e, ph.p_offset, ph.p_filesz,
					    ph.p_align == 8 ? ELF_T_NHDR8 :
							      ELF_T_NHDR);
		if (data && data->d_buf && find_build_id(data, ret))
			break;
	}
	return 0;
}

/*
 * Is it a function?  By its type; a symbol without type, as of assembler, by
 * its size and its section.
 */
static bool is_function(const GElf_Sym *s, const __u8 *exec, size_t nr_sections)
{
	int type = GELF_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF || s->st_shndx >= nr_sections ||
	    !exec[s->st_shndx])
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && s->st_size);
}

Elf_Data *elf_section_data(Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data;

	if (sh->sh_type == SHT_NOBITS || sh->sh_size > TABLE_MAX)
		return NULL;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf ? data : NULL;
}

static int read_table(Elf *e, Elf_Scn *scn, const GElf_Shdr *sh,
		      const __u8 *exec, size_t nr_sections, struct raws *raws)
{
	Elf_Data *data = elf_section_data(scn, sh), *strings = NULL;
	size_t i, n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	GElf_Shdr strings_sh;
	Elf_Scn *strings_scn = elf_getscn(e, sh->sh_link);

	if (strings_scn && gelf_getshdr(strings_scn, &strings_sh) &&
	    strings_sh.sh_type == SHT_STRTAB)
		strings = elf_section_data(strings_scn, &strings_sh);
	if (!data || !strings)
		return -EBADMSG;
	for (i = 0; i < n; i++) {
		struct raw r = { 0 };
		GElf_Sym s;
		int err;

		if (!gelf_getsym(data, i, &s))
			return -EBADMSG;
		if (!is_function(&s, exec, nr_sections) ||
		    !raws_name(strings, s.st_name, &r))
			continue;
		r.addr = s.st_value;
		r.size = s.st_size;
		r.bind = GELF_ST_BIND(s.st_info);
		err = raws_add(raws, &r);
		if (err)
			return err;
	}
	return 0;
}

static void add_section(struct section_list *l, Elf_Scn *scn,
			const GElf_Shdr *sh)
{
	if (l->nr == SECTION_LIST)
		return;
	l->scn[l->nr] = scn;
	l->sh[l->nr++] = *sh;
}

/* Takes the section, the first of its kind. */
static void take_section(Elf_Scn **to, GElf_Shdr *to_sh, Elf_Scn *scn,
			 const GElf_Shdr *sh)
{
	if (*to)
		return;
	*to = scn;
	*to_sh = *sh;
}

static void find_named(Elf *e, Elf_Scn *scn, const GElf_Shdr *sh,
		       struct sections *s)
{
	const char *name = elf_strptr(e, s->names, sh->sh_name);

	if (!name)
		return;
	if (!strcmp(name, ".eh_frame"))
		take_section(&s->eh_frame, &s->eh_frame_sh, scn, sh);
	else if (!strcmp(name, ".gnu_debugdata"))
		take_section(&s->debugdata, &s->debugdata_sh, scn, sh);
	else if (!strcmp(name, ".gnu_debuglink"))
		take_section(&s->debuglink, &s->debuglink_sh, scn, sh);
}

static void find_section(Elf *e, Elf_Scn *scn, const GElf_Shdr *sh,
			 struct sections *s)
{
	switch (sh->sh_type) {
	case SHT_SYMTAB:
		take_section(&s->symtab, &s->symtab_sh, scn, sh);
		break;
	case SHT_DYNSYM:
		take_section(&s->dynsym, &s->dynsym_sh, scn, sh);
		break;
	case SHT_RELA:
		if (sh->sh_flags & SHF_ALLOC)
			add_section(&s->rela, scn, sh);
		break;
	case SHT_PROGBITS:
	case SHT_X86_64_UNWIND: /* of .eh_frame, by some linkers */
		find_named(e, scn, sh, s);
	}
}

/* Code whose section has a meaning beyond its symbols. */
static bool is_stubs(const char *name)
{
	return name && (!strncmp(name, ".plt", 4) || !strcmp(name, ".init") ||
			!strcmp(name, ".fini"));
}

/* The caller frees s->exec. */
static int find_sections(Elf *e, struct sections *s)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t i;

	memset(s, 0, sizeof(*s));
	if (elf_getshdrnum(e, &s->nr))
		return -EBADMSG;
	if (!s->nr || elf_getshdrstrndx(e, &s->names))
		return 0;
	s->exec = calloc(s->nr, 1);
	if (!s->exec)
		return -ENOMEM;
	while ((scn = elf_nextscn(e, scn))) {
		i = elf_ndxscn(scn);
		if (i >= s->nr || !gelf_getshdr(scn, &sh))
			continue;
		if (!(sh.sh_flags & SHF_EXECINSTR)) {
			find_section(e, scn, &sh, s);
			continue;
		}
		s->exec[i] = 1;
		s->no_code |= sh.sh_type == SHT_NOBITS;
		if (sh.sh_type != SHT_NOBITS &&
		    is_stubs(elf_strptr(e, s->names, sh.sh_name)))
			add_section(&s->stubs, scn, &sh);
	}
	return 0;
}

/*
 * The .symtab inside of .gnu_debugdata; it lacks the symbols of .dynsym.  A
 * damaged one is ignored.  @raws owns the memory that names point into.
 */
static int read_debugdata(const struct sections *outer, struct raws *raws)
{
	Elf_Data *packed = elf_section_data(outer->debugdata,
					    &outer->debugdata_sh);
	const Elf64_Ehdr *eh;
	struct sections s;
	size_t size;
	int err;

	if (!packed)
		return 0;
	err = debugdata_unpack(packed->d_buf, packed->d_size, &raws->unpacked,
			       &size);
	raws->cut = err == -EFBIG;
	if (err)
		return err == -ENOMEM ? err : 0;
	eh = raws->unpacked;
	/* See check_head(). */
	if (size < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) ||
	    eh->e_ident[EI_CLASS] != ELFCLASS64 || !eh->e_shnum)
		return 0;
	raws->inner = elf_memory(raws->unpacked, size);
	if (!raws->inner)
		return 0;
	err = find_sections(raws->inner, &s);
	if (!err && s.symtab)
		err = read_table(raws->inner, s.symtab, &s.symtab_sh, s.exec,
				 s.nr, raws);
	free(s.exec);
	return err == -ENOMEM ? err : 0;
}

/* A file's name, a NUL, padding to 4, and the checksum of that file. */
static void read_debuglink(const struct sections *s, struct elffile *ret)
{
	const Elf_Data *d = s->debuglink ? elf_section_data(s->debuglink,
							    &s->debuglink_sh) :
					   NULL;
	size_t len = d ? strnlen(d->d_buf, d->d_size) : 0;
	size_t crc = (len + 4) & ~3ul;

	if (!len || len >= sizeof(ret->debuglink) || crc + 4 > d->d_size ||
	    memchr(d->d_buf, '/', len))
		return;
	memcpy(ret->debuglink, d->d_buf, len + 1);
	memcpy(&ret->debuglink_crc, (char *)d->d_buf + crc, 4);
}

/* .symtab; where that has no functions, .gnu_debugdata and .dynsym. */
static int read_tables(Elf *e, const struct sections *s, struct raws *raws)
{
	int err = 0;

	if (s->symtab)
		err = read_table(e, s->symtab, &s->symtab_sh, s->exec, s->nr,
				 raws);
	if (!err && !raws->n && s->debugdata)
		err = read_debugdata(s, raws);
	raws->stripped = !raws->n;
	/* .symtab has all symbols of .dynsym. */
	if (!err && s->dynsym && (raws->stripped || raws->inner))
		err = read_table(e, s->dynsym, &s->dynsym_sh, s->exec, s->nr,
				 raws);
	return err;
}

/* What has a name, and the functions that have none. */
static int read_symbols(Elf *e, struct elffile *ret)
{
	struct raws raws = { 0 };
	struct sections s;
	int err;

	err = find_sections(e, &s);
	ret->no_code = s.no_code;
	if (!err)
		err = read_tables(e, &s, &raws);
	if (!err)
		read_debuglink(&s, ret);
	if (!err)
		err = raws_add_stubs(e, &s, ret->ia32, &raws);
	if (!err)
		err = raws_keep_best(&raws, ret);
	if (!err)
		err = elffile_add_bounds(&s, ret);
	ret->stripped = raws.stripped;
	ret->cut = raws.cut;
	free(s.exec);
	while (raws.nr_made)
		free(raws.made[--raws.nr_made]);
	free(raws.made);
	free(raws.v);
	elf_end(raws.inner);
	free(raws.unpacked);
	return err;
}

enum { BUILD_ID, SEGMENTS, SYMBOLS };

/* Consumes @e; reads up to that. */
static int read_elf(Elf *e, int what, struct elffile *ret)
{
	GElf_Ehdr eh;
	int err;

	if (!e)
		return -EBADMSG;
	if (elf_kind(e) != ELF_K_ELF || !gelf_getehdr(e, &eh) ||
	    (eh.e_type != ET_EXEC && eh.e_type != ET_DYN &&
	     (what != BUILD_ID || eh.e_type != ET_REL)) ||
	    (eh.e_machine != EM_X86_64 && eh.e_machine != EM_386) ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB) {
		elf_end(e);
		return -ENOEXEC;
	}
	ret->ia32 = eh.e_machine == EM_386;
	err = read_build_id(e, ret);
	if (!err && what >= SEGMENTS)
		err = read_segments(e, ret);
	if (!err && what >= SYMBOLS)
		err = read_symbols(e, ret);
	elf_end(e);
	if (err)
		elffile_free(ret);
	return err;
}

/*
 * libelf allocates for every section header when it opens a file.  Refuse the
 * extended counts (in section 0), which only relocatable files need: what is
 * left is at most 65279 headers.
 */
static int check_head(int fd)
{
	union {
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} h;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	if ((__u64)st.st_size > FILE_MAX)
		return -EFBIG;
	n = pread(fd, &h, sizeof(h), 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(h.e32) || memcmp(h.e32.e_ident, ELFMAG, SELFMAG))
		return -ENOEXEC;
	if (h.e32.e_ident[EI_CLASS] == ELFCLASS32)
		return !h.e32.e_shnum && h.e32.e_shoff ? -EFBIG : 0;
	if ((size_t)n < sizeof(h.e64))
		return -ENOEXEC;
	return !h.e64.e_shnum && h.e64.e_shoff ? -EFBIG : 0;
}

static int read_fd(int fd, int what, struct elffile *ret)
{
	int err;

	memset(ret, 0, sizeof(*ret));
	err = check_head(fd);
	if (err)
		return err;
	elf_version(EV_CURRENT);
	return read_elf(elf_begin(fd, ELF_C_READ, NULL), what, ret);
}

int elffile_read(int fd, struct elffile *ret)
{
	return read_fd(fd, SYMBOLS, ret);
}

int elffile_read_build_id(int fd, struct elffile *ret)
{
	return read_fd(fd, BUILD_ID, ret);
}

int elffile_read_segments(int fd, struct elffile *ret)
{
	return read_fd(fd, SEGMENTS, ret);
}

int elffile_read_memory(const void *image, size_t size, struct elffile *ret)
{
	memset(ret, 0, sizeof(*ret));
	elf_version(EV_CURRENT);
	return read_elf(elf_memory((char *)image, size), SYMBOLS, ret);
}

/* Consumes @e. */
static int read_section(Elf *e, const char *name, struct elf_section *ret)
{
	Elf_Scn *scn = NULL;
	int err = -ENOENT;
	const char *is;
	Elf_Data *data;
	size_t names;
	GElf_Ehdr eh;
	GElf_Shdr sh;

	if (elf_kind(e) != ELF_K_ELF || !gelf_getehdr(e, &eh) ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB)
		err = -ENOEXEC;
	while (err == -ENOENT && !elf_getshdrstrndx(e, &names) &&
	       (scn = elf_nextscn(e, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS ||
		    (sh.sh_flags & SHF_COMPRESSED) || !sh.sh_size)
			continue;
		is = elf_strptr(e, names, sh.sh_name);
		if (!is || strcmp(is, name))
			continue;
		err = sh.sh_size > TABLE_MAX ? -EFBIG : -EBADMSG;
		data = err == -EBADMSG ? elf_rawdata(scn, NULL) : NULL;
		if (!data || !data->d_buf)
			break;
		ret->bytes = malloc(data->d_size);
		if (!ret->bytes) {
			err = -ENOMEM;
			break;
		}
		memcpy(ret->bytes, data->d_buf, data->d_size);
		ret->size = data->d_size;
		ret->addr = sh.sh_addr;
		ret->ia32 = eh.e_machine == EM_386;
		err = 0;
	}
	elf_end(e);
	return err;
}

int elffile_section(int fd, const char *name, struct elf_section *ret)
{
	int err = check_head(fd);

	memset(ret, 0, sizeof(*ret));
	if (err)
		return err;
	elf_version(EV_CURRENT);
	return read_section(elf_begin(fd, ELF_C_READ, NULL), name, ret);
}

int elffile_section_memory(const void *image, size_t size, const char *name,
			   struct elf_section *ret)
{
	memset(ret, 0, sizeof(*ret));
	elf_version(EV_CURRENT);
	return read_section(elf_memory((char *)image, size), name, ret);
}

void elffile_free(struct elffile *elf)
{
	free(elf->segments);
	free(elf->symbols);
	free(elf->strings);
	memset(elf, 0, sizeof(*elf));
}
