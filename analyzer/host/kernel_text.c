// SPDX-License-Identifier: GPL-2.0-only
/* The side that asks the broker for bytes of the kernel's code. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "host/kernel_text.h"

/* How long an answer is reused: code is patched while the kernel runs. */
#define USES 32

static const struct kernel_files running = {
	.kcore = "/proc/kcore",
	.kallsyms = "/proc/kallsyms",
	.modules = "/proc/modules",
	.boot_id = "/proc/sys/kernel/random/boot_id",
	.all = 0x40000000,
};

int kernel_text_start(struct kernel_text *t, const struct kernel_files *files)
{
	int32_t can = -EPIPE;
	pid_t pid;

	memset(t, 0, sizeof(*t));
	pid = child_begin(SOCK_SEQPACKET, kernel_text_broker,
			  (void *)(files ? files : &running), &t->sock);
	if (pid < 0)
		return pid;
	if (recv(t->sock, &can, sizeof(can), 0) != sizeof(can))
		can = -EPIPE;
	if (!can)
		return 0;
	kernel_text_end(t);
	waitpid(pid, NULL, 0);
	return can;
}

void kernel_text_end(struct kernel_text *t)
{
	io_close(&t->sock);
	free(t->bytes);
	memset(t, 0, sizeof(*t));
	t->sock = -1;
}

/* One part, in answer.  Its size or -errno. */
static ssize_t ask(struct kernel_text *t, const struct kernel_text_request *r,
		   struct kernel_text_answer *answer)
{
	ssize_t n;

	if (send(t->sock, r, sizeof(*r), MSG_NOSIGNAL) != sizeof(*r))
		return -EPIPE;
	n = recv(t->sock, answer, sizeof(*answer), 0);
	if (n < (ssize_t)sizeof(answer->size))
		return -EPIPE;
	if (answer->size >= 0 &&
	    (answer->size > (int32_t)r->size ||
	     n != (ssize_t)sizeof(answer->size) + answer->size))
		return -EBADMSG;
	return answer->size;
}

static ssize_t get(struct kernel_text *t, const char *boot_id, uint64_t start,
		   uint8_t *buf, size_t size)
{
	struct kernel_text_request r = { .start = start };
	static struct kernel_text_answer answer;
	size_t have = 0;
	ssize_t n;

	if (t->sock < 0)
		return -ENOTCONN;
	if (strlen(boot_id) >= sizeof(r.boot_id))
		return -ESTALE;
	strcpy(r.boot_id, boot_id);
	do {
		r.start = start + have;
		r.size = size - have < KERNEL_TEXT_PART ? size - have :
							  KERNEL_TEXT_PART;
		n = ask(t, &r, &answer);
		if (n > 0)
			memcpy(buf + have, answer.bytes, n);
		have += n > 0 ? n : 0;
	} while (n == (ssize_t)r.size && have < size);
	return have ? (ssize_t)have : n;
}

ssize_t kernel_text_get(struct kernel_text *t, const char *boot_id,
			uint64_t start, void *buf, size_t size)
{
	ssize_t n;

	if (t->bytes && t->start == start && t->asked == size &&
	    ++t->uses < USES) {
		memcpy(buf, t->bytes, t->size);
		return t->size;
	}
	free(t->bytes);
	t->bytes = NULL;
	n = get(t, boot_id, start, buf, size);
	if (n > 0)
		t->bytes = malloc(n);
	if (t->bytes) {
		memcpy(t->bytes, buf, n);
		t->start = start;
		t->asked = size;
		t->size = n;
		t->uses = 0;
	}
	return n;
}
