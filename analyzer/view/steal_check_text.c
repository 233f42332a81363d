// SPDX-License-Identifier: GPL-2.0-only
/* Cross-checks of the vCPUs' time as text and JSON. */

#include <string.h>

#include "view/steal_check_text.h"
#include "view/foreign_names.h"

#define SHOWN 8 /* of so many vCPUs all checks are listed */

static const char *our_text(unsigned int kind)
{
	static const char *const text[VMMPROF_NR_ALL_CHECKS] = {
		"steal", "on a CPU", "steal by others", "steal"
	};

	return text[kind];
}

static const char *their_text(unsigned int kind)
{
	static const char *const text[VMMPROF_NR_ALL_CHECKS] = {
		"run delay of schedstat", "run time of schedstat",
		"samples of others there", "steal in its /proc/stat"
	};

	return text[kind];
}

static const char *why_text(unsigned int why)
{
	static const char *const text[VMMPROF_NR_NOCHECKS] = {
		[VMMPROF_NOCHECK_NONE] = "",
		[VMMPROF_NOCHECK_NO_TIME] = "no time is known",
		[VMMPROF_NOCHECK_NO_STATE] = "no readings in the session",
		[VMMPROF_NOCHECK_NO_SAMPLE] = "no samples that count time",
		[VMMPROF_NOCHECK_LOST] = "samples were lost",
		[VMMPROF_NOCHECK_METHOD] = "the method is made of them",
		[VMMPROF_NOCHECK_NO_BUNDLE] = "no bundle of it",
		[VMMPROF_NOCHECK_NO_STEAL_CLOCK] = "it has no steal clock",
		[VMMPROF_NOCHECK_NO_READINGS] = "not two readings of it",
		[VMMPROF_NOCHECK_NO_CLOCK] = "no clock in common with it",
	};

	return why < VMMPROF_NR_NOCHECKS ? text[why] : "?";
}

static void guest_name(const struct vmmprof_crosschecks *c, __u32 guest,
		       char *buf, size_t size)
{
	vmmprof_foreign_guest(buf, size,
			      c->tl->a->resolver.guests.guests[guest].name);
}

static void vcpu_name(const struct vmmprof_crosschecks *c, __u32 track,
		      char *buf, size_t size)
{
	const struct vmmprof_track *t = c->tl->tracks[track];
	char name[256];

	guest_name(c, t->guest, name, sizeof(name));
	if (t->vcpu_id == VMMPROF_NONE)
		snprintf(buf, size, "%s thread %u", name, t->tid);
	else
		snprintf(buf, size, "%s vCPU %u", name, t->vcpu_id);
}

/* One check below the name of whose it is. */
static void put_check(FILE *out, const struct vmmprof_crosscheck *x,
		      unsigned int kind)
{
	if (!x->known) {
		fprintf(out, "    %s: not compared with %s: %s\n",
			our_text(kind), their_text(kind), why_text(x->why));
		return;
	}
	fprintf(out, "    %s %.4f s, %s %.4f s (+-%.4f s)\n", our_text(kind),
		x->ours / 1e9, their_text(kind), x->theirs / 1e9,
		x->tolerance / 1e9);
	/* A millisecond is nothing to tell. */
	if (x->still >= 1000000)
		fprintf(out,
			"      and %.4f s of waiting that lasts at the end\n",
			x->still / 1e9);
	if (x->outside >= 1000000)
		fprintf(out, "      of which up to %.4f s was at other times\n",
			x->outside / 1e9);
	if (x->inside >= 1000000)
		fprintf(out, "      which lacks %.4f s of the time measured\n",
			x->inside / 1e9);
	if (!x->agrees)
		fputs("    WARNING: they differ by more than that\n", out);
}

static void put_some(FILE *out, const char *name,
		     const struct vmmprof_crosscheck *x, unsigned int first,
		     unsigned int nr, bool all)
{
	bool named = false;
	unsigned int k;

	for (k = 0; k < nr; k++) {
		/* Who has no reading is told in one line. */
		if (!x[k].known && (!all || first + k < VMMPROF_CHECK_STAT))
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
static void put_unknown(const struct vmmprof_crosschecks *c, FILE *out)
{
	size_t nr[VMMPROF_NR_CHECKS][VMMPROF_NR_NOCHECKS] = { 0 };
	unsigned int k, why;
	size_t i;

	for (i = 0; i < c->tl->nr; i++)
		for (k = 0; k < VMMPROF_NR_CHECKS; k++)
			nr[k][c->vcpu[i][k].why] += !c->vcpu[i][k].known;
	for (k = 0; k < VMMPROF_NR_CHECKS; k++)
		for (why = 1; why < VMMPROF_NR_NOCHECKS; why++)
			if (nr[k][why])
				fprintf(out,
					"  %zu vCPU%s not compared with %s: %s\n",
					nr[k][why], nr[k][why] == 1 ? "" : "s",
					their_text(k), why_text(why));
}

void vmmprof_checks_text(const struct vmmprof_crosschecks *c, FILE *out)
{
	size_t i, nr = c->tl->a->resolver.guests.nr;
	bool few = c->tl->nr <= SHOWN;
	char name[300];

	fputs("  Checked against what others measured (definitions differ a little; tolerance:\n"
	      "  1 % of the time, 30 us a switch, 4 sigma of samples, a tick of /proc/stat):\n",
	      out);
	for (i = 0; i < nr; i++) {
		if (c->guest[i][1].why == VMMPROF_NOCHECK_NO_TIME)
			continue;
		guest_name(c, i, name, sizeof(name));
		put_some(out, name, c->guest[i], VMMPROF_CHECK_SAMPLES, 2, few);
	}
	for (i = 0; i < c->tl->nr; i++) {
		vcpu_name(c, i, name, sizeof(name));
		put_some(out, name, c->vcpu[i], 0, VMMPROF_NR_CHECKS, few);
	}
	put_unknown(c, out);
	if (!few && !c->failed)
		fprintf(out, "  No disagreement in %zu vCPUs\n", c->tl->nr);
	if (c->failed)
		fprintf(out, "  WARNING: %llu of these checks disagree\n",
			c->failed);
}

static void put_json(struct vmmprof_json *j, const struct vmmprof_crosscheck *x,
		     unsigned int kind)
{
	const char *key = vmmprof_crosscheck_key(kind);
	char why[64];

	if (!x->known) {
		vmmprof_json_null(j, key);
		snprintf(why, sizeof(why), "%s-why", key);
		vmmprof_json_string(j, why, vmmprof_nocheck_key(x->why));
		return;
	}
	vmmprof_json_object(j, key);
	vmmprof_json_u64(j, "ours_ns", x->ours);
	vmmprof_json_u64(j, "theirs_ns", x->theirs);
	vmmprof_json_u64(j, "tolerance_ns", x->tolerance);
	vmmprof_json_u64(j, "outside_ns", x->outside);
	vmmprof_json_u64(j, "inside_ns", x->inside);
	vmmprof_json_u64(j, "still_ns", x->still);
	vmmprof_json_bool(j, "agrees", x->agrees);
	vmmprof_json_object_end(j);
}

void vmmprof_checks_json_vcpu(const struct vmmprof_crosschecks *c,
			      struct vmmprof_json *j, __u32 track)
{
	unsigned int k;

	vmmprof_json_object(j, "checks");
	for (k = 0; k < VMMPROF_NR_CHECKS; k++)
		put_json(j, &c->vcpu[track][k], k);
	vmmprof_json_object_end(j);
}

void vmmprof_checks_json_guest(const struct vmmprof_crosschecks *c,
			       struct vmmprof_json *j, __u32 guest)
{
	vmmprof_json_object(j, "checks");
	put_json(j, &c->guest[guest][0], VMMPROF_CHECK_SAMPLES);
	put_json(j, &c->guest[guest][1], VMMPROF_CHECK_STAT);
	vmmprof_json_object_end(j);
}

void vmmprof_checks_json(const struct vmmprof_crosschecks *c,
			 struct vmmprof_json *j, const char *key)
{
	size_t g, i, nr = c->tl->a->resolver.guests.nr;
	char name[300];

	vmmprof_json_array(j, key);
	for (g = 0; g < nr; g++) {
		guest_name(c, g, name, sizeof(name));
		vmmprof_json_object(j, NULL);
		vmmprof_json_string(j, "guest", name);
		vmmprof_checks_json_guest(c, j, g);
		vmmprof_json_array(j, "vcpus");
		for (i = 0; i < c->tl->nr; i++) {
			if (c->tl->tracks[i]->guest != g)
				continue;
			vmmprof_json_object(j, NULL);
			vmmprof_json_u64(j, "tid", c->tl->tracks[i]->tid);
			vmmprof_checks_json_vcpu(c, j, i);
			vmmprof_json_object_end(j);
		}
		vmmprof_json_array_end(j);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
}
