// SPDX-License-Identifier: GPL-2.0-only
/* Fetches guests' maps while `vmmprof top` records. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/top/fetch.h"
#include "cmd/top/protocol.h"
#include "tui/wire.h"

#define LOOK_NS 1000000000ull /* between two searches for VMs */

int top_fetch_open(struct top_fetch *f, struct top_options *o)
{
	int pair[2];

	memset(f, 0, sizeof(*f));
	f->o = o;
	f->refresh.notes = -1;
	o->notes = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	o->notes = pair[0];
	f->refresh.notes = pair[1];
	return 0;
}

void top_fetch_forked(struct top_options *o)
{
	io_close(&o->notes);
}

void top_fetch_begin(struct top_fetch *f, struct recording *r)
{
	const struct refresh_note none = { .error = -ENOENT };
	size_t i;

	f->on = (f->o->record.transports || f->o->record.nr_rules) &&
		f->refresh.notes >= 0 && !record_guest_ways(r, &f->refresh.how);
	/* as the module takes them */
	f->refresh.how.unwind = r->dev.chain_flags & VMMPROF_CHAIN_F_GUEST;
	f->memory = r->memory.wanted;
	for (i = 0; i < r->memory.nr; i++) {
		r->memory.guests[i].told_readings = 0;
		r->memory.guests[i].told_over = false;
	}
	/* so that the reader knows: of nobody that is, nobody is asked */
	if (!f->on && f->memory && f->refresh.notes >= 0)
		refresh_send(f->refresh.notes, &none, -1);
	if (!f->on && !f->memory && f->refresh.notes >= 0) {
		close(f->refresh.notes);
		f->refresh.notes = -1;
	}
}

/* Was its bundle given with --guest-bundle? */
static bool has_bundle(void *arg, const struct vm *vm)
{
	return load_has_bundle(arg, vm->name);
}

/* Tells the reader of a reading that is done, or why there will be none. */
static void send_reading(const struct top_fetch *f, struct memory_guest *g)
{
	struct refresh_note n = {
		.pid = g->pid,
		.how = VMMPROF_REACH_MEMORY,
		.asked_ns = g->done_ns,
	};

	if (g->told_readings != g->readings) {
		g->told_readings = g->readings;
		refresh_send(f->refresh.notes, &n, g->bundle);
	} else if (g->over && g->why.code && !g->told_over) {
		g->told_over = true;
		n.error = g->why.code;
		snprintf(n.text, sizeof(n.text), "%s", g->why.text);
		refresh_send(f->refresh.notes, &n, -1);
	}
}

static void send_readings(const struct top_fetch *f, struct recording *r)
{
	const struct vm *vm;
	size_t i;

	for (i = 0; i < r->memory.nr; i++) {
		vm = inventory_find(&r->inv, r->memory.guests[i].pid);
		if (vm && !load_has_bundle(&f->o->load, vm->name))
			send_reading(f, &r->memory.guests[i]);
	}
}

void top_fetch_run(struct top_fetch *f, struct recording *r, __u64 now_ns)
{
	if (f->memory && f->refresh.notes >= 0)
		send_readings(f, r);
	if (!f->on)
		return;
	/* without memory for it a guest stays without names */
	if (now_ns - f->looked_ns >= LOOK_NS) {
		f->looked_ns = now_ns;
		refresh_guests(&f->refresh, &r->inv, has_bundle,
			       (void *)&f->o->load);
	}
	refresh_run(&f->refresh, now_ns);
}

/* The sender may have been taken over: take requests for known guests only. */
static int read_codes(struct top_fetch *f, int fd)
{
	struct refresh_code codes[REFRESH_CODES];
	struct top_wants head;
	int ret;

	ret = io_recv(fd, &head, sizeof(head));
	if (!ret && head.nr > REFRESH_CODES)
		ret = -EPROTO;
	if (!ret && head.nr)
		ret = io_recv(fd, codes, head.nr * sizeof(codes[0]));
	if (!ret && f->on)
		refresh_codes(&f->refresh, codes, head.nr);
	return ret;
}

int top_fetch_wants(struct top_fetch *f, int fd)
{
	struct top_wants head;
	struct top_want w;
	int ret;

	ret = io_recv(fd, &head, sizeof(head));
	if (!ret && head.nr > TOP_MAX_WANTS)
		ret = -EPROTO;
	for (; !ret && head.nr; head.nr--) {
		ret = io_recv(fd, &w, sizeof(w));
		if (!ret && f->on)
			refresh_want(&f->refresh, w.pid, w.samples, w.unknown);
	}
	return ret ? ret : read_codes(f, fd);
}

void top_fetch_close(struct top_fetch *f)
{
	refresh_destroy(&f->refresh);
	io_close(&f->refresh.notes);
	f->on = false;
	f->memory = false;
}
