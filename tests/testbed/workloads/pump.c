// SPDX-License-Identifier: GPL-2.0-only
/*
 * pump recv PORT: reads what comes to that vsock port, until killed.
 * pump send CID PORT: sends zeros there, until killed.
 */
#include <linux/vm_sockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char buf[65536];

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int receive(int fd, const struct sockaddr_vm *at)
{
	int peer;

	if (bind(fd, (const void *)at, sizeof(*at)) || listen(fd, 1))
		return fail("listen");
	for (;;) {
		peer = accept(fd, NULL, NULL);
		if (peer < 0)
			return fail("accept");
		while (read(peer, buf, sizeof(buf)) > 0)
			;
		close(peer);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_vm at = { .svm_family = AF_VSOCK,
				  .svm_cid = VMADDR_CID_ANY };
	int fd = socket(AF_VSOCK, SOCK_STREAM, 0);

	if (fd < 0)
		return fail("socket");
	if (argc == 3 && !strcmp(argv[1], "recv")) {
		at.svm_port = atoi(argv[2]);
		return receive(fd, &at);
	}
	if (argc != 4)
		return 2;
	at.svm_cid = atoi(argv[2]);
	at.svm_port = atoi(argv[3]);
	if (connect(fd, (const void *)&at, sizeof(at)))
		return fail("connect");
	while (write(fd, buf, sizeof(buf)) > 0)
		;
	return fail("write");
}
