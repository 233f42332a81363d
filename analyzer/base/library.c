// SPDX-License-Identifier: GPL-2.0-only

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/library.h"

int library_load(const char *const *names, const struct library_symbol *symbols,
		 size_t nr)
{
	void *library = NULL, *f;
	size_t i;

	for (; *names && !library; names++)
		library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return -ELIBACC;
	for (i = 0; i < nr; i++) {
		f = dlsym(library, symbols[i].name);
		if (!f)
			return -ELIBBAD;
		/* a pointer to a function, which is none to an object in C */
		memcpy(symbols[i].to, &f, sizeof(f));
	}
	return 0;
}
