/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that processes have mapped executably: gives each an id and writes
 * its FILE and SYMTAB items once they are known, and the MAP items that had to
 * wait for that.  Other processes open and read them (os/file_broker.h).
 *
 * One file may be mapped under many paths and mount namespaces, and be copied
 * (containers): it is known by device and inode, and by build-id together with
 * who can write it.  So nobody's file can give its symbols to a file of
 * somebody else.
 */
#ifndef OS_MAP_FILES_H
#define OS_MAP_FILES_H

#include <poll.h>
#include <stdbool.h>

#include "format/item_writer.h"
#include "os/mapping.h"
#include "os/symbol_budget.h"

struct map_files;

/* @budget and the others must outlive it. */
int map_files_create(struct item_writer *w, struct proc_maps_stat *stat,
		     struct symbol_budget *budget, struct map_files **ret);

/*
 * End of waiting: files that are not known within @ms are written as files that
 * could not be read.  0 or -errno.
 */
int map_files_end(struct map_files *files, unsigned int ms);

/* Frees it; waits for a short time only. */
int map_files_destroy(struct map_files *files);

/*
 * Write [vdso] of 64-bit processes, the same for all: @image is our own.
 * Without this call it is a file that could not be read.
 */
int map_files_vdso(struct map_files *files, const void *image, size_t size);

/*
 * Files whose build-id is one of these n (20 bytes each) are not read, if
 * nobody but root can write them: their FILE item says CACHED and there is no
 * SYMTAB.  The same of UNWIND for build-ids behind one of 20 zeros, with
 * UNWIND_CACHED.  Copied; a shorter build-id ends with zeros.  Before the first
 * file.  0 or -ENOMEM.
 */
int map_files_have(struct map_files *files, const void *build_ids, size_t n);

/*
 * Write an UNWIND item for each file that has .eh_frame, also of CACHED ones;
 * before the first file.  The same now for [vdso] that was written.  0 or
 * -errno.
 */
void map_files_unwind(struct map_files *files);
int map_files_unwind_vdso(struct map_files *files, const void *image,
			  size_t size);

/*
 * From now on files are opened, but read only while somebody waits for them or
 * if many are open: who measures does not want to be measured.
 */
void map_files_sparing(struct map_files *files);

/*
 * Writes a mapping, now or when its file is known; its process may have ended.
 * *of_file: it is no anonymous memory.  0 or -errno (the writer's, -ENOMEM).
 */
int map_files_map(struct map_files *files, const struct mmap_event *ev,
		  bool *of_file);

/* Writes what became known; waits for the rest for at most @ms.  0 or -errno. */
int map_files_run(struct map_files *files, unsigned int ms);

/* As file_broker_pollfds(). */
int map_files_pollfds(const struct map_files *files, struct pollfd *fds,
		      int max);

#endif /* OS_MAP_FILES_H */
