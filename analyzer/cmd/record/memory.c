// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads guests while they are sampled.  For each VM: a sample in its guest's
 * kernel shows where to begin (host/guest_sights), the module tells its memory
 * slots, and a process without rights reads (introspect/read_apart) into a file
 * in memory.  What it says of the kernel goes to the module, so that samples
 * say who ran; once such a sample names a process that is new, the guest is
 * read again, and if they find none for a while: it may have another kernel now.
 *
 * The VMM's memory is opened before the slots are asked for: whose process ends
 * and whose number is another one's then, has no memory that could be read.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/vec.h"
#include "cmd/record/messages.h"
#include "cmd/record/recording.h"
#include "host/memory_policy.h"
#include "host/vm_encryption.h"

#define SECOND	 1000000000ull
#define DEADLINE (120 * SECOND) /* of one reading */
#define TRIES	 6		/* in a row that may fail */
#define AGAIN_NS (SECOND / 2)	/* after the first one; then doubled */
#define PAUSE_NS SECOND		/* between readings, at least */
#define PAUSE	 20		/* times as long as the last one took */
#define MORE_MAX (16ll << 20)	/* bytes of those before, of a live session */
#define UNREAD	 100		/* samples in a row without their task */

void record_memory_say_forbidden(const struct recording *r)
{
	const char *by = memory_forbidden(false, "");

	if (by && !r->opts->no_guest_memory && !r->opts->quiet)
		record_say(
			"guests' memory is not read, nor their call chains: %s forbids it",
			by);
}

static void end_out(struct memory_guest *g)
{
	io_close(&g->out);
}

/* The VM's, perhaps a new one.  NULL: no memory. */
static struct memory_guest *guest_of(struct record_memory *m, uint32_t pid)
{
	struct memory_guest *g;
	size_t i;

	for (i = 0; i < m->nr; i++)
		if (m->guests[i].pid == pid)
			return &m->guests[i];
	if (vec_grow(&m->guests, &m->cap, m->nr, sizeof(*g)))
		return NULL;
	g = &m->guests[m->nr++];
	*g = (struct memory_guest){
		.pid = pid, .mem = -1, .out = -1, .bundle = -1
	};
	return g;
}

void record_memory_leave(struct recording *r, uint32_t pid)
{
	struct memory_guest *g = guest_of(&r->memory, pid);

	if (g)
		g->over = true;
}

static void failed(struct memory_guest *g, const struct error *e)
{
	g->why = *e;
	g->next_ns = clock_now() + (AGAIN_NS << g->tries);
	if (++g->tries == TRIES)
		g->over = true;
}

static int open_memory(struct memory_guest *g)
{
	struct error e = { 0 };
	char path[40];

	if (g->mem >= 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/mem", g->pid);
	g->mem = open(path, O_RDONLY | O_CLOEXEC);
	if (g->mem >= 0)
		return 0;
	error_set(&e, -errno, "the memory of its process cannot be opened: %s",
		  strerror(errno));
	failed(g, &e);
	return e.code;
}

/* The module's word on the VM's memory, as the reader wants it. */
static int take_slots(struct memory_guest *g,
		      const struct vmmprof_memslot *from, unsigned int nr)
{
	struct guest_slot *to = calloc(nr ? nr : 1, sizeof(*to));
	unsigned int i;

	if (!to)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		to[i] = (struct guest_slot){ from[i].gpa, from[i].bytes,
					     from[i].hva };
	free(g->slots);
	g->slots = to;
	g->nr_slots = nr;
	return 0;
}

/* -EAGAIN: asked for, and no sample of the guest has come since. */
static int get_slots(struct recording *r, struct memory_guest *g)
{
	static struct vmmprof_memslot slots[VMMPROF_MEMSLOTS_MAX];
	__u32 nr = VMMPROF_MEMSLOTS_MAX;
	struct error e = { 0 };
	bool more;
	int ret = device_memslots(&r->dev, g->pid, slots, &nr, &more);

	if (ret == -EAGAIN)
		return ret;
	if (!ret)
		ret = take_slots(g, slots, nr);
	if (ret) {
		error_set(&e, ret, "the module does not tell its memory: %s",
			  strerror(-ret));
		failed(g, &e);
	}
	return ret;
}

static off_t size_of(int fd)
{
	struct stat st;

	return fd < 0 || fstat(fd, &st) ? 0 : st.st_size;
}

/*
 * A bundle has all that readings before found, also what ended long ago: a live
 * session, which has no end, begins another one when there is much of that.
 */
static bool begins_anew(const struct recording *r, const struct memory_guest *g)
{
	return r->live && g->bundle >= 0 &&
	       size_of(g->bundle) - g->first_size > MORE_MAX;
}

static int begin_reading(const struct recording *r, struct memory_guest *g,
			 const struct guest_sight *seen)
{
	struct guest_look look = {
		.memory = g->mem,
		.pid = g->pid,
		.slots = g->slots,
		.nr_slots = g->nr_slots,
		.cr3 = seen->cr3,
		.rip = seen->rip,
		.before = g->bundle,
		.unwind = r->dev.chain_flags & VMMPROF_CHAIN_F_GUEST,
		.kernel = &g->kernel,
	};
	struct error e = { 0 };
	int ret;

	g->out = guest_reading_open();
	g->begun_ns = clock_now();
	g->begun_tsc = __rdtsc();
	g->begun_seen = seen->found;
	g->begun_unread = seen->unread;
	look.out = g->out;
	g->anew = begins_anew(r, g);
	if (g->anew)
		look.before = -1;
	if (g->bundle >= 0)
		lseek(g->bundle, 0, SEEK_SET);
	if (g->out < 0)
		ret = error_set(&e, g->out, "no memory for what is read: %s",
				strerror(-g->out));
	else
		ret = guest_reading_begin(&look, g->begun_ns + DEADLINE,
					  &g->reading, &e);
	if (ret) {
		end_out(g);
		failed(g, &e);
	}
	return ret;
}

/*
 * The module reads by it from now on who runs in the guest: until that has another
 * kernel, or has it elsewhere.
 */
static void tell_layout(struct recording *r, struct memory_guest *g,
			struct vmmprof_guest_layout l)
{
	int ret;

	if (g->told && (!l.size || !memcmp(&l, &g->layout, sizeof(l))))
		return;
	g->told = true;
	g->layout = l;
	g->untold.code = 0;
	ret = l.size ? device_guest_layout(&r->dev, &l) : -EOPNOTSUPP;
	if (!l.size)
		error_set(&g->untold, ret, "%s",
			  "its kernel does not say where it has who runs");
	else if (ret)
		error_set(
			&g->untold, ret,
			"the module does not take the layout of its kernel: %s",
			strerror(-ret));
}

/* It has what the one before has, and more; or what there is now. */
static int keep_bundle(struct memory_guest *g, struct error *e)
{
	int ret = guest_reading_keep(g->out);

	if (ret)
		return error_set(e, ret, "what was read is not kept: %s",
				 strerror(-ret));
	if (g->anew || g->bundle < 0)
		g->first_size = size_of(g->out);
	io_close(&g->bundle);
	g->bundle = g->out;
	g->out = -1;
	return 0;
}

static void put_item(struct recording *r, const struct memory_guest *g, int err,
		     const struct guest_found *found)
{
	const struct vmmprof_info_memory item = {
		.pid = g->pid,
		.error = err,
		.tsc = g->begun_tsc,
		.took_ns = clock_now() - g->begun_ns,
		.reads = found->reads,
		.bytes = found->bytes,
		.processes = found->stat.processes,
		.threads = found->stat.threads,
		.mappings = found->stat.mappings,
		.files = found->stat.files,
		.modules = found->stat.modules,
		.flags = (found->layout.size ? VMMPROF_MEMORY_F_LAYOUT : 0) |
			 (r->live ? VMMPROF_MEMORY_F_FIRST : 0),
	};

	/* a live session has no end: its info would grow with each one */
	if (r->live && !err && g->readings)
		return;
	session_writer_memory(&r->out, &item, err ? found->error.text : "");
}

/* -EAGAIN: it still reads. */
static int end_reading(struct recording *r, struct memory_guest *g)
{
	uint64_t now, took;
	struct guest_found found;
	int ret = guest_reading_look(&g->reading, &found);

	if (ret == -EAGAIN)
		return ret;
	if (!ret)
		ret = keep_bundle(g, &found.error);
	put_item(r, g, ret, &found);
	g->bytes += found.bytes;
	if (!ret)
		g->kernel = found.kernel;
	end_out(g);
	if (ret) {
		/* the next one does with what there is, as far as that goes */
		if (g->anew)
			g->first_size = size_of(g->bundle);
		failed(g, &found.error);
		return ret;
	}
	now = clock_now();
	took = now - g->begun_ns;
	/*
	 * The kernel is found once: most of the first one's work.  One that begins
	 * anew has that again, and so is as rare as that is long.
	 */
	if (!g->readings++) {
		g->first_ns = now;
		took = 0;
	}
	g->last_ns = now;
	g->tries = 0;
	g->why.code = 0;
	g->done_seen = g->begun_seen;
	g->done_ns = g->begun_ns;
	g->next_ns = now + (took * PAUSE > PAUSE_NS ? took * PAUSE : PAUSE_NS);
	tell_layout(r, g, found.layout);
	return 0;
}

static bool is_due(const struct memory_guest *g, const struct guest_sight *seen)
{
	if (g->over || clock_now() < g->next_ns || !seen || !seen->rip)
		return false;
	/* a kernel of which no task can be read is not read over and over */
	return !g->readings || seen->found != g->done_seen ||
	       (g->layout.size && seen->unread >= UNREAD &&
		seen->unread / 2 >= g->begun_unread);
}

/* Samples say it of protected state, the VMM's command line of the rest. */
static bool is_encrypted(const struct guest_sight *seen, struct memory_guest *g)
{
	const char *what = "SEV-ES, SEV-SNP or TDX";

	if (g->readings || g->over || !seen)
		return false;
	if (!seen->encrypted)
		what = g->looked ? NULL : vm_encryption("", g->pid);
	g->looked = true;
	if (!what)
		return false;
	error_set(
		&g->why, -EACCES,
		"its memory is encrypted (%s) and cannot be read from the host",
		what);
	g->over = true;
	return true;
}

/* A copy of it, because the thread that drains looks on.  NULL: there is none. */
static const struct guest_sight *find_sight(struct recording *r, uint32_t pid,
					    struct guest_sight *copy)
{
	const struct guest_sight *seen;

	pthread_mutex_lock(&r->drain.lock);
	seen = guest_sights_find(&r->memory.sights, pid);
	if (seen)
		*copy = *seen;
	pthread_mutex_unlock(&r->drain.lock);
	return seen ? copy : NULL;
}

static void run_guest(struct recording *r, struct memory_guest *g)
{
	struct guest_sight copy;
	const struct guest_sight *seen = find_sight(r, g->pid, &copy);
	struct vmmprof_guest_layout l;

	if (g->reading.pid && guest_reading_layout(&g->reading, &l))
		tell_layout(r, g, l);
	if (g->reading.pid && end_reading(r, g) == -EAGAIN)
		return;
	if (is_encrypted(seen, g) || !is_due(g, seen) || open_memory(g) ||
	    get_slots(r, g))
		return;
	begin_reading(r, g, seen);
}

void record_memory_look(struct recording *r)
{
	unsigned int i;

	if (!r->memory.wanted)
		return;
	/* Without memory guests are read later, or not. */
	for (i = 0; i < r->dev.nr_rings; i++)
		guest_sights_look(&r->memory.sights, i, &r->dev.rings[i]);
}

static void look_now(struct recording *r)
{
	pthread_mutex_lock(&r->drain.lock);
	record_memory_look(r);
	pthread_mutex_unlock(&r->drain.lock);
}

void record_memory_tick(struct recording *r)
{
	struct memory_guest *g;
	unsigned int i;

	if (!r->memory.wanted)
		return;
	look_now(r);
	for (i = 0; i < r->inv.nr; i++) {
		if (r->inv.vms[i].gone)
			continue;
		g = guest_of(&r->memory, r->inv.vms[i].pid);
		if (g)
			run_guest(r, g);
	}
}

void record_memory_last(struct recording *r)
{
	const struct guest_sight *seen;
	struct guest_sight copy;
	struct memory_guest *g;
	size_t i;

	look_now(r);
	for (i = 0; i < r->memory.nr; i++) {
		g = &r->memory.guests[i];
		if (g->reading.pid)
			end_reading(r, g);
		seen = find_sight(r, g->pid, &copy);
		/* One that still reads, reads the end. */
		if (!g->reading.pid && !g->over && g->nr_slots && seen &&
		    seen->rip)
			begin_reading(r, g, seen);
	}
}

void record_memory_wait(struct recording *r)
{
	size_t i;

	for (i = 0; i < r->memory.nr; i++) {
		struct memory_guest *g = &r->memory.guests[i];

		while (g->reading.pid && end_reading(r, g) == -EAGAIN)
			usleep(10000);
	}
}

bool record_memory_has(const struct recording *r, uint32_t pid)
{
	size_t i;

	for (i = 0; i < r->memory.nr; i++)
		if (r->memory.guests[i].pid == pid)
			return r->memory.guests[i].readings;
	return false;
}

static void guest_deinit(struct memory_guest *g)
{
	guest_reading_end(&g->reading);
	end_out(g);
	io_close(&g->mem);
	io_close(&g->bundle);
	free(g->slots);
}

void record_memory_gone(struct record_memory *m, uint32_t pid)
{
	size_t i;

	for (i = 0; i < m->nr; i++) {
		if (m->guests[i].pid != pid)
			continue;
		guest_deinit(&m->guests[i]);
		m->nr--;
		memmove(&m->guests[i], &m->guests[i + 1],
			(m->nr - i) * sizeof(*m->guests));
		return;
	}
}

void record_memory_deinit(struct record_memory *m)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		guest_deinit(&m->guests[i]);
	free(m->guests);
	guest_sights_deinit(&m->sights);
	memset(m, 0, sizeof(*m));
}
