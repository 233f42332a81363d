// SPDX-License-Identifier: GPL-2.0-only
/* An annotated function as JSON. */

#include <string.h>

#include "view/annotate.h"
#include "view/json.h"
#include "view/safe.h"

#define NAME_MAX_BYTES 512

/* Beyond 2^53 a number would lose digits. */
static void put_address(struct vmmprof_json *j, const char *key, __u64 addr)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", addr);
	vmmprof_json_string(j, key, text);
}

static void put_safe(struct vmmprof_json *j, const char *key, const char *raw)
{
	char text[NAME_MAX_BYTES];

	vmmprof_safe(text, sizeof(text), raw);
	vmmprof_json_string(j, key, text);
}

static void put_bytes(struct vmmprof_json *j, const struct vmmprof_annotated *x,
		      const struct vmmprof_insn *in)
{
	const __u8 *p = x->found.code.bytes + (in->addr - x->place->start);
	char hex[64] = "";
	__u32 i;

	for (i = 0; i < in->size && i < 16; i++)
		snprintf(hex + 2 * i, 3, "%02x", p[i]);
	vmmprof_json_string(j, "bytes", hex);
}

static void put_source(struct vmmprof_json *j,
		       const struct vmmprof_annotated *x, size_t i)
{
	struct vmmprof_dwarf_inline in[VMMPROF_ANNOTATE_INLINES];
	char text[NAME_MAX_BYTES];
	size_t k, n;

	if (!vmmprof_annotate_source(x, i, text, sizeof(text)))
		return;
	vmmprof_json_string(j, "source", text);
	if (vmmprof_annotate_source_text(x, i, text, sizeof(text)))
		vmmprof_json_string(j, "source_text", text);
	n = vmmprof_dwarf_inlines(x->found.dwarf,
				  x->lines[i].insn.addr - x->found.slide, in,
				  VMMPROF_ANNOTATE_INLINES);
	if (!n)
		return;
	vmmprof_json_array(j, "inlined");
	for (k = 0; k < n; k++) {
		vmmprof_json_object(j, NULL);
		put_safe(j, "function", in[k].function);
		if (in[k].call[0])
			put_safe(j, "called_at", in[k].call);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
}

static void put_line(struct vmmprof_annotate *an, struct vmmprof_json *j,
		     const struct vmmprof_annotated *x, size_t i)
{
	static const char *const likely[] = {
		[VMMPROF_LIKELY_ITSELF] = "itself",
		[VMMPROF_LIKELY_BEFORE] = "before",
		[VMMPROF_LIKELY_CALLEE] = "callee",
		[VMMPROF_LIKELY_CALLER] = "caller",
		[VMMPROF_LIKELY_JUMP] = "jump",
	};
	const struct vmmprof_annotate_line *line = &x->lines[i];
	const char *word = likely[vmmprof_annotate_likely(x, i)];
	char target[NAME_MAX_BYTES];

	vmmprof_json_object(j, NULL);
	put_address(j, "address", line->insn.addr);
	vmmprof_json_u64(j, "samples", line->samples);
	vmmprof_json_percent(j, "percent", line->samples, x->place->samples);
	if (line->kind == VMMPROF_LINE_INSN) {
		put_bytes(j, x, &line->insn);
		vmmprof_json_string(j, "instruction", line->insn.text);
	} else {
		vmmprof_json_null(j, "instruction");
	}
	if (vmmprof_annotate_target(an, x, i, target, sizeof(target)))
		vmmprof_json_string(j, "target", target);
	put_source(j, x, i);
	if (word)
		vmmprof_json_string(j, "likely", word);
	if (word && line->jumps)
		put_address(j, "jump_from", line->jump);
	vmmprof_json_object_end(j);
}

static void put_place(struct vmmprof_annotate *an, struct vmmprof_json *j,
		      const struct vmmprof_annotated *x)
{
	struct vmmprof_cell_key key = x->place->key;
	char text[NAME_MAX_BYTES];
	size_t i;

	key.proc = VMMPROF_NONE;
	vmmprof_json_object(j, NULL);
	vmmprof_name_machine(&an->report->names, key.guest, text, sizeof(text));
	vmmprof_json_u64(j, "vm", key.guest);
	vmmprof_json_string(j, "machine", text);
	vmmprof_name_function(&an->report->names, &key, text, sizeof(text));
	vmmprof_json_string(j, "function", text);
	vmmprof_name_module(&an->report->names, &key, text, sizeof(text));
	vmmprof_json_string(j, "module", text);
	vmmprof_json_string(j, "mode", vmmprof_mode_text(key.mode));
	vmmprof_json_u64(j, "samples", x->place->samples);
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
	vmmprof_json_bool(j, "may_be_patched", x->found.patched);
	vmmprof_json_array(j, "lines");
	for (i = 0; i < x->nr; i++)
		put_line(an, j, x, i);
	vmmprof_json_array_end(j);
	vmmprof_json_object_end(j);
}

int vmmprof_annotate_json(struct vmmprof_annotate *an, FILE *out)
{
	struct vmmprof_selection sel = vmmprof_report_selection(an->report, 0);
	struct vmmprof_annotated x;
	struct vmmprof_json j;
	int ret = 0;
	size_t i;

	vmmprof_json_init(&j, out);
	vmmprof_json_object(&j, NULL);
	put_safe(&j, "function", an->function);
	if (sel.event == VMMPROF_ANY)
		vmmprof_json_null(&j, "event");
	else
		put_safe(&j, "event",
			 vmmprof_session_event_name(&an->report->a->session,
						    sel.event));
	vmmprof_json_string(&j, "interrupt",
			    vmmprof_annotate_interrupt(an, sel.event));
	vmmprof_json_u64(&j, "samples", an->places.samples);
	vmmprof_json_array(&j, "places");
	for (i = 0; i < an->places.nr && !ret; i++) {
		ret = vmmprof_annotated_init(&x, an, &an->places.places[i]);
		if (!ret)
			put_place(an, &j, &x);
		vmmprof_annotated_deinit(&x);
	}
	vmmprof_json_array_end(&j);
	vmmprof_json_object_end(&j);
	return ret;
}
