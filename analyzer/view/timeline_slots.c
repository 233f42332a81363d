// SPDX-License-Identifier: GPL-2.0-only
/* Slots of a timeline, as text and as SVG. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/foreign_names.h"
#include "view/safe.h"
#include "view/timeline.h"
#include "base/saturate.h"

#define NAME_COLUMNS 15
#define MAX_CELLS    (64 << 20)

int slots_init(struct slots *s, const struct timeline *tl, __u64 from, __u64 to,
	       size_t width)
{
	memset(s, 0, sizeof(*s));
	s->tl = tl;
	s->from = from;
	s->to = to;
	s->width = width;
	return 0;
}

void slots_deinit(struct slots *s)
{
	free(s->ticks);
	free(s->thieves);
	memset(s, 0, sizeof(*s));
}

static __u64 *cell(const struct slots *s, __u32 track, size_t slot)
{
	return s->ticks + (track * s->width + slot) * NR_STATES;
}

static int grow_thieves(struct slots *s)
{
	size_t nr = s->tl->nr, old = s->nr * s->width;
	struct slot_thieves *more;

	if (!s->by_thief)
		return 0;
	more = realloc(s->thieves, nr * s->width * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + old, 0, (nr * s->width - old) * sizeof(*more));
	s->thieves = more;
	return 0;
}

static int grow(struct slots *s)
{
	size_t row = s->width * NR_STATES, nr = s->tl->nr;
	__u64 *more;

	if (nr <= s->nr)
		return 0;
	if (nr * row > MAX_CELLS)
		return -ENOMEM;
	more = realloc(s->ticks, nr * row * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + s->nr * row, 0, (nr - s->nr) * row * sizeof(*more));
	s->ticks = more;
	if (grow_thieves(s))
		return -ENOMEM;
	s->nr = nr;
	return 0;
}

static void add_stolen(struct slots *s, __u32 track, size_t slot, __u32 thief,
		       __u64 ticks)
{
	struct slot_thieves *t = &s->thieves[track * s->width + slot];
	unsigned int i;

	for (i = 0; i < SLOT_THIEVES; i++) {
		if (t->ticks[i] && t->thief[i] != thief)
			continue;
		t->thief[i] = thief;
		sat_sum(&t->ticks[i], ticks);
		return;
	}
	sat_sum(&t->others, ticks);
}

/* Where a slot begins. */
static __u64 begins(const struct slots *s, size_t slot)
{
	return s->from + (__uint128_t)(s->to - s->from) * slot / s->width;
}

int slots_stretch(void *arg, const struct track *t, enum vcpu_state state,
		  __u64 from, __u64 to, __u32 thief)
{
	struct slots *s = arg;
	__u32 track = track_find(s->tl, t->pid, t->tid);
	__u64 end;
	size_t slot;
	int err;

	if (from < s->from)
		from = s->from;
	if (to > s->to)
		to = s->to;
	if (from >= to || track == VMMPROF_NONE)
		return 0;
	err = grow(s);
	if (err)
		return err;
	slot = (__uint128_t)(from - s->from) * s->width / (s->to - s->from);
	for (; slot < s->width && from < to; slot++) {
		end = begins(s, slot + 1);
		if (end > to)
			end = to;
		if (end <= from)
			continue;
		sat_sum(&cell(s, track, slot)[state], end - from);
		if (s->by_thief && state_waits(state))
			add_stolen(s, track, slot, thief, end - from);
		from = end;
	}
	return 0;
}

unsigned int slots_state(const struct slots *s, __u32 track, size_t slot)
{
	unsigned int i, best = NR_STATES;
	const __u64 *ticks;

	if (track >= s->nr)
		return best;
	ticks = cell(s, track, slot);
	for (i = 0; i < NR_STATES; i++)
		if (ticks[i] && (best == NR_STATES || ticks[i] > ticks[best]))
			best = i;
	return best;
}

static double seconds(const struct slots *s, __u64 tsc)
{
	__u64 begin = s->tl->begin;

	return s->tl->khz && tsc > begin ?
		       (tsc - begin) / (s->tl->khz * 1000.0) :
		       0;
}

/*
 * Cuts the end of the guest's name where a name is too long for the columns; 0:
 * no limit.
 */
static void row_name(const struct slots *s, __u32 track, char *buf, size_t size,
		     size_t columns)
{
	const struct track *t = s->tl->tracks[track];
	char name[64], vcpu[32];

	foreign_guest(name, sizeof(name),
		      s->tl->a->resolver.guests.guests[t->guest].name);
	if (t->vcpu_id == VMMPROF_NONE)
		snprintf(vcpu, sizeof(vcpu), " %u", t->tid);
	else
		snprintf(vcpu, sizeof(vcpu), " vCPU %u", t->vcpu_id);
	if (columns)
		text_cut(name,
			 columns > strlen(vcpu) ? columns - strlen(vcpu) : 1);
	snprintf(buf, size, "%s%s", name, vcpu);
}

void slots_text(const struct slots *s, FILE *out)
{
	static const char chars[] = "?#swhb ";
	char name[128];
	size_t slot;
	__u32 i;

	fprintf(out,
		"From %.6f to %.6f s, %.3f ms a character\n"
		"# on a CPU  s steal: preempted  w steal: woken and waiting  h halt  b blocked\n"
		"? unknown\n",
		seconds(s, s->from), seconds(s, s->to),
		(seconds(s, s->to) - seconds(s, s->from)) * 1000 / s->width);
	for (i = 0; i < s->tl->nr; i++) {
		row_name(s, i, name, sizeof(name), NAME_COLUMNS);
		text_cut(name, NAME_COLUMNS);
		fprintf(out, "%s%*s |", name,
			(int)(NAME_COLUMNS - text_columns(name)), "");
		for (slot = 0; slot < s->width; slot++)
			fputc(chars[slots_state(s, i, slot)], out);
		fputs("|\n", out);
	}
}

/* Text of XML; what safe_text() leaves has no control characters. */
static void put_xml(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else
			fputc(*text, out);
	}
}

static void svg_row(const struct slots *s, FILE *out, __u32 i)
{
	static const char *const color[NR_STATES] = { "#bbbbbb", "#2a9d4a",
						      "#d62828", "#f77f00",
						      "#dce8f4", "#8a6fb0" };
	unsigned int state, y = 40 + 22 * i;
	size_t slot, end;
	char name[128];

	row_name(s, i, name, sizeof(name), 0);
	fprintf(out, "<text x=\"4\" y=\"%u\">", y + 14);
	put_xml(out, name);
	fputs("</text>\n", out);
	for (slot = 0; slot < s->width; slot = end) {
		state = slots_state(s, i, slot);
		for (end = slot + 1;
		     end < s->width && slots_state(s, i, end) == state;)
			end++;
		if (state < NR_STATES)
			fprintf(out,
				"<rect x=\"%zu\" y=\"%u\" width=\"%zu\" height=\"18\" fill=\"%s\"><title>%s</title></rect>\n",
				160 + slot, y, end - slot, color[state],
				state_key(state));
	}
}

void slots_svg(const struct slots *s, FILE *out)
{
	__u32 i;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<text x=\"4\" y=\"20\">%.6f to %.6f s: green on a CPU, red preempted, orange woken and waiting, blue halt, violet blocked, grey unknown</text>\n",
		s->width + 170, s->tl->nr * 22 + 50, seconds(s, s->from),
		seconds(s, s->to));
	for (i = 0; i < s->tl->nr; i++)
		svg_row(s, out, i);
	fputs("</svg>\n", out);
}
