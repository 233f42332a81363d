// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions from a second source beside the ones that are there: those of
 * .eh_frame have no names, a debug file's have.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "sym/eh_frame.h"
#include "sym/elf.h"
#include "sym/elf_internal.h"

/* Larger ones are not read: what they would take of the parser's memory. */
#define EH_FRAME_MAX (128u << 20)
/* Of a hostile file; real ones have one or two that are executable. */
#define SEGMENTS_MAX 64

static bool is_code(const struct elffile *elf, __u64 start, __u64 end)
{
	const struct vmmprof_segment *s = elf->segments;
	__u32 i;

	for (i = 0; i < elf->nr_segments && i < SEGMENTS_MAX; i++, s++)
		if (start >= s->vaddr && start - s->vaddr < s->filesz &&
		    end - s->vaddr <= s->filesz)
			return true;
	return false;
}

static int compare(const void *pa, const void *pb)
{
	const struct vmmprof_symbol *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->size < b->size ? 1 : a->size > b->size ? -1 : 0;
}

/* As most linkers leave them. */
static bool sorted(const struct vmmprof_symbol *v, size_t nr)
{
	size_t i;

	for (i = 1; i < nr && compare(&v[i - 1], &v[i]) <= 0;)
		i++;
	return i >= nr;
}

int elffile_add_bounds(const struct sections *s, struct elffile *elf)
{
	Elf_Data *d = s->eh_frame && s->eh_frame_sh.sh_size <= EH_FRAME_MAX ?
			      elf_section_data(s->eh_frame, &s->eh_frame_sh) :
			      NULL;
	struct vmmprof_symbol *v = NULL;
	size_t nr = 0, cap = 0;
	struct eh_frame_iter it;
	struct eh_frame frame;
	struct eh_fde f;
	int err = 0;

	if (!d)
		return 0;
	frame = (struct eh_frame){ d->d_buf, d->d_size, s->eh_frame_sh.sh_addr,
				   elf->ia32 };
	eh_frame_begin(&frame, &it);
	while (!err && eh_frame_next(&it, &f)) {
		__u64 size = f.end - f.start;

		if (!is_code(elf, f.start, f.end))
			continue;
		err = vec_grow(&v, &cap, nr, sizeof(*v));
		if (err)
			break;
		v[nr++] = (struct vmmprof_symbol){
			.addr = f.start,
			.size = size < UINT32_MAX ? size : UINT32_MAX,
		};
	}
	if (!err && nr) {
		if (!sorted(v, nr))
			sort_array(v, nr, sizeof(*v), compare);
		err = elffile_fill(elf, v, nr, "");
	}
	free(v);
	return err;
}

/* Where the two tables are joined. */
struct join {
	struct vmmprof_symbol *to;
	size_t nr;
	char *strings;
	size_t size;
	__u64 covered; /* a symbol ends here */
};

static void take_old(struct join *j, const struct vmmprof_symbol *s,
		     const struct vmmprof_symbol *same)
{
	struct vmmprof_symbol *to = &j->to[j->nr++];

	*to = *s;
	if (!s->size && same)
		to->size = same->size;
	if (to->size && to->addr + to->size > j->covered)
		j->covered = to->addr + to->size;
}

static void take_new(struct join *j, const struct vmmprof_symbol *s,
		     const char *strings)
{
	const char *name = strings + s->name;
	size_t len = strlen(name);

	if (s->addr < j->covered || (j->nr && j->to[j->nr - 1].addr == s->addr))
		return;
	j->to[j->nr] = *s;
	/* an empty one is the last byte of the strings that were there */
	j->to[j->nr].name = j->size - 1;
	if (len) {
		memcpy(j->strings + j->size, name, len + 1);
		j->to[j->nr].name = j->size;
		j->size += len + 1;
	}
	j->nr++;
}

/* Bytes of the names that may be added. */
static __u64 names_size(const struct vmmprof_symbol *more, size_t nr,
			const char *strings)
{
	__u64 size = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		if (strings[more[i].name])
			size += strlen(strings + more[i].name) + 1;
	return size;
}

/* As take_new() needs it: an empty name behind the old ones. */
static int begin_join(struct join *j, const struct elffile *elf, size_t nr,
		      __u64 names)
{
	size_t room = elf->strings_size + 1 + names;

	if (names > INT32_MAX || elf->nr_symbols + nr > INT32_MAX)
		return -EFBIG;
	j->to = malloc((elf->nr_symbols + nr + 1) * sizeof(*j->to));
	j->strings = malloc(room);
	if (!j->to || !j->strings) {
		free(j->to);
		free(j->strings);
		return -ENOMEM;
	}
	if (elf->strings_size)
		memcpy(j->strings, elf->strings, elf->strings_size);
	else
		j->strings[0] = '\0';
	j->size = elf->strings_size ? elf->strings_size : 1;
	return 0;
}

int elffile_fill(struct elffile *elf, const struct vmmprof_symbol *more,
		 size_t nr, const char *strings)
{
	struct join j = { 0 };
	size_t i = 0, k = 0;
	int err;

	err = begin_join(&j, elf, nr, names_size(more, nr, strings));
	if (err)
		return err;
	while (i < elf->nr_symbols || k < nr) {
		const struct vmmprof_symbol *a = i < elf->nr_symbols ?
							 &elf->symbols[i] :
							 NULL;
		const struct vmmprof_symbol *b = k < nr ? &more[k] : NULL;

		if (!a || (b && b->addr < a->addr)) {
			take_new(&j, &more[k++], strings);
			continue;
		}
		take_old(&j, a, b && b->addr == a->addr ? b : NULL);
		i++;
	}
	free(elf->symbols);
	free(elf->strings);
	elf->symbols = j.to;
	elf->strings = j.strings;
	elf->nr_symbols = j.nr;
	elf->strings_size = j.nr ? j.size : 0;
	return 0;
}

bool elffile_drop_bounds(struct elffile *elf)
{
	__u32 i, nr = 0;

	for (i = 0; i < elf->nr_symbols; i++)
		if (elf->strings[elf->symbols[i].name])
			elf->symbols[nr++] = elf->symbols[i];
	if (nr == elf->nr_symbols)
		return false;
	elf->nr_symbols = nr;
	elf->strings_size = nr ? elf->strings_size : 0;
	return true;
}
