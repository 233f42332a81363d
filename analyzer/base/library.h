/* SPDX-License-Identifier: GPL-2.0-only */
/* A shared library that is loaded only where it is used; dlopen(3). */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stddef.h>

struct library_symbol {
	const char *name;
	void *to; /* the pointer to a function that is set */
};

/*
 * Loads the first of @names (NULL ends them) that is there, for the rest of this
 * process's life, and sets all @nr pointers.  0; -ELIBACC: there is none, dlerror(3)
 * says why; or -ELIBBAD: it has not all of them.
 */
int library_load(const char *const *names, const struct library_symbol *symbols,
		 size_t nr);

#endif /* BASE_LIBRARY_H */
