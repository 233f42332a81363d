/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes of one machine and what was mapped where in them.  A process is
 * cut into images: one from its fork to its exec, one from exec to exec or
 * exit.  Mappings belong to an image; a forked image inherits its parent's.
 */
#ifndef MODEL_PROCESSES_H
#define MODEL_PROCESSES_H

#include <stdbool.h>

#include "format/bundle.h"
#include "base/hash.h"
#include "model/holds.h"

struct image {
	__u32 pid;
	__u32 parent; /* image it was forked from, VMMPROF_NONE */
	__u64 from;   /* ns, inclusive */
	__u64 end;    /* ns, exclusive */
	__u32 proc;   /* for users of the model; VMMPROF_NONE at first */
	__u64 mm;     /* address of its mm_struct; 0: not known */
	__u64 start;  /* ns of the guest; 0: not known */
	bool kthread;
	char comm[16]; /* may lack a NUL; empty: not known */
	size_t map;    /* first of its mappings in procs->maps */
	size_t nr_maps;
};

/* A mapping, sorted by image, start. */
struct image_map {
	const struct vmmprof_maps_map *item;
	__u64 max_end; /* largest end of this and those before it */
	__u32 image;
};

struct procs {
	struct image *images; /* sorted by pid, from */
	size_t nr, cap;
	struct image_map *maps;
	size_t nr_maps;
	struct hash pids; /* pid -> first index in images */
	bool by_mm;	  /* images have .mm: read from memory */
	bool odd_maps;	  /* not all begin and end at multiples of MAP_UNIT */
	bool odd_pages;	  /* the same of pages */
};

#define MAP_PAGE 4096
#define MAP_UNIT 64 /* of real mappings, which have whole pages, a part */

/* Build from a checked bundle, which must live as long.  0 or -ENOMEM. */
int procs_init(struct procs *ps, const struct bundle *b);
void procs_deinit(struct procs *ps);

/*
 * The image of pid at ns (the last one for TIME_UNKNOWN), NULL if that process
 * is not known.  After its exit a process is still found, until its pid is used
 * again.
 */
struct image *procs_find(const struct procs *ps, __u32 pid, __u64 ns);
/* *h is narrowed to times of the same answer. */
struct image *procs_find_held(const struct procs *ps, __u32 pid, __u64 ns,
			      struct holds *h);

/*
 * The image of pid with that mm_struct, begun at @start if both know that (0: not
 * known); of several the one at ns.  NULL: none.  *h as above.
 */
struct image *procs_find_mm(const struct procs *ps, __u32 pid, __u64 mm,
			    __u64 start, __u64 ns, struct holds *h);

/*
 * What is mapped at addr in an image at ns, NULL if nothing is known to be.
 * The newest mapping made until then, unless it is gone; else the parent's at the fork, else one
 * of this image that was only seen later.  The answer holds for times in
 * [*from, *end).
 */
const struct vmmprof_maps_map *procs_find_map(const struct procs *ps,
					      const struct image *image,
					      __u64 ns, __u64 addr, __u64 *from,
					      __u64 *end);

/*
 * The file's text in whose place the anonymous mapping @anon of an image lies,
 * wholly; NULL: of none.  *confirmed: a later look at the process found this
 * text, moved to memory (huge pages), in exactly that range.
 */
const struct vmmprof_maps_map *
procs_find_text(const struct procs *ps, const struct image *image,
		const struct vmmprof_maps_map *anon, __u64 addr,
		bool *confirmed);

#endif /* MODEL_PROCESSES_H */
