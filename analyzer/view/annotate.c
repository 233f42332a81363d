// SPDX-License-Identifier: GPL-2.0-only
/* Joins disassembly and samples. */

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "view/annotate.h"
#include "view/safe.h"

/* Fewer than one in so many samples are chance. */
#define LIKELY_PART 20

/* Lines are added in the order of addresses. */
struct joiner {
	struct vmmprof_annotated *x;
	const struct vmmprof_hotspot *spot, *end; /* not yet in a line */
	size_t cap;
};

static int add_line(struct joiner *j, const struct vmmprof_insn *insn,
		    enum vmmprof_annotate_kind kind)
{
	struct vmmprof_annotated *x = j->x;
	struct vmmprof_annotate_line *line;
	int ret;

	ret = vmmprof_vec_grow(&x->lines, &j->cap, x->nr, sizeof(*x->lines));
	if (ret)
		return ret;
	line = &x->lines[x->nr++];
	memset(line, 0, sizeof(*line));
	line->kind = kind;
	if (insn)
		line->insn = *insn;
	if (!insn)
		line->insn.addr = j->spot->addr;
	if (j->spot < j->end && j->spot->addr == line->insn.addr)
		line->samples = (j->spot++)->samples;
	return 0;
}

static int join_code(struct joiner *j, const struct vmmprof_annotate *an)
{
	const struct vmmprof_code *code = &j->x->found.code;
	__u64 start = j->x->place->start;
	struct vmmprof_disasm d;
	struct vmmprof_insn in;
	int ret;

	ret = vmmprof_disasm_init(&d, code->bytes, code->size, start,
				  code->ia32, an->intel);
	while (!ret && vmmprof_disasm_next(&d, &in)) {
		ret = add_line(j, &in, VMMPROF_LINE_INSN);
		while (!ret && j->spot < j->end &&
		       j->spot->addr - in.addr < in.size)
			ret = add_line(j, NULL, VMMPROF_LINE_INSIDE);
	}
	vmmprof_disasm_deinit(&d);
	return ret;
}

static int cmp_line(const void *key, const void *elem)
{
	const struct vmmprof_annotate_line *line = elem;
	const __u64 *addr = key;

	if (*addr != line->insn.addr)
		return *addr < line->insn.addr ? -1 : 1;
	return 0;
}

static void mark_targets(struct vmmprof_annotated *x)
{
	struct vmmprof_annotate_line *to;
	size_t i;

	for (i = 0; i < x->nr; i++) {
		if (!x->lines[i].insn.target ||
		    x->lines[i].insn.flow == VMMPROF_FLOW_CALL)
			continue;
		to = bsearch(&x->lines[i].insn.target, x->lines, x->nr,
			     sizeof(*x->lines), cmp_line);
		if (to && !to->jumps++)
			to->jump = x->lines[i].insn.addr;
	}
}

int vmmprof_annotated_init(struct vmmprof_annotated *x,
			   const struct vmmprof_annotate *an,
			   const struct vmmprof_hot_place *p)
{
	struct joiner j = {
		.x = x,
		.spot = an->places.spots + p->first,
		.end = an->places.spots + p->first + p->nr,
	};
	int ret = 0;

	memset(x, 0, sizeof(*x));
	x->place = p;
	vmmprof_code_find(an->report->a, p, &an->files, &x->found);
	if (x->found.code.size)
		ret = join_code(&j, an);
	while (!ret && j.spot < j.end)
		ret = add_line(&j, NULL, VMMPROF_LINE_NO_CODE);
	if (!ret)
		mark_targets(x);
	return ret;
}

void vmmprof_annotated_deinit(struct vmmprof_annotated *x)
{
	vmmprof_code_found_deinit(&x->found);
	free(x->lines);
	memset(x, 0, sizeof(*x));
}

const struct vmmprof_insn *
vmmprof_annotate_before(const struct vmmprof_annotated *x, size_t i)
{
	while (i-- > 0)
		if (x->lines[i].kind == VMMPROF_LINE_INSN)
			return &x->lines[i].insn;
	return NULL;
}

enum vmmprof_annotate_likely
vmmprof_annotate_likely(const struct vmmprof_annotated *x, size_t i)
{
	const struct vmmprof_annotate_line *line = &x->lines[i];
	const struct vmmprof_insn *before;

	if (line->kind != VMMPROF_LINE_INSN || !line->samples ||
	    line->samples * LIKELY_PART < x->place->samples)
		return VMMPROF_LIKELY_UNKNOWN;
	if (line->insn.repeats)
		return VMMPROF_LIKELY_ITSELF;
	before = vmmprof_annotate_before(x, i); /* of few: it looks for it */
	if (!before)
		return VMMPROF_LIKELY_CALLER;
	if (before->bad)
		return VMMPROF_LIKELY_UNKNOWN;
	if (before->flow == VMMPROF_FLOW_AWAY)
		return VMMPROF_LIKELY_JUMP;
	return before->flow == VMMPROF_FLOW_CALL ? VMMPROF_LIKELY_CALLEE :
						   VMMPROF_LIKELY_BEFORE;
}

bool vmmprof_annotate_target(const struct vmmprof_annotate *an,
			     const struct vmmprof_annotated *x, size_t i,
			     char *buf, size_t size)
{
	const struct vmmprof_hot_place *p = x->place;
	const struct vmmprof_insn *in = &x->lines[i].insn;
	char *name, plain[VMMPROF_DEMANGLE_MAX];

	if (!in->target || (in->flow != VMMPROF_FLOW_CALL &&
			    in->target >= p->start && in->target < p->end))
		return false;
	name = vmmprof_code_name(an->report->a, p, in->target);
	if (!name)
		return false;
	if (vmmprof_demangle(&an->report->names.demangler, name, plain,
			     sizeof(plain)))
		vmmprof_safe(buf, size, plain);
	else
		vmmprof_safe(buf, size, name);
	free(name);
	return true;
}

const char *vmmprof_annotate_interrupt(const struct vmmprof_annotate *an,
				       __u32 event)
{
	const struct vmmprof_info_event *e = NULL;

	if (event < VMMPROF_MAX_EVENTS)
		e = an->report->a->session.events[event];
	if (!e)
		return "unknown";
	return e->type == PERF_TYPE_SOFTWARE ? "timer" : "pmi";
}

bool vmmprof_annotate_source(const struct vmmprof_annotated *x, size_t i,
			     char *buf, size_t size)
{
	char raw[512];

	if (!x->found.dwarf || !x->place->end ||
	    !vmmprof_dwarf_line(x->found.dwarf,
				x->lines[i].insn.addr - x->found.slide, raw,
				sizeof(raw)))
		return false;
	vmmprof_safe(buf, size, raw);
	return true;
}

bool vmmprof_annotate_source_text(const struct vmmprof_annotated *x, size_t i,
				  char *buf, size_t size)
{
	char raw[256];

	if (!x->found.dwarf || !x->place->end ||
	    !vmmprof_dwarf_text(x->found.dwarf,
				x->lines[i].insn.addr - x->found.slide, raw,
				sizeof(raw)) ||
	    !raw[strspn(raw, " ")])
		return false;
	vmmprof_safe(buf, size, raw);
	return true;
}
