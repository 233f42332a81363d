// SPDX-License-Identifier: GPL-2.0-only
/* Reads the list of modules of a guest's kernel. */

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "introspect/modules.h"

#define SYMTAB_MAX 100000u     /* symbols of a module */
#define STRTAB_MAX (16u << 20) /* bytes of their names */
#define NAME_ROOM  512	       /* of the last name */
#define UNFORMED   3	       /* MODULE_STATE_UNFORMED: not to be looked at */
#define PARTS	   7	       /* of struct module_memory: MOD_MEM_NUM_TYPES */

/* The tables of one module, copied. */
struct tables {
	Elf64_Sym *syms;
	char *types, *strings;
	__u32 nr;
	size_t strings_size;
};

static void free_tables(struct tables *t)
{
	free(t->syms);
	free(t->types);
	free(t->strings);
}

/* Its strings up to the last name that is used. */
static int read_strings(const struct guest_kernel *k, __u64 addr,
			struct tables *t)
{
	__u32 last = 0, i;
	size_t size;
	int err;

	for (i = 0; i < t->nr; i++)
		if (t->syms[i].st_name > last)
			last = t->syms[i].st_name;
	if (last > STRTAB_MAX)
		return -EBADMSG;
	/* They end somewhere; what is behind may not be mapped. */
	t->strings = calloc(1, last + NAME_ROOM + 1);
	if (!t->strings)
		return -ENOMEM;
	t->strings_size = last + NAME_ROOM + 1;
	size = last + 1;
	err = guest_space_read(&k->space, addr, t->strings, size);
	while (!err && size < last + NAME_ROOM && t->strings[size - 1]) {
		err = guest_space_read(&k->space, addr + size,
				       t->strings + size, 1);
		size++;
	}
	return err;
}

static int read_tables(const struct guest_kernel *k, __u64 module,
		       struct tables *t)
{
	__u64 kallsyms, syms, strings, types;
	int err;

	memset(t, 0, sizeof(*t));
	err = guest_get(k, module, GUEST_MODULE_KALLSYMS, &kallsyms);
	if (!err && !kallsyms)
		return 0;
	err = err ?: guest_get(k, kallsyms, GUEST_KALLSYMS_SYMTAB, &syms);
	err = err ?: guest_get(k, kallsyms, GUEST_KALLSYMS_STRTAB, &strings);
	err = err ?: guest_get(k, kallsyms, GUEST_KALLSYMS_TYPETAB, &types);
	err = err ?: guest_get32(k, kallsyms, GUEST_KALLSYMS_NUM, &t->nr);
	if (err || !t->nr)
		return err;
	if (t->nr > SYMTAB_MAX)
		return -EBADMSG;
	t->syms = malloc(t->nr * sizeof(*t->syms));
	t->types = malloc(t->nr);
	if (!t->syms || !t->types)
		return -ENOMEM;
	err = guest_space_read(&k->space, syms, t->syms,
			       t->nr * sizeof(*t->syms));
	err = err ?: guest_space_read(&k->space, types, t->types, t->nr);
	return err ?: read_strings(k, strings, t);
}

static int add_symbols(struct guest_modules *m, const struct tables *t)
{
	__u32 i;

	for (i = 0; i < t->nr; i++) {
		const char *name = t->strings + t->syms[i].st_name;
		size_t len = strnlen(name, NAME_ROOM);
		int err;

		if (!len || memchr(name, '\n', len) || memchr(name, '\t', len))
			continue;
		err = guest_symbols_add(&m->symbols, t->syms[i].st_value,
					t->types[i], name, len);
		if (err)
			return err;
	}
	return 0;
}

/* Where its code is and how much memory it has, as /proc/modules says. */
static int read_place(const struct guest_kernel *k, __u64 module,
		      struct guest_module *m)
{
	__u64 core = guest_at(k, module, GUEST_MODULE_CORE), base;
	__u32 size;
	int i, err;

	if (guest_members_have(&k->members, GUEST_MODULE_LAYOUT)) {
		err = guest_get32(k, core, GUEST_CORE_SIZE, &size);
		m->size = size;
		err = err ?: guest_get32(k, core, GUEST_CORE_TEXT, &m->text);
		return err ?: guest_get(k, core, GUEST_CORE_BASE, &m->base);
	}
	core = guest_at(k, module, GUEST_MODULE_MEM);
	for (i = 0; i < PARTS; i++, core += k->members.module_memory) {
		err = guest_get(k, core, GUEST_MEM_BASE, &base);
		err = err ?: guest_get32(k, core, GUEST_MEM_SIZE, &size);
		if (err)
			return err;
		if (!i) { /* MOD_TEXT */
			m->base = base;
			m->text = size;
		}
		m->size += size;
	}
	return 0;
}

/* A kernel may have none. */
static void read_orc(const struct guest_kernel *k, __u64 module,
		     struct guest_module *m)
{
	const __u64 arch = guest_at(k, module, GUEST_MODULE_ARCH);

	if (!guest_members_have(&k->members, GUEST_MODULE_ORC) ||
	    guest_get(k, arch, GUEST_ARCH_IPS, &m->orc_ips) ||
	    guest_get(k, arch, GUEST_ARCH_ORC, &m->orc) ||
	    guest_get32(k, arch, GUEST_ARCH_NUM, &m->nr_orc))
		m->nr_orc = 0;
}

static void clean_name(char *name)
{
	for (; *name; name++)
		if (*name <= ' ' || *name > '~' || *name == ']' || *name == '=')
			*name = '?';
}

/* -ENOMEM, -EDQUOT and -E2BIG end all; what else goes wrong costs this one. */
static int add_module(const struct guest_kernel *k, __u64 addr, bool symbols,
		      struct guest_modules *m)
{
	struct guest_module *one;
	struct tables t = { 0 };
	__u32 state;
	int err;

	if (vec_grow(&m->module, &m->cap, m->nr, sizeof(*m->module)))
		return -ENOMEM;
	one = &m->module[m->nr];
	memset(one, 0, sizeof(*one));
	one->first = m->symbols.nr;
	err = guest_get32(k, addr, GUEST_MODULE_STATE, &state);
	if (!err && state == UNFORMED)
		return 0;
	err = err   ?:
		      guest_space_read(&k->space,
				       guest_at(k, addr, GUEST_MODULE_NAME),
				       one->name, sizeof(one->name) - 1);
	err = err ?: read_place(k, addr, one);
	if (!err) {
		clean_name(one->name);
		m->nr++;
		if (symbols) {
			read_orc(k, addr, one);
			err = read_tables(k, addr, &t);
		}
		err = err ?: add_symbols(m, &t);
		free_tables(&t);
		one->nr = m->symbols.nr - one->first;
	}
	if (err == -ENOMEM || err == -EDQUOT || err == -E2BIG)
		return err;
	m->damaged += err != 0;
	return 0;
}

static bool form_known(const struct guest_kernel *k)
{
	const struct guest_members *m = &k->members;

	return k->known[GUEST_SYM_MODULES] &&
	       guest_members_have(m, GUEST_MODULES) &&
	       (guest_members_have(m, GUEST_MODULE_LAYOUT) ||
		(guest_members_have(m, GUEST_MODULE_MEMORY) &&
		 m->module_memory));
}

int guest_modules_read(const struct guest_kernel *k, bool symbols,
		       struct guest_modules *ret)
{
	const __u64 head = k->known[GUEST_SYM_MODULES];
	__u64 link = head, next[2];
	unsigned int n;
	int err = 0;

	memset(ret, 0, sizeof(*ret));
	if (!form_known(k))
		return -EOPNOTSUPP;
	for (n = 0; !err && n <= GUEST_MODULES_MAX; n++) {
		__u64 before = link;

		if (guest_space_u64(&k->space, link, &link) ||
		    guest_space_read(&k->space, link, next, sizeof(next)) ||
		    next[1] != before) {
			err = -ESTALE;
			break;
		}
		if (link == head)
			return 0;
		err = add_module(k, link - k->members.offset[GUEST_MODULE_LIST],
				 symbols, ret);
	}
	guest_modules_deinit(ret);
	return err ?: -ESTALE;
}

void guest_modules_deinit(struct guest_modules *m)
{
	free(m->module);
	guest_symbols_deinit(&m->symbols);
	memset(m, 0, sizeof(*m));
}
