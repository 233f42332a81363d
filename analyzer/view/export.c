// SPDX-License-Identifier: GPL-2.0-only
/* Exports as lines of text: folded stacks and comma-separated values. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/chain_names.h"
#include "view/csv.h"
#include "view/export.h"
#include "view/safe.h"

static __u64 ticks_ns(__u64 ticks, __u64 khz)
{
	return khz ? sat_scale(ticks, 1000000, khz) : 0;
}

void export_init(struct export_data *x, const struct report *r,
		 const struct entries *entries, const struct timeline *tl)
{
	struct selection sel = report_selection(r, 0);
	const struct session *s = &r->a->session;
	__u64 khz = tl->khz, start;

	memset(x, 0, sizeof(*x));
	x->r = r;
	x->entries = entries;
	safe_text(x->event, sizeof(x->event), session_event_name(s, sel.event));
	x->timed = entries->timed;
	x->khz = khz;
	if (tl->period && sel.event == tl->event)
		x->period_ns = ticks_ns(tl->period, khz);
	x->sample_ns = ticks_ns(tl->period, khz ? khz : 1000000);
	if (!s->stop || s->stop->stop_tsc < s->stop->start_tsc)
		return;
	start = s->stop->start_tsc;
	x->duration_ns = ticks_ns(
		time_ranges_ticks(r->a->time, start, s->stop->stop_tsc), khz);
	x->real_ns = analysis_real_ns(
		r->a, r->a->time ? r->a->time->at[0].from : start);
}

__u64 export_part_weight(const struct export_data *x,
			 const struct time_series_part *p, __u64 sample_ns,
			 struct ns_sum sums[STEAL_COLUMNS])
{
	const struct entry *e = &x->entries->entries[p->entry];

	if (!x->timed)
		return p->samples;
	if (!e->machine)
		return sat_mul(p->samples, sample_ns);
	return ns_sum_add(&sums[entry_column(e)], x->khz ? x->khz : 1000000,
			  p->ticks);
}

const char *export_name(const struct export_data *x, __u32 id)
{
	return id == VMMPROF_NONE ? "-" : strings_get(&x->entries->names, id);
}

void export_vcpu(const struct entry *e, char *buf, size_t size)
{
	if (e->vcpu == VMMPROF_NONE)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "vCPU %u", e->vcpu);
}

size_t export_vcpu_parts(const struct export_data *x, size_t from)
{
	const struct entry *e, *first = export_entry(x, from);
	size_t i;

	for (i = from + 1; i < x->over->nr; i++) {
		e = export_entry(x, i);
		if (e->machine != first->machine || e->vcpu != first->vcpu)
			break;
	}
	return i - from;
}

void export_frame(FILE *out, const char *name)
{
	const char *end = strchrnul(name, ';');

	fwrite(name, 1, end - name, out);
	for (; *end; name = end) {
		name = end + 1;
		end = strchrnul(name, ';');
		fputs("\\x3b", out);
		fwrite(name, 1, end - name, out);
	}
}

bool export_beside_stacks(const struct export_data *x, const struct entry *e)
{
	if (!x->stacks)
		return true;
	return entry_is_time(e) && !chain_stacks_waits(x->stacks, e) &&
	       (e->ns || e->samples || !chain_stacks_exits(x->stacks, e));
}

static const char *number(__u32 v, char *buf, size_t size)
{
	snprintf(buf, size, "%u", v);
	return v == VMMPROF_NONE ? "-" : buf;
}

/* What stands above the functions: "alpha;vCPU 0;bench;". */
static void put_entry_levels(const struct export_data *x, FILE *out,
			     const struct entry *e)
{
	char buf[16];
	size_t i;

	for (i = 0; i < x->nr_levels; i++) {
		switch (x->levels[i]) {
		case SORT_VM:
			export_frame(out, export_name(x, e->guest));
			break;
		case SORT_VCPU:
			export_vcpu(e, buf, sizeof(buf));
			fputs(buf, out);
			break;
		case SORT_CONTAINER:
			export_frame(out, export_name(x, e->container));
			break;
		case SORT_PROCESS:
			export_frame(out, export_name(x, e->process));
			break;
		case SORT_PID:
			fputs(number(e->pid, buf, sizeof(buf)), out);
			break;
		default:
			fputs(number(e->tid - 1, buf, sizeof(buf)), out);
		}
		fputc(';', out);
	}
}

static void put_stack_levels(const struct export_data *x, FILE *out,
			     const struct chain_stack *st)
{
	struct names *n = x->stacks->names;
	const struct bucket_key key = {
		.guest = st->machine,
		.vcpu = st->vcpu,
		.proc = st->proc,
		.tid = st->tid + 1,
		.file = name_container(n, st->proc),
	};
	char name[NAME_MAX_BYTES];
	size_t i;

	for (i = 0; i < x->nr_levels; i++) {
		name_sort(n, &key, x->levels[i], name, sizeof(name));
		if (x->levels[i] == SORT_VCPU && key.vcpu != VMMPROF_NONE)
			fputs("vCPU ", out);
		export_frame(out, name);
		fputc(';', out);
	}
}

static void put_stack(const struct export_data *x, FILE *out,
		      const struct chain_stack *st)
{
	const struct chain_tree *t = x->stacks->tree;
	struct names *n = x->stacks->names;
	__u32 nodes[CHAIN_FRAMES_MAX];
	char name[NAME_MAX_BYTES];
	size_t i;

	put_stack_levels(x, out, st);
	for (i = chain_stack_path(x->stacks, st, nodes); i-- > 0;) {
		chain_frame_name(n, &t->frames[t->nodes[nodes[i]].frame], name,
				 sizeof(name));
		export_frame(out, name);
		if (i)
			fputc(';', out);
	}
	fprintf(out, " %llu\n", x->timed ? st->ns : st->samples);
}

int export_folded(const struct export_data *x, FILE *out)
{
	const struct entry *e;
	size_t i;

	for (i = 0; x->stacks && i < x->stacks->nr; i++)
		put_stack(x, out, &x->stacks->stacks[i]);
	for (i = 0; i < x->entries->nr; i++) {
		e = &x->entries->entries[i];
		if (!export_beside_stacks(x, e))
			continue;
		put_entry_levels(x, out, e);
		export_frame(out, export_name(x, e->module));
		fputc(';', out);
		export_frame(out, export_name(x, e->function));
		if (e->thief != VMMPROF_NONE) {
			fputc(';', out);
			export_frame(out, export_name(x, e->thief));
		}
		fprintf(out, " %llu\n", export_weight(x, e));
	}
	return 0;
}

static void put_text(FILE *out, const char *text)
{
	csv_text(out, text, ",");
}

static void put_number(FILE *out, __u32 v)
{
	if (v != VMMPROF_NONE)
		fprintf(out, "%u", v);
	fputc(',', out);
}

int export_csv(const struct export_data *x, FILE *out)
{
	const struct entry *e;
	const char *mode;
	size_t i;

	fputs("guest,vm,vcpu,process,pid,module,function,mode,state,", out);
	fputs("unresolved,event,samples,thief,time_ns\n", out);
	for (i = 0; i < x->entries->nr; i++) {
		e = &x->entries->entries[i];
		mode = entry_mode_key(e);
		put_text(out, export_name(x, e->guest));
		put_number(out, e->machine);
		put_number(out, e->vcpu);
		put_text(out, e->process == VMMPROF_NONE ?
				      "" :
				      export_name(x, e->process));
		put_number(out, e->pid);
		put_text(out, export_name(x, e->module));
		put_text(out, export_name(x, e->function));
		fprintf(out, "%s,%s,%s,", mode ? mode : "",
			entry_state_key(e->state),
			e->cause ? cause_key(e->cause) : "");
		put_text(out, x->event);
		fprintf(out, "%llu,", e->samples);
		csv_text(out,
			 e->thief == VMMPROF_NONE ? "" :
						    export_name(x, e->thief),
			 ",");
		if (x->timed && x->khz)
			fprintf(out, "%llu", e->ns);
		fputc('\n', out);
	}
	return 0;
}
