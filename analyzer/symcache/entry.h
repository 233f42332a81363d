/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The content of a file in the cache: the symbol table or the unwind table of one
 * build-id, of a file that only the guest's root can write (VMMPROF_FILE_F_ROOT).
 * It comes from a guest, so only processes without rights read it.
 */
#ifndef SYMCACHE_ENTRY_H
#define SYMCACHE_ENTRY_H

#include <stdint.h>

#include "format/bundle.h"
#include "symcache/cache.h"

/* The table of a file that an entry of @kind holds; NULL: the file has none. */
const struct vmmprof_item_hdr *symcache_entry_table(const struct bundle_file *f,
						    uint32_t kind);

/*
 * Reads and checks the file fd from its current offset.  0: its only file has
 * the table, and *b is to be released; -EBADMSG: damaged, of another build-id or
 * kind, or of an earlier version, which did not check who can write the file;
 * -ENOMEM.
 */
int symcache_entry_read(int fd, const struct symcache_key *key,
			struct bundle *b);

/*
 * Writes one to fd at its current offset.  @table: SYMTAB or UNWIND that was
 * checked.  0 or -errno.
 */
int symcache_entry_write(int fd, const struct symcache_key *key,
			 uint8_t build_id_size,
			 const struct vmmprof_item_hdr *table);

#endif /* SYMCACHE_ENTRY_H */
