// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks up pages in the XArray of a struct address_space (include/linux/xarray.h)
 * and reads them where the page's number in vmemmap says.
 */

#include <errno.h>
#include <string.h>

#include "introspect/page_cache.h"

#define SLOT_BITS  6	 /* XA_CHUNK_SHIFT */
#define FOLIO_MAX  512	 /* pages: MAX_PAGECACHE_ORDER, a huge page */
#define NODE_FIRST 4096u /* internal entries below are no nodes */

int page_cache_open(const struct guest_kernel *k, __u64 addr,
		    struct page_cache *ret)
{
	const struct guest_members *m = &k->members;
	int err;

	memset(ret, 0, sizeof(*ret));
	ret->k = k;
	if (!guest_members_have(m, GUEST_CACHE) || !m->page ||
	    m->xa_slots != PAGE_CACHE_SLOTS || !k->known[GUEST_SYM_VMEMMAP])
		return -EOPNOTSUPP;
	err = guest_space_u64(&k->space, k->known[GUEST_SYM_VMEMMAP],
			      &ret->vmemmap);
	err = err ?: guest_get(k, addr, GUEST_FILE_MAPPING, &ret->mapping);
	err = err ?: guest_get(k, ret->mapping, GUEST_MAPPING_HOST, &ret->host);
	return err ?: guest_get(k, ret->host, GUEST_INODE_SIZE, &ret->size);
}

bool page_cache_valid(const struct page_cache *c, __u64 ino)
{
	__u64 host, is, size;

	return !guest_get(c->k, c->mapping, GUEST_MAPPING_HOST, &host) &&
	       host == c->host &&
	       !guest_get(c->k, host, GUEST_INODE_INO, &is) && is == ino &&
	       !guest_get(c->k, host, GUEST_INODE_SIZE, &size) &&
	       size == c->size;
}

/* xa_is_node() */
static bool is_node(__u64 entry)
{
	return (entry & 3) == 2 && entry > NODE_FIRST;
}

/* xa_is_sibling(): in place of the slot that it says. */
static bool is_sibling(__u64 entry, unsigned int *slot)
{
	*slot = entry >> 2;
	return (entry & 3) == 2 && *slot < PAGE_CACHE_SLOTS;
}

static int read_node(struct page_cache *c, __u64 node, __u8 *shift,
		     __u64 slot[PAGE_CACHE_SLOTS])
{
	const struct guest_kernel *k = c->k;
	int err = guest_space_read(&k->space, guest_at(k, node, GUEST_XA_SHIFT),
				   shift, 1);

	return err   ?:
		       guest_space_read(&k->space,
					guest_at(k, node, GUEST_XA_SLOTS), slot,
					PAGE_CACHE_SLOTS * 8);
}

/* What the slot of @index has, below a node of this shift. */
static __u64 slot_of(const __u64 slot[PAGE_CACHE_SLOTS], __u64 index, int shift)
{
	__u64 entry = slot[index >> shift & (PAGE_CACHE_SLOTS - 1)];
	unsigned int other;

	return is_sibling(entry, &other) ? slot[other] : entry;
}

/* The entry of page @index. */
static int find_entry(struct page_cache *c, __u64 index, __u64 *ret)
{
	const __u64 first = index & -(__u64)PAGE_CACHE_SLOTS;
	int last = 64, err;
	__u64 entry;
	__u8 shift;

	if (c->has_node && c->first == first) {
		*ret = slot_of(c->slot, index, 0);
		return 0;
	}
	c->has_node = false;
	err = guest_get(c->k, guest_at(c->k, c->mapping, GUEST_MAPPING_PAGES),
			GUEST_XA_HEAD, &entry);
	if (err)
		return err;
	/* without a node it is page 0 */
	if (!is_node(entry) && index)
		entry = 0;
	while (is_node(entry)) {
		err = read_node(c, entry - 2, &shift, c->slot);
		if (err)
			return err;
		if (shift % SLOT_BITS || shift >= last)
			return -ESTALE;
		/* the highest one ends before?  Then its slots are of others. */
		if (last == 64 && shift + SLOT_BITS < 64 &&
		    index >> (shift + SLOT_BITS)) {
			*ret = 0;
			return 0;
		}
		entry = slot_of(c->slot, index, shift);
		last = shift;
	}
	c->has_node = last == 0;
	c->first = first;
	*ret = entry;
	return 0;
}

/* What is read of a struct page. */
struct head {
	__u64 flags, mapping, index;
};

static int read_head(const struct page_cache *c, __u64 page, struct head *ret)
{
	int err = guest_get(c->k, page, GUEST_PAGE_FLAGS, &ret->flags);

	err = err ?: guest_get(c->k, page, GUEST_PAGE_MAPPING, &ret->mapping);
	return err ?: guest_get(c->k, page, GUEST_PAGE_INDEX, &ret->index);
}

/* Does the folio at @page have page @index of this file, all of it read? */
static int check_head(const struct page_cache *c, __u64 page, __u64 index,
		      __u64 *first)
{
	struct head h;
	int err = read_head(c, page, &h);

	if (err)
		return err;
	if (h.mapping != c->mapping || h.index > index ||
	    index - h.index >= FOLIO_MAX)
		return -ESTALE;
	*first = h.index;
	return h.flags >> c->k->members.uptodate & 1 ? 0 : -ENOENT;
}

int page_cache_read(struct page_cache *c, __u64 offset, void *buf, size_t size)
{
	const __u32 bytes = c->k->members.page;
	const __u64 index = offset / GUEST_PAGE;
	__u64 page, first, pfn;
	int err = find_entry(c, index, &page);

	if (err)
		return err;
	/* nothing, or what was written out */
	if (!page || page & 1)
		return -ENOENT;
	if (page & 3 || page < c->vmemmap || (page - c->vmemmap) % bytes)
		return -ESTALE;
	err = check_head(c, page, index, &first);
	if (err)
		return err;
	pfn = (page - c->vmemmap) / bytes + (index - first);
	if (pfn > GUEST_CR3_ADDRESS / GUEST_PAGE)
		return -ESTALE;
	err = guest_memory_read(c->k->space.mem,
				pfn * GUEST_PAGE + offset % GUEST_PAGE, buf,
				size);
	/* It may have become another file's meanwhile. */
	return err ?: check_head(c, page, index, &first);
}
