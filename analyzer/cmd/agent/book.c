// SPDX-License-Identifier: GPL-2.0-only
/* Books of profiles.  Their size never changes, so a full disk does not matter. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/agent/book.h"

/* Is it "KEY VALUE"?  Then the value. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(line, key, len) && line[len] == ' ' ? line + len + 1 :
							      NULL;
}

static bool get_count(const char *text, __u64 *to)
{
	size_t digits = strspn(text, "0123456789");
	uintmax_t v;

	errno = 0;
	v = strtoumax(text, NULL, 10);
	*to = v;
	return digits && !text[digits] && !errno;
}

static bool get_name(const char *text, char *to)
{
	size_t len = strlen(text);

	if (len >= BOOK_NAME || strchr(text, '/'))
		return false;
	memcpy(to, text, len + 1);
	return true;
}

static bool take_line(struct book *b, const char *line)
{
	const struct book_form *f = b->form;
	const char *value;
	size_t i;

	for (i = 0; f->counts[i]; i++) {
		value = value_of(line, f->counts[i]);
		if (value)
			return get_count(value, &b->count[i]);
	}
	for (i = 0; f->names[i]; i++) {
		value = value_of(line, f->names[i]);
		if (value)
			return get_name(value, b->name[i]);
	}
	/* of another version */
	return true;
}

static int read_all(struct book *b)
{
	char text[BOOK_BYTES + 1], *line, *rest = text;
	ssize_t n = io_pread(b->fd, text, BOOK_BYTES, 0);

	if (n < 0)
		return n;
	if (n != BOOK_BYTES || memchr(text, '\0', n) ||
	    text[BOOK_BYTES - 1] != '\n')
		return -EINVAL;
	text[n] = '\0';
	while ((line = strsep(&rest, "\n")))
		if (!take_line(b, line))
			return -EINVAL;
	return 0;
}

static int look(struct book *b, const struct book_form *form, int dirfd,
		int flags, struct stat *st)
{
	memset(b, 0, sizeof(*b));
	b->form = form;
	b->fd = openat(dirfd, form->file,
		       flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	if (b->fd < 0 || fstat(b->fd, st))
		return -errno;
	return S_ISREG(st->st_mode) ? 0 : -EINVAL;
}

int book_look(struct book *b, const struct book_form *form, int dirfd)
{
	struct stat st;
	int ret = look(b, form, dirfd, O_RDONLY, &st);

	return ret ? ret : read_all(b);
}

int book_open(struct book *b, const struct book_form *form, int dirfd)
{
	struct stat st;
	int ret = look(b, form, dirfd, O_RDWR | O_CREAT, &st);

	if (ret)
		return ret;
	return st.st_size ? read_all(b) : book_write(b);
}

int book_write(const struct book *b)
{
	char text[BOOK_BYTES + 1];
	size_t i, n = 0;

	for (i = 0; b->form->counts[i]; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s %llu\n",
			      b->form->counts[i], b->count[i]);
	for (i = 0; b->form->names[i]; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s %s\n",
			      b->form->names[i], b->name[i]);
	memset(text + n, ' ', BOOK_BYTES - n);
	text[BOOK_BYTES - 1] = '\n';
	if (pwrite(b->fd, text, BOOK_BYTES, 0) != BOOK_BYTES)
		return errno ? -errno : -EIO;
	return 0;
}

void book_close(struct book *b)
{
	io_close(&b->fd);
}
