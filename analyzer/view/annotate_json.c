// SPDX-License-Identifier: GPL-2.0-only
/* An annotated function as JSON, by annotate.schema.json. */

#include <string.h>

#include "base/hex.h"
#include "view/annotate.h"
#include "view/json.h"
#include "view/safe.h"
#include "view/time_text.h"

/* Beyond 2^53 a number would lose digits. */
static void put_address(struct json_out *j, const char *key, __u64 addr)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", addr);
	json_out_string(j, key, text);
}

static void put_safe(struct json_out *j, const char *key, const char *raw)
{
	char text[NAME_TEXT_BYTES];

	safe_text(text, sizeof(text), raw);
	json_out_string(j, key, text);
}

static void put_bytes(struct json_out *j, const struct annotated *x,
		      const struct insn *in)
{
	const __u8 *p = x->found.code.bytes + (in->addr - x->place->start);
	char hex[2 * 16 + 1];

	hex_put(hex, sizeof(hex), p, in->size);
	json_out_string(j, "bytes", hex);
}

static void put_source(struct json_out *j, const struct annotated *x, size_t i)
{
	struct debuginfo_inline in[ANNOTATE_INLINES];
	char text[NAME_TEXT_BYTES];
	size_t k, n;

	if (!annotate_source(x, i, text, sizeof(text)))
		return;
	json_out_string(j, "source", text);
	if (annotate_source_text(x, i, text, sizeof(text)))
		json_out_string(j, "source_text", text);
	n = debuginfo_inlines(x->found.dwarf,
			      x->lines[i].insn.addr - x->found.slide, in,
			      ANNOTATE_INLINES);
	if (!n)
		return;
	json_out_array(j, "inlined");
	for (k = 0; k < n; k++) {
		json_out_object(j, NULL);
		put_safe(j, "function", in[k].function);
		if (in[k].call[0])
			put_safe(j, "called_at", in[k].call);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

static void put_line(struct annotate *an, struct json_out *j,
		     const struct annotated *x, size_t i)
{
	static const char *const likely[] = {
		[LIKELY_ITSELF] = "itself", [LIKELY_BEFORE] = "before",
		[LIKELY_CALLEE] = "callee", [LIKELY_CALLER] = "caller",
		[LIKELY_JUMP] = "jump",
	};
	const struct annotate_line *line = &x->lines[i];
	const char *word = likely[annotate_likely(x, i)];
	char target[NAME_TEXT_BYTES];

	json_out_object(j, NULL);
	put_address(j, "address", line->insn.addr);
	json_out_u64(j, "samples", line->samples);
	json_out_percent(j, "percent", line->samples, x->place->samples);
	if (line->kind == LINE_INSN) {
		put_bytes(j, x, &line->insn);
		json_out_string(j, "instruction", line->insn.text);
	} else {
		json_out_null(j, "instruction");
	}
	if (annotate_target(an, x, i, target, sizeof(target)))
		json_out_string(j, "target", target);
	put_source(j, x, i);
	if (word)
		json_out_string(j, "likely", word);
	if (word && line->jumps)
		put_address(j, "jump_from", line->jump);
	json_out_object_end(j);
}

static void put_place(struct annotate *an, struct json_out *j,
		      const struct annotated *x)
{
	struct bucket_key key = x->place->key;
	char text[NAME_TEXT_BYTES];
	size_t i;

	key.proc = VMMPROF_NONE;
	json_out_object(j, NULL);
	name_machine(&an->report->names, key.guest, text, sizeof(text));
	json_out_u64(j, "vm", key.guest);
	json_out_string(j, "machine", text);
	name_function(&an->report->names, &key, text, sizeof(text));
	json_out_string(j, "function", text);
	name_module(&an->report->names, &key, text, sizeof(text));
	json_out_string(j, "module", text);
	json_out_string(j, "mode", cpu_mode_text(key.mode));
	json_out_u64(j, "samples", x->place->samples);
	if (x->place->end) {
		put_address(j, "begin", x->place->start);
		put_address(j, "end", x->place->end);
	}
	if (x->found.code.size)
		put_safe(j, "code", x->found.from);
	else
		put_safe(j, "no_code", x->found.why);
	if (*x->found.server)
		put_safe(j, "debuginfod", x->found.server);
	json_out_bool(j, "may_be_patched", x->found.patched);
	json_out_array(j, "lines");
	for (i = 0; i < x->nr; i++)
		put_line(an, j, x, i);
	json_out_array_end(j);
	json_out_object_end(j);
}

int annotate_json(struct annotate *an, FILE *out)
{
	struct selection sel = report_selection(an->report, 0);
	struct annotated x;
	struct json_out j;
	int ret = 0;
	size_t i;

	json_out_begin(&j, out, "vmmprof-annotate", 1);
	put_safe(&j, "function", an->function);
	if (sel.event == VMMPROF_ANY)
		json_out_null(&j, "event");
	else
		put_safe(&j, "event",
			 session_event_name(&an->report->a->session,
					    sel.event));
	json_out_string(&j, "interrupt", annotate_interrupt(an, sel.event));
	time_text_json(an->report->a, &j);
	json_out_u64(&j, "samples", an->places.samples);
	json_out_array(&j, "places");
	for (i = 0; i < an->places.nr && !ret; i++) {
		ret = annotated_init(&x, an, &an->places.places[i]);
		if (!ret)
			put_place(an, &j, &x);
		annotated_deinit(&x);
	}
	json_out_array_end(&j);
	json_out_object_end(&j);
	return ret;
}
