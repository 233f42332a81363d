/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * C++ (and old Rust) symbol names as a programmer writes them.  The demangler
 * of libstdc++ can be made to use unbounded time and memory by a hostile
 * name, so it runs in a child process with limits; a name that kills the
 * child, or takes too long, stays as it is.
 */
#ifndef SYM_DEMANGLE_H
#define SYM_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define DEMANGLE_MAX	  4096 /* bytes of a name, before and after */
#define DEMANGLE_CHILDREN 3

struct demangler {
	pid_t child; /* 0: none yet */
	int fd;
	int failures; /* names that killed the child */
};

/*
 * Start the children now, for a process that soon may not fork.  confine() is
 * called in each of them; if it fails the child ends.  They serve the next
 * demangler that is used.  After DEMANGLE_CHILDREN - 1 names that killed a
 * child, further names stay mangled.
 */
void demangle_prepare(int (*confine)(int fd));

/*
 * Without that, no child is started before the first mangled name.  A zeroed
 * struct will do.
 */
void demangler_deinit(struct demangler *d);

/*
 * Write name, demangled and without its parameters, to buf (size bytes,
 * always NUL-terminated).  Returns false, with buf untouched, if name is not
 * mangled or could not be demangled.
 */
bool demangle(struct demangler *d, const char *name, char *buf, size_t size);

#endif /* SYM_DEMANGLE_H */
