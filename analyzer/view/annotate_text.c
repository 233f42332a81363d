// SPDX-License-Identifier: GPL-2.0-only
/* An annotated function as text. */

#include <string.h>

#include "view/annotate.h"
#include "view/color.h"
#include "view/percent.h"
#include "view/safe.h"
#include "view/time_text.h"

static void put_skid(const struct annotate *an, FILE *out, __u32 event)
{
	const char *interrupt = annotate_interrupt(an, event);

	if (an->calls) {
		fputs("Samples of the chains through this function: where it called what was hit,\n"
		      "or was hit itself.\n",
		      out);
		return;
	}
	if (!strcmp(interrupt, "pmi"))
		fputs("The counter's interrupt comes late (no PEBS): a sample is most often at\n"
		      "the instruction after the one that took the time.\n",
		      out);
	else if (!strcmp(interrupt, "timer"))
		fputs("A timer's interrupt comes when an instruction is done, and not with\n"
		      "interrupts off: the one before took the time, or what kept them off.\n",
		      out);
	else
		fputs("How this event interrupts is not known: it may be the instruction before.\n",
		      out);
}

static void put_head(struct annotate *an, FILE *out, const struct annotated *x)
{
	const struct hot_place *p = x->place;
	char name[NAME_TEXT_BYTES], module[NAME_TEXT_BYTES];
	char machine[NAME_TEXT_BYTES], from[NAME_TEXT_BYTES];
	struct bucket_key key = p->key;

	key.proc = VMMPROF_NONE;
	name_function(&an->report->names, &key, name, sizeof(name));
	name_module(&an->report->names, &key, module, sizeof(module));
	name_machine(&an->report->names, key.guest, machine, sizeof(machine));
	fprintf(out, "\n%s [%s], %s%s: %llu sample%s\n", name, module,
		key.guest ? "guest " : "", machine, p->samples,
		p->samples == 1 ? "" : "s");
	safe_text(from, sizeof(from), x->found.from);
	if (x->found.code.size)
		fprintf(out, "Code: %s\n", from);
	else
		fprintf(out, "No code: %s\n", x->found.why);
	if (*x->found.server)
		fprintf(out, "debuginfod: %s\n", x->found.server);
	if (x->found.code.size && x->found.code.size < p->end - p->start)
		fprintf(out, "Only the first %zu of %llu bytes are shown.\n",
			x->found.code.size, p->end - p->start);
	if (x->found.no_lines)
		fputs("Source lines need its file: name it with --code-from.\n",
		      out);
	if (x->found.patched)
		fputs("A kernel patches itself as it boots and runs: single instructions of this\n"
		      "file may not be those that ran.\n",
		      out);
}

/*
 * Prints the source line where it changes, and the functions it was inlined
 * from.
 */
static void put_source(FILE *out, const struct annotated *x, size_t i,
		       char *last, size_t size)
{
	struct debuginfo_inline in[ANNOTATE_INLINES];
	char text[3 * NAME_TEXT_BYTES], part[NAME_TEXT_BYTES];
	size_t n = 0, k, len;

	if (!annotate_source(x, i, text, NAME_TEXT_BYTES))
		return;
	n = debuginfo_inlines(x->found.dwarf,
			      x->lines[i].insn.addr - x->found.slide, in,
			      ANNOTATE_INLINES);
	for (k = 0; k < n; k++) {
		len = strlen(text);
		safe_text(part, sizeof(part), in[k].function);
		snprintf(text + len, sizeof(text) - len, "%s%s",
			 k ? ", in " : "  inlined ", part);
		if (!in[k].call[0])
			continue;
		len = strlen(text);
		safe_text(part, sizeof(part), in[k].call);
		snprintf(text + len, sizeof(text) - len, " at %s", part);
	}
	if (!strcmp(text, last))
		return;
	snprintf(last, size, "%s", text);
	fprintf(out, "%34s; %s\n", "", text);
	if (annotate_source_text(x, i, part, sizeof(part)))
		fprintf(out, "%34s| %s\n", "", part);
}

static void put_line(struct annotate *an, FILE *out, const struct annotated *x,
		     size_t i)
{
	const struct annotate_line *line = &x->lines[i];
	const char *text = line->insn.text;
	char target[NAME_TEXT_BYTES];

	if (line->kind == LINE_INSIDE)
		text = "(inside of the one above)";
	else if (line->kind == LINE_NO_CODE)
		text = "(no code)";
	else
		an->has_code = true;
	if (line->samples && an->mark)
		an->mark(an->mark_arg, out,
			 percent_of(line->samples, x->place->samples));
	if (line->samples) {
		fprintf(out, "%7llu  ", line->samples);
		put_percent_color(out,
				  percent_of(line->samples, x->place->samples));
	} else {
		fprintf(out, "%15s", "");
	}
	fprintf(out, "  %16llx  %s", line->insn.addr, text);
	if (annotate_target(an, x, i, target, sizeof(target)))
		fprintf(out, " <%s>", target);
	fputc('\n', out);
}

static void put_jumps(FILE *out, const struct annotate_line *line)
{
	if (line->jumps == 1)
		fprintf(out, "the jump at %llx\n", line->jump);
	else if (line->jumps)
		fprintf(out, "one of %u jumps to it\n", line->jumps);
	else
		fputs("a jump to it\n", out);
}

static void put_likely(FILE *out, const struct annotated *x)
{
	const struct annotate_line *line;
	enum annotate_likely likely;
	const struct insn *before;
	bool first = true;
	size_t i;

	for (i = 0; i < x->nr; i++) {
		line = &x->lines[i];
		likely = annotate_likely(x, i);
		if (likely == LIKELY_UNKNOWN)
			continue;
		if (first)
			fputs("\nWhere samples are, and what likely took the time:\n",
			      out);
		first = false;
		fprintf(out, "%6.2f  %16llx  ",
			percent_of(line->samples, x->place->samples),
			line->insn.addr);
		before = annotate_before(x, i);
		if (likely == LIKELY_ITSELF) {
			fputs("itself: it can be interrupted half-way\n", out);
			continue;
		}
		if (likely == LIKELY_BEFORE)
			fprintf(out, "%llx %s", before->addr, before->text);
		else if (likely == LIKELY_CALLEE)
			fprintf(out, "the end of what %llx called",
				before->addr);
		else if (likely == LIKELY_CALLER)
			fputs("the call of this function", out);
		if (likely != LIKELY_JUMP && line->jumps)
			fputs(", or ", out);
		if (likely == LIKELY_JUMP || line->jumps)
			put_jumps(out, line);
		else
			fputc('\n', out);
	}
}

static void put_place(struct annotate *an, FILE *out, const struct annotated *x)
{
	char last[3 * NAME_TEXT_BYTES] = "";
	size_t i;

	put_head(an, out, x);
	fprintf(out, "\nSamples       %%  %16s  Instruction\n", "Address");
	for (i = 0; i < x->nr; i++) {
		put_source(out, x, i, last, sizeof(last));
		put_line(an, out, x, i);
	}
	if (x->found.dwarf && debuginfo_cut(x->found.dwarf))
		fputs("\nInlined functions: nested too deep or too many in this file, not shown.\n",
		      out);
	put_likely(out, x);
}

int annotate_text(struct annotate *an, FILE *out)
{
	struct selection sel = report_selection(an->report, 0);
	struct annotated x;
	char name[NAME_TEXT_BYTES];
	size_t i;
	int ret;

	safe_text(name, sizeof(name),
		  sel.event == VMMPROF_ANY ?
			  "-" :
			  session_event_name(&an->report->a->session,
					     sel.event));
	fprintf(out, "Samples: %llu    event: %s\n", an->places.samples, name);
	time_text_line(an->report->a, out);
	put_skid(an, out, sel.event);
	for (i = 0; i < an->places.nr; i++) {
		ret = annotated_init(&x, an, &an->places.places[i]);
		if (!ret)
			put_place(an, out, &x);
		annotated_deinit(&x);
		if (ret)
			return ret;
	}
	return 0;
}
