// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof doctor`: how each guest's names can be had. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/doctor_guests.h"
#include "host/discover.h"
#include "host/memory_policy.h"
#include "transport/ways.h"

#define NAMES_MAX 4 /* of a line */

/* VMs that have the same finding. */
struct alike {
	unsigned int nr;
	char names[96];
};

static void add_name(struct alike *a, const char *name)
{
	size_t len = strlen(a->names);

	if (a->nr++ < NAMES_MAX)
		snprintf(a->names + len, sizeof(a->names) - len, "%s%.20s",
			 len ? ", " : "", name);
}

/* "2 VMs (web, db)", "9 VMs (web, db, a, b ...)" */
static const char *told(const struct alike *a, char *buf, size_t size)
{
	snprintf(buf, size, "%u VM%s (%s%s)", a->nr, a->nr == 1 ? "" : "s",
		 a->names, a->nr > NAMES_MAX ? " ..." : "");
	return buf;
}

static void put_way(struct doctor *d, uint32_t ways, const struct alike *a)
{
	const char *by = memory_forbidden(false, d->root);
	char list[64] = "", vms[128];
	int i;

	told(a, vms, sizeof(vms));
	for (i = 0; i < 32; i++) {
		size_t len = strlen(list);

		if (ways & 1u << i)
			snprintf(list + len, sizeof(list) - len, "%s%s",
				 len ? ", " : "", way_name(i));
	}
	if (ways)
		doctor_add(d, VMMPROF_FINE, "guest", "",
			   "%s: can be reached by %s", vms, list);
	else if (!by)
		doctor_add(d, VMMPROF_FINE, "guest", "",
			   "%s: read from memory, nothing is needed there",
			   vms);
	else
		doctor_add(
			d, VMMPROF_WARN, "guest",
			"run QEMU's guest agent there, or record --ssh NAME=USER@HOST",
			"%s: no names of processes: no way in, and %s forbids to read memory",
			vms, by);
}

/* A line for each set of ways, in the order of the first VM that has it. */
static void put_ways(struct doctor *d, const struct inventory *inv)
{
	uint32_t *ways = calloc(inv->nr + 1, sizeof(*ways));
	unsigned int i, j;

	if (!ways) {
		d->error = -ENOMEM;
		return;
	}
	for (i = 0; i < inv->nr; i++)
		ways[i] = ways_of(d->root, inv->vms[i].pid);
	for (i = 0; i < inv->nr; i++) {
		struct alike a = { 0 };

		for (j = 0; j < inv->nr && (j >= i || ways[j] != ways[i]); j++)
			if (ways[j] == ways[i])
				add_name(&a, inv->vms[j].name);
		if (j == inv->nr)
			put_way(d, ways[i], &a);
	}
	free(ways);
}

static void put_unknown(struct doctor *d, const struct inventory *inv)
{
	struct alike a = { 0 };
	unsigned int i, v, unknown = 0, before;
	char vms[128];

	for (i = 0; i < inv->nr; i++) {
		before = unknown;
		for (v = 0; v < inv->vms[i].nr_vcpus; v++)
			unknown += !inv->vms[i].vcpus[v].tid;
		if (unknown != before)
			add_name(&a, inv->vms[i].name);
	}
	if (unknown)
		doctor_add(
			d, VMMPROF_WARN, "guest",
			"start QEMU with -name NAME,debug-threads=on",
			"%s: the threads of %u vCPUs are not known before they are sampled",
			told(&a, vms, sizeof(vms)), unknown);
}

void doctor_guests(struct doctor *d)
{
	struct discover_result found;
	struct inventory inv;

	inventory_init(&inv);
	if (!discover(d->root, 0, &inv, &found)) {
		put_ways(d, &inv);
		put_unknown(d, &inv);
		if (!inv.nr)
			doctor_add(d, VMMPROF_FINE, "guest", "", "no VM runs");
		if (found.denied)
			doctor_add(d, VMMPROF_WARN, "guest", "run it as root",
				   "%u processes cannot be inspected",
				   found.denied);
	}
	inventory_deinit(&inv);
}
