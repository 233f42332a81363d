/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of vmmprof-guest: from opening the bundle to its END item. */
#ifndef VMMPROF_GUEST_SESSION_H
#define VMMPROF_GUEST_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

enum method {
	METHOD_AUTO,
	METHOD_BPF,
	METHOD_KCORE,
	METHOD_NONE,
};

struct guest_options {
	const char *output;
	enum method method;
	const __u8 (*have)[20]; /* build-ids whose symbols are not wanted */
	size_t nr_have;
	bool unwind;	 /* tables for call chains are wanted */
	double duration; /* seconds; 0: until a signal */
	bool watch;
	bool verbose;
	void (*say)(const char *text);
};

/*
 * Writes the bundle.  0, or -errno of writing it; on an error that stopped it
 * from being complete the file stays, without an END item.  SIGINT, SIGTERM
 * and SIGHUP end watching and are blocked from then on.
 */
int guest_run(const struct guest_options *opt);

#endif /* VMMPROF_GUEST_SESSION_H */
