/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time folded into columns, as FlameScope has it: a column is one period of
 * time, a row an offset in it.  What repeats within a period is a line.  Of
 * each VM the time that its vCPUs waited, and that they had a CPU.
 */
#ifndef VIEW_TIME_GRID_H
#define VIEW_TIME_GRID_H

#include "view/json.h"
#include "model/timeline.h"

#define TIME_GRID_ROWS	  50
#define TIME_GRID_COLUMNS 150 /* at most */
#define TIME_GRID_VMS	  64  /* of a host that has more there is none */

/* Ticks of a VM's vCPUs in a cell. */
struct time_cell {
	__u64 waited, ran;
};

struct time_grid {
	const struct timeline *tl;
	__u64 from, column; /* ticks */
	__u64 column_ns;
	size_t columns, vms;	 /* vms 0: there is no grid */
	struct time_cell *cells; /* [vm][column][row] */
};

/*
 * From @from to @end, in host TSC.  @vms: guests that there may be.  0 or
 * -ENOMEM.
 */
int time_grid_init(struct time_grid *g, const struct timeline *tl, __u64 from,
		   __u64 end, size_t vms);
void time_grid_deinit(struct time_grid *g);

/* A stretch of time, as a stretch_fn is told of it. */
void time_grid_add(struct time_grid *g, const struct track *t,
		   enum vcpu_state state, __u64 from, __u64 to);

/* An object: column_ns, columns, rows, and the shares of each VM in 1/255. */
int time_grid_put(const struct time_grid *g, struct json_out *j,
		  const char *key);

#endif /* VIEW_TIME_GRID_H */
