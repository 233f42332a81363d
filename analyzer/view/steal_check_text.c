// SPDX-License-Identifier: GPL-2.0-only
/* Cross-checks of the vCPUs' time as text and JSON. */

#include <string.h>

#include "view/steal_check_text.h"
#include "view/foreign_names.h"

#define SHOWN 8 /* of so many vCPUs all checks are listed */

static const char *our_text(unsigned int kind)
{
	static const char *const text[NR_ALL_CHECKS] = { "steal", "on a CPU",
							 "steal by others",
							 "steal" };

	return text[kind];
}

static const char *their_text(unsigned int kind)
{
	static const char *const text[NR_ALL_CHECKS] = {
		"run delay of schedstat", "run time of schedstat",
		"samples of others there", "steal in its /proc/stat"
	};

	return text[kind];
}

static const char *why_text(unsigned int why)
{
	static const char *const text[NR_NOCHECKS] = {
		[NO_CHECK_NONE] = "",
		[NO_CHECK_NO_TIME] = "its time is not known",
		[NO_CHECK_NO_STATE] = "no readings in the session",
		[NO_CHECK_NO_SAMPLE] = "no samples that count time",
		[NO_CHECK_LOST] = "samples were lost",
		[NO_CHECK_METHOD] = "this method uses the same samples",
		[NO_CHECK_NO_BUNDLE] = "no bundle of the guest",
		[NO_CHECK_NO_STEAL_CLOCK] = "it has no steal clock",
		[NO_CHECK_NO_READINGS] = "fewer than two readings",
		[NO_CHECK_NO_CLOCK] = "no clock in common with the guest",
		[NO_CHECK_PART] = "it is of all of the time, not of a part",
	};

	return why < NR_NOCHECKS ? text[why] : "?";
}

static void guest_name(const struct steal_checks *c, __u32 guest, char *buf,
		       size_t size)
{
	foreign_guest(buf, size, c->tl->a->resolver.guests.guests[guest].name);
}

static void vcpu_name(const struct steal_checks *c, __u32 track, char *buf,
		      size_t size)
{
	const struct track *t = c->tl->tracks[track];
	char name[256];

	guest_name(c, t->guest, name, sizeof(name));
	if (t->vcpu_id == VMMPROF_NONE)
		snprintf(buf, size, "%s thread %u", name, t->tid);
	else
		snprintf(buf, size, "%s vCPU %u", name, t->vcpu_id);
}

/* One check below the name of whose it is. */
static void put_check(FILE *out, const struct steal_check *x, unsigned int kind)
{
	if (!x->known) {
		fprintf(out, "    %s: not compared with %s: %s\n",
			our_text(kind), their_text(kind), why_text(x->why));
		return;
	}
	fprintf(out, "    %s %.4f s, %s %.4f s (+-%.4f s)\n", our_text(kind),
		x->ours / 1e9, their_text(kind), x->theirs / 1e9,
		x->tolerance / 1e9);
	/* Differences of a millisecond are not printed. */
	if (x->still >= 1000000)
		fprintf(out,
			"      and %.4f s of a wait that lasts at the end\n",
			x->still / 1e9);
	if (x->outside >= 1000000)
		fprintf(out,
			"      of which up to %.4f s are from before or after the measurement\n",
			x->outside / 1e9);
	if (x->inside >= 1000000)
		fprintf(out, "      without %.4f s of the measurement\n",
			x->inside / 1e9);
	if (!x->agrees)
		fputs("    WARNING: they differ by more than that\n", out);
}

static void put_some(FILE *out, const char *name, const struct steal_check *x,
		     unsigned int first, unsigned int nr, bool all)
{
	bool named = false;
	unsigned int k;

	for (k = 0; k < nr; k++) {
		/* vCPUs without a reading are summed up in one line. */
		if (!x[k].known && (!all || first + k < CHECK_STAT))
			continue;
		if (x[k].known && x[k].agrees && !all)
			continue;
		if (!named)
			fprintf(out, "  %s\n", name);
		named = true;
		put_check(out, &x[k], first + k);
	}
}

/* Of how many vCPUs there was nothing to compare with, and why. */
static void put_unknown(const struct steal_checks *c, FILE *out)
{
	size_t nr[NR_CHECKS][NR_NOCHECKS] = { 0 };
	unsigned int k, why;
	size_t i;

	for (i = 0; i < c->tl->nr; i++)
		for (k = 0; k < NR_CHECKS; k++)
			nr[k][c->vcpu[i][k].why] += !c->vcpu[i][k].known;
	for (k = 0; k < NR_CHECKS; k++)
		for (why = 1; why < NR_NOCHECKS; why++)
			if (nr[k][why])
				fprintf(out,
					"  %zu vCPU%s not compared with %s: %s\n",
					nr[k][why], nr[k][why] == 1 ? "" : "s",
					their_text(k), why_text(why));
}

/* Below the name of each guest and vCPU its checks, or those that failed. */
static void put_checks(const struct steal_checks *c, bool all, FILE *out)
{
	size_t i, nr = c->tl->a->resolver.guests.nr;
	char name[300];

	for (i = 0; i < nr; i++) {
		if (c->guest[i][1].why == NO_CHECK_NO_TIME)
			continue;
		guest_name(c, i, name, sizeof(name));
		put_some(out, name, c->guest[i], CHECK_SAMPLES, 2, all);
	}
	for (i = 0; i < c->tl->nr; i++) {
		vcpu_name(c, i, name, sizeof(name));
		put_some(out, name, c->vcpu[i], 0, NR_CHECKS, all);
	}
}

void steal_check_text_line(const struct steal_checks *c, FILE *out)
{
	size_t i, k, known = 0;

	for (i = 0; i < c->tl->nr; i++)
		for (k = 0; k < NR_CHECKS; k++)
			known += c->vcpu[i][k].known;
	for (i = 0; i < c->tl->a->resolver.guests.nr; i++)
		known += c->guest[i][0].known + c->guest[i][1].known;
	if (!known) {
		fputs("No other measurement to check against (-v says why)\n",
		      out);
	} else if (!c->failed) {
		fprintf(out,
			"All %zu checks against other measurements agree (-v lists them)\n",
			known);
	} else {
		fprintf(out,
			"WARNING: %llu of %zu checks against other measurements disagree (-v: all):\n",
			c->failed, known);
		put_checks(c, false, out);
	}
}

void steal_check_text_text(const struct steal_checks *c, FILE *out)
{
	bool few = c->tl->nr <= SHOWN;

	fputs("  Checked against what others measured (definitions differ a little; tolerance:\n"
	      "  1 % of the time, 30 us a switch, 4 sigma of samples, a tick of /proc/stat):\n",
	      out);
	put_checks(c, few, out);
	put_unknown(c, out);
	if (!few && !c->failed)
		fprintf(out, "  No disagreement in %zu vCPUs\n", c->tl->nr);
	if (c->failed)
		fprintf(out, "  WARNING: %llu of these checks disagree\n",
			c->failed);
}

static void put_json(struct json_out *j, const struct steal_check *x,
		     unsigned int kind)
{
	const char *key = steal_check_key(kind);
	char why[64];

	if (!x->known) {
		json_out_null(j, key);
		snprintf(why, sizeof(why), "%s-why", key);
		json_out_string(j, why, nocheck_key(x->why));
		return;
	}
	json_out_object(j, key);
	json_out_u64(j, "ours_ns", x->ours);
	json_out_u64(j, "theirs_ns", x->theirs);
	json_out_u64(j, "tolerance_ns", x->tolerance);
	json_out_u64(j, "outside_ns", x->outside);
	json_out_u64(j, "inside_ns", x->inside);
	json_out_u64(j, "still_ns", x->still);
	json_out_bool(j, "agrees", x->agrees);
	json_out_object_end(j);
}

void steal_check_text_json_vcpu(const struct steal_checks *c,
				struct json_out *j, __u32 track)
{
	unsigned int k;

	json_out_object(j, "checks");
	for (k = 0; k < NR_CHECKS; k++)
		put_json(j, &c->vcpu[track][k], k);
	json_out_object_end(j);
}

void steal_check_text_json_guest(const struct steal_checks *c,
				 struct json_out *j, __u32 guest)
{
	json_out_object(j, "checks");
	put_json(j, &c->guest[guest][0], CHECK_SAMPLES);
	put_json(j, &c->guest[guest][1], CHECK_STAT);
	json_out_object_end(j);
}

void steal_check_text_json(const struct steal_checks *c, struct json_out *j,
			   const char *key)
{
	size_t g, i, nr = c->tl->a->resolver.guests.nr, nr_tracks;
	const __u32 *tracks;
	char name[300];

	json_out_array(j, key);
	for (g = 0; g < nr; g++) {
		guest_name(c, g, name, sizeof(name));
		json_out_object(j, NULL);
		json_out_string(j, "guest", name);
		steal_check_text_json_guest(c, j, g);
		json_out_array(j, "vcpus");
		tracks = groups_of(&c->tl->by_guest, g, &nr_tracks);
		for (i = 0; i < nr_tracks; i++) {
			json_out_object(j, NULL);
			json_out_u64(j, "tid", c->tl->tracks[tracks[i]]->tid);
			steal_check_text_json_vcpu(c, j, tracks[i]);
			json_out_object_end(j);
		}
		json_out_array_end(j);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}
