// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as text: of each vCPU a row for each state and each thief, with
 * the share of each slot as the height of a character.
 */

#include <string.h>

#include "view/color.h"
#include "view/percent.h"
#include "view/safe.h"
#include "view/time_axis.h"
#include "view/timeline.h"

#define LEVELS	    8
#define LEAST_LABEL 20 /* columns, of which two or four are indentation */
#define MOST_LABEL  40
#define SHARE	    8 /* "  100.00" */
#define LEAST_SLOTS 10
#define LABEL_EVERY 12 /* columns of the axis */

static size_t label_columns(size_t columns)
{
	size_t width = LEAST_LABEL;

	if (columns > 80)
		width += (columns - 80) / 4;
	return width < MOST_LABEL ? width : MOST_LABEL;
}

size_t slots_text_width(size_t columns)
{
	size_t used = label_columns(columns) + SHARE + 3;

	return columns > used + LEAST_SLOTS ? columns - used : LEAST_SLOTS;
}

/* How high a character is for that part of a slot: any part is seen. */
static unsigned int level(__u64 ticks, __u64 slot)
{
	unsigned int l = ((__uint128_t)ticks * LEVELS + slot / 2) / slot;

	if (l > LEVELS)
		l = LEVELS;
	return ticks && !l ? 1 : l;
}

static void put_level(const struct slots *s, FILE *out, unsigned int l)
{
	static const char ascii[LEVELS + 1] = " .:-=+*%#";

	if (!l || !s->utf8)
		fputc(ascii[l], out);
	else /* U+2581 to U+2588 */
		fprintf(out, "\xe2\x96%c", 0x80 + l);
}

static void put_label(FILE *out, const char *text, size_t indent, size_t width)
{
	char buf[256];

	snprintf(buf, sizeof(buf), "%s", text);
	text_cut(buf, width - indent);
	fprintf(out, "%*s%s%*s", (int)indent, "", buf,
		(int)(width - indent - text_columns(buf)), "");
}

static void put_layer(const struct slots *s, FILE *out, __u32 track,
		      const struct slot_layer *layers, size_t nr, size_t i,
		      __u64 all, size_t label)
{
	static const enum color colors[] = {
		[LAYER_ON_CPU] = COLOR_GUEST,
		[LAYER_STEAL] = COLOR_STEAL,
		[LAYER_THIEF] = COLOR_STEAL,
		[LAYER_HALT] = COLOR_HALT,
		[LAYER_BLOCKED] = COLOR_BLOCKED,
		[LAYER_UNKNOWN] = COLOR_UNKNOWN,
	};
	char name[256];
	size_t slot;

	slot_layer_name(s, &layers[i], name, sizeof(name));
	put_label(out, name, layers[i].kind == LAYER_THIEF ? 4 : 2, label);
	fprintf(out, "%*.2f |%s", SHARE, percent_of(layers[i].ticks, all),
		color_of(colors[layers[i].kind]));
	for (slot = 0; slot < s->width; slot++)
		put_level(
			s, out,
			level(slot_layer_ticks(s, track, slot, layers, nr, i),
			      slot_begins(s, slot + 1) - slot_begins(s, slot)));
	fprintf(out, "%s|\n", color_end());
}

static void put_track(const struct slots *s, FILE *out, __u32 track,
		      size_t columns)
{
	struct slot_layer layers[SLOT_LAYERS];
	char name[640];
	size_t i, nr;
	__u64 all;

	nr = slot_layers(s, track, layers, &all);
	slots_row_name(s, track, name, sizeof(name));
	text_cut(name, columns);
	fprintf(out, "%s%s%s\n", color_of(COLOR_HEAD), name, color_end());
	for (i = 0; i < nr; i++)
		put_layer(s, out, track, layers, nr, i, all,
			  label_columns(columns));
	if (!nr)
		fputs("  (was not there)\n", out);
}

/* "|0.0 s     |0.2       |0.4": a mark stands over the slot of its time. */
static void put_axis(const struct slots *s, FILE *out, size_t label)
{
	double from = slots_seconds(s, s->from), to = slots_seconds(s, s->to);
	struct time_axis a;
	size_t i, at, column = 0;
	char text[48];

	time_axis_init(&a, from, to,
		       (s->width + LABEL_EVERY - 1) / LABEL_EVERY);
	put_label(out, "", 0, label);
	fprintf(out, "%*s  ", SHARE, a.nr ? "%" : "");
	for (i = 0; i < a.nr; i++) {
		at = (time_axis_at(&a, i) - from) / (to - from) * s->width +
		     1e-6;
		time_axis_text(&a, i, text, sizeof(text));
		if (at < column || at + strlen(text) + 1 > s->width)
			continue;
		fprintf(out, "%*s|%s", (int)(at - column), "", text);
		column = at + 1 + strlen(text);
	}
	fputc('\n', out);
}

void slots_text(const struct slots *s, size_t columns, FILE *out)
{
	double from = slots_seconds(s, s->from), to = slots_seconds(s, s->to);
	__u32 i;

	fprintf(out,
		"From %.6f to %.6f s, %.3f ms a column. The height is the share of\n"
		"that time: a vCPU's states fill the column, the thieves its steal.\n",
		from, to, (to - from) * 1000 / s->width);
	put_axis(s, out, label_columns(columns));
	for (i = 0; i < s->tl->nr; i++)
		put_track(s, out, i, columns);
}
