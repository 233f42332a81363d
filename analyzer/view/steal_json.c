// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof steal` as JSON, by steal.schema.json. */

#include "view/json.h"
#include "view/owner_name.h"
#include "view/steal.h"
#include "view/steal_matrix_json.h"
#include "view/time_text.h"
#include "sym/exits.h"

static void put_ns(struct json_out *j, const struct steal *s, const char *key,
		   __u64 ticks)
{
	steal_put_ns(j, s->tl, key, ticks);
}

/* A time since the beginning. */
static void put_since(struct json_out *j, const struct steal *s,
		      const char *key, __u64 tsc)
{
	put_ns(j, s, key, tsc > s->tl->begin ? tsc - s->tl->begin : 0);
}

static void put_sum(struct json_out *j, const struct steal *s,
		    const struct steal_row *r)
{
	__u64 columns[STEAL_COLUMNS];
	unsigned int i;
	__u16 reason;
	char key[32];

	steal_columns(r, columns);
	put_ns(j, s, "total_ns", r->total);
	for (i = 0; i < STEAL_COLUMNS; i++) {
		snprintf(key, sizeof(key), "%s_ns", steal_heading(i));
		put_ns(j, s, key, columns[i]);
	}
	json_out_object(j, "parts");
	put_ns(j, s, "guest_kernel_ns", r->sum.on[ON_GUEST_KERNEL]);
	put_ns(j, s, "guest_user_ns", r->sum.on[ON_GUEST_USER]);
	put_ns(j, s, "guest_other_ns", r->sum.on[ON_GUEST_OTHER]);
	put_ns(j, s, "vmm_user_ns", r->sum.on[ON_VMM_USER]);
	put_ns(j, s, "vmm_no_reason_ns", r->sum.on[ON_VMM_NONE]);
	put_ns(j, s, "vmm_hardirq_ns", r->sum.on[ON_VMM_HARDIRQ]);
	put_ns(j, s, "vmm_softirq_ns", r->sum.on[ON_VMM_SOFTIRQ]);
	put_ns(j, s, "preempted_ns", r->sum.preempted);
	put_ns(j, s, "woken_ns", r->sum.woken);
	put_ns(j, s, "asleep_ns", r->sum.asleep);
	put_ns(j, s, "halt_polling_ns", r->sum.poll);
	put_ns(j, s, "idle_in_guest_ns", r->sum.idle);
	put_ns(j, s, "not_sampled_ns", r->sum.not_sampled);
	json_out_object_end(j);
	json_out_array(j, "vmm_by_exit_reason");
	for (i = 0; i < EXIT_REASONS; i++) {
		if (!r->sum.on[ON_VMM_EXIT + i])
			continue;
		json_out_object(j, NULL);
		reason = exit_at_place(s->tl->a->resolver.svm, i);
		json_out_u64(j, "reason", exit_number(reason));
		if (exit_name(reason))
			json_out_string(j, "name", exit_name(reason));
		else
			json_out_null(j, "name");
		put_ns(j, s, "time_ns", r->sum.on[ON_VMM_EXIT + i]);
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
	put_since(j, s, "begin_ns", t->begin);
	put_since(j, s, "end_ns", t->end);
	put_sum(j, s, r);
	if (s->exact) {
		put_ns(j, s, "on_cpu_ns", t->ticks[STATE_ON_CPU]);
		put_ns(j, s, "longest_steal_ns", t->longest);
		put_since(j, s, "longest_steal_at_ns", t->longest_at);
		json_out_u64(j, "wakes", h->nr);
		put_ns(j, s, "wake_median_ns", log_histogram_quantile(h, 1, 2));
		put_ns(j, s, "wake_p99_ns", log_histogram_quantile(h, 99, 100));
		put_ns(j, s, "wake_max_ns", h->max);
		json_out_u64(j, "waiting_samples", t->nr_waiting_samples);
		json_out_u64(j, "waiting_samples_in_interrupts",
			     t->nr_waiting_irq);
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
	json_out_string(j, "owner_kind",
			owner_key(s->tl->thieves.owners.owners[c->owner].kind));
	owner_name(s->tl, c->owner, text, sizeof(text));
	json_out_string(j, "owner", text);
	if (t->vcpu != VMMPROF_NONE) {
		steal_guest(s, t->guest, text, sizeof(text));
		json_out_string(j, "victim", text);
		json_out_u64(j, "victim_tid", s->tl->tracks[t->vcpu]->tid);
	}
	if (c->kind == BY_VCPU)
		json_out_u64(j, "tid", s->tl->tracks[c->id]->tid);
	else if (c->pid && !c->several)
		json_out_u64(j, "pid", c->pid);
	put_ns(j, s, "preempted_ns", t->preempted);
	put_ns(j, s, "woken_ns", t->woken);
	put_ns(j, s, "longest_ns", t->longest);
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

static void put_verdict(struct json_out *j, const struct verdicts *v,
			__u32 guest)
{
	char text[VERDICT_TEXT];

	if (v->by_guest[guest] == VMMPROF_NONE) {
		json_out_null(j, "verdict");
		return;
	}
	verdict_text(v, v->by_guest[guest], text, sizeof(text));
	json_out_string(j, "verdict", text);
}

static void put_guest(struct json_out *j, const struct steal *s,
		      const struct verdicts *v, size_t first)
{
	const struct steal_row *r = &s->rows[first];
	size_t i;

	json_out_object(j, NULL);
	json_out_string(j, "name",
			s->tl->a->resolver.guests.guests[r->guest].name);
	json_out_u64(j, "pid", s->tl->a->resolver.guests.guests[r->guest].pid);
	put_verdict(j, v, r->guest);
	put_sum(j, s, r);
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

void steal_json(const struct steal *s, const struct verdicts *v,
		const struct steal_matrix *m, enum matrix_by by, FILE *out)
{
	struct json_out j;
	size_t i;

	json_out_begin(&j, out, "vmmprof-steal", 1);
	json_out_string(&j, "method", s->exact ? "exact" : "samples");
	json_out_u64(&j, "tsc_khz", s->tl->khz);
	put_ns(&j, s, "duration_ns", s->tl->end - s->tl->begin);
	put_ns(&j, s, "period_ns", s->tl->period);
	time_text_json(s->tl->a, &j);
	steal_matrix_json(&j, s, m, by);
	json_out_array(&j, "guests");
	for (i = 0; i < s->nr_rows; i++)
		if (s->rows[i].track == VMMPROF_NONE)
			put_guest(&j, s, v, i);
	json_out_array_end(&j);
	if (s->by_thief)
		put_all_stolen(&j, s, VMMPROF_NONE);
	steal_cpus_json(s, &j);
	if (saturated)
		json_out_bool(&j, "sums_too_large", true);
	json_out_object_end(&j);
	fputc('\n', out);
}
