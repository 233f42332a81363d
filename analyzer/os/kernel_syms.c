// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's symbols, modules and identity. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/hex.h"
#include "os/kernel_syms.h"
#include "os/proc_file.h"

#define FILE_CHUNK   0x100000
#define FILE_LIMIT   0x10000000
#define MODULES_TEXT 0x8000 /* some 400 modules */

/* A whole file of any size, to be freed.  Size or -errno. */
static ssize_t slurp(const char *path, char **ret)
{
	size_t used = 0, max = 0;
	char *buf = NULL;
	ssize_t n = 0;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (;;) {
		if (max - used < FILE_CHUNK / 2) {
			char *more = realloc(buf, max += FILE_CHUNK);

			if (!more || max > FILE_LIMIT) {
				n = -ENOMEM;
				buf = more ?: buf;
				break;
			}
			buf = more;
		}
		n = read(fd, buf + used, max - used - 1);
		if (n <= 0)
			break;
		used += n;
	}
	if (n < 0) {
		n = n == -ENOMEM ? n : -errno;
		free(buf);
		close(fd);
		return n;
	}
	close(fd);
	buf[used] = '\0';
	*ret = buf;
	return used;
}

/*
 * A symbol of code?  @type is its letter, with @left bytes of the line.
 * __pfx_NAME is the padding before NAME: almost half of the symbols since
 * 6.4, and never executed.
 */
static bool is_text(const char *type, size_t left)
{
	return strchr("tTwW", *type) &&
	       (left < 8 || strncmp(type + 2, "__pfx_", 6));
}

/*
 * Keep the lines of text symbols, in place: the rest is three quarters of the
 * file.  Returns the new size; 0 if all addresses are hidden as 0.
 */
static size_t keep_text(char *buf, size_t size)
{
	char *from = buf, *to = buf, *end = buf + size;
	bool shown = false;

	while (from < end) {
		char *eol = memchr(from, '\n', end - from);
		size_t len = (eol ? eol + 1 : end) - from;
		size_t digits = strspn(from, "0123456789abcdef");

		if (digits + 3 < len && from[digits] == ' ' &&
		    is_text(from + digits + 1, len - digits - 1)) {
			if (strspn(from, "0") < digits)
				shown = true;
			memmove(to, from, len);
			to += len;
		}
		from += len;
	}
	return shown ? to - buf : 0;
}

static int put_file(struct item_writer *w, __u32 type, char *buf, size_t size)
{
	const struct iovec part = { buf, size };

	return item_putv(w, type, &part, 1);
}

/* The GNU build-id in a file of notes as hex; "" if there is none. */
static void build_id_of(const char *path, char *hex, size_t size)
{
	char notes[4096];
	ssize_t n = proc_file_read(path, notes, sizeof(notes));
	ssize_t pos = 0;

	hex[0] = '\0';
	while (n - pos >= 12) {
		__u32 head[3]; /* name size, descriptor size, type */
		ssize_t name, desc;

		memcpy(head, notes + pos, sizeof(head));
		name = (head[0] + 3) & ~3U;
		desc = (head[1] + 3) & ~3U;
		if (name > n || desc > n || pos + 12 + name + desc > n)
			return;
		pos += 12 + name;
		if (head[2] == 3 && head[0] == 4 &&
		    !memcmp(notes + pos - name, "GNU", 4)) {
			hex_put(hex, size, notes + pos, head[1]);
			return;
		}
		pos += desc;
	}
}

/* One module of /proc/modules, whose line begins with its name. */
static size_t module_text(const char *line, char *buf, size_t size)
{
	int len = strcspn(line, "\n /=");
	char path[128], hex[64];
	int n;

	n = snprintf(path, sizeof(path),
		     "/sys/module/%.*s/notes/.note.gnu.build-id", len, line);
	if (!len || n >= (int)sizeof(path))
		return 0;
	build_id_of(path, hex, sizeof(hex));
	n = snprintf(buf, size, "module.%.*s=%s\n", len, line, hex);
	return hex[0] && n < (int)size ? n : 0;
}

/* A TEXT item with the build-ids of the loaded modules. */
static void put_module_ids(struct item_writer *w, const char *modules)
{
	char text[MODULES_TEXT];
	struct iovec part = { text, 0 };

	while (*modules && sizeof(text) - part.iov_len > 256) {
		part.iov_len += module_text(modules, text + part.iov_len,
					    sizeof(text) - part.iov_len);
		modules += strcspn(modules, "\n");
		modules += *modules == '\n';
	}
	if (part.iov_len)
		item_putv(w, VMMPROF_ITEM_TEXT, &part, 1);
}

int kernel_syms_write(struct item_writer *w)
{
	char *buf = NULL;
	ssize_t n;
	int err;

	n = slurp("/proc/modules", &buf);
	if (n > 0 && !put_file(w, VMMPROF_MAPS_MODULES, buf, n))
		put_module_ids(w, buf);
	free(n >= 0 ? buf : NULL);

	n = slurp("/proc/kallsyms", &buf);
	if (n < 0) {
		item_note(w, "no kernel symbols: /proc/kallsyms: %s",
			  strerror(-n));
		return w->err ?: n;
	}
	n = keep_text(buf, n);
	err = n ? put_file(w, VMMPROF_MAPS_KALLSYMS, buf, n) : -EPERM;
	free(buf);
	if (err == -EPERM)
		item_note(
			w,
			"no kernel symbols: /proc/kallsyms shows no addresses (kernel.kptr_restrict or no CAP_SYSLOG)");
	return w->err ?: err;
}

int kernel_syms_identity(struct item_writer *w)
{
	char boot_id[64], kptr[16], build_id[64], text[1024];
	struct utsname u;
	struct iovec part = { text, 0 };

	if (uname(&u))
		return -errno;
	if (proc_file_line("/proc/sys/kernel/random/boot_id", boot_id,
			   sizeof(boot_id)) < 0)
		boot_id[0] = '\0';
	if (proc_file_line("/proc/sys/kernel/kptr_restrict", kptr,
			   sizeof(kptr)) < 0)
		kptr[0] = '\0';
	build_id_of("/sys/kernel/notes", build_id, sizeof(build_id));
	part.iov_len = snprintf(text, sizeof(text),
				"hostname=%s\nrelease=%s\narch=%s\n"
				"boot_id=%s\nkptr_restrict=%s\n"
				"kernel_build_id=%s\n",
				u.nodename, u.release, u.machine, boot_id, kptr,
				build_id);
	return item_putv(w, VMMPROF_ITEM_TEXT, &part, 1);
}
