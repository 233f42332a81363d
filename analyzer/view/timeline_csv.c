// SPDX-License-Identifier: GPL-2.0-only
/* The states of vCPUs over time as CSV: a line for each stretch in one state. */

#include <errno.h>

#include "view/csv.h"
#include "view/timeline.h"

struct csv {
	FILE *out;
	const struct vmmprof_timeline *tl;
};

/* vmmprof_slice_fn */
static int put_line(void *arg, __u32 i, const struct vmmprof_slice *s)
{
	const struct csv *c = arg;
	const struct vmmprof_timeline *tl = c->tl;
	char text[256];

	fprintf(c->out, "%.9f,%.9f,",
		vmmprof_timeline_seconds(tl, s->from - tl->begin),
		vmmprof_timeline_seconds(tl, s->to - s->from));
	vmmprof_slice_guest(tl, tl->tracks[i], text, sizeof(text));
	vmmprof_csv_text(c->out, text, ",");
	vmmprof_slice_vcpu(tl->tracks[i], text, sizeof(text));
	vmmprof_csv_text(c->out, text, ",");
	if (s->cpu != VMMPROF_NONE)
		fprintf(c->out, "%u", tl->pcpus[s->cpu].cpu);
	fprintf(c->out, ",%s,", vmmprof_state_key(s->state));
	vmmprof_slice_culprit(tl, s, text, sizeof(text));
	vmmprof_csv_text(c->out, text, "\n");
	return ferror(c->out) ? -EIO : 0;
}

int vmmprof_timeline_csv(struct vmmprof_timeline *tl, FILE *out)
{
	struct csv c = { .out = out, .tl = tl };

	fputs("begin_s,seconds,guest,vcpu,cpu,state,culprit\n", out);
	return vmmprof_slices_write(tl, put_line, &c, out);
}
