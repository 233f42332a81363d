// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads segments, build-id and function symbols of an ELF file with libelf, and
 * checks every size and offset that the file states.
 */

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/debug_data.h"
#include "sym/elf.h"
#include "base/sort.h"

/* Larger files or tables than these are refused. */
#define FILE_MAX    (16ULL << 30)
#define TABLE_MAX   (512ULL << 20)
#define STRINGS_MAX (256U << 20)
#define NOTES_MAX   (64U << 10)

/* A symbol of the file's table, before it is sorted into ours. */
struct raw {
	__u64 addr;
	__u64 size;
	const char *name;
	__u32 len;
	__u8 bind;
	__u8 underscores; /* leading */
};

struct raws {
	struct raw *v;
	size_t n;
	size_t max;
	void *unpacked; /* .gnu_debugdata, and the file in it */
	Elf *inner;
	bool stripped;
	bool cut;
};

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

static int add_raw(struct raws *raws, const struct raw *r)
{
	if (raws->n == raws->max) {
		size_t max = raws->max ? 2 * raws->max : 1024;
		void *v = reallocarray(raws->v, max, sizeof(*raws->v));

		if (!v)
			return -ENOMEM;
		raws->v = v;
		raws->max = max;
	}
	raws->v[raws->n++] = *r;
	return 0;
}

/* The name at @offset of @strings without a version (NAME@@VERSION). */
static bool get_name(const Elf_Data *strings, size_t offset, struct raw *r)
{
	const char *name, *end, *at;

	if (offset >= strings->d_size)
		return false;
	name = (char *)strings->d_buf + offset;
	end = memchr(name, 0, strings->d_size - offset);
	if (!end || end == name)
		return false;
	at = memchr(name + 1, '@', end - name - 1 ? end - name - 1 : 0);
	if (at)
		end = at;
	r->name = name;
	r->len = end - name;
	r->underscores = 0;
	while (r->underscores < 255 && r->underscores < r->len &&
	       name[r->underscores] == '_')
		r->underscores++;
	return true;
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

/* Data of a section that claims a believable size, or NULL. */
static Elf_Data *section_data(Elf_Scn *scn, const GElf_Shdr *sh)
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
	Elf_Data *data = section_data(scn, sh), *strings = NULL;
	size_t i, n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	GElf_Shdr strings_sh;
	Elf_Scn *strings_scn = elf_getscn(e, sh->sh_link);

	if (strings_scn && gelf_getshdr(strings_scn, &strings_sh) &&
	    strings_sh.sh_type == SHT_STRTAB)
		strings = section_data(strings_scn, &strings_sh);
	if (!data || !strings)
		return -EBADMSG;
	for (i = 0; i < n; i++) {
		struct raw r;
		GElf_Sym s;
		int err;

		if (!gelf_getsym(data, i, &s))
			return -EBADMSG;
		if (!is_function(&s, exec, nr_sections) ||
		    !get_name(strings, s.st_name, &r))
			continue;
		r.addr = s.st_value;
		r.size = s.st_size;
		r.bind = GELF_ST_BIND(s.st_info);
		err = add_raw(raws, &r);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Calls into other objects go through .plt sections, which have no symbols: the
 * section's name is used.
 */
static int add_plt(Elf *e, const GElf_Shdr *sh, size_t names, struct raws *raws)
{
	const char *name = elf_strptr(e, names, sh->sh_name);
	struct raw r = {
		.addr = sh->sh_addr,
		.size = sh->sh_size,
		.bind = STB_LOCAL,
	};

	if (!name || strncmp(name, ".plt", 4))
		return 0;
	r.name = name;
	r.len = strnlen(name, 64);
	return add_raw(raws, &r);
}

/* The sections that are used. */
struct sections {
	size_t nr, names;
	bool no_code; /* a section of code has no bytes */
	__u8 *exec;   /* by number: holds code */
	Elf_Scn *symtab, *dynsym, *debugdata, *debuglink;
	GElf_Shdr symtab_sh, dynsym_sh, debugdata_sh, debuglink_sh;
};

static void find_section(Elf *e, Elf_Scn *scn, const GElf_Shdr *sh,
			 struct sections *s)
{
	const char *name;

	if (sh->sh_type == SHT_SYMTAB && !s->symtab) {
		s->symtab = scn;
		s->symtab_sh = *sh;
	} else if (sh->sh_type == SHT_DYNSYM && !s->dynsym) {
		s->dynsym = scn;
		s->dynsym_sh = *sh;
	} else if (sh->sh_type == SHT_PROGBITS) {
		name = elf_strptr(e, s->names, sh->sh_name);
		if (name && !s->debugdata && !strcmp(name, ".gnu_debugdata")) {
			s->debugdata = scn;
			s->debugdata_sh = *sh;
		} else if (name && !s->debuglink &&
			   !strcmp(name, ".gnu_debuglink")) {
			s->debuglink = scn;
			s->debuglink_sh = *sh;
		}
	}
}

/*
 * The caller frees s->exec.  @raws: takes the .plt sections; NULL: they are
 * left out.
 */
static int find_sections(Elf *e, struct sections *s, struct raws *raws)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int err = 0;
	size_t i;

	memset(s, 0, sizeof(*s));
	if (elf_getshdrnum(e, &s->nr))
		return -EBADMSG;
	if (!s->nr || elf_getshdrstrndx(e, &s->names))
		return 0;
	s->exec = calloc(s->nr, 1);
	if (!s->exec)
		return -ENOMEM;
	while (!err && (scn = elf_nextscn(e, scn))) {
		i = elf_ndxscn(scn);
		if (i >= s->nr || !gelf_getshdr(scn, &sh))
			continue;
		if (!(sh.sh_flags & SHF_EXECINSTR)) {
			find_section(e, scn, &sh, s);
			continue;
		}
		s->exec[i] = 1;
		s->no_code |= sh.sh_type == SHT_NOBITS;
		if (raws)
			err = add_plt(e, &sh, s->names, raws);
	}
	return err;
}

/*
 * The .symtab inside of .gnu_debugdata; it lacks the symbols of .dynsym.  A
 * damaged one is ignored.  @raws owns the memory that names point into.
 */
static int read_debugdata(const struct sections *outer, struct raws *raws)
{
	Elf_Data *packed = section_data(outer->debugdata, &outer->debugdata_sh);
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
	err = find_sections(raws->inner, &s, NULL);
	if (!err && s.symtab)
		err = read_table(raws->inner, s.symtab, &s.symtab_sh, s.exec,
				 s.nr, raws);
	free(s.exec);
	return err == -ENOMEM ? err : 0;
}

/* A file's name, a NUL, padding to 4, and the checksum of that file. */
static void read_debuglink(const struct sections *s, struct elffile *ret)
{
	const Elf_Data *d = s->debuglink ? section_data(s->debuglink,
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
static int read_tables(Elf *e, struct raws *raws, struct elffile *ret)
{
	struct sections s;
	int err = find_sections(e, &s, raws);
	size_t i = raws->n;

	ret->no_code = s.no_code;
	if (!err && s.symtab)
		err = read_table(e, s.symtab, &s.symtab_sh, s.exec, s.nr, raws);
	if (!err && raws->n == i && s.debugdata)
		err = read_debugdata(&s, raws);
	raws->stripped = raws->n == i;
	read_debuglink(&s, ret);
	/* .symtab has all symbols of .dynsym. */
	if (!err && s.dynsym && (raws->n == i || raws->inner))
		err = read_table(e, s.dynsym, &s.dynsym_sh, s.exec, s.nr, raws);
	free(s.exec);
	return err;
}

static int is_local(const struct raw *r)
{
	return r->bind == STB_LOCAL;
}

static int is_weak(const struct raw *r)
{
	return r->bind == STB_WEAK;
}

/*
 * Order by address; at one address the best name comes first: one with a size,
 * global, without leading underscores, not weak, short (free, not cfree).
 */
static int compare(const void *pa, const void *pb)
{
	const struct raw *a = pa, *b = pb;
	__u32 len = a->len < b->len ? a->len : b->len;
	int order;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (!a->size != !b->size)
		return !a->size - !b->size;
	order = is_local(a) - is_local(b);
	if (order)
		return order;
	if (a->underscores != b->underscores)
		return a->underscores - b->underscores;
	order = is_weak(a) - is_weak(b);
	if (order)
		return order;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->name, b->name, len);
}

/* Sort, drop aliases, copy into the arrays of @ret. */
static int keep_best(struct raws *raws, struct elffile *ret)
{
	size_t i, n = 0, strings = 0;
	char *pos;

	if (!raws->n)
		return 0;
	sort_array(raws->v, raws->n, sizeof(*raws->v), compare);
	for (i = 0; i < raws->n; i++) {
		if (n && raws->v[n - 1].addr == raws->v[i].addr)
			continue;
		raws->v[n++] = raws->v[i];
		strings += raws->v[i].len + 1;
		if (strings > STRINGS_MAX)
			return -EFBIG;
	}
	ret->symbols = calloc(n, sizeof(*ret->symbols));
	ret->strings = malloc(strings);
	if (!ret->symbols || !ret->strings)
		return -ENOMEM;
	pos = ret->strings;
	ret->nr_symbols = n;
	ret->strings_size = strings;
	for (i = 0; i < n; i++) {
		const struct raw *r = &raws->v[i];

		ret->symbols[i].addr = r->addr;
		ret->symbols[i].size = r->size < UINT32_MAX ? r->size :
							      UINT32_MAX;
		ret->symbols[i].name = pos - ret->strings;
		memcpy(pos, r->name, r->len);
		pos[r->len] = 0;
		pos += r->len + 1;
	}
	return 0;
}

enum { BUILD_ID, SEGMENTS, SYMBOLS };

/* Consumes @e; reads up to that. */
static int read_elf(Elf *e, int what, struct elffile *ret)
{
	struct raws raws = { 0 };
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
		err = read_tables(e, &raws, ret);
	if (!err)
		err = keep_best(&raws, ret);
	ret->stripped = raws.stripped;
	ret->cut = raws.cut;
	free(raws.v);
	elf_end(raws.inner);
	free(raws.unpacked);
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
