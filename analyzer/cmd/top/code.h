/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof top`, the process that reads: guests' functions whose instructions
 * the user has looked at.  Their code is fetched with the guests' maps.
 */
#ifndef CMD_TOP_CODE_H
#define CMD_TOP_CODE_H

#include "cmd/top/maps.h"
#include "code/hotspots.h"

/* Of all guests, those looked at last. */
#define TOP_MAX_CODES REFRESH_CODES

struct top_codes {
	struct top_maps *maps;
	struct top_code {
		struct refresh_code want;
		__u64 asked_ns, looked_ns; /* CLOCK_MONOTONIC */
	} codes[TOP_MAX_CODES]; /* the one that was looked at last comes first */
	size_t nr;
	__u32 serial; /* of the last one */
	char text[256];
};

/*
 * For code_files.fetch: the user looks at the code of a guest's function.
 * @here: it is available.  Else returns why not, valid until the next call;
 * NULL: it will not be fetched, or is available.
 */
const char *top_codes_look(void *codes, const struct hot_place *p, bool here);

/* Sends what is wanted: struct top_wants, and the entries it counts. */
int top_codes_send(const struct top_codes *c, int fd);

#endif /* CMD_TOP_CODE_H */
