// SPDX-License-Identifier: GPL-2.0-only
/* When each guest is asked again, and the process that asks. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/vec.h"
#include "sandbox/confine.h"
#include "sandbox/fd_pass.h"
#include "symcache/evict.h"
#include "transport/refresh.h"

#define SECOND	  1000000000ull
#define SOON_NS	  (10 * SECOND)
#define LATER_NS  (60 * SECOND)
#define MAX_SHIFT 5		/* 10 s << 5: 320 s */
#define COST	  20		/* a fetch takes 1/20 of the time at most */
#define SPARE_NS  (70 * SECOND) /* for reading the bundle afterwards */
#define CODE_NS	  (70 * SECOND) /* the same for code */
#define SEND_S	  5

int refresh_send(int notes, const struct refresh_note *n, int out)
{
	char path[32];
	int fd, err;

	if (n->error)
		return fdpass_send(notes, n, sizeof(*n), -1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", out);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = fdpass_send(notes, n, sizeof(*n), fd);
	close(fd);
	return err;
}

/*
 * Keep nothing of the caller's but what is needed: no terminal to which a
 * signal handler could write, and no pipe whose end somebody waits for.
 */
static void stand_alone(const struct refresh *r)
{
	const int keep[] = { r->notes,
			     r->how.cache ? r->how.cache->dirfd : -1 };
	const struct timeval patience = { .tv_sec = SEND_S };
	int fd, sig;

	setsid();
	for (sig = 1; sig < NSIG; sig++)
		if (sig != SIGPIPE)
			signal(sig, SIG_DFL);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	confine_files(3, keep, 2);
	setsockopt(r->notes, SOL_SOCKET, SO_SNDTIMEO, &patience,
		   sizeof(patience));
}

/*
 * Fetch code into the bundle, which is there.  It also ends the conversation.
 */
static void get_code(const struct refresh_guest *g, struct collect *c,
		     struct refresh_note *n)
{
	static struct collect_list list;
	const struct collect_guest *got = &c->guests[0];
	struct error e;
	int len = 0;

	if (!got->reach.error)
		len = import_list(got->out, g->codes, g->nr_codes, list.list,
				  &e);
	list.pid = g->pid;
	list.size = len > 0 ? len : 0;
	collect_code(c, &list, 1);
	memcpy(n->code_text, got->code_text, sizeof(n->code_text));
	n->code_error = got->fetched ? got->code_error : -ENOMEM;
	if (len < 0) {
		n->code_error = len;
		snprintf(n->code_text, sizeof(n->code_text), "%s", e.text);
	}
}

/* Runs in its own process.  The exit status; 0: there is a bundle. */
static int fetch(const struct refresh *r, const struct refresh_guest *g)
{
	struct refresh_note n = { .pid = g->pid,
				  .asked_ns = clock_now(),
				  .serial = g->serial };
	struct vm vm = { .pid = g->pid };
	struct collect c = r->how;

	stand_alone(r);
	c.out = NULL;
	c.at_once = true;
	c.code = g->nr_codes;
	c.max_bytes = REFRESH_MAX;
	memcpy(vm.name, g->name, sizeof(vm.name));
	n.error = collect_open(&c);
	if (n.error) {
		snprintf(n.text, sizeof(n.text), "%s: %s", c.program,
			 strerror(-n.error));
		refresh_send(r->notes, &n, -1);
		return 1;
	}
	collect_add(&c, &vm);
	collect_at_once(&c);
	if (c.code)
		get_code(g, &c, &n);
	n.error = c.guests[0].reach.error;
	n.how = c.guests[0].reach.how;
	n.processes = c.guests[0].got.processes;
	memcpy(n.text, c.guests[0].text, sizeof(n.text));
	refresh_send(r->notes, &n, c.guests[0].out);
	if (c.cache && (c.guests[0].got.cache.of[SYMCACHE_SYMBOLS].stored ||
			c.guests[0].got.cache.of[SYMCACHE_UNWIND].stored))
		symcache_evict_trim(c.cache, SYMCACHE_GUEST_MAX, SYMCACHE_MAX);
	return n.error ? 1 : 0;
}

static void begin(struct refresh *r, struct refresh_guest *g, uint64_t now)
{
	if (g->wanted && g->ended_ns && !g->code_due && g->vain < MAX_SHIFT)
		g->vain++;
	g->code_due = false;
	g->began_ns = now;
	g->child = child_fork();
	if (!g->child)
		_exit(fetch(r, g));
	if (g->child > 0) {
		r->running++;
		return;
	}
	g->child = 0;
	g->ended_ns = now;
	g->failures++;
}

static void ended(struct refresh *r, struct refresh_guest *g, int status,
		  uint64_t now)
{
	g->child = 0;
	r->running--;
	g->ended_ns = now;
	g->took_ns = now - g->began_ns;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		g->failures = 0;
	else if (g->failures <= MAX_SHIFT)
		g->failures++;
}

static void look_for_end(struct refresh *r, struct refresh_guest *g,
			 uint64_t now)
{
	uint64_t most = r->how.begin_ns + r->how.end_ns + SPARE_NS;
	int status = -1;
	pid_t pid;

	if (g->nr_codes)
		most += r->how.begin_ns + CODE_NS;
	if (now - g->began_ns > most)
		kill(g->child, SIGKILL);
	pid = waitpid(g->child, &status, WNOHANG);
	if (pid == g->child || (pid < 0 && errno == ECHILD))
		ended(r, g, status, now);
}

/* The time at which the guest is asked again. */
static uint64_t due_ns(const struct refresh_guest *g)
{
	uint64_t wait = LATER_NS;

	if (!g->ended_ns || g->code_due)
		return 0;
	if (g->failures)
		return g->ended_ns + (SOON_NS << (g->failures - 1));
	if (g->wanted && SOON_NS << g->vain < LATER_NS)
		wait = SOON_NS << g->vain;
	if (wait < COST * g->took_ns)
		wait = COST * g->took_ns;
	return g->ended_ns + wait;
}

void refresh_run(struct refresh *r, uint64_t now_ns)
{
	size_t i;

	for (i = 0; i < r->nr; i++) {
		struct refresh_guest *g = &r->guests[i];

		if (g->child)
			look_for_end(r, g, now_ns);
		else if (r->running < REFRESH_CHILD && now_ns >= due_ns(g))
			begin(r, g, now_ns);
	}
}

static void end_child(struct refresh *r, struct refresh_guest *g)
{
	if (!g->child)
		return;
	kill(g->child, SIGKILL);
	while (waitpid(g->child, NULL, 0) < 0 && errno == EINTR)
		;
	g->child = 0;
	r->running--;
}

static struct refresh_guest *find(struct refresh *r, uint32_t pid)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		if (r->guests[i].pid == pid)
			return &r->guests[i];
	return NULL;
}

static int add(struct refresh *r, const struct vm *vm)
{
	struct refresh_guest *g = find(r, vm->pid);
	int ret;

	if (!g) {
		ret = vec_grow(&r->guests, &r->cap, r->nr, sizeof(*g));
		if (ret)
			return ret;
		g = &r->guests[r->nr++];
		memset(g, 0, sizeof(*g));
		g->pid = vm->pid;
	}
	memcpy(g->name, vm->name, sizeof(g->name));
	return 0;
}

/* Does the VM still run?  An inventory keeps those that ended. */
static bool lives(const struct refresh *r, uint32_t pid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/%u", r->how.root, pid);
	return !access(path, F_OK);
}

int refresh_guests(struct refresh *r, const struct inventory *inv,
		   bool (*skip)(void *arg, const struct vm *vm), void *arg)
{
	unsigned int i;
	size_t j = 0;
	int ret = 0;

	while (j < r->nr) {
		if (inventory_find(inv, r->guests[j].pid) &&
		    lives(r, r->guests[j].pid)) {
			j++;
			continue;
		}
		end_child(r, &r->guests[j]);
		r->guests[j] = r->guests[--r->nr];
	}
	/* claim all before the first fetch: two may have the same identity */
	for (i = 0; i < inv->nr && r->how.cache; i++)
		if (!inv->vms[i].gone)
			symcache_claim(r->how.cache, r->how.root,
				       inv->vms[i].pid);
	for (i = 0; i < inv->nr && !ret; i++)
		if (!inv->vms[i].gone && lives(r, inv->vms[i].pid) &&
		    (!skip || !skip(arg, &inv->vms[i])))
			ret = add(r, &inv->vms[i]);
	return ret;
}

void refresh_want(struct refresh *r, uint32_t pid, uint32_t samples,
		  uint32_t unknown)
{
	struct refresh_guest *g = find(r, pid);

	if (!g || !samples)
		return;
	/* more than one sample in fifty, and more than two */
	g->wanted = unknown > 2 && unknown > samples / 50;
	if (!g->wanted)
		g->vain = 0;
}

static void want_code(struct refresh_guest *g, const struct refresh_code *c)
{
	if (g->nr_codes == REFRESH_CODES)
		return;
	g->codes[g->nr_codes++] = c->what;
	if (c->serial <= g->serial)
		return;
	g->serial = c->serial;
	g->code_due = true;
}

void refresh_codes(struct refresh *r, const struct refresh_code *codes,
		   size_t nr)
{
	struct refresh_guest *g;
	size_t i;

	for (i = 0; i < r->nr; i++)
		r->guests[i].nr_codes = 0;
	for (i = 0; i < nr; i++) {
		g = find(r, codes[i].pid);
		if (g)
			want_code(g, &codes[i]);
	}
}

void refresh_destroy(struct refresh *r)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		end_child(r, &r->guests[i]);
	free(r->guests);
	r->guests = NULL;
	r->nr = 0;
	r->cap = 0;
}

int refresh_take(int notes, struct refresh_note *n, int *fd)
{
	ssize_t got = fdpass_receive(notes, n, sizeof(*n), MSG_DONTWAIT, fd);

	if (!got)
		return -EPIPE;
	if (got < 0)
		return got == -EAGAIN || got == -EINTR ? 0 : got;
	if (got == sizeof(*n) && !n->error == (*fd >= 0)) {
		n->text[sizeof(n->text) - 1] = '\0';
		return 1;
	}
	io_close(fd);
	return -EPROTO;
}
