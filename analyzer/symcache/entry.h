/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The content of a file in the cache: the symbol table of one build-id, of a
 * file that only the guest's root can write (VMMPROF_FILE_F_ROOT).  It comes
 * from a guest, so only processes without rights read it.
 */
#ifndef SYMCACHE_ENTRY_H
#define SYMCACHE_ENTRY_H

#include <stdint.h>

#include "format/bundle.h"

/*
 * Reads and checks the file fd from its current offset.  0: its only file has a
 * symbol table, and *b is to be released; -EBADMSG: damaged, of another
 * build-id, or of an earlier version, which did not check who can write the
 * file; -ENOMEM.
 */
int symcache_entry_read(int fd, const uint8_t build_id[20], struct bundle *b);

/* Writes one to fd at its current offset.  @t was checked.  0 or -errno. */
int symcache_entry_write(int fd, const uint8_t build_id[20],
			 uint8_t build_id_size,
			 const struct vmmprof_maps_symtab *t);

#endif /* SYMCACHE_ENTRY_H */
