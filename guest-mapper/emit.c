// SPDX-License-Identifier: GPL-2.0-only
/* Items that only bundles have. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "base/sort.h"

int emit_mm(struct emit *e, const struct birth_event *ev)
{
	struct vmmprof_maps_mm item = {
		.ns = ev->ns,
		.key = ev->pgd - e->rule.page_offset,
		.op = ev->op,
		.pid = ev->pid,
		.tid = ev->tid,
	};

	if (!e->rule.page_offset || ev->pgd < e->rule.page_offset ||
	    item.key >> 52)
		return -ERANGE;
	item.key &= e->rule.phys_mask;
	memcpy(item.comm, ev->comm, sizeof(item.comm));
	return item_put(&e->w, VMMPROF_MAPS_MM, &item, sizeof(item), NULL, 0);
}

int emit_task(struct emit *e, const struct birth_event *ev)
{
	struct vmmprof_maps_task item = {
		.ns = ev->ns,
		.stack = ev->stack,
		.op = ev->op,
		.pid = ev->pid,
		.tid = ev->tid,
		.flags = ev->flags,
	};

	memcpy(item.comm, ev->comm, sizeof(item.comm));
	return item_put(&e->w, VMMPROF_MAPS_TASK, &item, sizeof(item), NULL, 0);
}

static int by_pgd_and_pid(const void *pa, const void *pb)
{
	const struct birth_event *a = pa, *b = pb;

	if (a->pgd != b->pgd)
		return a->pgd < b->pgd ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

int emit_snapshot(struct emit *e, struct birth_event *evs, size_t n)
{
	size_t i;
	int err, items = 0;

	if (n)
		sort_array(evs, n, sizeof(*evs), by_pgd_and_pid);
	for (i = 0; i < n; i++) {
		err = evs[i].stack ? emit_task(e, &evs[i]) : 0;
		if (err)
			return err;
		if (!evs[i].pgd || (i && evs[i].pgd == evs[i - 1].pgd))
			continue;
		err = emit_mm(e, &evs[i]);
		if (err)
			return err;
		items++;
	}
	return items;
}

int emit_lost_mms(struct emit *e, __u64 count)
{
	const struct vmmprof_maps_lost item = {
		.count = count,
		.what = VMMPROF_LOST_MM,
	};

	if (!count)
		return 0;
	emit_limit(
		e,
		"%llu address space events lost: nobody read them in time, or an interrupt came in between; some samples will have no process",
		count);
	return item_put(&e->w, VMMPROF_MAPS_LOST, &item, sizeof(item), NULL, 0);
}

void emit_limit(struct emit *e, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	item_note(&e->w, "%s", text);
	e->say(text);
}
