// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof record --identity`: the module reads from guests' memory who runs there,
 * once it knows where their kernels have that.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/record/messages.h"
#include "cmd/record/recording.h"
#include "host/memory_policy.h"
#include "format/items.h"
#include "transport/import.h"

bool record_take_identity(void *to, const char *verb, char *arg)
{
	bool *bundle = to;

	*bundle = !strcmp(arg, "bundle");
	return *bundle || !strcmp(arg, "auto") ||
	       option_wrong(verb, "--identity wants auto or bundle, not '%s'",
			    arg);
}

bool record_wants_identity(const struct recording *r)
{
	return !r->opts->identity_bundle &&
	       !memory_forbidden(r->opts->no_guest_memory, "") &&
	       r->layout != LAYOUT_DIFFERS &&
	       r->dev.info.features & VMMPROF_FEAT_IDENTITY;
}

/* What the bundle says of its kernel; a process without rights reads it. */
static bool layout_of_file(const char *file, struct vmmprof_guest_layout *l)
{
	int fd = open_regular(AT_FDCWD, file, 0);
	struct import_stat got;
	bool good;

	if (fd < 0)
		return false;
	good = !import_bundle(fd, NULL, &got, NULL) && got.has_layout;
	close(fd);
	if (good)
		*l = got.layout;
	return good;
}

/* Those of --guest-bundle; what is wrong with them is said when they are taken. */
static void layouts_of_bundles(struct recording *r)
{
	struct vmmprof_guest_layout l;
	const struct vm *vm;
	unsigned int i;
	int ret;

	for (i = 0; i < r->opts->nr_bundles; i++) {
		vm = inventory_find_name(&r->inv, r->opts->bundles[i].name);
		if (!vm || !layout_of_file(r->opts->bundles[i].file, &l))
			continue;
		l.pid = vm->pid;
		ret = device_guest_layout(&r->dev, &l);
		if (!ret)
			record_memory_leave(r, vm->pid);
		else
			record_say(
				"warning: guest %s: processes are known from its bundle only: the module does not take the layout of its kernel: %s",
				vm->name, strerror(-ret));
	}
}

void record_begin_identity(struct recording *r)
{
	record_memory_say_forbidden(r);
	if (!record_wants_identity(r))
		return;
	r->memory.wanted = true;
	layouts_of_bundles(r);
}
