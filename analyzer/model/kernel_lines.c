// SPDX-License-Identifier: GPL-2.0-only
/* Finds debug files of kernels, and how far the kernel was moved from them. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/vec.h"
#include "model/kernel_lines.h"
#include "sym/debug_path.h"

size_t kernel_build_id(const struct bundle *b, const struct ksym *s,
		       __u8 id[ELFFILE_BUILD_ID_MAX])
{
	char hex[2 * ELFFILE_BUILD_ID_MAX + 1], key[80] = "kernel_build_id";
	size_t size;

	if (s->module)
		snprintf(key, sizeof(key), "module.%.*s", (int)s->module_len,
			 s->module);
	text_get(&b->text, key, hex, sizeof(hex));
	size = hex_get(hex, id, ELFFILE_BUILD_ID_MAX);
	return hex[2 * size] ? 0 : size;
}

static struct debuginfo *open_file(const struct bundle *b, bool vmlinux,
				   const __u8 *id, size_t size)
{
	struct debuginfo *d = debuginfo_open(NULL, 0, id, size);
	char release[80], path[160];
	unsigned int i;
	int err;

	text_get(&b->text, "release", release, sizeof(release));
	for (i = 0; vmlinux && !d &&
		    (err = debug_path_vmlinux(i, release, path,
					      sizeof(path))) != -ENOENT;
	     i++)
		if (!err)
			d = debuginfo_open(path, 0, id, size);
	return d;
}

/* The file of a symbol; NULL: none. */
static struct debuginfo *file_of(struct kernel_lines *l, const struct bundle *b,
				 bool host, const struct ksym *s)
{
	__u8 id[ELFFILE_BUILD_ID_MAX];
	size_t size = kernel_build_id(b, s, id), i;
	struct kernel_file *f;

	for (i = 0; i < l->nr; i++)
		if (l->files[i].size == size &&
		    !memcmp(l->files[i].build_id, id, size))
			return l->files[i].d;
	if (!size || l->nr >= KERNEL_LINES_FILES ||
	    vec_grow(&l->files, &l->cap, l->nr, sizeof(*l->files)))
		return NULL;
	f = &l->files[l->nr++];
	memcpy(f->build_id, id, size);
	f->size = size;
	f->d = open_file(b, host && !s->module, id, size);
	return f->d;
}

/*
 * The address less that in the file.  A vmlinux is moved as a whole, so any
 * function tells that has its name alone; of a module each section is where it
 * is.
 */
static bool find_slide(struct kernel_lines *l, struct debuginfo *d,
		       const struct ksym *s, __u64 *slide)
{
	char name[256];
	__u64 addr;

	*slide = l->slide;
	if (!s->module && l->slid)
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)s->name_len, s->name);
	if (!debuginfo_function(d, name, &addr))
		return false;
	*slide = s->addr - addr;
	if (!s->module) {
		l->slide = *slide;
		l->slid = true;
	}
	return true;
}

size_t kernel_lines_inlines(struct kernel_lines *l, const struct bundle *b,
			    const struct kallsyms *k, bool host, __u64 addr,
			    struct debuginfo_inline *ret, size_t max)
{
	const struct ksym *s = kallsyms_find(k, addr);
	struct debuginfo *d = s ? file_of(l, b, host, s) : NULL;
	__u64 slide;

	if (!d || !find_slide(l, d, s, &slide))
		return 0;
	return debuginfo_inlines(d, addr - slide, ret, max);
}

void kernel_lines_deinit(struct kernel_lines *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++)
		debuginfo_close(l->files[i].d);
	free(l->files);
	memset(l, 0, sizeof(*l));
}
