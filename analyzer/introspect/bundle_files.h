/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that processes of a guest have mapped: what each is called is kept
 * until all processes are written, then its pages are looked for.
 */
#ifndef INTROSPECT_BUNDLE_FILES_H
#define INTROSPECT_BUNDLE_FILES_H

#include "base/hash.h"
#include "introspect/bundle_parts.h"
#include "introspect/files.h"

/* A mapped file as it was met first. */
struct bundle_file_seen {
	struct guest_file file; /* zeros: it has no struct file */
	__u64 addr;		/* of its struct file, or 0 */
	__u64 start;		/* where it was mapped */
	char *path; /* changed: a mark that it is deleted is cut off */
};

struct bundle_files {
	struct hash known; /* of device, inode and path -> id */
	struct bundle_file_waiting *waiting;
	size_t nr, cap;
};

/*
 * Begins with the files of @before, which must live as long: a bundle whose files'
 * ids are 0 and up.  0 or -ENOMEM; bundle_files_deinit() is due in either case.
 */
int bundle_files_init(struct bundle_files *f, const struct bundle *before);

/*
 * Its id.  *first: this reading meets it first, and its build-id may be said by
 * bundle_files_build_id().  0 or -ENOMEM.
 */
int bundle_files_id(struct bundle_files *f, const struct guest_kernel *k,
		    const struct bundle_file_seen *seen, __u32 *id,
		    bool *first);

/*
 * If an earlier reading found another one, it was another file than the one @seen:
 * *id is then a new one.  0 or -ENOMEM.
 */
int bundle_files_build_id(struct bundle_files *f, const struct guest_kernel *k,
			  const struct bundle_file_seen *seen, __u32 *id,
			  const __u8 *build_id, __u8 size);

/*
 * FILE of all of them, SYMTAB and UNWIND of those whose pages are known.  What
 * is too much is left out, counted and noted.  0 or -errno.
 */
int bundle_files_write(struct bundle_files *f, const struct guest_kernel *k,
		       struct item_writer *w, struct guest_bundle_stat *stat);

void bundle_files_deinit(struct bundle_files *f);

#endif /* INTROSPECT_BUNDLE_FILES_H */
