/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who ran on the host, of all the time that records are kept: the session's file
 * `host` begins anew with the agent's reader, and what it was until then is a file
 * in the directory "hosts", called by the TSC of that time.
 */
#ifndef CMD_AGENT_KEPT_HOSTS_H
#define CMD_AGENT_KEPT_HOSTS_H

#include <linux/types.h>

#include "cmd/agent/kept_list.h"
#include "format/item_writer.h"

struct kept_hosts {
	int dirfd; /* -1: there are none */
	struct kept_stretch *list;
	size_t nr;
};

/*
 * Keeps what file @host has of processes and their files, and not of the kernel,
 * as it was until @now (TSC).  0 or -errno: then nothing is left of it.
 */
int kept_hosts_put(int at, int host, __u64 now);

/*
 * Removes what was until @from (TSC) or before, and adds the bytes of the others to
 * *bytes.  0 or -errno.
 */
int kept_hosts_trim(int at, __u64 from, __u64 *bytes);

/* Those that there are.  kept_hosts_deinit() is due in either case.  0 or -errno. */
int kept_hosts_init(struct kept_hosts *h, int at);
void kept_hosts_deinit(struct kept_hosts *h);

/*
 * Writes all of them, and then file @host, as one: with files numbered on, and
 * without what was "before anything was watched" in the later ones.  0 or -errno.
 */
int kept_hosts_copy(const struct kept_hosts *h, int host,
		    struct item_writer *to);

#endif /* CMD_AGENT_KEPT_HOSTS_H */
