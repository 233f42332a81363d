// SPDX-License-Identifier: GPL-2.0-only
/* Checks that the process listening on the agent's socket is the VM's. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "transport/agent_peer.h"
#include "transport/channel.h"
#include "os/proc_file.h"

/*
 * The user of a process.  Real, effective and saved user must be the same, so
 * that a user who runs a set-user-ID program does not pass for its owner.  The
 * owner of /proc/PID cannot be used: it is root if the process may not be
 * traced.
 */
static bool user_of(const struct target *t, unsigned int *uid)
{
	unsigned int effective, saved;
	char path[512], text[4096];
	const char *line;

	snprintf(path, sizeof(path), "%s/proc/%u/status", t->root, t->pid);
	if (proc_file_read(path, text, sizeof(text)) < 0)
		return false;
	line = strstr(text, "\nUid:");
	return line &&
	       sscanf(line, "\nUid: %u %u %u", uid, &effective, &saved) == 3 &&
	       effective == *uid && saved == *uid;
}

int agent_peer(struct channel *c)
{
	const struct target *t = c->target;
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);
	unsigned int uid;

	if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return channel_fail(c, -errno,
				    "%s: cannot find out who listens there: %s",
				    c->address, strerror(errno));
	if (peer.pid > 0 && (unsigned int)peer.pid == t->pid)
		return 0;
	if (user_of(t, &uid) && peer.uid == uid)
		return 0;
	return channel_fail(
		c, -EPERM,
		"%s: process %d of user %u listens there, not the VM: nothing was sent",
		c->address, peer.pid, peer.uid);
}
