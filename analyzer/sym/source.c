// SPDX-License-Identifier: GPL-2.0-only
/* Source files, whole, with the places where their lines begin. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/items.h"
#include "base/vec.h"
#include "sym/source.h"

#define TAB 8

static void forget(struct source *f)
{
	free(f->path);
	free(f->text);
	free(f->lines);
	memset(f, 0, sizeof(*f));
}

void sources_deinit(struct sources *s)
{
	unsigned int i;

	for (i = 0; i < SOURCE_FILES; i++)
		forget(&s->files[i]);
}

static bool later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
					a->tv_nsec > b->tv_nsec;
}

/* Files of /proc have no size. */
static bool has_size(const struct stat *st)
{
	return st->st_size > 0 && st->st_size <= SOURCE_MAX;
}

/* For everybody to read. */
static bool belongs(const struct stat *st, const struct stat *binary)
{
	return st->st_mode & 0004 && !later(&st->st_mtim, &binary->st_mtim) &&
	       !later(&st->st_ctim, &binary->st_ctim);
}

static int find_lines(struct source *f, size_t size)
{
	size_t cap = 0, at = 0;
	const char *end;

	while (1) {
		if (vec_grow(&f->lines, &cap, f->nr, sizeof(__u32)))
			return -1;
		f->lines[f->nr] = at;
		if (at == size)
			return 0;
		f->nr++;
		end = memchr(f->text + at, '\n', size - at);
		at = end ? (size_t)(end + 1 - f->text) : size;
	}
}

/* Closes fd; @binary NULL: it belongs. */
static void read_file(struct source *f, int fd, const struct stat *binary)
{
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && has_size(&st) &&
	    (!binary || belongs(&st, binary)))
		f->text = malloc(st.st_size);
	if (f->text)
		n = pread(fd, f->text, st.st_size, 0);
	close(fd);
	if (n > 0 && n == st.st_size && find_lines(f, n))
		f->nr = 0;
}

static const struct source *find(struct sources *s, const char *path,
				 const struct stat *binary)
{
	struct source *f;
	unsigned int i;

	for (i = 0; i < SOURCE_FILES; i++)
		if (s->files[i].path && !strcmp(s->files[i].path, path))
			return &s->files[i];
	f = &s->files[s->next++ % SOURCE_FILES];
	forget(f);
	f->path = strdup(path);
	if (f->path && !s->not_local)
		read_file(f, open_source(path), binary);
	if (f->path && !f->nr && s->fetch) {
		free(f->text);
		f->text = NULL;
		read_file(f, s->fetch(s->arg, path), NULL);
	}
	return f;
}

bool sources_line(struct sources *s, const char *path, unsigned int line,
		  const struct stat *binary, char *buf, size_t size)
{
	const struct source *f;
	size_t n = 0, i, end;

	if (*path != '/' || !line)
		return false;
	f = find(s, path, binary);
	if (line > f->nr)
		return false;
	end = f->lines[line];
	for (i = f->lines[line - 1];
	     i < end && f->text[i] != '\n' && f->text[i] && n + 1 < size; i++) {
		if (f->text[i] != '\t') {
			buf[n++] = f->text[i];
			continue;
		}
		do
			buf[n++] = ' ';
		while (n % TAB && n + 1 < size);
	}
	buf[n] = '\0';
	return true;
}
