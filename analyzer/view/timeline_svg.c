// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as SVG: a band for each vCPU, in which its states, and steal by
 * thief, lie on one another; below it the thieves by name.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "view/percent.h"
#include "view/safe.h"
#include "view/time_axis.h"
#include "view/timeline.h"

#define LEFT	    200 /* of the bands: names */
#define TOP	    46
#define BAND	    30
#define ROW	    54 /* a band and the line below it */
#define LABEL_EVERY 90
#define NAME_CUT    28
#define COLORS	    10

/* Of VMs, as thieves too; steal is hatched. */
static const char *const vm_color[COLORS] = {
	"#1f77b4", "#ff7f0e", "#2ca02c", "#9467bd", "#8c564b",
	"#e377c2", "#bcbd22", "#17becf", "#3b4cc0", "#b5651d",
};

/* Text of XML; what safe_text() leaves has no control characters. */
static void put_xml(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out); /* "]]>" must not be in it */
		else if (*text == '&')
			fputs("&amp;", out);
		else
			fputc(*text, out);
	}
}

/* The VM's of a vCPU; for other thieves greys. */
static const char *color_of(const struct slots *s, __u32 track,
			    const struct slot_layer *l)
{
	const struct owner *o;

	switch (l->kind) {
	case LAYER_ON_CPU:
		return vm_color[s->tl->tracks[track]->guest % COLORS];
	case LAYER_HALT:
		return "#e3ebf3";
	case LAYER_BLOCKED:
		return "#d3c8e3";
	case LAYER_UNKNOWN:
		return "#c8c8c8";
	default:
		break;
	}
	if (l->thief == VMMPROF_NONE)
		return "#777777";
	o = &s->tl->thieves.owners.owners[l->thief];
	if (o->kind == OF_VM && o->id != VMMPROF_NONE)
		return vm_color[o->id % COLORS];
	return o->kind == OF_UNKNOWN || o->kind >= OF_QUOTA ? "#999999" :
							      "#d62828";
}

/* The height of ticks in a slot, in tenths of a pixel. */
static __u32 height(__u64 ticks, __u64 slot)
{
	return ((__uint128_t)ticks * BAND * 10 + slot / 2) / slot;
}

/*
 * A layer as one path: boxes of slots of the same height.  @below: ticks of the
 * layers below it in each slot, to which its own are added.
 */
static void put_path(const struct slots *s, FILE *out, __u32 track,
		     const struct slot_layer *layers, size_t nr, size_t i,
		     __u64 *below)
{
	__u32 from, to, box_from = 0, box_to = 0;
	size_t slot, begin = 0;
	__u64 ticks, length;

	for (slot = 0; slot <= s->width; slot++) {
		from = 0;
		to = 0;
		if (slot < s->width) {
			length = slot_begins(s, slot + 1) -
				 slot_begins(s, slot);
			ticks = slot_layer_ticks(s, track, slot, layers, nr, i);
			from = length ? height(below[slot], length) : 0;
			sat_sum(&below[slot], ticks);
			to = length ? height(below[slot], length) : 0;
		}
		if (slot && from == box_from && to == box_to)
			continue;
		if (box_to > box_from)
			fprintf(out, "M%zu %.1fH%zuV%.1fH%zuZ", LEFT + begin,
				BAND - box_to / 10.0, LEFT + slot,
				BAND - box_from / 10.0, LEFT + begin);
		begin = slot;
		box_from = from;
		box_to = to;
	}
}

static void put_layer(const struct slots *s, FILE *out, __u32 track,
		      const struct slot_layer *layers, size_t nr, size_t i,
		      __u64 all, __u64 *below)
{
	const char *steal = layers[i].kind == LAYER_THIEF ? "steal: " : "";
	const char *color = color_of(s, track, &layers[i]);
	__u64 *before = NULL;
	char name[256];
	int pass;

	if (*steal)
		before = malloc(s->width * sizeof(*before));
	/* the colour, and for steal the same again with hatching */
	for (pass = 0; pass < (before ? 2 : 1); pass++) {
		if (before && !pass)
			memcpy(before, below, s->width * sizeof(*before));
		fprintf(out, "<path class=\"%s\" fill=\"%s\" d=\"",
			pass   ? "hatching" :
			*steal ? "steal" :
				 "state",
			pass ? "url(#hatching)" : color);
		put_path(s, out, track, layers, nr, i, pass ? before : below);
		fputs("\"><title>", out);
		slot_layer_name(s, &layers[i], name, sizeof(name));
		fputs(steal, out);
		put_xml(out, name);
		fprintf(out, " %.2f %%</title></path>\n",
			percent_of(layers[i].ticks, all));
	}
	free(before);
}

/* "steal 32.00 %: beta vCPU 0 10.00 %, make 10.00 %" */
static void put_thieves(const struct slots *s, FILE *out,
			const struct slot_layer *layers, size_t nr, __u64 all)
{
	const char *between = ": ";
	char name[256];
	size_t i;

	fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"thieves\">", LEFT,
		BAND + 14);
	for (i = 0; i < nr; i++) {
		if (layers[i].kind != LAYER_STEAL &&
		    layers[i].kind != LAYER_THIEF)
			continue;
		if (layers[i].kind == LAYER_THIEF) {
			fputs(between, out);
			between = ", ";
		}
		slot_layer_name(s, &layers[i], name, sizeof(name));
		put_xml(out, name);
		fprintf(out, " %.2f %%", percent_of(layers[i].ticks, all));
	}
	fputs("</text>\n", out);
}

static int put_track(const struct slots *s, FILE *out, __u32 track)
{
	__u64 all, *below = calloc(s->width, sizeof(*below));
	struct slot_layer layers[SLOT_LAYERS];
	char name[640];
	size_t i, nr;

	if (!below)
		return -ENOMEM;
	nr = slot_layers(s, track, layers, &all);
	slots_row_name(s, track, name, sizeof(name));
	fprintf(out, "<g class=\"vcpu\" transform=\"translate(0,%u)\"><title>",
		TOP + ROW * track);
	put_xml(out, name);
	text_cut(name, NAME_CUT);
	fputs("</title>\n<text x=\"4\" y=\"19\">", out);
	put_xml(out, name);
	fprintf(out,
		"</text>\n<rect x=\"%d\" y=\"0\" width=\"%zu\" height=\"%d\" class=\"band\"/>\n",
		LEFT, s->width, BAND);
	for (i = 0; i < nr; i++)
		if (layers[i].kind == LAYER_STEAL)
			put_thieves(s, out, layers, nr, all);
		else
			put_layer(s, out, track, layers, nr, i, all, below);
	fputs("</g>\n", out);
	free(below);
	return 0;
}

static void put_axis(const struct slots *s, FILE *out, unsigned int bottom)
{
	double from = slots_seconds(s, s->from), to = slots_seconds(s, s->to);
	struct time_axis a;
	char text[48];
	double x;
	size_t i;

	time_axis_init(&a, from, to, s->width / LABEL_EVERY + 1);
	for (i = 0; i < a.nr; i++) {
		x = LEFT +
		    (time_axis_at(&a, i) - from) / (to - from) * s->width;
		time_axis_text(&a, i, text, sizeof(text));
		fprintf(out,
			"<path class=\"mark\" d=\"M%.1f %dV%u\"/><text class=\"mark\" x=\"%.1f\" y=\"%d\">%s</text>\n",
			x, TOP - 8, bottom, x + 3, TOP - 10, text);
	}
}

static void put_style(FILE *out)
{
	fputs("<style>text{font:12px sans-serif}.thieves,.mark{font-size:11px}\n"
	      ".mark{fill:#555;stroke:none}path.mark{stroke:#aaa;stroke-dasharray:2 3}\n"
	      ".band{fill:none;stroke:#ccc}path{shape-rendering:crispEdges}</style>\n"
	      "<defs><pattern id=\"hatching\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\n"
	      "<path d=\"M1 0V5\" stroke=\"#fff\" stroke-width=\"2\" fill=\"none\"/></pattern></defs>\n",
	      out);
}

int slots_svg(const struct slots *s, FILE *out)
{
	unsigned int bottom = TOP + ROW * s->tl->nr;
	int err = 0;
	__u32 i;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%u\">\n"
		"<text x=\"4\" y=\"16\">%.6f to %.6f s.  On a CPU: the colour of its VM.  Steal: hatched, in the colour of the thief's VM; red: other programs.  Pale: halt (blue), blocked (violet), unknown (grey)</text>\n",
		s->width + LEFT + 10, bottom + 10, slots_seconds(s, s->from),
		slots_seconds(s, s->to));
	put_style(out);
	put_axis(s, out, bottom);
	for (i = 0; i < s->tl->nr && !err; i++)
		err = put_track(s, out, i);
	fputs("</svg>\n", out);
	return err;
}
