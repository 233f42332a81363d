/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a file of the cache of symbol tables holds: the table of one build-id, of
 * a file that the guest's root alone can write (VMMPROF_FILE_F_ROOT).
 * A guest wrote it, so it is read by processes without rights only.
 */
#ifndef SYMCACHE_ENTRY_H
#define SYMCACHE_ENTRY_H

#include <stdint.h>

#include "format/bundle.h"

/*
 * Reads and checks the file fd, from where it stands.  0: *b is to be
 * released, its only file has a symbol table; -EBADMSG: damaged, another
 * build-id's, or of an earlier version that did not ask whose file it is; -ENOMEM.
 */
int symcache_entry_read(int fd, const uint8_t build_id[20], struct bundle *b);

/* Writes one to fd, from where it stands.  @t was checked.  0 or -errno. */
int symcache_entry_write(int fd, const uint8_t build_id[20],
			 uint8_t build_id_size,
			 const struct vmmprof_maps_symtab *t);

#endif /* SYMCACHE_ENTRY_H */
