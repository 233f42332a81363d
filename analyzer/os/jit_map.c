// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the files in which processes describe their JIT code, has them read
 * (os/jit_reader.h) and writes JIT items.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vmmprof/maps.h>
#include <vmmprof/record.h>

#include "base/clock.h"
#include "base/hash.h"
#include "sandbox/fd_pass.h"
#include "sandbox/helper.h"
#include "os/jit_dump.h"
#include "os/jit_map.h"
#include "os/jit_opener.h"
#include "os/jit_owner.h"
#include "os/jit_reader.h"

#define PROCS_MAX   256 /* at a time; the reader has two files of each */
#define ITEMS_MAX   2000000
#define LOOK_MAX    (4U << 20)	   /* bytes of a file at one look */
#define TELL_MAX    64		   /* answers at once: 2 MiB */
#define LOOK_NS	    10000000000ull /* a look may take */
#define ALL_MS	    10000	   /* all may take, at the end */
#define LAST_MS	    500		   /* those that wait then */
#define READER_MEM  (512u << 20)
#define READERS_MAX 8 /* one after the other */

/* A file of a process, by the reader. */
struct jit_source {
	bool open; /* the reader has it */
	/*
	 * opening it took too long; or the reader crashed on it, or before it had
	 * read it
	 */
	bool dead;
	__u64 pos; /* read up to here */
};

enum turn { NONE, DUMP, MAP }; /* which file is looked at next */

struct proc {
	__u32 pid;
	struct jit_owner owner;
	__u64 ns;   /* of what the map says at the first look */
	__u32 slot; /* its number to the reader */
	enum turn turn;
	bool again; /* after the look that is under way */
	bool ended; /* at end_ns: after this look it is gone */
	__u64 end_ns;
	struct jit_source map, dump;
};

struct jit_map {
	struct item_writer *w;
	struct symbol_budget *budget;
	struct proc procs[PROCS_MAX];
	size_t nr;
	size_t next; /* whose turn it is */
	bool slots[PROCS_MAX];
	int ends[2]; /* of the reader's socket; [0] is ours */
	pid_t reader;
	unsigned int readers; /* so far */
	struct jit_opener opener;
	bool late; /* a file was not opened in time, and said so */
	/* the look that is under way */
	bool looking;
	bool all; /* without the limit */
	__u32 slot, serial;
	__u64 look_ns;
	struct hash execs; /* pid -> CLOCK_REALTIME s of its last exec */
	__u64 items;
	bool full; /* and said so */
};

int jit_map_create(struct item_writer *w, struct symbol_budget *budget,
		   struct jit_map **ret)
{
	struct jit_map *jm = calloc(1, sizeof(*jm));

	if (!jm)
		return -ENOMEM;
	jm->w = w;
	jm->budget = budget;
	jm->opener = JIT_OPENER_NONE;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, jm->ends)) {
		free(jm);
		return -errno;
	}
	*ret = jm;
	return 0;
}

/*
 * Looks up what /proc shows only while the process lives.  False: it is gone,
 * or hidden.
 */
static bool identify(struct jit_map *jm, struct proc *p)
{
	__u32 exec = hash_get(&jm->execs, p->pid);

	return jit_owner_find(p->pid, exec == VMMPROF_NONE ? 0 : exec,
			      &p->owner);
}

static struct proc *find(struct jit_map *jm, __u32 pid)
{
	size_t i;

	for (i = jm->nr; i > 0; i--)
		if (jm->procs[i - 1].pid == pid && !jm->procs[i - 1].ended)
			return &jm->procs[i - 1];
	return NULL;
}

/* Beyond the limits: a note, once. */
static void say_full(struct jit_map *jm, const char *what)
{
	if (!jm->full)
		item_note(jm->w,
			  "JIT code is not named in full: too much of it (%s)",
			  what);
	jm->full = true;
}

int jit_map_process(struct jit_map *jm, __u32 pid, __u64 ns)
{
	struct proc p = { .pid = pid, .ns = ns, .turn = DUMP };

	if (find(jm, pid))
		return 0;
	if (jm->nr == PROCS_MAX) {
		say_full(jm, "processes");
		return 0;
	}
	if (!identify(jm, &p))
		return 0;
	while (jm->slots[p.slot])
		p.slot++;
	jm->slots[p.slot] = true;
	jm->procs[jm->nr++] = p;
	return 0;
}

/* Sends to the reader; false: its socket is full, or there is no reader. */
static bool tell(struct jit_map *jm, const struct proc *p,
		 const struct jit_source *f, __u32 what, int fd)
{
	const struct jit_ask ask = {
		.what = what,
		.slot = 2 * p->slot + (f == &p->dump),
		.serial = jm->serial,
		.dump = f == &p->dump,
		.pos = f->pos,
		.limit = jm->all || p->ended ? JIT_FILE_MAX : LOOK_MAX,
	};

	if (jm->reader <= 0)
		return false;
	return !fdpass_send(jm->ends[0], &ask, sizeof(ask), fd);
}

static void run_reader(void *arg)
{
	(void)arg;
	helper_confine(READER_MEM);
	jit_reader_run(HELPER_A);
}

/* There is a reader, or there will be none any more. */
static bool have_reader(struct jit_map *jm)
{
	if (jm->reader > 0)
		return true;
	if (jm->readers >= READERS_MAX)
		return false;
	jm->readers++;
	jm->reader = helper_begin(jm->ends[1], jm->ends[1], run_reader, NULL);
	return jm->reader > 0;
}

/* Has a file of the process opened, at @path below its root, for the reader. */
static void open_owned(struct jit_map *jm, struct proc *p, struct jit_source *f,
		       const char *path, __u64 ino)
{
	int fd = jit_opener_open(&jm->opener, &p->owner, path, ino);

	if (fd == -ETIMEDOUT) {
		f->dead = true;
		if (!jm->late)
			item_note(
				jm->w,
				"JIT code is not named in full: a file of process %u was not opened in time",
				p->pid);
		jm->late = true;
	}
	if (fd < 0)
		return;
	f->open = have_reader(jm) && tell(jm, p, f, JIT_ADD, fd);
	close(fd);
}

int jit_map_dump(struct jit_map *jm, __u32 pid, __u64 ns, const char *path,
		 __u64 ino)
{
	int err = jit_map_process(jm, pid, ns);
	struct proc *p = find(jm, pid);

	if (err || !p || p->dump.open || p->dump.dead)
		return err;
	open_owned(jm, p, &p->dump, path, ino);
	return 0;
}

static void open_map(struct jit_map *jm, struct proc *p)
{
	char path[40];

	if (p->map.open || p->map.dead)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", p->owner.ns_pid);
	open_owned(jm, p, &p->map, path, 0);
}

static int put(struct jit_map *jm, const struct proc *p,
	       const struct jit_code *code)
{
	struct vmmprof_maps_jit item = {
		.addr = code->addr,
		.size = code->size,
		.pid = p->pid,
		.source = VMMPROF_JIT_PERF_MAP,
	};
	size_t size = strlen(code->name) + 1;

	if (jm->items >= ITEMS_MAX) {
		say_full(jm, "functions");
		return 0;
	}
	if (!symbol_budget_jit(jm->budget, p->owner.uid, sizeof(item) + size)) {
		say_full(jm, "one user's names");
		return 0;
	}
	jm->items++;
	item.ns = !code->fresh ? p->ns : p->ended ? p->end_ns - 1 : jm->look_ns;
	if (code->stamped) {
		item.ns = code->ns;
		item.source = VMMPROF_JIT_DUMP;
	}
	return item_put(jm->w, VMMPROF_MAPS_JIT, &item, sizeof(item),
			code->name, size);
}

/* The process has ended and its files have been read. */
static void release(struct jit_map *jm, struct proc *p)
{
	if (p->map.open)
		tell(jm, p, &p->map, JIT_DROP, -1);
	if (p->dump.open)
		tell(jm, p, &p->dump, JIT_DROP, -1);
	jm->slots[p->slot] = false;
	close(p->owner.root);
	*p = jm->procs[--jm->nr];
}

static struct proc *by_slot(struct jit_map *jm, __u32 slot)
{
	size_t i;

	for (i = 0; i < jm->nr; i++)
		if (jm->procs[i].slot == slot / 2)
			return &jm->procs[i];
	return NULL;
}

/* A jitdump has all that a map has, and times: the map is not read then. */
static void next_turn(struct proc *p)
{
	p->turn = p->turn == DUMP && !p->dump.pos ? MAP : NONE;
}

/*
 * The reader crashed or takes too long.  The next one continues with the other
 * maps; dumps are read again from their beginning.
 */
static void end_reader(struct jit_map *jm)
{
	struct proc *p = jm->looking ? by_slot(jm, jm->slot) : NULL;
	struct jit_told old;
	size_t i;

	if (jm->reader > 0)
		kill(jm->reader, SIGKILL);
	jm->reader = 0;
	if (p)
		(jm->slot & 1 ? &p->dump : &p->map)->dead = true;
	if (p)
		next_turn(p);
	item_note(
		jm->w,
		"JIT code is not named in full: a file of process %u ended its reader",
		p ? p->pid : 0);
	jm->looking = false;
	while (recv(jm->ends[0], &old, sizeof(old), MSG_DONTWAIT) > 0)
		;
	while (recv(jm->ends[1], &old, sizeof(old), MSG_DONTWAIT) > 0)
		;
	for (i = 0; i < jm->nr; i++) {
		jm->procs[i].map.open = false;
		jm->procs[i].dump.dead |= jm->procs[i].dump.open;
		jm->procs[i].dump.open = false;
	}
}

/* 0: it is no answer to the question. */
static int on_told(struct jit_map *jm, const struct jit_told *told, size_t n)
{
	struct jit_code code;
	struct proc *p = by_slot(jm, jm->slot);
	size_t at = 0;
	int ret;

	if (!p || told->slot != jm->slot || told->serial != jm->serial)
		return -EBADMSG;
	while ((ret = jit_reader_next(told, n, &at, &code)) > 0) {
		ret = put(jm, p, &code);
		if (ret)
			return ret;
	}
	if (ret || !told->done)
		return ret;
	(jm->slot & 1 ? &p->dump : &p->map)->pos = told->pos;
	jm->looking = false;
	if (told->cut)
		say_full(jm, "one process's file");
	if (p->again)
		p->turn = DUMP;
	else
		next_turn(p);
	p->again = false;
	return 0;
}

static int hear(struct jit_map *jm)
{
	static struct jit_told told;
	int i, ret = 0;
	ssize_t n;

	for (i = 0; i < TELL_MAX && jm->looking && !ret; i++) {
		n = recv(jm->ends[0], &told, sizeof(told), MSG_DONTWAIT);
		if (n <= 0)
			break;
		ret = on_told(jm, &told, n);
	}
	if (jm->looking && waitpid(jm->reader, NULL, WNOHANG) == jm->reader)
		jm->reader = 0;
	if (jm->looking && (ret == -EBADMSG || !jm->reader ||
			    clock_now() - jm->look_ns > LOOK_NS))
		end_reader(jm);
	return ret == -EBADMSG ? jm->w->err : ret;
}

/* Asks the reader for one file, of the process whose turn it is. */
static void ask(struct jit_map *jm)
{
	struct jit_source *f;
	struct proc *p;
	size_t i;

	for (i = 0; i < jm->nr && !jm->looking;) {
		if (jm->next >= jm->nr)
			jm->next = 0;
		p = &jm->procs[jm->next];
		if (p->turn == MAP)
			open_map(jm, p);
		f = p->turn == DUMP ? &p->dump : &p->map;
		jm->serial++;
		jm->slot = 2 * p->slot + (p->turn == DUMP);
		jm->look_ns = clock_now();
		if (p->turn != NONE && f->open && !f->dead &&
		    tell(jm, p, f, JIT_LOOK, -1)) {
			jm->looking = true;
		} else if (p->turn != NONE) {
			next_turn(p);
		} else if (p->ended) {
			release(jm, p);
			i = 0;
		} else {
			jm->next++;
			i++;
		}
	}
}

int jit_map_run(struct jit_map *jm)
{
	int ret = jm->looking ? hear(jm) : 0;

	if (!ret && !jm->looking)
		ask(jm);
	return ret;
}

/* The same until no process waits. */
static int wait_for_all(struct jit_map *jm, unsigned int ms)
{
	__u64 end = clock_now() + ms * 1000000ull;
	struct pollfd fd = { jm->ends[0], POLLIN, 0 };
	int ret = jit_map_run(jm);

	while (!ret && jm->looking && clock_now() < end) {
		poll(&fd, 1, 20);
		ret = jit_map_run(jm);
	}
	return ret;
}

int jit_map_end(struct jit_map *jm, __u32 pid, __u64 ns)
{
	struct proc *p = find(jm, pid);
	__s64 real = clock_ns(CLOCK_REALTIME) - clock_now();

	/*
	 * Rings are read started one after the other: this may be an old event.
	 */
	if (!p || p->ns >= ns)
		return 0;
	/* while /proc still has it */
	if (!p->dump.pos)
		open_map(jm, p);
	p->ended = true;
	p->end_ns = ns;
	p->turn = DUMP;
	p->again = jm->looking && jm->slot / 2 == p->slot;
	return hash_set(&jm->execs, pid, (real + (__s64)ns) / 1000000000);
}

int jit_map_look(struct jit_map *jm, bool all)
{
	size_t i;
	int ret;

	for (i = 0; i < jm->nr; i++)
		if (jm->procs[i].turn == NONE)
			jm->procs[i].turn = DUMP;
	if (!all)
		return jit_map_run(jm);
	/* the look under way has a limit: look again afterwards */
	ret = wait_for_all(jm, ALL_MS);
	jm->all = true;
	for (i = 0; i < jm->nr; i++)
		jm->procs[i].turn = DUMP;
	ret = ret ? ret : wait_for_all(jm, ALL_MS);
	jm->all = false;
	return ret;
}

void jit_map_destroy(struct jit_map *jm)
{
	size_t i;

	if (!jm)
		return;
	wait_for_all(jm, LAST_MS);
	if (jm->reader > 0)
		kill(jm->reader, SIGKILL);
	/*
	 * it ends at once; one that is blocked in a file system is left to init
	 */
	for (i = 0;
	     jm->reader > 0 && i < 200 && !waitpid(jm->reader, NULL, WNOHANG);
	     i++)
		usleep(1000);
	jit_opener_end(&jm->opener);
	for (i = 0; i < jm->nr; i++)
		close(jm->procs[i].owner.root);
	close(jm->ends[0]);
	close(jm->ends[1]);
	hash_deinit(&jm->execs);
	free(jm);
}

void jit_map_pollfd(const struct jit_map *jm, struct pollfd *fd)
{
	*fd = (struct pollfd){ jm->ends[0], POLLIN, 0 };
}
