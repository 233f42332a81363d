// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads birth.bpf.o, which is part of this program, and emits what its
 * programs report.
 */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "birth.h"

/* The compiled BPF programs; the linker puts them here (birth_bpf.S). */
extern const char birth_bpf[], birth_bpf_end[];

/* A hook's programs are PROG_OF() and the next one; PEEK is loaded alone. */
enum { SNAPSHOT, HOOKS, PEEK = HOOKS + 2 * NR_HOOKS, NR_PROGS };

#define PROG_OF(hook) (HOOKS + 2 * (hook))

static const struct {
	const char *name;
	const char *without; /* what is missing if it does not work; or NULL */
} progs[NR_PROGS] = {
	[SNAPSHOT] = { "snapshot", "" },
	{ "on_fork", "processes are known from their exec on" },
	{ "on_fork_too", NULL },
	{ "on_exec", "processes that exec keep their old name" },
	{ "on_exec_too", NULL },
	{ "on_rename", "the first moments after an exec have no process" },
	{ "on_rename_too", NULL },
	{ "on_mmdrop", "the end of a process is known by its successor only" },
	{ "on_mmdrop_too", NULL },
	[PEEK] = { "peek", "" },
};

struct birth {
	struct emit *emit;
	struct bpf_object *obj;
	struct bpf_link *links[PEEK]; /* of progs[] */
	struct ring_buffer *ring;
	unsigned int loaded;	/* bit i: progs[i] */
	__u64 odd;		/* events with impossible page tables */
	__s64 untold[NR_HOOKS]; /* what untold() was when all had begun */
};

/* The first warning of libbpf: the reason of a failure. */
static char complaint[256];

static int on_libbpf_print(enum libbpf_print_level level, const char *fmt,
			   va_list ap)
{
	char text[sizeof(complaint)];

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\n")] = '\0';
	/* The first warning is the cause, later ones follow from it. */
	if (!complaint[0] && strncmp(text, "libbpf: ", 8))
		memcpy(complaint, text, sizeof(text));
	else if (!complaint[0])
		memcpy(complaint, text + 8, sizeof(text) - 8);
	return 0;
}

/* All programs, with those of @mask to be loaded.  NULL and errno. */
static struct bpf_object *open_object(unsigned int mask)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "vmmprof");
	struct bpf_object *obj;
	int i;

	libbpf_set_print(on_libbpf_print);
	complaint[0] = '\0';
	obj = bpf_object__open_mem(birth_bpf, birth_bpf_end - birth_bpf, &opts);
	for (i = 0; obj && i < NR_PROGS; i++)
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(obj, progs[i].name),
			mask >> i & 1);
	return obj;
}

/* Load it; if the kernel refuses, release it: NULL and errno. */
static struct bpf_object *load_object(struct bpf_object *obj)
{
	int err = obj ? bpf_object__load(obj) : -errno;

	if (!err)
		return obj;
	bpf_object__close(obj);
	errno = -err;
	return NULL;
}

static struct bpf_object *load(unsigned int mask)
{
	return load_object(open_object(mask));
}

static void say_without(const struct birth *b, int prog, const char *why)
{
	if (progs[prog].without)
		emit_limit(b->emit, "no BPF hook %s (%s): %s", progs[prog].name,
			   why, progs[prog].without);
}

/* All programs at once; if that fails, each one that loads alone. */
static int load_what_works(struct birth *b)
{
	unsigned int mask = (1 << PEEK) - 1;
	int i;

	b->obj = load(mask);
	if (!b->obj) {
		for (i = 0, mask = 0; i < PEEK; i++) {
			struct bpf_object *obj = load(1 << i);

			if (!obj && i == SNAPSHOT)
				return -errno;
			if (obj)
				mask |= 1 << i;
			else
				say_without(b, i, complaint);
			bpf_object__close(obj);
		}
		b->obj = load(mask);
	}
	b->loaded = mask;
	return b->obj ? 0 : -errno;
}

int birth_open(struct emit *e, struct birth **ret)
{
	struct birth *b = calloc(1, sizeof(*b));
	int err;

	if (!b)
		return -ENOMEM;
	b->emit = e;
	err = load_what_works(b);
	if (err) {
		emit_limit(e, "no BPF: %s%s%s", strerror(-err),
			   complaint[0] ? ": " : "", complaint);
		free(b);
		return err;
	}
	*ret = b;
	return 0;
}

static int on_event(void *ctx, void *data, size_t size)
{
	struct birth *b = ctx;
	struct birth_event ev;
	int err = 0;

	if (size < sizeof(ev))
		return 0;
	memcpy(&ev, data, sizeof(ev));
	/* The hook runs before the name changes: comm is the old name. */
	if (ev.op == VMMPROF_OP_RENAME)
		memset(ev.comm, 0, sizeof(ev.comm));
	/* A page table begins where one seems to live: the old one ended. */
	if (ev.op == VMMPROF_OP_FORK && ev.pgd &&
	    !b->links[PROG_OF(HOOK_MMDROP)]) {
		const struct birth_event end = {
			.ns = ev.ns - 1,
			.pgd = ev.pgd,
			.op = VMMPROF_OP_DROP,
		};

		emit_mm(b->emit, &end);
	}
	if (ev.stack)
		err = emit_task(b->emit, &ev);
	if (!err && ev.pgd)
		err = emit_mm(b->emit, &ev);
	if (err != -ERANGE)
		return err;
	b->odd++;
	return 0;
}

static struct birth_counts read_counts(const struct birth *b)
{
	int map = bpf_object__find_map_fd_by_name(b->obj, ".bss");
	struct birth_counts counts = { 0 };
	__u32 key = 0;

	/* The only variable there is. */
	if (map >= 0 && bpf_map_lookup_elem(map, &key, &counts))
		memset(&counts, 0, sizeof(counts));
	return counts;
}

/*
 * Times that the kernel left a program out, as a task was preempted or interrupted
 * in it and it was to run again on that CPU; it says so since 5.12.
 */
static __u64 left_out(const struct birth *b, int prog)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);
	struct bpf_program *p;

	if (!b->links[prog])
		return 0;
	p = bpf_object__find_program_by_name(b->obj, progs[prog].name);
	if (bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size))
		return 0;
	return info.recursion_misses;
}

/*
 * Twice the events that no program of @hook sent, since they were attached.  Of such
 * an event both are left out; of one that was sent by one alone the other is.
 */
static __s64 untold(const struct birth *b, const struct birth_counts *counts,
		    int hook)
{
	int prog = PROG_OF(hook);
	__s64 times = left_out(b, prog) + left_out(b, prog + 1);

	if (!b->links[prog] || !b->links[prog + 1])
		return 2 * times;
	return times - counts->alone[hook];
}

int birth_watch(struct birth *b)
{
	int i, map = bpf_object__find_map_fd_by_name(b->obj, "events");
	struct birth_counts counts;

	b->ring = ring_buffer__new(map, on_event, b, NULL);
	if (!b->ring)
		return -errno;
	/* Attach the hook of ends first: no end of a known owner is missed. */
	for (i = PEEK - 1; i > SNAPSHOT; i--) {
		struct bpf_program *p;

		if (!(b->loaded >> i & 1))
			continue;
		p = bpf_object__find_program_by_name(b->obj, progs[i].name);
		b->links[i] = bpf_program__attach(p);
		if (!b->links[i])
			say_without(b, i, strerror(errno));
	}
	counts = read_counts(b);
	for (i = 0; i < NR_HOOKS; i++)
		b->untold[i] = untold(b, &counts, i);
	return 0;
}

/* Append what @fd gives to the buffer at *@ret.  Bytes or -errno. */
static ssize_t read_all(int fd, char **ret)
{
	size_t used = 0, max = 0;
	ssize_t n = 1;

	while (n > 0) {
		if (max - used < 65536) {
			char *more = realloc(*ret, max += 262144);

			if (!more)
				return -ENOMEM;
			*ret = more;
		}
		n = read(fd, *ret + used, max - used);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			n = 1;
		else if (n > 0)
			used += n;
	}
	return n < 0 ? -errno : (ssize_t)used;
}

/* Run an iterator; *ret is what it wrote, to be freed.  Bytes or -errno. */
static ssize_t iterate(struct bpf_object *obj, int prog, char **ret)
{
	struct bpf_program *p = bpf_object__find_program_by_name(
		obj, progs[prog].name);
	struct bpf_link *link = bpf_program__attach_iter(p, NULL);
	ssize_t size;
	int fd;

	*ret = NULL;
	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	size = fd < 0 ? fd : read_all(fd, ret);
	io_close(&fd);
	bpf_link__destroy(link);
	return size;
}

int birth_snapshot(struct birth *b)
{
	char *buf;
	ssize_t size = iterate(b->obj, SNAPSHOT, &buf);
	int ret = size;

	if (size >= 0)
		ret = emit_snapshot(b->emit, (void *)buf,
				    size / sizeof(struct birth_event));
	free(buf);
	return ret < 0 ? ret : 0;
}

int birth_peek(const __u64 *addrs, __u64 *values)
{
	const size_t want = PEEK_MAX * sizeof(*values);
	struct bpf_object *obj = open_object(1 << PEEK);
	struct bpf_map *map;
	char *buf = NULL;
	ssize_t size;

	if (!obj)
		return -errno;
	map = bpf_object__find_map_by_name(obj, ".data.peek");
	if (!map || bpf_map__set_initial_value(map, addrs, want)) {
		bpf_object__close(obj);
		return -EINVAL;
	}
	obj = load_object(obj);
	if (!obj)
		return -errno;
	size = iterate(obj, PEEK, &buf);
	if (size >= (ssize_t)want)
		memcpy(values, buf, want);
	else if (size >= 0)
		size = -ENODATA;
	free(buf);
	bpf_object__close(obj);
	return size < 0 ? size : 0;
}

int birth_read(struct birth *b)
{
	int n = b->ring ? ring_buffer__consume(b->ring) : 0;

	return n < 0 ? n : 0;
}

/* Events that are in no ring. */
static __u64 missing(const struct birth *b)
{
	const struct birth_counts counts = read_counts(b);
	__u64 ret = counts.lost;
	int i;

	for (i = 0; i < NR_HOOKS; i++) {
		__s64 more = untold(b, &counts, i) - b->untold[i];

		ret += more > 0 ? more / 2 : 0;
	}
	return ret;
}

int birth_close(struct birth *b)
{
	__u64 lost;
	int i, err;

	if (!b)
		return 0;
	lost = missing(b);
	for (i = 0; i < PEEK; i++)
		bpf_link__destroy(b->links[i]);
	err = birth_read(b);
	if (!err)
		err = emit_lost_mms(b->emit, lost + b->odd);
	ring_buffer__free(b->ring);
	bpf_object__close(b->obj);
	free(b);
	return err;
}
