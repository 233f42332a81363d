// SPDX-License-Identifier: GPL-2.0-only
/* The grid of time: counted by stretch, written as shares of a cell. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/packed.h"
#include "view/time_grid.h"

static void add(struct time_cell *cell, enum vcpu_state state, __u64 ticks)
{
	if (state_waits(state))
		cell->waited += ticks;
	else if (state == STATE_ON_CPU)
		cell->ran += ticks;
}

void time_grid_add(struct time_grid *g, const struct track *t,
		   enum vcpu_state state, __u64 from, __u64 to)
{
	struct time_cell *row;
	__u64 width, at, end;
	size_t i;

	if (t->guest >= g->vms ||
	    !(state_waits(state) || state == STATE_ON_CPU))
		return;
	width = g->column / TIME_GRID_ROWS;
	row = g->cells + t->guest * g->columns * TIME_GRID_ROWS;
	for (at = from > g->from ? from : g->from; at < to; at = end) {
		i = (at - g->from) / width;
		if (i >= g->columns * TIME_GRID_ROWS)
			return;
		end = sat_add(g->from, sat_mul(i + 1, width));
		if (end > to)
			end = to;
		add(&row[i], state, end - at);
	}
}

int time_grid_init(struct time_grid *g, const struct timeline *tl, __u64 from,
		   __u64 end, size_t vms)
{
	__u64 ns = 100000000, ticks = 0;
	unsigned int i;

	memset(g, 0, sizeof(*g));
	if (!tl->khz || end <= from || !vms || vms > TIME_GRID_VMS)
		return 0;
	/* 0.1 s, 0.5 s, 1 s, 5 s, 10 s and so on */
	for (i = 0;; ns *= i++ % 2 ? 2 : 5) {
		ticks = sat_scale(ns, tl->khz, 1000000);
		if ((end - from - 1) / (ticks ? ticks : 1) < TIME_GRID_COLUMNS)
			break;
		/* a hundred years: the TSC's frequency is nonsense */
		if (ns > ~0ull / 5)
			return 0;
	}
	/* a column is a whole number of rows */
	g->column = (ticks / TIME_GRID_ROWS + 1) * TIME_GRID_ROWS;
	g->column_ns = ns;
	g->tl = tl;
	g->from = from;
	g->columns = (end - from - 1) / g->column + 1;
	g->cells = calloc(vms * g->columns * TIME_GRID_ROWS, sizeof(*g->cells));
	if (!g->cells)
		return -ENOMEM;
	g->vms = vms;
	return 0;
}

void time_grid_deinit(struct time_grid *g)
{
	free(g->cells);
	memset(g, 0, sizeof(*g));
}

/* Pairs of a share in 1/255 and how many cells have it, in the order of time. */
static int put_shares(const struct time_grid *g, struct json_out *j,
		      const char *key, size_t vm, __u64 whole, size_t member)
{
	size_t nr = g->columns * TIME_GRID_ROWS, i, same = 0;
	const char *cells = (const char *)(g->cells + vm * nr) + member;
	struct packed p = { 0 };
	__u64 ticks, share, last = 0;

	for (i = 0; i < nr; i++) {
		memcpy(&ticks, cells + i * sizeof(*g->cells), sizeof(ticks));
		share = ((__uint128_t)ticks * 255 + whole / 2) / whole;
		if (share > 255)
			share = 255;
		if (same && share != last) {
			packed_add(&p, last);
			packed_add(&p, same);
			same = 0;
		}
		last = share;
		same++;
	}
	packed_add(&p, last);
	packed_add(&p, same);
	return packed_put(&p, j, key);
}

int time_grid_put(const struct time_grid *g, struct json_out *j,
		  const char *key)
{
	size_t i, vcpus;
	__u64 whole;
	int err = 0;

	json_out_object(j, key);
	json_out_u64(j, "column_ns", g->column_ns);
	json_out_u64(j, "column_ticks", g->column);
	json_out_u64(j, "columns", g->columns);
	json_out_u64(j, "rows", TIME_GRID_ROWS);
	json_out_array(j, "vms");
	for (i = 0; i < g->vms && !err; i++) {
		groups_of(&g->tl->by_guest, i, &vcpus);
		if (!vcpus)
			continue;
		whole = sat_mul(g->column / TIME_GRID_ROWS, vcpus);
		json_out_object(j, NULL);
		json_out_u64(j, "vm", 1 + i);
		json_out_u64(j, "vcpus", vcpus);
		err = put_shares(g, j, "waited", i, whole,
				 offsetof(struct time_cell, waited));
		if (!err)
			err = put_shares(g, j, "ran", i, whole,
					 offsetof(struct time_cell, ran));
		json_out_object_end(j);
	}
	json_out_array_end(j);
	json_out_object_end(j);
	return err;
}
