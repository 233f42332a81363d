// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gets the bundles of all guests at once, with one process for each guest.
 * This is the parent, which trusts neither guests nor these processes.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "transport/collect.h"
#include "transport/collect_child.h"
#include "transport/ways.h"
#include "sandbox/confine.h"
#include "os/proc_file.h"
#include "transport/import.h"

/* How long a child may exceed its own deadline before it is killed. */
#define GRACE_NS     1000000000ull
#define MAX_GUESTS   1024
#define MEANWHILE_MS 100
#define CMDLINE_MAX  (256u << 10)
#define KEPT_NOT     "what it sent is not kept: %s"

static int fail(struct collect_guest *g, int err, const char *text)
{
	g->reach.error = err;
	snprintf(g->text, sizeof(g->text), "%s", text);
	return err;
}

/* The list of cached build-ids; -1: the guest has to send all symbols. */
static int open_cache(struct collect *c, struct collect_guest *g)
{
	int fd = -1;

	if (c->cache && !symcache_claim(c->cache, c->root, g->pid) &&
	    !symcache_guest_open(c->cache, g->pid, g->name, &g->cache))
		fd = symcache_have(&g->cache, c->unwind);
	return fd < 0 ? -1 : fd;
}

static int run_child(const struct collect *c, const struct collect_guest *g,
		     int sock, int have)
{
	const int keep[] = { sock,	     g->out, c->file.fd,
			     c->file.packed, have,   g->code };
	struct target target = {
		.root = c->root,
		.pid = g->pid,
		.name = g->name,
		.ssh = g->ssh,
	};
	const struct collect_child how = {
		.target = &target,
		.allow = g->allow,
		.watch_limit = c->at_once ? 0 : c->watch_limit,
		.begin_ns = c->begin_ns,
		.end_ns = c->end_ns,
		.program = &c->file,
		.out = g->out,
		.sock = sock,
		.have = have,
		.unwind = c->unwind,
		.code = g->code,
		.max_bytes = c->max_bytes,
		.at_once = c->at_once,
	};
	char *cmdline = malloc(CMDLINE_MAX);
	char path[PATH_MAX];
	ssize_t n = -ENOMEM;

	confine_files(3, keep, 6);
	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", c->root, g->pid);
	if (cmdline)
		n = proc_file_read(path, cmdline, CMDLINE_MAX);
	target.cmdline = n > 0 ? cmdline : "";
	target.cmdline_size = n > 0 ? n : 0;
	n = collect_child(&how);
	free(cmdline);
	return n;
}

/* A file in memory whose size is sealed, so that the child cannot change it. */
static int open_code(void)
{
	int fd = memfd_create("code", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, CODE_FILE_MAX) ||
			fcntl(fd, F_ADD_SEALS,
			      F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int in_memory(void)
{
	int fd = memfd_create("vmmprof-bundle", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void drop_part(struct collect *c, const struct collect_guest *g)
{
	if (c->out)
		session_writer_drop_part(c->out, g->name);
}

static int start_child(struct collect *c, struct collect_guest *g)
{
	int pair[2], have;

	g->out = c->out ? session_writer_part(c->out, g->name) : in_memory();
	if (g->out < 0)
		return fail(g, g->out, "cannot make the bundle's file");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return fail(g, -errno, "cannot make a socket");
	if (c->code && g->code < 0)
		g->code = open_code();
	have = open_cache(c, g);
	if (ways_have_agent(g->allow & ways_of(c->root, g->pid)))
		guest_program_pack(&c->file);
	if (!g->start_ns)
		g->start_ns = clock_now();
	g->child = fork();
	if (!g->child)
		_exit(run_child(c, g, pair[1], have));
	io_close(&have);
	close(pair[1]);
	g->sock = pair[0];
	if (g->child > 0)
		return 0;
	g->child = 0;
	return fail(g, -errno, "cannot start a process for this guest");
}

static void end_child(struct collect_guest *g)
{
	io_close(&g->sock);
	if (!g->child)
		return;
	kill(g->child, SIGKILL);
	waitpid(g->child, NULL, 0);
	g->child = 0;
}

/* Makes the text safe: a guest may have taken over the child that sent it. */
static void copy_text(char *to, const char *from)
{
	unsigned int i;

	for (i = 0; i < CHANNEL_TEXT - 1 && from[i]; i++)
		to[i] = from[i] < ' ' || from[i] > '~' ? '?' : from[i];
	to[i] = '\0';
}

/*
 * If a way exists but does not work (an agent that may not run programs), try
 * the next one, while there is time.
 */
static void try_next_way(struct collect *c, struct collect_guest *g)
{
	/* ways are tried in the order of their numbers */
	const uint32_t tried = (2u << g->reach.how) - 1;

	if (g->reach.how == VMMPROF_REACH_NONE || !(g->allow & ~tried) ||
	    c->ending_ns || clock_now() > g->start_ns + c->begin_ns)
		return;
	drop_part(c, g);
	symcache_guest_close(&g->cache);
	close(g->out);
	g->out = -1;
	g->allow &= ~tried;
	g->how_before = g->reach.how;
	g->error_before = g->reach.error;
	g->reach.error = 0;
	memcpy(g->before, g->text, sizeof(g->before));
	start_child(c, g);
}

/*
 * No way worked: nothing of it stays open.  A recorder that runs for days sees
 * more VMs than it may have descriptors.
 */
static void let_go(struct collect *c, struct collect_guest *g)
{
	if (g->out >= 0)
		drop_part(c, g);
	io_close(&g->out);
	io_close(&g->code);
	symcache_guest_close(&g->cache);
}

/* Adds the reasons of the ways that failed before. */
static void join_reasons(struct collect_guest *g)
{
	char text[CHANNEL_TEXT];

	if (!*g->before)
		return;
	if (g->reach.how == VMMPROF_REACH_NONE) {
		snprintf(text, sizeof(text), "%s", g->before);
		g->reach.how = g->how_before;
		g->reach.error = g->error_before;
		g->allow = 0; /* no other way exists */
	} else {
		snprintf(text, sizeof(text), "%.400s; %.200s", g->before,
			 g->text);
	}
	memcpy(g->text, text, sizeof(text));
}

/* Takes the time at which the child had the bundle, if it is plausible. */
static void set_end_time(const struct collect *c, struct collect_guest *g,
			 uint64_t done_ns)
{
	if (c->ending_ns && done_ns >= c->ending_ns && done_ns <= clock_now())
		g->reach.end_ns = done_ns - c->ending_ns;
}

static void fail_code(struct collect_guest *g, int err, const char *text)
{
	g->code_error = err;
	copy_text(g->code_text, text);
	end_child(g);
}

/* Takes the result about code; the bundle is there. */
static void read_code_report(struct collect_guest *g,
			     const struct collect_report *r)
{
	g->reach.sent = r->sent;
	g->reach.received = r->received;
	g->code_size = r->code_size;
	if (r->error)
		fail_code(g, r->error, r->text);
	else if (g->code_size > CODE_FILE_MAX)
		fail_code(g, -EPROTO,
			  "the process that talked to it is confused");
	end_child(g);
}

/*
 * Reads a report.  A child that ended without one, or sent a wrong one, failed.
 */
static void read_report(struct collect *c, struct collect_guest *g)
{
	static const char died[] = "the process that talked to it died";
	struct collect_report r;

	if (recv(g->sock, &r, sizeof(r), MSG_DONTWAIT) != sizeof(r) ||
	    r.how > VMMPROF_REACH_SSH || r.error > 0 || r.error < -4095) {
		if (g->fetched)
			fail_code(g, -EPROTO, died);
		else
			fail(g, -EPROTO, died);
		end_child(g);
		return;
	}
	if (g->fetched) {
		read_code_report(g, &r);
		return;
	}
	g->reach.how = r.how;
	g->reach.error = r.error;
	g->no_unwind = r.no_unwind;
	g->reach.sent = r.sent;
	g->reach.received = r.received;
	copy_text(g->text, r.text);
	if (r.stage == COLLECT_WATCHES && !r.error && !g->watching) {
		g->watching = true;
		g->reach.begin_ns = clock_now() - g->start_ns;
		return;
	}
	if (r.stage == COLLECT_FETCHED && !r.error &&
	    (g->watching || c->at_once) && g->code >= 0) {
		g->fetched = true;
		set_end_time(c, g, r.done_ns);
		return;
	}
	if (!g->watching && !r.error && !c->at_once)
		fail(g, -EPROTO, "the process that talked to it is confused");
	set_end_time(c, g, r.done_ns);
	end_child(g);
	if (g->watching || !g->reach.error)
		return;
	join_reasons(g);
	try_next_way(c, g);
	if (!g->child)
		let_go(c, g);
}

/* The report that is waited for; the last one always ends the wait. */
enum wait { WATCHES, FETCHED, LAST };

static bool awaited(const struct collect_guest *g, enum wait what)
{
	return g->sock >= 0 && !(what == WATCHES && g->watching) &&
	       !(what == FETCHED && g->fetched);
}

/* Reads reports that come within a time; false: none is awaited. */
static bool read_reports(struct collect *c, int ms, enum wait what)
{
	struct pollfd *fds = calloc(c->nr + 1, sizeof(*fds));
	unsigned int i, open = 0;

	for (i = 0; fds && i < c->nr; i++) {
		struct collect_guest *g = &c->guests[i];
		bool want = awaited(g, what);

		fds[i] = (struct pollfd){ want ? g->sock : -1, POLLIN, 0 };
		open += want;
	}
	if (open && poll(fds, c->nr, ms) > 0)
		for (i = 0; i < c->nr; i++)
			if (fds[i].fd >= 0 && fds[i].revents)
				read_report(c, &c->guests[i]);
	free(fds);
	return open;
}

/* Waits until a time for the report of each guest that runs. */
static void wait_reports(struct collect *c, uint64_t until, enum wait what)
{
	uint64_t now, ms;

	while ((now = clock_now()) < until) {
		ms = (until - now) / 1000000 + 1;
		if (c->meanwhile && ms > MEANWHILE_MS)
			ms = MEANWHILE_MS;
		if (!read_reports(c, ms, what) ||
		    (c->meanwhile && !c->meanwhile(c->arg)))
			break;
	}
}

void collect_look(struct collect *c)
{
	if (c->open)
		read_reports(c, 0, WATCHES);
}

/* Kills the children that should have reported by now. */
static void end_late(struct collect *c, enum wait what)
{
	static const char late[] = "the guest did not answer in time";
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		struct collect_guest *g = &c->guests[i];

		if (!awaited(g, what))
			continue;
		if (g->fetched)
			fail_code(g, -ETIMEDOUT, late);
		else
			fail(g, -ETIMEDOUT, late);
		end_child(g);
	}
}

static struct collect_guest *find(struct collect *c, uint32_t pid)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		if (c->guests[i].pid == pid)
			return &c->guests[i];
	return NULL;
}

/* The allowed ways for this guest: its own option, else that for all. */
static void apply_rules(const struct collect *c, struct collect_guest *g)
{
	char pid[16];
	unsigned int i;

	g->allow = c->allow;
	snprintf(pid, sizeof(pid), "%u", g->pid);
	for (i = 0; i < c->nr_rules; i++) {
		const struct collect_rule *r = &c->rules[i];

		if (strcmp(r->name, g->name) && strcmp(r->name, pid))
			continue;
		if (r->forced)
			g->allow = r->allow;
		if (r->ssh)
			g->ssh = r->ssh;
	}
}

int collect_add(struct collect *c, const struct vm *vm)
{
	struct collect_guest *g;

	if (!c->open || find(c, vm->pid))
		return 0;
	if (c->nr == MAX_GUESTS)
		return -E2BIG;
	g = &c->guests[c->nr++];
	memset(g, 0, sizeof(*g));
	g->sock = -1;
	g->out = -1;
	g->code = -1;
	g->cache.dirfd = -1;
	g->pid = vm->pid;
	g->reach.pid = vm->pid;
	memcpy(g->name, vm->name, sizeof(g->name));
	apply_rules(c, g);
	start_child(c, g);
	return 0;
}

int collect_open(struct collect *c)
{
	int err = guest_program_open(&c->file, c->program);

	if (err)
		return err;
	c->max_bytes = c->max_bytes ? c->max_bytes : BUNDLE_MAX;
	c->guests = calloc(MAX_GUESTS, sizeof(*c->guests));
	c->open = c->guests;
	if (!c->open)
		guest_program_close(&c->file);
	return c->open ? 0 : -ENOMEM;
}

void collect_begin(struct collect *c)
{
	wait_reports(c, clock_now() + c->begin_ns + GRACE_NS, WATCHES);
	end_late(c, WATCHES);
}

/* Puts its file into the session, if it is a bundle that can be read. */
static int take_bundle(struct collect *c, struct collect_guest *g)
{
	bool cache = g->cache.dirfd >= 0 && symcache_guest_alone(&g->cache);
	struct stat st;
	struct error e;
	int err;

	if (fstat(g->out, &st) || (uint64_t)st.st_size > c->max_bytes)
		return fail(g, -EFBIG, "its bundle is too large");
	err = import_bundle(g->out, cache ? &g->cache : NULL, &g->got, &e);
	if (err) {
		snprintf(g->text, sizeof(g->text), KEPT_NOT, e.text);
		g->reach.error = err;
		return err;
	}
	if (c->out)
		err = session_writer_take_part(c->out, g->pid, g->name, g->out);
	if (err)
		return fail(g, err, "its bundle cannot be kept");
	g->size = st.st_size;
	return 0;
}

/* Puts a guest's bundle into the session, and how it was fetched into info. */
static void take(struct collect *c, struct collect_guest *g)
{
	if (!g->reach.error)
		take_bundle(c, g);
	symcache_guest_close(&g->cache);
	if (g->reach.error && g->out >= 0)
		drop_part(c, g);
	session_writer_reach(c->out, &g->reach, g->text);
}

void collect_fetch(struct collect *c)
{
	unsigned int i;

	if (!c->open || c->ending_ns)
		return;
	c->ending_ns = clock_now();
	/* a child that is not ready yet finds the byte later */
	for (i = 0; i < c->nr; i++)
		if (c->guests[i].sock >= 0)
			send(c->guests[i].sock, "f", 1,
			     MSG_NOSIGNAL | MSG_DONTWAIT);
}

void collect_end(struct collect *c)
{
	unsigned int i;

	if (!c->open)
		return;
	collect_fetch(c);
	wait_reports(c, c->ending_ns + c->end_ns + GRACE_NS, FETCHED);
	end_late(c, FETCHED);
	for (i = 0; i < c->nr; i++)
		take(c, &c->guests[i]);
}

static const struct collect_list *find_list(const struct collect_list *lists,
					    size_t nr, uint32_t pid)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (lists[i].pid == pid && lists[i].size <= CODE_LIST_MAX)
			return &lists[i];
	return NULL;
}

/* Sends the list of code; without one the child only tidies up there. */
static void ask_code(struct collect_guest *g, const struct collect_list *l)
{
	char request[1 + CODE_LIST_MAX] = "c";
	uint32_t size = l && !g->reach.error ? l->size : 0;

	if (size)
		memcpy(request + 1, l->list, size);
	if (g->sock >= 0)
		send(g->sock, request, 1 + size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Puts the code into the bundle, and the bytes transferred into info. */
static void take_code(struct collect *c, struct collect_guest *g)
{
	struct error e = { .text = "no code" };

	if (g->reach.error)
		return;
	if (!g->code_error && g->code_size)
		g->code_error = import_code(g->out, g->code, g->code_size,
					    &g->got_code, &e);
	if (g->code_error && !*g->code_text)
		snprintf(g->code_text, sizeof(g->code_text), KEPT_NOT, e.text);
	if (c->out)
		session_writer_reach(c->out, &g->reach, "");
}

void collect_code(struct collect *c, const struct collect_list *lists,
		  size_t nr)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		if (c->guests[i].fetched)
			ask_code(&c->guests[i],
				 find_list(lists, nr, c->guests[i].pid));
	wait_reports(c, clock_now() + c->begin_ns + GRACE_NS, LAST);
	end_late(c, LAST);
	for (i = 0; i < c->nr; i++)
		if (c->guests[i].fetched)
			take_code(c, &c->guests[i]);
}

void collect_at_once(struct collect *c)
{
	unsigned int i;

	if (!c->open)
		return;
	wait_reports(c, clock_now() + c->begin_ns + c->end_ns + GRACE_NS,
		     FETCHED);
	end_late(c, FETCHED);
	for (i = 0; i < c->nr; i++) {
		if (!c->guests[i].reach.error)
			take_bundle(c, &c->guests[i]);
		symcache_guest_close(&c->guests[i].cache);
	}
}

void collect_deinit(struct collect *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		io_close(&c->guests[i].sock);
		io_close(&c->guests[i].out);
		io_close(&c->guests[i].code);
		symcache_guest_close(&c->guests[i].cache);
	}
	if (c->open)
		guest_program_close(&c->file);
	free(c->guests);
	memset(c, 0, sizeof(*c));
}
