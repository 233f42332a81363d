/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of the running kernel's code for a process without rights.  It sends an
 * address to the broker, a process that has /proc/kcore open and reads nothing
 * of a session.  The broker answers with the bytes only if they are code of the
 * kernel or of a live module.
 */
#ifndef HOST_KERNEL_TEXT_H
#define HOST_KERNEL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KERNEL_TEXT_PART 0x8000u /* bytes of one answer */
#define BOOT_ID_MAX	 40

/* Files of the kernel; the tests have others. */
struct kernel_files {
	const char *kcore, *kallsyms, *modules, *boot_id;
	uint64_t all; /* bytes that may be answered in total */
};

struct kernel_text {
	int sock; /* to that process; -1: none */
	/* the last answer, because screens are drawn again and again */
	uint8_t *bytes;
	uint64_t start;
	size_t asked, size;
	unsigned int uses;
};

/*
 * Start the broker; to be called before anything is read and before rights are
 * given up.  It ends when the socket is closed.  @files NULL: the running
 * kernel's.  0, or -errno: it was not started.
 */
int kernel_text_start(struct kernel_text *t, const struct kernel_files *files);
void kernel_text_end(struct kernel_text *t);

/*
 * Up to @size bytes from @start on.  @boot_id: when these addresses were the
 * kernel's.  How many of them are code; -ENOTCONN: no such process; -ESTALE:
 * another boot; -EFAULT: no code is there; -EDQUOT: too much was asked for; or
 * -errno.
 */
ssize_t kernel_text_get(struct kernel_text *t, const char *boot_id,
			uint64_t start, void *buf, size_t size);

/* What follows is for both ends. */

struct kernel_text_request {
	uint64_t start;
	uint32_t size; /* at most PART */
	uint32_t zero;
	char boot_id[BOOT_ID_MAX];
};

struct kernel_text_answer {
	int32_t size; /* or -errno */
	uint8_t bytes[KERNEL_TEXT_PART];
};

/*
 * The broker: first sends 0 or -errno (it cannot), then answers requests.  For
 * child_begin(), with a struct kernel_files.
 */
void kernel_text_broker(int sock, void *files);

#endif /* HOST_KERNEL_TEXT_H */
