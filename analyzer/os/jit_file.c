// SPDX-License-Identifier: GPL-2.0-only
/* Reads what was appended to a perf-PID.map or jitdump, window by window. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "os/jit_dump.h"
#include "os/jit_file.h"

#define LINE_BYTES 4096 /* a longer line is skipped */

int jit_file_init(struct jit_file *f, int fd, bool dump)
{
	memset(f, 0, sizeof(*f));
	f->fd = fd;
	f->dump = dump;
	f->win = malloc(JIT_WINDOW);
	return f->win ? 0 : -ENOMEM;
}

void jit_file_deinit(struct jit_file *f)
{
	if (f->win)
		close(f->fd);
	free(f->win);
	hash_deinit(&f->index);
	memset(f, 0, sizeof(*f));
}

const __u8 *jit_file_at(struct jit_file *f, __u64 pos, size_t want, size_t *got)
{
	ssize_t n;

	if (pos < f->win_pos || pos + want > f->win_pos + f->win_len) {
		n = pread(f->fd, f->win, JIT_WINDOW, pos);
		f->win_pos = pos;
		f->win_len = n > 0 ? n : 0;
	}
	*got = f->win_pos + f->win_len - pos;
	if (*got > want)
		*got = want;
	return f->win + (pos - f->win_pos);
}

/* A hexadecimal number, maybe after 0x, and a space. */
static bool parse_hex(const char **p, const char *end, __u64 *ret)
{
	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] | 0x20) == 'x')
		*p += 2;
	return hex_number(p, end, ret) && *p < end && *(*p)++ == ' ';
}

/* "START SIZE NAME", both numbers hexadecimal. */
static bool parse_line(const char *line, size_t len, struct jit_code *ret)
{
	const char *p = line, *end = line + len;

	if (!parse_hex(&p, end, &ret->addr) || !parse_hex(&p, end, &ret->size))
		return false;
	len = strnlen(p, end - p);
	while (len && (p[len - 1] == '\r' || p[len - 1] == ' '))
		len--;
	if (len > JIT_NAME_MAX)
		len = JIT_NAME_MAX;
	memcpy(ret->name, p, len);
	ret->name[len] = '\0';
	return len && ret->size && ret->addr + ret->size > ret->addr;
}

/* Lines up to @end of the file. */
static int read_lines(struct jit_file *f, __u64 end, jit_fn fn, void *arg)
{
	struct jit_code code = { 0 };
	const char *line, *eol;
	size_t got;
	int err;

	while (f->pos < end) {
		line = (const char *)jit_file_at(f, f->pos, LINE_BYTES, &got);
		eol = memchr(line, '\n', got);
		if (!eol && got < LINE_BYTES)
			break; /* the rest is not written yet */
		if (!eol) {
			f->skipping = true;
			f->pos += got;
			continue;
		}
		code.fresh = f->pos >= f->old;
		f->pos += eol - line + 1;
		if (f->skipping || !parse_line(line, eol - line, &code)) {
			f->skipping = false;
			continue;
		}
		err = fn(arg, &code);
		if (err)
			return err;
	}
	return 0;
}

int jit_file_look(struct jit_file *f, __u64 limit, jit_fn fn, void *arg)
{
	struct stat st;
	__u64 from, end;
	int err;

	if (f->dead)
		return 0;
	if (fstat(f->fd, &st))
		return -errno;
	f->win_len = 0;
	if ((__u64)st.st_size < f->pos) {
		f->pos = 0;
		f->old = 0;
		f->skipping = false;
		hash_deinit(&f->index);
	}
	if (!f->looked)
		f->old = st.st_size;
	f->looked = true;
	from = f->pos;
	end = st.st_size;
	if (end - from > limit)
		end = from + limit;
	if (end - from > JIT_FILE_MAX - f->bytes)
		end = from + JIT_FILE_MAX - f->bytes;
	err = f->dump ? jit_dump_read(f, end, fn, arg) :
			read_lines(f, end, fn, arg);
	if (f->pos > from)
		f->bytes += f->pos - from;
	if (f->bytes >= JIT_FILE_MAX)
		f->dead = true;
	return err;
}
