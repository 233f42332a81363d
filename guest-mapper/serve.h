/* SPDX-License-Identifier: GPL-2.0-only */
/* vmmprof-guest serve: watches and dumps for a host at the end of a stream. */
#ifndef VMMPROF_GUEST_SERVE_H
#define VMMPROF_GUEST_SERVE_H

/*
 * One conversation (include/vmmprof/serve.h) from in to out.  It makes a
 * directory for its files and removes it at the end.  0 or -errno.
 */
int serve_host(int in, int out);

/*
 * Accepts such conversations on a vsock port, one after another, from the
 * host's privileged ports only.  Returns only on an error, with -errno.
 */
int serve_vsock(unsigned int port);

#endif /* VMMPROF_GUEST_SERVE_H */
