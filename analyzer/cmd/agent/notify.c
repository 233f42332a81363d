// SPDX-License-Identifier: GPL-2.0-only
/* sd_notify(3) without its library: a datagram to $NOTIFY_SOCKET. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/io.h"
#include "cmd/agent/notify.h"

#define SOCKET_NAME "NOTIFY_SOCKET"

void notify_ready(void)
{
	static const char ready[] = "READY=1";
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *name = getenv(SOCKET_NAME);
	size_t len = name ? strlen(name) : 0;
	int fd;

	if (!len || len >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, name, len);
	/* an abstract one */
	if (*name == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		sendto(fd, ready, strlen(ready), MSG_NOSIGNAL,
		       (struct sockaddr *)&to,
		       offsetof(struct sockaddr_un, sun_path) + len);
	io_close(&fd);
	unsetenv(SOCKET_NAME);
}
