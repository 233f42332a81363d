/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where debug files lie (gdb's manual, "Debugging Information in Separate
 * Files").
 */
#ifndef SYM_DEBUG_PATH_H
#define SYM_DEBUG_PATH_H

#include <stdbool.h>
#include <stddef.h>

#define DEBUG_PATH_LINKS  3
#define DEBUG_PATH_SYSTEM "/usr/lib/debug"
#define DEBUG_PATH_DIRS	  16

/*
 * From now on this process looks there, too, before the system's directory;
 * @dir must stay.  False: there are DEBUG_PATH_DIRS already.
 */
bool debug_path_add(const char *dir);

/*
 * @dir/.build-id/ab/cdef@suffix.  False: @id is shorter than 2 bytes, or @buf is
 * too small.
 */
bool debug_path_id(const char *dir, const void *id, size_t n,
		   const char *suffix, char *buf, size_t size);

/*
 * The @i-th path at which a file of that build-id may be, in the directories in
 * their order; in each as gdb and Fedora, perf's buildid-cache and debuginfod(8)'s
 * clients have it.  -ENAMETOOLONG: not this one; -ENOENT: there are no more; or 0.
 */
int debug_path_try(unsigned int i, const void *id, size_t n, char *buf,
		   size_t size);

/* The same of places of the host's vmlinux, by its release. */
int debug_path_vmlinux(unsigned int i, const char *release, char *buf,
		       size_t size);

/*
 * The file that @path names as its debug file (.gnu_debuglink): by @place
 * beside it, in .debug there, or in the same place of /usr/lib/debug.  False:
 * there is no such path, or @buf is too small.
 */
bool debug_path_link(const char *path, const char *link, unsigned int place,
		     char *buf, size_t size);

#endif /* SYM_DEBUG_PATH_H */
