/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A socket from which Prometheus or curl(1) gets the metrics of the last window.
 * A process without rights answers (serve.h): the agent has no network.
 */
#ifndef CMD_AGENT_LISTEN_H
#define CMD_AGENT_LISTEN_H

#include <sys/types.h>

#include <linux/types.h>

#include "base/error.h"

struct listen {
	int sock; /* of that process; -1: there is none */
	pid_t pid;
	const char *path; /* of a Unix socket, which is removed; or NULL */
};

/*
 * @address: ADDRESS:PORT of this machine alone (127.0.0.0/8, [::1], localhost), or
 * the absolute path of a Unix socket; it has to live as long as @l.  0, or -errno
 * with a text in @e.  listen_close() is due in either case.
 */
int listen_open(struct listen *l, const char *address, struct error *e);
void listen_close(struct listen *l);

/*
 * What is answered from now on: @size bytes of @from, then @more.  0; -EAGAIN: the
 * process is late, and goes on with what it has; -EPIPE: it has ended.
 */
int listen_put(struct listen *l, int from, __u64 size, const char *more);

/* CPU time of that process. */
__u64 listen_cpu_ns(const struct listen *l);

#endif /* CMD_AGENT_LISTEN_H */
