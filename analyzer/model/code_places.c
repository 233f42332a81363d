// SPDX-License-Identifier: GPL-2.0-only
/* Remembers functions by page of code. */

#include <errno.h>
#include <string.h>

#include "base/vec.h"
#include "base/zero_table.h"
#include "model/code_places.h"

#define PAGES	  65536 /* 2 to the power of CODE_PAGE_BITS */
#define PAGE_SIZE 4096ull
#define LINE_SIZE 64u

/* All are forgotten when there are more: whoever makes records has no say. */
#define LINES_MAX 65536 /* 2 to the power of CODE_LINES_BITS */

int code_places_init(struct code_places *c)
{
	c->page = zero_table(PAGES * sizeof(*c->page));
	if (!c->page || vec_grow(&c->lines, &c->cap, 0, sizeof(*c->lines)))
		return -ENOMEM;
	/* those of pages that are not remembered: nothing is known */
	memset(c->lines, 0, sizeof(*c->lines));
	c->nr = 1;
	return 0;
}

void code_places_forget(struct code_places *c)
{
	memset(c->page, 0, PAGES * sizeof(*c->page));
	hash_deinit(&c->files);
	hash_deinit(&c->pages);
	c->nr = 1;
	c->nr_files = 0;
	c->filled++;
}

void code_places_deinit(struct code_places *c)
{
	zero_table_free(c->page, PAGES * sizeof(*c->page));
	free(c->lines);
	hash_deinit(&c->files);
	hash_deinit(&c->pages);
}

static int number(struct hash *h, __u64 key, __u32 next, __u32 *ret)
{
	*ret = hash_get(h, key);
	if (*ret != VMMPROF_NONE)
		return 0;
	*ret = next;
	return hash_set(h, key, next);
}

/* The lines of a page of machine @i's file, or kernel (VMMPROF_NONE). */
static int find_lines(struct code_places *c, __u32 i, __u32 file, __u32 page,
		      __u32 *ret)
{
	__u32 n;
	int err;

	if (c->nr == LINES_MAX)
		code_places_forget(c);
	err = number(&c->files, slot_whose(i, file), c->nr_files, &n);
	if (err)
		return err;
	c->nr_files += n == c->nr_files;
	err = vec_grow(&c->lines, &c->cap, c->nr, sizeof(*c->lines));
	if (!err)
		err = number(&c->pages, (__u64)n << 32 | page, c->nr, ret);
	if (err || *ret < c->nr)
		return err;
	memset(&c->lines[c->nr++], 0, sizeof(*c->lines));
	return 0;
}

/* The function of bytes @from until before @to of a line. */
static void set_line(__u64 *line, __u32 from, __u32 to, __u64 n)
{
	const unsigned int bits = CODE_PLACE_BITS;
	const __u64 mask = (1ull << bits) - 1;
	__u64 first = *line & mask, last = *line >> bits & mask;
	__u64 end = *line >> 2 * bits & 63, begin = *line >> (2 * bits + 6);

	if (!from) {
		first = n;
		end = to - 1;
		if (begin <= end)
			last = 0;
	} else if (to == LINE_SIZE) {
		last = n;
		begin = from;
		if (end >= begin) {
			first = 0;
			end = 0;
		}
	} else {
		return;
	}
	*line = first | last << bits | end << 2 * bits |
		begin << (2 * bits + 6);
}

/* A function that is in bytes @from until before @to of a page. */
static void set_lines(struct code_lines *l, __u32 from, __u32 to, __u64 n)
{
	__u32 i, begin, at;

	for (i = from / LINE_SIZE; i * LINE_SIZE < to; i++) {
		at = i * LINE_SIZE;
		begin = from > at ? from - at : 0;
		set_line(&l->line[i], begin,
			 to - at < LINE_SIZE ? to - at : LINE_SIZE, n);
	}
}

int code_places_note(struct code_places *c, struct resolver *r, __u32 i,
		     const struct image *im, __u64 ns, __u64 ip,
		     const struct resolve_slot *slot)
{
	struct code_page *page = code_page(c, slot->whose, ip);
	struct machine *m = resolver_machine(r, i);
	const __u64 start = ip & ~(PAGE_SIZE - 1);
	struct symbols_range same = { start, start + PAGE_SIZE };
	const __u64 n = 2 * (slot->place + 1ull) | slot->ref.idle;
	__u32 file = VMMPROF_NONE, lines;
	__u64 at = ip;
	int err;

	/* an address alone may be another one's at another time */
	if (n >> CODE_PLACE_BITS || slot->size < 2 || !slot->plain ||
	    slot->ref.cause)
		return 0;
	if (im ? !machine_user_page(m, im, ns, ip, &file, &at, &same) :
		 !machine_kernel_page(m, ip, &same))
		return 0;
	err = find_lines(c, i, file, at >> CODE_PAGE, &lines);
	if (err)
		return err;
	page->whose = slot->whose;
	page->page = ip >> CODE_PAGE;
	page->lines = lines;
	set_lines(&c->lines[lines], same.from - start, same.to - start, n);
	return 0;
}
