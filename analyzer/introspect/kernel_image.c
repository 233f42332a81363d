// SPDX-License-Identifier: GPL-2.0-only
/* Finds a guest's kernel image by how it is mapped. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "introspect/kernel_image.h"

#define DATA_MIN (64u << 10)	/* the tables of kallsyms are larger */
#define DATA_MAX (128ull << 20) /* in a row */
#define DATA_ALL (256ull << 20) /* all that is searched */

static struct kernel_run *extend(struct kernel_image *im, __u64 va, __u64 size,
				 const struct guest_page *page)
{
	struct kernel_run *last = im->nr ? &im->run[im->nr - 1] : NULL;

	if (!last || last->end != va || last->write != page->write ||
	    last->exec != page->exec) {
		if (im->nr == KERNEL_RUNS)
			return NULL;
		last = &im->run[im->nr++];
		last->start = va;
		last->write = page->write;
		last->exec = page->exec;
	}
	last->end = va + size;
	return last;
}

static const struct kernel_run *choose_text(const struct kernel_image *im,
					    __u64 rip)
{
	const struct kernel_run *best = NULL;
	size_t i;

	for (i = 0; i < im->nr; i++) {
		const struct kernel_run *r = &im->run[i];

		if (!r->exec)
			continue;
		if (rip >= r->start && rip < r->end)
			return r;
		if (!best || r->end - r->start > best->end - best->start)
			best = r;
	}
	return best;
}

int kernel_image_find(const struct guest_space *space, __u64 rip,
		      struct kernel_image *ret)
{
	__u64 va, span;

	ret->nr = 0;
	for (va = GUEST_KERNEL_FIRST; va < GUEST_KERNEL_END; va += span) {
		struct guest_page page;
		int err = guest_space_page(space, va, &page, &span);

		/* What a whole upper table maps may end where addresses do. */
		if (err != -EFAULT && span > GUEST_KERNEL_END - va)
			span = GUEST_KERNEL_END - va;
		if (err == -ENOENT)
			continue;
		if (err == -EFAULT) {
			/* A table that is in no slot maps nothing. */
			span = GUEST_PAGE;
			continue;
		}
		if (err)
			return err;
		if (!extend(ret, va, span, &page))
			break;
	}
	ret->text = choose_text(ret, rip);
	return ret->text ? 0 : -ENOENT;
}

static int search(const struct guest_space *space, const struct kernel_run *r,
		  struct guest_symbols *ret)
{
	__u64 size = r->end - r->start;
	char *data = malloc(size);
	int err;

	if (!data)
		return -ENOMEM;
	err = guest_space_read(space, r->start, data, size);
	if (!err)
		err = kallsyms_tables_read(data, size, r->start, ret);
	free(data);
	return err;
}

int kernel_image_symbols(const struct guest_space *space,
			 const struct kernel_image *image,
			 struct guest_symbols *ret)
{
	__u64 left = DATA_ALL;
	int write, err = -ENOENT;
	size_t i;

	/* A kernel may have been built not to protect its data. */
	for (write = 0; write < 2; write++)
		for (i = 0; i < image->nr; i++) {
			const struct kernel_run *r = &image->run[i];
			__u64 size = r->end - r->start;

			if (r->exec || r->write != write || size < DATA_MIN ||
			    size > DATA_MAX || size > left)
				continue;
			left -= size;
			err = search(space, r, ret);
			if (err != -ENOENT && err != -EFAULT)
				return err;
		}
	return err == -EFAULT ? -ENOENT : err;
}
