// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that has /proc/kcore.  It opens what it needs while it is root,
 * then gives up its rights as those do that read sessions: of what it is sent
 * it compares numbers and one string.
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

struct desk {
	int kcore;
	FILE *kallsyms, *modules;
	char boot_id[VMMPROF_BOOT_ID_MAX];
	struct vmmprof_text_ranges text;
	unsigned int reads;
	uint64_t left; /* bytes that may still be given away */
};

/* Nothing of the process that asks stays open. */
static int prepare(struct desk *d, int sock,
		   const struct vmmprof_kernel_files *files)
{
	int n;

	vmmprof_confine_files(0, &sock, 1);
	n = vmmprof_procfile_line(files->boot_id, d->boot_id,
				  sizeof(d->boot_id));
	if (n <= 0)
		return n ? n : -ENODATA;
	d->kcore = open(files->kcore, O_RDONLY | O_CLOEXEC);
	if (d->kcore < 0)
		return -errno;
	/* what they show is decided by who opens them */
	d->kallsyms = fopen(files->kallsyms, "re");
	if (!d->kallsyms)
		return -errno;
	d->modules = fopen(files->modules, "re");
	/* a kernel without modules has none */
	if (!d->modules && errno != ENOENT)
		return -errno;
	d->left = files->all;
	return vmmprof_confine();
}

/* How many of these bytes are code; the kernel may have got more since. */
static size_t is_text(struct desk *d, uint64_t start, size_t size)
{
	size_t n = vmmprof_text_ranges_hold(&d->text, start, size);

	if (n || d->reads == REREADS)
		return n;
	d->reads++;
	if (vmmprof_text_ranges_read(&d->text, d->kallsyms, d->modules))
		d->text.nr = 0;
	return vmmprof_text_ranges_hold(&d->text, start, size);
}

/* Bytes that are in answer then, or -errno. */
static int take(struct desk *d, const struct vmmprof_kernel_text_request *r,
		struct vmmprof_kernel_text_answer *answer)
{
	struct vmmprof_code code;
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
	err = vmmprof_code_read_core(d->kcore, r->start, r->start + size,
				     &code);
	if (err)
		return err;
	d->left -= code.size;
	memcpy(answer->bytes, code.bytes, code.size);
	err = code.size;
	vmmprof_code_free(&code);
	return err;
}

void vmmprof_kernel_text_desk(int sock,
			      const struct vmmprof_kernel_files *files)
{
	static struct vmmprof_kernel_text_answer answer;
	struct vmmprof_kernel_text_request r;
	static struct desk d;
	size_t size;
	int32_t err;

	err = prepare(&d, sock, files);
	if (send(sock, &err, sizeof(err), MSG_NOSIGNAL) < 0 || err)
		_exit(1);
	while (recv(sock, &r, sizeof(r), MSG_TRUNC) == sizeof(r)) {
		answer.size = take(&d, &r, &answer);
		size = sizeof(answer.size) +
		       (answer.size > 0 ? answer.size : 0);
		if (send(sock, &answer, size, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}
