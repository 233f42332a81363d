/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof top`, the reader: guests' maps, which arrive while it runs, their
 * age, or why there are none.
 */
#ifndef CMD_TOP_MAPS_H
#define CMD_TOP_MAPS_H

#include "cmd/top/options.h"
#include "model/analysis.h"
#include "transport/refresh.h"

struct top_maps {
	struct analysis *a;
	const struct session_load *load; /* bundles that were given */
	int notes;			 /* -1: nobody is asked or read */
	bool asks;			 /* guests are to be asked */
	bool unasked;			 /* nobody can be asked */
	bool nobody;			 /* ... or read */
	struct top_map {
		__u64 asked_ns; /* of the maps in use; 0: there are none */
		__u64 size;	/* of their file */
		__u32 serial;	/* of code that was asked for with them */
		bool failed;	/* the last time; why is in note */
		struct refresh_note note; /* the last one */
		struct top_next {
			__u64 asked_ns;
			__u32 serial;
		} next; /* of maps that wait to be used */
		int fd; /* them, -1: none */
	} * maps;	/* by guest */
	size_t nr, cap;
	char text[1024];
};

void top_maps_init(struct top_maps *m, struct analysis *a,
		   const struct top_options *o);
void top_maps_deinit(struct top_maps *m);

/*
 * Takes the maps that arrived.  @hold: keeps them for later, because the screen
 * refers to the current ones.  0 or -ENOMEM.
 */
int top_maps_take(struct top_maps *m, bool hold);

/* Says what newer maps could name; none if @hold.  0 or -errno of fd. */
int top_maps_wants(struct top_maps *m, int fd, bool hold);

/*
 * "maps of 3 s ago, agent", or why there are none, of a machine; NULL of the
 * host.  Safe to print; until the next call.
 */
const char *top_maps_about(void *m, __u32 machine);

/* The last note about a machine; NULL: there is none yet. */
const struct top_map *top_maps_of(const struct top_maps *m, __u32 machine);

/* Why a guest is never asked, whether it is read or not; NULL: it is. */
const char *top_maps_never(const struct top_maps *m, __u32 machine);

#endif /* CMD_TOP_MAPS_H */
