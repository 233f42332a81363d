/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of vmmprof-guest: from opening the bundle to its END item. */
#ifndef VMMPROF_GUEST_SESSION_H
#define VMMPROF_GUEST_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

enum vmmprof_method {
	VMMPROF_METHOD_AUTO,
	VMMPROF_METHOD_BPF,
	VMMPROF_METHOD_KCORE,
	VMMPROF_METHOD_NONE,
};

struct vmmprof_guest_options {
	const char *output;
	enum vmmprof_method method;
	const __u8 (*have)[20]; /* build-ids whose symbols are not wanted */
	size_t nr_have;
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
int vmmprof_guest_run(const struct vmmprof_guest_options *opt);

#endif /* VMMPROF_GUEST_SESSION_H */
