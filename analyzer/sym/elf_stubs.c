// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for code in sections that have no symbols.  A call into another object
 * goes through a stub in .plt, .plt.sec or .plt.got, which jumps to the address
 * in a slot (System V ABI, AMD64 supplement, "Procedure Linkage Table"); the
 * relocation of the slot names the function.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "base/vec.h"
#include "sym/elf.h"
#include "sym/elf_internal.h"

/* A slot of the table of addresses, and the symbol that it is for. */
struct slot {
	__u64 addr;
	__u64 resolver; /* without a symbol: of the function that chooses */
	const Elf_Data *strings;
	size_t name;
};

struct slots {
	struct slot *v;
	size_t nr, cap;
};

static bool of_slot(const GElf_Rela *r)
{
	switch (GELF_R_TYPE(r->r_info)) {
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_IRELATIVE:
		return true;
	}
	return false;
}

/* The tables that a section's relocations refer to; NULL: they have none. */
static void find_names(Elf *e, const GElf_Shdr *sh, Elf_Data **symbols,
		       Elf_Data **strings)
{
	Elf_Scn *scn = sh->sh_link ? elf_getscn(e, sh->sh_link) : NULL;
	GElf_Shdr link;

	*symbols = NULL;
	*strings = NULL;
	if (!scn || !gelf_getshdr(scn, &link) ||
	    (link.sh_type != SHT_DYNSYM && link.sh_type != SHT_SYMTAB))
		return;
	*symbols = elf_section_data(scn, &link);
	scn = elf_getscn(e, link.sh_link);
	if (scn && gelf_getshdr(scn, &link) && link.sh_type == SHT_STRTAB)
		*strings = elf_section_data(scn, &link);
}

static int read_relocations(Elf *e, Elf_Scn *scn, const GElf_Shdr *sh,
			    struct slots *t)
{
	Elf_Data *data = elf_section_data(scn, sh), *symbols, *strings;
	size_t i, n = data && sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	int err = 0;

	find_names(e, sh, &symbols, &strings);
	for (i = 0; i < n && !err; i++) {
		struct slot s = { 0 };
		GElf_Rela r;
		GElf_Sym sym;

		if (!gelf_getrela(data, i, &r))
			break;
		if (!of_slot(&r))
			continue;
		s.addr = r.r_offset;
		if (GELF_R_TYPE(r.r_info) == R_X86_64_IRELATIVE) {
			s.resolver = r.r_addend;
		} else if (symbols && strings &&
			   gelf_getsym(symbols, GELF_R_SYM(r.r_info), &sym)) {
			s.strings = strings;
			s.name = sym.st_name;
		}
		err = vec_grow(&t->v, &t->cap, t->nr, sizeof(*t->v));
		if (!err)
			t->v[t->nr++] = s;
	}
	return err;
}

static int compare(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static const struct slot *find_slot(const struct slots *t, __u64 addr)
{
	size_t lo = 0, hi = t->nr, mid;

	BISECT(lo, hi, mid, t->v[mid].addr < addr);
	return lo < t->nr && t->v[lo].addr == addr ? &t->v[lo] : NULL;
}

/*
 * The slot that a stub of @size bytes at @addr jumps by: [endbr64] [bnd] jmp
 * *disp32(%rip).  False: it is none.
 */
static bool decode(const __u8 *code, size_t size, __u64 addr, __u64 *slot)
{
	static const __u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;
	__s32 disp;

	if (size >= 4 && !memcmp(code, endbr64, 4))
		at = 4;
	if (at < size && code[at] == 0xf2)
		at++;
	if (at + 6 > size || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&disp, code + at + 2, 4);
	*slot = addr + at + 6 + (__s64)disp;
	return true;
}

/* The function of raws[0..@nr) at that address, by its best name. */
static const struct raw *find_raw(const struct raws *raws, size_t nr,
				  __u64 addr)
{
	size_t lo = 0, hi = nr, mid;

	BISECT(lo, hi, mid, raws->v[mid].addr < addr);
	return lo < nr && raws->v[lo].addr == addr ? &raws->v[lo] : NULL;
}

/* Where the stubs of one section are, and what is known of their slots. */
struct stubs {
	const struct slots *slots;
	size_t functions; /* of raws: sorted, they are no stubs */
	const char *section;
	__u64 undone; /* from here on nothing was added */
};

/* As objdump(1) calls the stub of a function that has no name. */
static int make_name(struct raws *raws, __u64 resolver, struct raw *r)
{
	char **to;
	int n, err;

	err = vec_grow(&raws->made, &raws->cap_made, raws->nr_made,
		       sizeof(*raws->made));
	if (err)
		return err;
	to = &raws->made[raws->nr_made];
	n = asprintf(to, "*ABS*+%#llx", resolver);
	if (n < 0)
		return -ENOMEM;
	raws->nr_made++;
	r->name = *to;
	r->len = n;
	return 0;
}

static int add_named(struct stubs *st, __u64 addr, __u64 size,
		     const struct slot *slot, struct raws *raws)
{
	struct raw r = { .rank = RAW_STUB, .bind = STB_LOCAL };
	const struct raw *f;
	int err = 0;

	f = find_raw(raws, slot->strings ? 0 : st->functions, slot->resolver);
	if (slot->strings) {
		raws_name(slot->strings, slot->name, &r);
	} else if (f) {
		r.name = f->name;
		r.len = f->len;
	} else {
		err = make_name(raws, slot->resolver, &r);
	}
	r.addr = addr;
	r.size = size;
	return err ?: raws_add(raws, &r);
}

/* What is no stub: the linker's own code. */
static int add_rest(struct stubs *st, __u64 end, struct raws *raws)
{
	const struct raw r = {
		.addr = st->undone,
		.size = end - st->undone,
		.name = st->section,
		.len = strnlen(st->section, 64),
		.bind = STB_LOCAL,
		.rank = RAW_SECTION,
	};

	return end == st->undone ? 0 : raws_add(raws, &r);
}

/* The slot of a stub at @at of the section, NULL: there is none. */
static const struct slot *stub_at(const struct stubs *st, const __u8 *code,
				  const GElf_Shdr *sh, __u64 at)
{
	__u64 left = at < sh->sh_size ? sh->sh_size - at : 0, slot;

	if (!decode(code + at, left < 16 ? left : 16, sh->sh_addr + at, &slot))
		return NULL;
	return find_slot(st->slots, slot);
}

/*
 * Stubs have 16 bytes; 8 where they are only the jump (.plt.got, and .plt of
 * static programs, whose size of entries is not stated).
 */
static int add_stubs(struct stubs *st, const __u8 *code, const GElf_Shdr *sh,
		     struct raws *raws)
{
	const struct slot *s;
	__u64 at, size;
	int err = 0;

	for (at = 0; at + 8 <= sh->sh_size && !err; at += size) {
		size = 8;
		s = stub_at(st, code, sh, at);
		if (!s)
			continue;
		if (sh->sh_entsize != 8 && at + 16 <= sh->sh_size &&
		    !stub_at(st, code, sh, at + 8))
			size = 16;
		err = add_rest(st, sh->sh_addr + at, raws);
		st->undone = sh->sh_addr + at + size;
		if (!err)
			err = add_named(st, sh->sh_addr + at, size, s, raws);
	}
	return err;
}

static const char *section_name(Elf *e, const struct sections *s,
				const GElf_Shdr *sh)
{
	const char *name = elf_strptr(e, s->names, sh->sh_name);

	/* the functions of these sections, by their names in <crti.o> */
	if (name && !strcmp(name, ".init"))
		return "_init";
	if (name && !strcmp(name, ".fini"))
		return "_fini";
	return name ? name : ".plt";
}

static int read_slots(Elf *e, const struct sections *s, struct slots *t)
{
	size_t i;
	int err = 0;

	for (i = 0; i < s->rela.nr && !err; i++)
		err = read_relocations(e, s->rela.scn[i], &s->rela.sh[i], t);
	if (t->nr)
		sort_array(t->v, t->nr, sizeof(*t->v), compare);
	return err;
}

int raws_add_stubs(Elf *e, const struct sections *s, bool ia32,
		   struct raws *raws)
{
	struct slots t = { 0 };
	struct stubs st = { .slots = &t, .functions = raws->n };
	int err = 0;
	size_t i;

	if (s->stubs.nr && !ia32)
		err = read_slots(e, s, &t);
	if (t.nr)
		raws_sort(raws);
	for (i = 0; i < s->stubs.nr && !err; i++) {
		const GElf_Shdr *sh = &s->stubs.sh[i];
		Elf_Data *d = elf_section_data(s->stubs.scn[i], sh);

		st.undone = sh->sh_addr;
		st.section = section_name(e, s, sh);
		if (d && d->d_size >= sh->sh_size && t.nr)
			err = add_stubs(&st, d->d_buf, sh, raws);
		if (!err)
			err = add_rest(&st, sh->sh_addr + sh->sh_size, raws);
	}
	free(t.v);
	return err;
}
