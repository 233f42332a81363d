// SPDX-License-Identifier: GPL-2.0-only
/* What was appended: lines of a perf-PID.map, or records of a jitdump. */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hex.h"
#include "os/jit_dump.h"
#include "os/jit_look.h"

#define LINE_BYTES 4096 /* a longer line is skipped */

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

int jit_look(struct jit_file *f, __u64 limit, jit_fn fn, void *arg)
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
	f->cut = f->bytes >= JIT_FILE_MAX ||
		 (__u64)st.st_size - f->pos > JIT_FILE_MAX - f->bytes;
	return err;
}
