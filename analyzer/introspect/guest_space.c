// SPDX-License-Identifier: GPL-2.0-only
/* Walks page tables of a guest. */

#include <errno.h>
#include <string.h>

#include "introspect/guest_space.h"

/* Bits of the entries of all levels (SDM, "4-Level Paging", its tables). */
#define ENTRY_PRESENT 0x1ull
#define ENTRY_WRITE   0x2ull
#define ENTRY_USER    0x4ull
#define ENTRY_LARGE   0x80ull
#define ENTRY_NX      0x8000000000000000ull
#define ENTRY_ADDRESS 0x000ffffffffff000ull

/* Bits 63 to the highest that is translated are equal? */
static bool canonical(const struct guest_space *s, __u64 va)
{
	int unused = s->la57 ? 64 - 57 : 64 - 48;

	return (__u64)((__s64)(va << unused) >> unused) == va;
}

int guest_space_page(const struct guest_space *s, __u64 va,
		     struct guest_page *ret, __u64 *span)
{
	struct guest_page page = { .write = true, .user = true, .exec = true };
	__u64 table = s->root, entry, size;
	int shift, err;

	if (!canonical(s, va))
		return -EFAULT;
	for (shift = s->la57 ? 48 : 39;; shift -= 9) {
		size = 1ull << shift;
		err = guest_memory_entry(
			s->mem, table + (va >> shift) % 512 * 8, &entry);
		if (err)
			return err;
		if (span)
			*span = size - va % size;
		if (!(entry & ENTRY_PRESENT))
			return -ENOENT;
		page.write &= !!(entry & ENTRY_WRITE);
		page.user &= !!(entry & ENTRY_USER);
		page.exec &= !(entry & ENTRY_NX);
		table = entry & ENTRY_ADDRESS & ~s->clear;
		if (shift == 12)
			break;
		if (entry & ENTRY_LARGE) {
			if (shift > 30)
				return -EFAULT; /* reserved */
			break;
		}
	}
	page.size = size;
	/* Bit 12 of a large page's entry is PAT, not address. */
	page.gpa = (table & -size) + va % size;
	*ret = page;
	return 0;
}

int guest_space_read(const struct guest_space *s, __u64 va, void *buf,
		     size_t size)
{
	char *to = buf;

	while (size) {
		struct guest_page page;
		size_t part;
		int err = guest_space_page(s, va, &page, NULL);

		if (err)
			return err;
		part = page.size - va % page.size < size ?
			       page.size - va % page.size :
			       size;
		err = guest_memory_read(s->mem, page.gpa, to, part);
		if (err)
			return err;
		to += part;
		size -= part;
		va += part;
	}
	return 0;
}

int guest_space_u64(const struct guest_space *s, __u64 va, __u64 *ret)
{
	return guest_space_read(s, va, ret, sizeof(*ret));
}

int guest_space_u32(const struct guest_space *s, __u64 va, __u32 *ret)
{
	return guest_space_read(s, va, ret, sizeof(*ret));
}

int guest_space_string(const struct guest_space *s, __u64 va, char *buf,
		       size_t size)
{
	size_t used = 0;

	/* What lies behind it may be on a page that is not there. */
	while (used + 1 < size) {
		size_t part = 64 - va % 64, len;
		int err;

		if (part > size - 1 - used)
			part = size - 1 - used;
		err = guest_space_read(s, va, buf + used, part);
		if (err)
			return err;
		len = strnlen(buf + used, part);
		used += len;
		if (len < part) {
			buf[used] = '\0';
			return used;
		}
		va += part;
	}
	return -ENAMETOOLONG;
}
