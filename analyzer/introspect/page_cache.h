/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of a file, as far as a guest's kernel has them in its page cache:
 * mapped or not, read by whichever process.
 */
#ifndef INTROSPECT_PAGE_CACHE_H
#define INTROSPECT_PAGE_CACHE_H

#include "introspect/kernel.h"

#define PAGE_CACHE_SLOTS 64 /* XA_CHUNK_SIZE */

struct page_cache {
	const struct guest_kernel *k;
	__u64 mapping; /* address of the struct address_space */
	__u64 host;    /* of its inode */
	__u64 size;    /* bytes of the file */
	__u64 vmemmap; /* address of the struct page of page 0 */
	/* the node of the tree that was read last: of pages from here on */
	__u64 first, slot[PAGE_CACHE_SLOTS];
	bool has_node;
};

/*
 * Of the struct file at @addr.  0; -EOPNOTSUPP: this kernel's page cache is not
 * of a known form; or as guest_space_read().
 */
int page_cache_open(const struct guest_kernel *k, __u64 addr,
		    struct page_cache *ret);

/*
 * Is it still the same file's?  What its address has may be another one's
 * since.
 */
bool page_cache_valid(const struct page_cache *c, __u64 ino);

/*
 * Read @size bytes of one page at @offset of the file.  0; -ENOENT: the page is
 * not resident; -ESTALE: links that cannot be; -EDQUOT.
 */
int page_cache_read(struct page_cache *c, __u64 offset, void *buf, size_t size);

#endif /* INTROSPECT_PAGE_CACHE_H */
