// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof steal` as JSON and CSV; all times are ticks of the host's TSC. */

#include "view/csv.h"
#include "view/json.h"
#include "view/steal.h"
#include "sym/exits.h"

static void put_sum(struct vmmprof_json *j, const struct vmmprof_steal_row *r)
{
	__u64 columns[VMMPROF_STEAL_COLUMNS];
	unsigned int i;

	vmmprof_steal_columns(r, columns);
	vmmprof_json_u64(j, "total", r->total);
	for (i = 0; i < VMMPROF_STEAL_COLUMNS; i++)
		vmmprof_json_u64(j, vmmprof_steal_heading(i), columns[i]);
	vmmprof_json_object(j, "parts");
	vmmprof_json_u64(j, "guest_kernel", r->sum.on[VMMPROF_ON_GUEST_KERNEL]);
	vmmprof_json_u64(j, "guest_user", r->sum.on[VMMPROF_ON_GUEST_USER]);
	vmmprof_json_u64(j, "guest_other", r->sum.on[VMMPROF_ON_GUEST_OTHER]);
	vmmprof_json_u64(j, "vmm_user", r->sum.on[VMMPROF_ON_VMM_USER]);
	vmmprof_json_u64(j, "vmm_no_reason", r->sum.on[VMMPROF_ON_VMM_NONE]);
	vmmprof_json_u64(j, "preempted", r->sum.preempted);
	vmmprof_json_u64(j, "woken", r->sum.woken);
	vmmprof_json_u64(j, "asleep", r->sum.asleep);
	vmmprof_json_u64(j, "halt_polling", r->sum.poll);
	vmmprof_json_u64(j, "idle_in_guest", r->sum.idle);
	vmmprof_json_u64(j, "not_sampled", r->sum.not_sampled);
	vmmprof_json_object_end(j);
	vmmprof_json_array(j, "vmm_by_exit_reason");
	for (i = 0; i < VMMPROF_EXIT_REASONS; i++) {
		if (!r->sum.on[VMMPROF_ON_VMM_EXIT + i])
			continue;
		vmmprof_json_object(j, NULL);
		vmmprof_json_u64(j, "reason", i);
		if (vmmprof_exit_name(i))
			vmmprof_json_string(j, "name", vmmprof_exit_name(i));
		else
			vmmprof_json_null(j, "name");
		vmmprof_json_u64(j, "ticks",
				 r->sum.on[VMMPROF_ON_VMM_EXIT + i]);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
}

static void put_track(struct vmmprof_json *j, const struct vmmprof_steal *s,
		      const struct vmmprof_steal_row *r)
{
	const struct vmmprof_track *t = s->tl->tracks[r->track];
	const struct vmmprof_loghist *h = &t->latency;

	vmmprof_json_object(j, NULL);
	if (t->vcpu_id == VMMPROF_NONE)
		vmmprof_json_null(j, "vcpu");
	else
		vmmprof_json_u64(j, "vcpu", t->vcpu_id);
	vmmprof_json_u64(j, "tid", t->tid);
	vmmprof_json_u64(j, "begin", t->begin);
	vmmprof_json_u64(j, "end", t->end);
	put_sum(j, r);
	if (s->exact) {
		vmmprof_json_u64(j, "on_cpu", t->ticks[VMMPROF_ST_ON_CPU]);
		vmmprof_json_u64(j, "longest_steal", t->longest);
		vmmprof_json_u64(j, "longest_steal_at", t->longest_at);
		vmmprof_json_u64(j, "wakes", h->nr);
		vmmprof_json_u64(j, "wake_median",
				 vmmprof_loghist_quantile(h, 1, 2));
		vmmprof_json_u64(j, "wake_p99",
				 vmmprof_loghist_quantile(h, 99, 100));
		vmmprof_json_u64(j, "wake_max", h->max);
		vmmprof_json_u64(j, "missing", t->missing);
		vmmprof_json_u64(j, "late", t->late);
	}
	vmmprof_checks_json_vcpu(&s->checks, j, r->track);
	vmmprof_json_object_end(j);
}

static void put_theft(struct vmmprof_json *j, const struct vmmprof_steal *s,
		      const struct vmmprof_steal_theft *t)
{
	const struct vmmprof_culprit *c = &s->tl->culprits.culprits[t->culprit];
	char text[512];

	vmmprof_json_object(j, NULL);
	vmmprof_json_string(j, "kind", vmmprof_culprit_key(c->kind));
	vmmprof_steal_culprit(s, t->culprit, t->guest, text, sizeof(text));
	vmmprof_json_string(j, "text", text);
	if (t->vcpu != VMMPROF_NONE) {
		vmmprof_steal_guest(s, t->guest, text, sizeof(text));
		vmmprof_json_string(j, "victim", text);
		vmmprof_json_u64(j, "victim_tid", s->tl->tracks[t->vcpu]->tid);
	}
	if (c->kind == VMMPROF_BY_VCPU)
		vmmprof_json_u64(j, "tid", s->tl->tracks[c->id]->tid);
	else if (c->pid && !c->several)
		vmmprof_json_u64(j, "pid", c->pid);
	vmmprof_json_u64(j, "preempted", t->preempted);
	vmmprof_json_u64(j, "woken", t->woken);
	vmmprof_json_u64(j, "longest", t->longest);
	vmmprof_json_object_end(j);
}

static void put_thefts(struct vmmprof_json *j, const struct vmmprof_steal *s,
		       __u32 guest)
{
	size_t i = guest == VMMPROF_NONE ? 0 : vmmprof_steal_first(s, guest);

	vmmprof_json_array(j, "culprits");
	for (; i < s->nr_thefts; i++) {
		if (guest != VMMPROF_NONE && s->thefts[i].guest != guest)
			break;
		put_theft(j, s, &s->thefts[i]);
	}
	vmmprof_json_array_end(j);
}

static void put_guest(struct vmmprof_json *j, const struct vmmprof_steal *s,
		      size_t first)
{
	const struct vmmprof_steal_row *r = &s->rows[first];
	size_t i;

	vmmprof_json_object(j, NULL);
	vmmprof_json_string(j, "name",
			    s->tl->a->resolver.guests.guests[r->guest].name);
	vmmprof_json_u64(j, "pid",
			 s->tl->a->resolver.guests.guests[r->guest].pid);
	put_sum(j, r);
	vmmprof_checks_json_guest(&s->checks, j, r->guest);
	vmmprof_json_array(j, "vcpus");
	for (i = first + 1; i < s->nr_rows && s->rows[i].track != VMMPROF_NONE;
	     i++)
		put_track(j, s, &s->rows[i]);
	vmmprof_json_array_end(j);
	if (!s->by_culprit)
		put_thefts(j, s, r->guest);
	vmmprof_json_object_end(j);
}

void vmmprof_steal_json(const struct vmmprof_steal *s, FILE *out)
{
	struct vmmprof_json j;
	size_t i;

	vmmprof_json_init(&j, out);
	vmmprof_json_object(&j, NULL);
	vmmprof_json_string(&j, "method", s->exact ? "exact" : "samples");
	vmmprof_json_u64(&j, "tsc_khz", s->tl->khz);
	vmmprof_json_u64(&j, "begin", s->tl->begin);
	vmmprof_json_u64(&j, "end", s->tl->end);
	vmmprof_json_u64(&j, "period", s->tl->period);
	vmmprof_json_array(&j, "guests");
	for (i = 0; i < s->nr_rows; i++)
		if (s->rows[i].track == VMMPROF_NONE)
			put_guest(&j, s, i);
	vmmprof_json_array_end(&j);
	if (s->by_culprit)
		put_thefts(&j, s, VMMPROF_NONE);
	vmmprof_steal_cpus_json(s, &j);
	if (vmmprof_saturated)
		vmmprof_json_bool(&j, "sums_too_large", true);
	vmmprof_json_object_end(&j);
	fputc('\n', out);
}

static void csv_culprits(const struct vmmprof_steal *s, FILE *out)
{
	char text[512];
	size_t i;

	fputs("culprit,kind,victim,vcpu,preempted_s,woken_s,longest_s\n", out);
	for (i = 0; i < s->nr_thefts; i++) {
		const struct vmmprof_steal_theft *t = &s->thefts[i];

		vmmprof_steal_culprit(s, t->culprit, VMMPROF_NONE, text,
				      sizeof(text));
		vmmprof_csv_text(out, text, ",");
		fprintf(out, "%s,",
			vmmprof_culprit_key(
				s->tl->culprits.culprits[t->culprit].kind));
		vmmprof_steal_guest(s, t->guest, text, sizeof(text));
		vmmprof_csv_text(out, text, ",");
		vmmprof_steal_vcpu(s, t->vcpu, text, sizeof(text));
		vmmprof_csv_text(out, text, "");
		fprintf(out, ",%.9f,%.9f,%.9f\n",
			vmmprof_steal_seconds(s, t->preempted),
			vmmprof_steal_seconds(s, t->woken),
			vmmprof_steal_seconds(s, t->longest));
	}
}

/* Waits of a vCPU; empty of a guest, and by samples alone. */
static void csv_waits(const struct vmmprof_steal *s, FILE *out,
		      const struct vmmprof_steal_row *r)
{
	const struct vmmprof_track *t;
	const struct vmmprof_loghist *h;

	if (!s->exact || r->track == VMMPROF_NONE) {
		fputs(",,,,,,\n", out);
		return;
	}
	t = s->tl->tracks[r->track];
	h = &t->latency;
	fprintf(out, ",%.9f,", vmmprof_steal_seconds(s, t->longest));
	if (t->longest)
		fprintf(out, "%.9f",
			vmmprof_steal_seconds(s, t->longest_at - s->tl->begin));
	fprintf(out, ",%llu,%.9f,%.9f,%.9f\n", h->nr,
		vmmprof_steal_seconds(s, vmmprof_loghist_quantile(h, 1, 2)),
		vmmprof_steal_seconds(s, vmmprof_loghist_quantile(h, 99, 100)),
		vmmprof_steal_seconds(s, h->max));
}

void vmmprof_steal_csv(const struct vmmprof_steal *s, FILE *out)
{
	__u64 columns[VMMPROF_STEAL_COLUMNS];
	char text[256];
	unsigned int k;
	size_t i;

	if (s->by_culprit) {
		csv_culprits(s, out);
		return;
	}
	fputs("guest,vcpu,total_s", out);
	for (k = 0; k < VMMPROF_STEAL_COLUMNS; k++)
		fprintf(out, ",%s_s", vmmprof_steal_heading(k));
	fputs(",longest_steal_s,longest_steal_at_s,wakes,wake_median_s,wake_p99_s,wake_max_s\n",
	      out);
	for (i = 0; i < s->nr_rows; i++) {
		vmmprof_steal_guest(s, s->rows[i].guest, text, sizeof(text));
		vmmprof_csv_text(out, text, ",");
		if (s->rows[i].track != VMMPROF_NONE)
			vmmprof_steal_vcpu(s, s->rows[i].track, text,
					   sizeof(text));
		vmmprof_csv_text(
			out, s->rows[i].track == VMMPROF_NONE ? "all" : text,
			"");
		fprintf(out, ",%.9f",
			vmmprof_steal_seconds(s, s->rows[i].total));
		vmmprof_steal_columns(&s->rows[i], columns);
		for (k = 0; k < VMMPROF_STEAL_COLUMNS; k++)
			fprintf(out, ",%.9f",
				vmmprof_steal_seconds(s, columns[k]));
		csv_waits(s, out, &s->rows[i]);
	}
}
