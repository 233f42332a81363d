// SPDX-License-Identifier: GPL-2.0-only
/* jitdump: the header, JIT_CODE_LOAD, JIT_CODE_MOVE; others are skipped. */

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "os/jit_dump.h"
#include <vmmprof/record.h>

#define MAGIC	       0x4a695444 /* "JiTD" of this byte order */
#define FLAG_ARCH_TIME 1
#define CODE_LOAD      0
#define CODE_MOVE      1

struct header {
	__u32 magic, version, total_size, elf_mach, pad, pid;
	__u64 timestamp, flags;
};

struct prefix {
	__u32 id, total_size;
	__u64 timestamp;
};

struct load { /* then the name with its NUL, then the code */
	struct prefix p;
	__u32 pid, tid;
	__u64 vma, code_addr, code_size, code_index;
};

struct move {
	struct prefix p;
	__u32 pid, tid;
	__u64 vma, old_code_addr, new_code_addr, code_size, code_index;
};

bool jit_dump_path(const char *path)
{
	const char *name = strrchr(path, '/'), *p;

	if (!name || strncmp(name, "/jit-", 5))
		return false;
	for (p = name + 5; isdigit((unsigned char)*p); p++)
		;
	return p > name + 5 && !strcmp(p, ".dump");
}

static void read_header(struct jit_file *f, __u64 end)
{
	struct header h;
	const __u8 *p;
	size_t got;

	p = jit_file_at(f, 0, sizeof(h), &got);
	if (got < sizeof(h) || end < sizeof(h))
		return;
	memcpy(&h, p, sizeof(h));
	if (h.magic != MAGIC || h.total_size < sizeof(h) ||
	    h.total_size > JIT_WINDOW) {
		f->dead = true;
		return;
	}
	f->arch = h.flags & FLAG_ARCH_TIME;
	if (h.total_size <= end)
		f->pos = h.total_size;
}

/* The LOAD at @pos.  False: it is none, or damaged. */
static bool read_load(struct jit_file *f, __u64 pos, struct load *l,
		      struct jit_code *code)
{
	size_t got, len;
	const __u8 *p;

	p = jit_file_at(f, pos, sizeof(*l) + sizeof(code->name), &got);
	if (got <= sizeof(*l))
		return false;
	memcpy(l, p, sizeof(*l));
	if (l->p.id != CODE_LOAD || l->p.total_size <= sizeof(*l))
		return false;
	if (got > l->p.total_size)
		got = l->p.total_size;
	len = strnlen((const char *)p + sizeof(*l), got - sizeof(*l));
	if (len > JIT_NAME_MAX)
		len = JIT_NAME_MAX;
	memcpy(code->name, p + sizeof(*l), len);
	code->name[len] = '\0';
	return len;
}

static int on_load(struct jit_file *f, struct jit_code *code)
{
	struct load l;

	code->size = 0;
	if (!read_load(f, f->pos, &l, code))
		return 0;
	code->addr = l.code_addr;
	code->size = l.code_size;
	return hash_set(&f->index, l.code_index, f->pos);
}

static void on_move(struct jit_file *f, struct jit_code *code)
{
	struct move m;
	struct load l;
	const __u8 *p;
	size_t got;
	__u32 at;

	code->size = 0;
	p = jit_file_at(f, f->pos, sizeof(m), &got);
	if (got < sizeof(m))
		return;
	memcpy(&m, p, sizeof(m));
	at = hash_get(&f->index, m.code_index);
	if (m.p.total_size < sizeof(m) || at == VMMPROF_NONE ||
	    !read_load(f, at, &l, code))
		return;
	code->addr = m.new_code_addr;
	code->size = m.code_size;
}

/* The record at f->pos: 1 read, 0 not written yet, or an error. */
static int read_record(struct jit_file *f, __u64 end, jit_fn fn, void *arg)
{
	struct jit_code code;
	struct prefix p;
	const __u8 *at;
	size_t got;
	int err = 0;

	at = jit_file_at(f, f->pos, sizeof(p), &got);
	if (got < sizeof(p))
		return 0;
	memcpy(&p, at, sizeof(p));
	if (p.total_size < sizeof(p))
		f->dead = true;
	if (f->dead || p.total_size > end - f->pos)
		return 0;
	code.size = 0;
	code.addr = 0;
	code.stamped = !f->arch;
	code.ns = f->arch ? 0 : p.timestamp;
	code.fresh = f->pos >= f->old;
	if (p.id == CODE_LOAD)
		err = on_load(f, &code);
	else if (p.id == CODE_MOVE)
		on_move(f, &code);
	f->pos += p.total_size;
	if (!err && code.size && code.addr + code.size > code.addr)
		err = fn(arg, &code);
	return err ? err : 1;
}

int jit_dump_read(struct jit_file *f, __u64 end, jit_fn fn, void *arg)
{
	int ret = 1;

	if (!f->pos)
		read_header(f, end);
	if (!f->pos)
		return 0;
	while (ret > 0 && f->pos < end)
		ret = read_record(f, end, fn, arg);
	return ret < 0 ? ret : 0;
}
