/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profiles of a window (view/export_per_vm.h), as requests to a store.  The
 * bytes may be anybody's.
 */
#ifndef CMD_PUSH_WINDOW_H
#define CMD_PUSH_WINDOW_H

#include <stddef.h>

#include <linux/types.h>

#include "format/tar.h"

struct window {
	const void *data;
	size_t size, at;
	__u32 nr;      /* of profiles so far */
	__u64 real_ns; /* in ids, with .nr */
};

/* A profile, and what it is. */
struct window_profile {
	struct tar_file file;		   /* gzipped pprof */
	char type[16], host[256], vm[256]; /* "": none */
	__u64 time_ns;
	__u64 window_ns; /* with .nr it is in its id */
	__u32 nr;
};

/* 0; -ENODATA: there are no more; -EINVAL: it is no such window. */
int window_next(struct window *w, struct window_profile *p);

/*
 * The request PushRequest of Grafana Pyroscope's api/push/v1/push.proto; *data is to
 * be freed.  @service: the label service_name.  0 or -ENOMEM.
 */
int window_request(const struct window_profile *p, const char *service,
		   char **data, size_t *size);

#endif /* CMD_PUSH_WINDOW_H */
