/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places of functions (profile_part()) by page of code: of a kernel, or of a file,
 * whichever processes execute it.  Only what holds at all times is here, and says
 * nothing but a name.
 */
#ifndef MODEL_CODE_PLACES_H
#define MODEL_CODE_PLACES_H

#include "base/hash.h"
#include "model/resolve_parts.h"

#define CODE_PAGE	12 /* bits of an address in a page */
#define CODE_LINE	6  /* bits of an address in a line */
#define CODE_LINES	(1 << (CODE_PAGE - CODE_LINE)) /* of a page */
#define CODE_PAGE_BITS	16 /* of the number of pages that are remembered */
#define CODE_LINES_BITS 16 /* of that of pages of files that have lines */

/*
 * 64 bytes of code: the function that they begin in, as far as it is in them, and
 * the one that they end in.  From the lowest bits on: the first one and the last one
 * (26 bits each: 1 if a kernel idles in it, and 2 * (place + 1); 0: none), the first's
 * last byte (0 without one), the last's first.
 */
struct code_lines {
	__u64 line[CODE_LINES];
};

#define CODE_PLACE_BITS 26

/* A page that a process or kernel has at an address. */
struct code_page {
	__u64 whose; /* slot_whose(); 0: empty */
	__u64 page;  /* of the address */
	__u32 lines; /* in code_places.lines */
};

struct code_places {
	struct code_page *page; /* 2 to the power of CODE_PAGE_BITS */
	struct code_lines *lines;
	size_t nr, cap;
	struct hash files; /* machine and file -> their number */
	struct hash pages; /* that number and page of the file -> lines */
	__u32 nr_files;
	__u64 filled; /* how often all lines were forgotten */
};

int code_places_init(struct code_places *c);
void code_places_deinit(struct code_places *c);
void code_places_forget(struct code_places *c);

/* Where a page would be. */
static inline struct code_page *code_page(const struct code_places *c,
					  __u64 whose, __u64 ip)
{
	return &c->page[hash_recent(ip >> CODE_PAGE, whose, CODE_PAGE_BITS)];
}

/*
 * The lines of an address's page, which would be @p; 0: it is not remembered, and
 * they know nothing.
 * Without branches, which the CPU would guess wrong.
 */
static inline __u32 code_page_lines(const struct code_page *p, __u64 whose,
				    __u64 ip)
{
	const __u64 other = (p->whose ^ whose) | (p->page ^ ip >> CODE_PAGE);

	return other ? 0 : p->lines;
}

/* The line of an address. */
static inline const __u64 *code_line(const struct code_places *c, __u32 lines,
				     __u64 ip)
{
	return &c->lines[lines].line[ip >> CODE_LINE & (CODE_LINES - 1)];
}

/* What a line says of an address; 0: not known. */
static inline __u32 code_line_says(__u64 line, __u64 ip)
{
	const __u32 mask = (1u << CODE_PLACE_BITS) - 1;
	const __u32 at = ip & ((1 << CODE_LINE) - 1);
	const __u32 end = line >> 2 * CODE_PLACE_BITS & 63;
	const __u32 begin = line >> (2 * CODE_PLACE_BITS + 6);
	__u64 says = 0;

	/* one of them at most has the address, the first one if it says so */
	if (at >= begin)
		says = line >> CODE_PLACE_BITS;
	if (at <= end)
		says = line;
	return says & mask;
}

/*
 * The place of an address in a line; VMMPROF_NONE: not known.  @unusual (1 or 0): where
 * a kernel idles more is to be said of the sample, so there it is not known.
 */
static inline __u32 code_line_place(__u64 line, __u64 ip, __u32 unusual)
{
	const __u32 says = code_line_says(line, ip);

	return ((says >> 1) - 1) | -(says & unusual);
}

/*
 * The function at an address has this place, and so has all of it that is in the
 * address's page.  What was found in @slot, which is the address's, by an @im
 * (NULL: of machine @i's kernel) at @ns.  0 or -ENOMEM.
 */
int code_places_note(struct code_places *c, struct resolver *r, __u32 i,
		     const struct image *im, __u64 ns, __u64 ip,
		     const struct resolve_slot *slot);

#endif /* MODEL_CODE_PLACES_H */
