// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that has /proc/kcore open.  It opens what it needs while it is
 * root, then gives up its rights like the processes that read sessions.  Of a
 * request it only compares numbers and one string.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/confine.h"
#include "host/kernel_text.h"
#include "os/proc_file.h"
#include "sym/code_reader.h"
#include "os/text_ranges.h"

#define REREADS 16 /* modules come and go */

struct broker {
	int kcore;
	FILE *kallsyms, *modules;
	char boot_id[BOOT_ID_MAX];
	struct text_ranges text;
	unsigned int reads;
	uint64_t left; /* bytes that may still be answered */
};

/* Close everything of the process that asks. */
static int prepare(struct broker *d, int sock, const struct kernel_files *files)
{
	int n;

	confine_files(0, &sock, 1);
	n = proc_file_line(files->boot_id, d->boot_id, sizeof(d->boot_id));
	if (n <= 0)
		return n ? n : -ENODATA;
	d->kcore = open(files->kcore, O_RDONLY | O_CLOEXEC);
	if (d->kcore < 0)
		return -errno;
	/* the rights at open() decide what these files show */
	d->kallsyms = fopen(files->kallsyms, "re");
	if (!d->kallsyms)
		return -errno;
	d->modules = fopen(files->modules, "re");
	/* a kernel without modules has none */
	if (!d->modules && errno != ENOENT)
		return -errno;
	d->left = files->all;
	return confine_self();
}

/* How many of these bytes are code; rereads the lists, which may change. */
static size_t is_text(struct broker *d, uint64_t start, size_t size)
{
	size_t n = text_ranges_hold(&d->text, start, size);

	if (n || d->reads == REREADS)
		return n;
	d->reads++;
	if (text_ranges_read(&d->text, d->kallsyms, d->modules))
		d->text.nr = 0;
	return text_ranges_hold(&d->text, start, size);
}

/* Reads into answer; the number of bytes or -errno. */
static int take(struct broker *d, const struct kernel_text_request *r,
		struct kernel_text_answer *answer)
{
	struct code code;
	size_t size;
	int err;

	if (!r->size || r->size > sizeof(answer->bytes) || r->zero ||
	    !memchr(r->boot_id, '\0', sizeof(r->boot_id)))
		return -EINVAL;
	if (strcmp(r->boot_id, d->boot_id))
		return -ESTALE;
	if (r->size > d->left)
		return -EDQUOT;
	size = is_text(d, r->start, r->size);
	if (!size)
		return -EFAULT;
	err = code_read_core(d->kcore, r->start, r->start + size, &code);
	if (err)
		return err;
	d->left -= code.size;
	memcpy(answer->bytes, code.bytes, code.size);
	err = code.size;
	code_free(&code);
	return err;
}

void kernel_text_broker(int sock, void *files)
{
	static struct kernel_text_answer answer;
	struct kernel_text_request r;
	static struct broker d;
	size_t size;
	int32_t err;

	err = prepare(&d, sock, files);
	if (send(sock, &err, sizeof(err), MSG_NOSIGNAL) < 0 || err)
		return;
	while (recv(sock, &r, sizeof(r), MSG_TRUNC) == sizeof(r)) {
		answer.size = take(&d, &r, &answer);
		size = sizeof(answer.size) +
		       (answer.size > 0 ? answer.size : 0);
		if (send(sock, &answer, size, MSG_NOSIGNAL) < 0)
			break;
	}
}
