// SPDX-License-Identifier: GPL-2.0-only
/* What was read of guests' memory becomes their bundles, and is told. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "cmd/record/messages.h"
#include "cmd/record/recording.h"
#include "cmd/record/same.h"
#include "transport/import.h"

/* Has the VM a bundle of its guest's own? */
static bool has_other(const struct recording *r, const struct vm *vm)
{
	unsigned int i;

	for (i = 0; i < r->guests.nr; i++)
		if (r->guests.guests[i].pid == vm->pid)
			return !r->guests.guests[i].reach.error;
	for (i = 0; i < r->opts->nr_bundles; i++)
		if (inventory_find_name(&r->inv, r->opts->bundles[i].name) ==
		    vm)
			return true;
	return false;
}

static int copy(int from, int to)
{
	off_t at = 0;
	ssize_t n;

	while ((n = sendfile(to, from, &at, 1u << 30)) > 0)
		;
	return n < 0 ? -errno : 0;
}

/* The bundle @fd becomes the session's, once a process without rights read it. */
static int put_bundle(struct recording *r, const struct vm *vm, int fd,
		      struct import_stat *got, struct error *e)
{
	int part = session_writer_part(&r->out, vm->name), ret;

	if (part < 0)
		return error_set(e, part, "%s", strerror(-part));
	ret = copy(fd, part);
	if (ret)
		error_set(e, ret, "%s", strerror(-ret));
	else
		ret = import_bundle(part, NULL, got, e);
	if (ret) {
		session_writer_drop_part(&r->out, vm->name);
	} else {
		ret = session_writer_take_part(&r->out, vm->pid, vm->name,
					       part);
		if (ret)
			error_set(e, ret, "%s", strerror(-ret));
	}
	close(part);
	return ret;
}

static void put_reach(struct recording *r, const struct memory_guest *g,
		      int err, const char *text)
{
	const struct vmmprof_info_reach reach = {
		.pid = g->pid,
		.how = VMMPROF_REACH_MEMORY,
		.error = err,
		.begin_ns = g->first_ns > r->start_ns ?
				    g->first_ns - r->start_ns :
				    0,
		.end_ns = g->last_ns > r->stop_ns ? g->last_ns - r->stop_ns : 0,
		.received = g->bytes,
	};

	session_writer_reach(&r->out, &reach, text);
}

static void say_unread(const struct recording *r, const struct vm *vm,
		       const struct memory_guest *g, struct record_same *same)
{
	char what[ERROR_TEXT + 32];

	if (!g->why.code) {
		if (r->opts->verbose)
			record_say(
				"guest %s: its memory was not read: no sample hit its kernel",
				vm->name);
		return;
	}
	snprintf(what, sizeof(what), "not read from its memory: %s",
		 g->why.text);
	record_same_add(same, vm->name, what);
}

static void end_guest(struct recording *r, const struct vm *vm,
		      struct memory_guest *g, struct record_same *same)
{
	char what[ERROR_TEXT + 48];
	struct import_stat got;
	struct error e = { 0 };

	if (!g->readings) {
		say_unread(r, vm, g, same);
		return;
	}
	if (g->untold.code) {
		snprintf(what, sizeof(what),
			 "processes of samples are not read: %s",
			 g->untold.text);
		record_same_add(same, vm->name, what);
	}
	if (has_other(r, vm))
		return;
	if (put_bundle(r, vm, g->bundle, &got, &e)) {
		put_reach(r, g, e.code, e.text);
		snprintf(what, sizeof(what),
			 "what was read of it is left out: %s", e.text);
		record_same_add(same, vm->name, what);
		return;
	}
	put_reach(r, g, 0, "");
	if (!r->opts->quiet)
		record_say_bundle(vm->name, VMMPROF_REACH_MEMORY, &got);
}

void record_memory_end(struct recording *r)
{
	struct record_same same = { 0 };
	size_t i, j;

	for (i = 0; i < r->inv.nr; i++)
		for (j = 0; j < r->memory.nr; j++)
			if (r->memory.guests[j].pid == r->inv.vms[i].pid)
				end_guest(r, &r->inv.vms[i],
					  &r->memory.guests[j], &same);
	record_same_say(&same);
}
