/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debugging information of objects that are not linked, as the kernel's modules
 * are: libdwfl gives each section a place and relocates what refers to it.
 */
#ifndef SYM_RELOCATED_H
#define SYM_RELOCATED_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <linux/types.h>

/*
 * The debugging information of fd, which stays the caller's, if it is such an
 * object; it belongs to *ret, to be ended by dwfl_end().  NULL, and *ret NULL:
 * it is none, or has none.
 */
Dwarf *relocated_begin(int fd, Dwfl **ret);

/*
 * Where the only function of this name is in it.  False: none, or several.
 */
bool relocated_function(Dwfl *dwfl, const char *name, __u64 *addr);

#endif /* SYM_RELOCATED_H */
