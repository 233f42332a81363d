// SPDX-License-Identifier: GPL-2.0-only
/* The list of processes below a table of the report's text. */

#include <stdlib.h>
#include <string.h>

#include "view/percent.h"
#include "view/report_text.h"

#define PROCESS_ROWS 10

void report_seconds_text(const struct report *r, FILE *out, __u64 ticks,
			 int width)
{
	if (r->tl->khz)
		fprintf(out, "%*.3f", width, timeline_seconds(r->tl, ticks));
	else
		fprintf(out, "%*s", width, "?");
}

/* Keep the processes that have a number behind their name. */
static int only_numbered(struct report *r, struct table_process *procs, int nr)
{
	int i, n = 0;

	for (i = 0; i < nr; i++)
		if (r->names.ordinal[procs[i].proc])
			procs[n++] = procs[i];
	return n;
}

static void put_process(struct report *r, FILE *out,
			const struct report_table *m,
			const struct table_process *proc)
{
	const struct process *p = &r->a->resolver.processes[proc->proc];
	char name[NAME_TEXT_BYTES], pid[16];

	names_process(&r->names, proc->proc, name, sizeof(name));
	if (p->pid == VMMPROF_NONE)
		strcpy(pid, "?");
	else
		snprintf(pid, sizeof(pid), "%u", p->pid);
	if (m->t.timed) {
		report_seconds_text(r, out, proc->ticks, 9);
		fprintf(out, "  %6.2f  ", percent_of(proc->ticks, m->whole));
		report_seconds_text(r, out, proc->user_ticks, 9);
	} else {
		fprintf(out, "%7llu  %6.2f  %7llu", proc->samples,
			percent_of(proc->samples, m->whole), proc->user);
	}
	fprintf(out, "  %7s  %s\n", pid, name);
}

/*
 * Processes by their samples or time: a guest's, and of the host those that
 * the numbers behind modules stand for.
 */
int report_processes(struct report *r, const struct report_table *m, FILE *out)
{
	struct table_process *procs;
	int nr, i, rows;

	nr = table_processes(&r->names, &m->sel, &procs);
	if (nr < 0)
		return nr;
	if (!m->sel.machine)
		nr = only_numbered(r, procs, nr);
	rows = r->limit && nr > PROCESS_ROWS ? PROCESS_ROWS : nr;
	if (nr > 0)
		fprintf(out, "\n%s  Process\n",
			m->t.timed ? "  Seconds  %Ratio       User      PID" :
				     "Samples  %Ratio     User      PID");
	for (i = 0; i < rows; i++)
		put_process(r, out, m, &procs[i]);
	if (rows < nr)
		fprintf(out, "%*s ... %d more processes (-n 0 shows all)\n",
			m->t.timed ? 18 : 16, "", nr - rows);
	free(procs);
	return 0;
}
