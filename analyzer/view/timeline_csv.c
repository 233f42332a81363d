// SPDX-License-Identifier: GPL-2.0-only
/* The states of vCPUs over time as CSV: a line for each stretch in one state. */

#include "base/io.h"
#include "view/csv.h"
#include "view/timeline.h"

struct csv {
	FILE *out;
	const struct timeline *tl;
};

/* slice_fn */
static int put_line(void *arg, __u32 i, const struct slice *s)
{
	const struct csv *c = arg;
	const struct timeline *tl = c->tl;
	char text[256];

	fprintf(c->out, "%.9f,%.9f,", timeline_seconds(tl, s->from - tl->begin),
		timeline_seconds(tl, s->to - s->from));
	slice_guest(tl, tl->tracks[i], text, sizeof(text));
	csv_text(c->out, text, ",");
	slice_vcpu(tl->tracks[i], text, sizeof(text));
	csv_text(c->out, text, ",");
	if (s->cpu != VMMPROF_NONE)
		fprintf(c->out, "%u", tl->pcpus[s->cpu].cpu);
	fprintf(c->out, ",%s,", state_key(s->state));
	slice_thief(tl, s, text, sizeof(text));
	csv_text(c->out, text, "\n");
	return io_stream(c->out);
}

int timeline_csv(struct timeline *tl, FILE *out)
{
	struct csv c = { .out = out, .tl = tl };

	fputs("begin_s,seconds,guest,vcpu,cpu,state,thief\n", out);
	return slices_write(tl, put_line, NULL, &c, NULL, out);
}
