// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof steal` as JSON and CSV; all times are ticks of the host's TSC. */

#include "view/csv.h"
#include "view/json.h"
#include "view/steal.h"
#include "sym/exits.h"

static void put_sum(struct json_out *j, const struct steal_row *r)
{
	__u64 columns[STEAL_COLUMNS];
	unsigned int i;

	steal_columns(r, columns);
	json_out_u64(j, "total", r->total);
	for (i = 0; i < STEAL_COLUMNS; i++)
		json_out_u64(j, steal_heading(i), columns[i]);
	json_out_object(j, "parts");
	json_out_u64(j, "guest_kernel", r->sum.on[ON_GUEST_KERNEL]);
	json_out_u64(j, "guest_user", r->sum.on[ON_GUEST_USER]);
	json_out_u64(j, "guest_other", r->sum.on[ON_GUEST_OTHER]);
	json_out_u64(j, "vmm_user", r->sum.on[ON_VMM_USER]);
	json_out_u64(j, "vmm_no_reason", r->sum.on[ON_VMM_NONE]);
	json_out_u64(j, "preempted", r->sum.preempted);
	json_out_u64(j, "woken", r->sum.woken);
	json_out_u64(j, "asleep", r->sum.asleep);
	json_out_u64(j, "halt_polling", r->sum.poll);
	json_out_u64(j, "idle_in_guest", r->sum.idle);
	json_out_u64(j, "not_sampled", r->sum.not_sampled);
	json_out_object_end(j);
	json_out_array(j, "vmm_by_exit_reason");
	for (i = 0; i < EXIT_REASONS; i++) {
		if (!r->sum.on[ON_VMM_EXIT + i])
			continue;
		json_out_object(j, NULL);
		json_out_u64(j, "reason", i);
		if (exit_name(i))
			json_out_string(j, "name", exit_name(i));
		else
			json_out_null(j, "name");
		json_out_u64(j, "ticks", r->sum.on[ON_VMM_EXIT + i]);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

static void put_track(struct json_out *j, const struct steal *s,
		      const struct steal_row *r)
{
	const struct track *t = s->tl->tracks[r->track];
	const struct log_histogram *h = &t->latency;

	json_out_object(j, NULL);
	if (t->vcpu_id == VMMPROF_NONE)
		json_out_null(j, "vcpu");
	else
		json_out_u64(j, "vcpu", t->vcpu_id);
	json_out_u64(j, "tid", t->tid);
	json_out_u64(j, "begin", t->begin);
	json_out_u64(j, "end", t->end);
	put_sum(j, r);
	if (s->exact) {
		json_out_u64(j, "on_cpu", t->ticks[STATE_ON_CPU]);
		json_out_u64(j, "longest_steal", t->longest);
		json_out_u64(j, "longest_steal_at", t->longest_at);
		json_out_u64(j, "wakes", h->nr);
		json_out_u64(j, "wake_median", log_histogram_quantile(h, 1, 2));
		json_out_u64(j, "wake_p99", log_histogram_quantile(h, 99, 100));
		json_out_u64(j, "wake_max", h->max);
		json_out_u64(j, "missing", t->missing);
		json_out_u64(j, "late", t->late);
	}
	steal_check_text_json_vcpu(&s->checks, j, r->track);
	json_out_object_end(j);
}

static void put_stolen(struct json_out *j, const struct steal *s,
		       const struct steal_stolen *t)
{
	const struct thief *c = &s->tl->thieves.thieves[t->thief];
	char text[512];

	json_out_object(j, NULL);
	json_out_string(j, "kind", thief_key(c->kind));
	steal_thief(s, t->thief, t->guest, text, sizeof(text));
	json_out_string(j, "text", text);
	if (t->vcpu != VMMPROF_NONE) {
		steal_guest(s, t->guest, text, sizeof(text));
		json_out_string(j, "victim", text);
		json_out_u64(j, "victim_tid", s->tl->tracks[t->vcpu]->tid);
	}
	if (c->kind == BY_VCPU)
		json_out_u64(j, "tid", s->tl->tracks[c->id]->tid);
	else if (c->pid && !c->several)
		json_out_u64(j, "pid", c->pid);
	json_out_u64(j, "preempted", t->preempted);
	json_out_u64(j, "woken", t->woken);
	json_out_u64(j, "longest", t->longest);
	json_out_object_end(j);
}

static void put_all_stolen(struct json_out *j, const struct steal *s,
			   __u32 guest)
{
	size_t i = guest == VMMPROF_NONE ? 0 : steal_first(s, guest);

	json_out_array(j, "thieves");
	for (; i < s->nr_stolen; i++) {
		if (guest != VMMPROF_NONE && s->stolen[i].guest != guest)
			break;
		put_stolen(j, s, &s->stolen[i]);
	}
	json_out_array_end(j);
}

static void put_guest(struct json_out *j, const struct steal *s, size_t first)
{
	const struct steal_row *r = &s->rows[first];
	size_t i;

	json_out_object(j, NULL);
	json_out_string(j, "name",
			s->tl->a->resolver.guests.guests[r->guest].name);
	json_out_u64(j, "pid", s->tl->a->resolver.guests.guests[r->guest].pid);
	put_sum(j, r);
	steal_check_text_json_guest(&s->checks, j, r->guest);
	json_out_array(j, "vcpus");
	for (i = first + 1; i < s->nr_rows && s->rows[i].track != VMMPROF_NONE;
	     i++)
		put_track(j, s, &s->rows[i]);
	json_out_array_end(j);
	if (!s->by_thief)
		put_all_stolen(j, s, r->guest);
	json_out_object_end(j);
}

void steal_json(const struct steal *s, FILE *out)
{
	struct json_out j;
	size_t i;

	json_out_init(&j, out);
	json_out_object(&j, NULL);
	json_out_string(&j, "method", s->exact ? "exact" : "samples");
	json_out_u64(&j, "tsc_khz", s->tl->khz);
	json_out_u64(&j, "begin", s->tl->begin);
	json_out_u64(&j, "end", s->tl->end);
	json_out_u64(&j, "period", s->tl->period);
	json_out_array(&j, "guests");
	for (i = 0; i < s->nr_rows; i++)
		if (s->rows[i].track == VMMPROF_NONE)
			put_guest(&j, s, i);
	json_out_array_end(&j);
	if (s->by_thief)
		put_all_stolen(&j, s, VMMPROF_NONE);
	steal_cpus_json(s, &j);
	if (saturated)
		json_out_bool(&j, "sums_too_large", true);
	json_out_object_end(&j);
	fputc('\n', out);
}

static void csv_thieves(const struct steal *s, FILE *out)
{
	char text[512];
	size_t i;

	fputs("thief,kind,victim,vcpu,preempted_s,woken_s,longest_s\n", out);
	for (i = 0; i < s->nr_stolen; i++) {
		const struct steal_stolen *t = &s->stolen[i];

		steal_thief(s, t->thief, VMMPROF_NONE, text, sizeof(text));
		csv_text(out, text, ",");
		fprintf(out, "%s,",
			thief_key(s->tl->thieves.thieves[t->thief].kind));
		steal_guest(s, t->guest, text, sizeof(text));
		csv_text(out, text, ",");
		steal_vcpu(s, t->vcpu, text, sizeof(text));
		csv_text(out, text, "");
		fprintf(out, ",%.9f,%.9f,%.9f\n",
			steal_seconds(s, t->preempted),
			steal_seconds(s, t->woken),
			steal_seconds(s, t->longest));
	}
}

/* Waits of a vCPU; empty of a guest, and by samples alone. */
static void csv_waits(const struct steal *s, FILE *out,
		      const struct steal_row *r)
{
	const struct track *t;
	const struct log_histogram *h;

	if (!s->exact || r->track == VMMPROF_NONE) {
		fputs(",,,,,,\n", out);
		return;
	}
	t = s->tl->tracks[r->track];
	h = &t->latency;
	fprintf(out, ",%.9f,", steal_seconds(s, t->longest));
	if (t->longest)
		fprintf(out, "%.9f",
			steal_seconds(s, t->longest_at - s->tl->begin));
	fprintf(out, ",%llu,%.9f,%.9f,%.9f\n", h->nr,
		steal_seconds(s, log_histogram_quantile(h, 1, 2)),
		steal_seconds(s, log_histogram_quantile(h, 99, 100)),
		steal_seconds(s, h->max));
}

void steal_csv(const struct steal *s, FILE *out)
{
	__u64 columns[STEAL_COLUMNS];
	char text[256];
	unsigned int k;
	size_t i;

	if (s->by_thief) {
		csv_thieves(s, out);
		return;
	}
	fputs("guest,vcpu,total_s", out);
	for (k = 0; k < STEAL_COLUMNS; k++)
		fprintf(out, ",%s_s", steal_heading(k));
	fputs(",longest_steal_s,longest_steal_at_s,wakes,wake_median_s,wake_p99_s,wake_max_s\n",
	      out);
	for (i = 0; i < s->nr_rows; i++) {
		steal_guest(s, s->rows[i].guest, text, sizeof(text));
		csv_text(out, text, ",");
		if (s->rows[i].track != VMMPROF_NONE)
			steal_vcpu(s, s->rows[i].track, text, sizeof(text));
		csv_text(out, s->rows[i].track == VMMPROF_NONE ? "all" : text,
			 "");
		fprintf(out, ",%.9f", steal_seconds(s, s->rows[i].total));
		steal_columns(&s->rows[i], columns);
		for (k = 0; k < STEAL_COLUMNS; k++)
			fprintf(out, ",%.9f", steal_seconds(s, columns[k]));
		csv_waits(s, out, &s->rows[i]);
	}
}
