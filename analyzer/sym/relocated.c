// SPDX-License-Identifier: GPL-2.0-only
/* One object whose sections libdwfl gave addresses. */

#include <string.h>
#include <unistd.h>

#include "sym/relocated.h"

/* libdwfl must not look for debugging information elsewhere. */
static int no_other_file(Dwfl_Module *mod __attribute__((unused)),
			 void **data __attribute__((unused)),
			 const char *name __attribute__((unused)),
			 Dwarf_Addr base __attribute__((unused)),
			 const char *file __attribute__((unused)),
			 const char *link __attribute__((unused)),
			 GElf_Word crc __attribute__((unused)),
			 char **debug __attribute__((unused)))
{
	return -1;
}

/* find_elf: not called, as the file is given. */
static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = no_other_file,
	.section_address = dwfl_offline_section_address,
};

static bool is_linked(int fd)
{
	Elf64_Ehdr eh;

	return pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) ||
	       memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_type != ET_REL;
}

static int take_module(Dwfl_Module *mod, void **data __attribute__((unused)),
		       const char *name __attribute__((unused)),
		       Dwarf_Addr base __attribute__((unused)), void *ret)
{
	*(Dwfl_Module **)ret = mod;
	return DWARF_CB_ABORT;
}

static Dwfl_Module *module_of(Dwfl *dwfl)
{
	Dwfl_Module *mod = NULL;

	dwfl_getmodules(dwfl, take_module, &mod, 0);
	return mod;
}

Dwarf *relocated_begin(int fd, Dwfl **ret)
{
	Dwfl_Module *mod;
	Dwarf *dw = NULL;
	Dwarf_Addr bias;
	int copy;

	*ret = NULL;
	if (is_linked(fd))
		return NULL;
	*ret = dwfl_begin(&callbacks);
	copy = *ret ? dup(fd) : -1;
	if (copy >= 0) {
		mod = dwfl_report_offline(*ret, "object", "", copy);
		if (!mod)
			close(copy);
		dwfl_report_end(*ret, NULL, NULL);
		dw = mod ? dwfl_module_getdwarf(mod, &bias) : NULL;
	}
	if (!dw && *ret) {
		dwfl_end(*ret);
		*ret = NULL;
	}
	return dw;
}

bool relocated_function(Dwfl *dwfl, const char *name, __u64 *addr)
{
	Dwfl_Module *mod = module_of(dwfl);
	int i, nr, found = 0;
	Dwarf_Addr bias = 0;
	const char *is;
	GElf_Addr at;
	GElf_Sym sym;

	nr = mod && dwfl_module_getdwarf(mod, &bias) ?
		     dwfl_module_getsymtab(mod) :
		     0;
	for (i = 0; i < nr; i++) {
		is = dwfl_module_getsym_info(mod, i, &sym, &at, NULL, NULL,
					     NULL);
		if (!is || strcmp(is, name) ||
		    GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		*addr = at - bias;
		found++;
	}
	return found == 1;
}
