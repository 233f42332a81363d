// SPDX-License-Identifier: GPL-2.0-only
/* Finds symbols, names and .eh_frame by section headers, or without them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "introspect/elf_image_parts.h"
#include "sym/elf.h"

#define SECTIONS_MAX 4096
#define SYMBOLS_MAX  0x100000u /* of .dynsym without a section header */
#define BUCKETS_MAX  0x100000u
#define CHAIN_MAX    0x10000u /* symbols of one bucket */
#define DYNAMIC_MAX  1024
#define PCREL_SDATA4 0x1b /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */

/* What cannot be had of a file is missing; what ends the reading of it all? */
static bool fatal(int err)
{
	return err && err != -ENOENT && err != -EBADMSG && err != -EFBIG;
}

/* Is it known up to the NUL that ends it, or to where readers cut it? */
static bool name_known(const __u8 *names, __u64 size, __u64 at)
{
	const char *name = (const char *)names + at;
	const char *end = at < size ? elffile_name_end(name, size - at) : NULL;

	return end && !memchr(name, ELF_FILL_NAMES, end - name);
}

/* Asked for each symbol, looked at with some of them. */
static bool is_late(const struct elf_parts *p, size_t i)
{
	return p->until_ns && i % 1024 == 0 &&
	       clock_ns(CLOCK_PROCESS_CPUTIME_ID) >= p->until_ns;
}

static Elf64_Sym symbol_at(const struct elf_parts *p, const __u8 *from,
			   size_t i)
{
	Elf64_Sym a;
	Elf32_Sym b;

	if (p->is64) {
		memcpy(&a, from + i * sizeof(a), sizeof(a));
		return a;
	}
	memcpy(&b, from + i * sizeof(b), sizeof(b));
	return (Elf64_Sym){
		.st_name = b.st_name,
		.st_info = b.st_info,
		.st_other = b.st_other,
		.st_shndx = b.st_shndx,
		.st_value = b.st_value,
		.st_size = b.st_size,
	};
}

static size_t symbol_size(const struct elf_parts *p)
{
	return p->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

/* Is what lies on two pages on two that are known? */
static int symbol_known(struct elf_parts *p, __u64 at, bool *known)
{
	Elf64_Sym s;
	int err = 0;

	if (at % GUEST_PAGE + symbol_size(p) > GUEST_PAGE)
		err = elf_parts_read(p, at, &s, symbol_size(p));
	*known = !err;
	return fatal(err) ? err : 0;
}

/*
 * Takes @nr symbols of the file's class at @offset and @names_size bytes of names as
 * the parts @symbols and @names; symbols whose names are not known are none.
 */
static int load_symbols(struct elf_parts *p, size_t symbols, __u64 offset,
			__u64 nr, size_t names, __u64 names_offset,
			__u64 names_size)
{
	struct elf_part *to = &p->part[symbols], *strings = &p->part[names];
	Elf64_Sym *syms;
	size_t known, i;
	__u8 *from;
	int err;

	if (nr > p->left / symbol_size(p)) {
		p->large = true;
		return -EFBIG;
	}
	if (!strings->bytes) {
		err = elf_parts_load(p, names_offset, names_size,
				     ELF_FILL_NAMES, &strings->bytes, &known);
		if (err)
			return err;
		strings->sh.sh_size = names_size;
	}
	err = elf_parts_load(p, offset, nr * symbol_size(p), ELF_FILL_SYMBOLS,
			     &from, &known);
	if (err)
		return err;
	syms = calloc(nr ? nr : 1, sizeof(*syms));
	for (i = 0; syms && !err && i < nr; i++) {
		Elf64_Sym s = symbol_at(p, from, i);
		bool whole = false;

		err = is_late(p, i) ?
			      -EDQUOT :
			      symbol_known(p, offset + i * symbol_size(p),
					   &whole);
		if (whole &&
		    name_known(strings->bytes, strings->sh.sh_size, s.st_name))
			syms[i] = s;
	}
	free(from);
	if (!syms)
		return -ENOMEM;
	to->bytes = (__u8 *)syms;
	to->sh.sh_size = nr * sizeof(*syms);
	to->sh.sh_entsize = sizeof(*syms);
	to->sh.sh_link = names;
	return err;
}

/*
 * Takes what is known of .eh_frame at @offset up to the first page that is not;
 * of @size bytes, or fewer if it ends before.
 */
static int load_frames(struct elf_parts *p, size_t part, __u64 offset,
		       __u64 size)
{
	struct elf_part *to = &p->part[part];
	size_t known;
	int err = elf_parts_load(p, offset, size, 0, &to->bytes, &known);

	if (err)
		return err;
	/* An entry without its end would be read as another one. */
	to->sh.sh_size = known;
	return 0;
}

/* Section headers. */

static Elf64_Shdr header_at(const struct elf_parts *p, const __u8 *from,
			    size_t i)
{
	Elf64_Shdr a;
	Elf32_Shdr b;

	if (p->is64) {
		memcpy(&a, from + i * sizeof(a), sizeof(a));
		return a;
	}
	memcpy(&b, from + i * sizeof(b), sizeof(b));
	return (Elf64_Shdr){
		.sh_name = b.sh_name,
		.sh_type = b.sh_type,
		.sh_flags = b.sh_flags,
		.sh_addr = b.sh_addr,
		.sh_offset = b.sh_offset,
		.sh_size = b.sh_size,
		.sh_link = b.sh_link,
		.sh_info = b.sh_info,
		.sh_addralign = b.sh_addralign,
		.sh_entsize = b.sh_entsize,
	};
}

/* All of a section, or nothing of it. */
static int take_whole(struct elf_parts *p, struct elf_part *one)
{
	size_t known;
	int err = elf_parts_load(p, one->sh.sh_offset, one->sh.sh_size, 0,
				 &one->bytes, &known);

	if (!err && known < one->sh.sh_size) {
		free(one->bytes);
		one->bytes = NULL;
	}
	return err;
}

static bool has_name(const struct elf_parts *p, const struct elf_part *one,
		     const char *name, size_t len)
{
	const struct elf_part *names = &p->part[p->eh.e_shstrndx];

	return one->sh.sh_name < names->sh.sh_size &&
	       names->sh.sh_size - one->sh.sh_name > len &&
	       !memcmp(names->bytes + one->sh.sh_name, name, len);
}

static int take_symbols(struct elf_parts *p, size_t i)
{
	const Elf64_Shdr *sh = &p->part[i].sh;
	const Elf64_Shdr *names;

	if (sh->sh_link >= p->nr || sh->sh_link == i)
		return -EBADMSG;
	names = &p->part[sh->sh_link].sh;
	if (names->sh_type != SHT_STRTAB)
		return -EBADMSG;
	return load_symbols(p, i, sh->sh_offset, sh->sh_size / symbol_size(p),
			    sh->sh_link, names->sh_offset, names->sh_size);
}

/* What sym/elf reads of a file; that of 32 bits has no relocations there. */
static int take_section(struct elf_parts *p, size_t i)
{
	struct elf_part *one = &p->part[i];

	if (one->bytes)
		return 0;
	switch (one->sh.sh_type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
		return take_symbols(p, i);
	case SHT_RELA:
		return p->is64 && one->sh.sh_flags & SHF_ALLOC ?
			       take_whole(p, one) :
			       0;
	case SHT_PROGBITS:
	case SHT_X86_64_UNWIND:
		if (has_name(p, one, ".eh_frame", sizeof(".eh_frame")))
			return load_frames(p, i, one->sh.sh_offset,
					   one->sh.sh_size);
		if (has_name(p, one, ".gnu_debugdata",
			     sizeof(".gnu_debugdata")) ||
		    (one->sh.sh_flags & SHF_EXECINSTR &&
		     has_name(p, one, ".plt", 4)))
			return take_whole(p, one);
	}
	return 0;
}

static int read_headers(struct elf_parts *p)
{
	const size_t each = p->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	size_t known, i;
	__u8 *from;
	int err;

	if (!p->eh.e_shoff || p->eh.e_shentsize != each || !p->eh.e_shnum ||
	    p->eh.e_shnum > SECTIONS_MAX || p->eh.e_shstrndx >= p->eh.e_shnum)
		return -ENOENT;
	err = elf_parts_load(p, p->eh.e_shoff, p->eh.e_shnum * each, 0, &from,
			     &known);
	if (fatal(err))
		return err;
	if (err || known < p->eh.e_shnum * each) {
		free(from);
		return -ENOENT;
	}
	p->part = calloc(p->eh.e_shnum, sizeof(*p->part));
	p->nr = p->part ? p->eh.e_shnum : 0;
	for (i = 0; i < p->nr; i++)
		p->part[i].sh = header_at(p, from, i);
	free(from);
	return p->part ? 0 : -ENOMEM;
}

int elf_parts_sections(struct elf_parts *p)
{
	struct elf_part *names;
	size_t i;
	int err = read_headers(p);

	if (err)
		return err;
	names = &p->part[p->eh.e_shstrndx];
	err = names->sh.sh_type == SHT_STRTAB ? take_whole(p, names) : -ENOENT;
	if (fatal(err))
		return err;
	if (err || !names->bytes)
		return -ENOENT;
	for (i = 0; i < p->nr; i++) {
		err = take_section(p, i);
		if (fatal(err))
			return err;
		p->lacks |= err != 0;
	}
	return 0;
}

/* Without section headers. */

enum { SYMTAB, STRTAB, STRSZ, HASH, GNU_HASH, NR_TAGS };

static int read_dynamic(struct elf_parts *p, __u64 value[NR_TAGS])
{
	static const __s64 tags[NR_TAGS] = { DT_SYMTAB, DT_STRTAB, DT_STRSZ,
					     DT_HASH, DT_GNU_HASH };
	const size_t each = p->is64 ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
	const Elf64_Phdr *dyn = NULL;
	size_t i, n;

	for (i = 0; i < p->nr_ph; i++)
		if (p->ph[i].p_type == PT_DYNAMIC)
			dyn = &p->ph[i];
	for (i = 0; dyn && i < DYNAMIC_MAX && (i + 1) * each <= dyn->p_filesz;
	     i++) {
		Elf64_Dyn d;
		Elf32_Dyn d32;
		int err = elf_parts_read(p, dyn->p_offset + i * each,
					 p->is64 ? (void *)&d : (void *)&d32,
					 each);

		if (err)
			return err;
		if (!p->is64)
			d = (Elf64_Dyn){ d32.d_tag, { d32.d_un.d_val } };
		if (d.d_tag == DT_NULL)
			return 0;
		for (n = 0; n < NR_TAGS; n++)
			if (d.d_tag == tags[n])
				value[n] = d.d_un.d_val;
	}
	return dyn ? 0 : -ENOENT;
}

static int read_u32(struct elf_parts *p, __u64 addr, __u32 *ret)
{
	__u64 offset, left;

	if (!elf_parts_offset(p, addr, &offset, &left) || left < 4)
		return -EBADMSG;
	return elf_parts_read(p, offset, ret, 4);
}

/* The highest symbol that a bucket begins with; 0: all are empty. */
static int last_bucket(struct elf_parts *p, __u64 addr, __u32 nr, __u32 *ret)
{
	__u64 offset, left;
	size_t known, i;
	__u8 *from;
	__u32 v;
	int err;

	*ret = 0;
	if (!elf_parts_offset(p, addr, &offset, &left) || nr > BUCKETS_MAX ||
	    left < nr * 4ull)
		return -EBADMSG;
	err = elf_parts_load(p, offset, nr * 4ull, 0, &from, &known);
	if (err)
		return err;
	for (i = 0; i < nr; i++) {
		memcpy(&v, from + i * 4, 4);
		*ret = v > *ret ? v : *ret;
	}
	free(from);
	return known == nr * 4ull ? 0 : -ENOENT;
}

/*
 * How many symbols a DT_GNU_HASH table is for: buckets of chains, the last value
 * of a chain is odd ("GNU Hash ELF Sections", Ali Bahrami).
 */
static int count_gnu(struct elf_parts *p, __u64 addr, __u64 *nr)
{
	__u32 head[4], last, v = 0, n; /* buckets, first, bloom words, shift */
	__u64 chain;
	int i, err = 0;

	for (i = 0; i < 4 && !err; i++)
		err = read_u32(p, addr + i * 4, &head[i]);
	if (err)
		return err;
	addr += 16 + head[2] * (p->is64 ? 8ull : 4ull);
	err = last_bucket(p, addr, head[0], &last);
	if (err)
		return err;
	*nr = head[1];
	if (!last)
		return 0;
	if (last < head[1])
		return -EBADMSG;
	chain = addr + head[0] * 4ull - head[1] * 4ull;
	for (n = 0; !(v & 1); n++) {
		err = n < CHAIN_MAX ?
			      read_u32(p, chain + (last + (__u64)n) * 4, &v) :
			      -EBADMSG;
		if (err)
			return err;
	}
	*nr = (__u64)last + n;
	return 0;
}

static int count_symbols(struct elf_parts *p, const __u64 value[NR_TAGS],
			 __u64 *nr)
{
	__u32 chains = 0;
	int err = -ENOENT;

	if (value[HASH])
		err = read_u32(p, value[HASH] + 4, &chains);
	*nr = chains;
	if (err && value[GNU_HASH])
		err = count_gnu(p, value[GNU_HASH], nr);
	p->large |= !err && *nr > SYMBOLS_MAX;
	return err ?: *nr > SYMBOLS_MAX ? -EFBIG : 0;
}

/* Symbols name sections by their numbers in the file: ours are segments. */
static void renumber(struct elf_parts *p, struct elf_part *symbols)
{
	Elf64_Sym *s = (void *)symbols->bytes;
	size_t i, n;

	for (i = 0; i < symbols->sh.sh_size / sizeof(*s); i++) {
		__u16 in = SHN_UNDEF;

		for (n = 1; n < p->nr && s[i].st_shndx; n++)
			if (p->part[n].sh.sh_flags & SHF_EXECINSTR &&
			    s[i].st_value >= p->part[n].sh.sh_addr &&
			    s[i].st_value - p->part[n].sh.sh_addr <
				    p->part[n].sh.sh_size)
				in = n;
		s[i].st_shndx = in;
	}
}

static int take_dynamic(struct elf_parts *p, size_t symbols, size_t names)
{
	__u64 value[NR_TAGS] = { 0 }, nr, at, names_at, left;
	int err = read_dynamic(p, value);

	err = err ?: count_symbols(p, value, &nr);
	if (err)
		return err;
	if (!elf_parts_offset(p, value[STRTAB], &names_at, &left) ||
	    left < value[STRSZ] ||
	    !elf_parts_offset(p, value[SYMTAB], &at, &left) ||
	    left < nr * symbol_size(p))
		return -EBADMSG;
	err = load_symbols(p, symbols, at, nr, names, names_at, value[STRSZ]);
	if (err)
		return err;
	p->part[symbols].sh.sh_type = SHT_DYNSYM;
	p->part[names].sh.sh_type = SHT_STRTAB;
	renumber(p, &p->part[symbols]);
	return 0;
}

/*
 * .eh_frame_hdr says where .eh_frame begins; it goes on to its end mark, at most
 * up to the end of its segment.
 */
static int take_frames(struct elf_parts *p, size_t part)
{
	struct elf_part *to = &p->part[part];
	const Elf64_Phdr *h = NULL;
	__u64 offset, left;
	__u8 head[8];
	__s32 rel;
	size_t i;
	int err;

	for (i = 0; i < p->nr_ph; i++)
		if (p->ph[i].p_type == PT_GNU_EH_FRAME)
			h = &p->ph[i];
	if (!h)
		return -ENOENT;
	err = elf_parts_read(p, h->p_offset, head, sizeof(head));
	if (err)
		return err;
	memcpy(&rel, head + 4, 4);
	to->sh.sh_addr = h->p_vaddr + 4 + rel;
	if (head[0] != 1 || head[1] != PCREL_SDATA4 ||
	    !elf_parts_offset(p, to->sh.sh_addr, &offset, &left))
		return -EBADMSG;
	err = load_frames(p, part, offset, left);
	if (!err)
		to->sh.sh_type = SHT_PROGBITS;
	return err;
}

int elf_parts_dynamic(struct elf_parts *p)
{
	static const char names[] = "\0.eh_frame\0.text";
	struct elf_part *part;
	size_t i, nr = 1;
	int err;

	p->part = calloc(p->nr_ph + 5, sizeof(*p->part));
	if (!p->part)
		return -ENOMEM;
	part = p->part;
	for (i = 0; i < p->nr_ph; i++)
		if (p->ph[i].p_type == PT_LOAD && p->ph[i].p_flags & PF_X)
			part[nr++].sh = (Elf64_Shdr){
				.sh_name = 11,
				.sh_type = SHT_PROGBITS,
				.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				.sh_addr = p->ph[i].p_vaddr,
				.sh_size = p->ph[i].p_filesz,
			};
	/* .dynsym, .dynstr, .eh_frame, names of sections */
	p->nr = nr + 4;
	err = take_dynamic(p, nr, nr + 1);
	if (fatal(err))
		return err;
	err = take_frames(p, nr + 2);
	if (fatal(err))
		return err;
	part[nr + 2].sh.sh_name = 1;
	part[nr + 3].sh.sh_type = SHT_STRTAB;
	part[nr + 3].sh.sh_size = sizeof(names);
	part[nr + 3].bytes = malloc(sizeof(names));
	p->eh.e_shstrndx = nr + 3;
	if (!part[nr + 3].bytes)
		return -ENOMEM;
	memcpy(part[nr + 3].bytes, names, sizeof(names));
	return 0;
}
