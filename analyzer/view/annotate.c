// SPDX-License-Identifier: GPL-2.0-only
/* Joins disassembly and samples. */

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "view/annotate.h"
#include "view/safe.h"

/* A smaller share of the samples may be chance. */
#define LIKELY_PART 20

/* Lines are added in the order of addresses. */
struct joiner {
	struct annotated *x;
	const struct hotspot *spot, *end; /* not yet in a line */
	size_t cap;
};

static int add_line(struct joiner *j, const struct insn *insn,
		    enum annotate_kind kind)
{
	struct annotated *x = j->x;
	struct annotate_line *line;
	int ret;

	ret = vec_grow(&x->lines, &j->cap, x->nr, sizeof(*x->lines));
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

static int join_code(struct joiner *j, const struct annotate *an)
{
	const struct code *code = &j->x->found.code;
	__u64 start = j->x->place->start;
	struct disasm d;
	struct insn in;
	int ret;

	ret = disasm_init(&d, code->bytes, code->size, start, code->ia32,
			  an->intel);
	while (!ret && disasm_next(&d, &in)) {
		ret = add_line(j, &in, LINE_INSN);
		for (; an->calls && !ret && j->spot < j->end &&
		       j->spot->addr - in.addr < in.size;
		     j->spot++)
			j->x->lines[j->x->nr - 1].samples += j->spot->samples;
		while (!ret && j->spot < j->end &&
		       j->spot->addr - in.addr < in.size)
			ret = add_line(j, NULL, LINE_INSIDE);
	}
	disasm_deinit(&d);
	return ret;
}

static int cmp_line(const void *key, const void *elem)
{
	const struct annotate_line *line = elem;
	const __u64 *addr = key;

	if (*addr != line->insn.addr)
		return *addr < line->insn.addr ? -1 : 1;
	return 0;
}

static void mark_targets(struct annotated *x)
{
	struct annotate_line *to;
	size_t i;

	for (i = 0; i < x->nr; i++) {
		if (!x->lines[i].insn.target ||
		    x->lines[i].insn.flow == FLOW_CALL)
			continue;
		to = bsearch(&x->lines[i].insn.target, x->lines, x->nr,
			     sizeof(*x->lines), cmp_line);
		if (to && !to->jumps++)
			to->jump = x->lines[i].insn.addr;
	}
}

int annotated_init(struct annotated *x, const struct annotate *an,
		   const struct hot_place *p)
{
	struct joiner j = {
		.x = x,
		.spot = an->places.spots + p->first,
		.end = an->places.spots + p->first + p->nr,
	};
	int ret = 0;

	memset(x, 0, sizeof(*x));
	x->place = p;
	x->calls = an->calls;
	code_find(an->report->a, p, &an->files, &x->found);
	if (x->found.code.size)
		ret = join_code(&j, an);
	while (!ret && j.spot < j.end)
		ret = add_line(&j, NULL, LINE_NO_CODE);
	if (!ret)
		mark_targets(x);
	return ret;
}

void annotated_deinit(struct annotated *x)
{
	code_found_deinit(&x->found);
	free(x->lines);
	memset(x, 0, sizeof(*x));
}

const struct insn *annotate_before(const struct annotated *x, size_t i)
{
	while (i-- > 0)
		if (x->lines[i].kind == LINE_INSN)
			return &x->lines[i].insn;
	return NULL;
}

enum annotate_likely annotate_likely(const struct annotated *x, size_t i)
{
	const struct annotate_line *line = &x->lines[i];
	const struct insn *before;

	if (x->calls || line->kind != LINE_INSN || !line->samples ||
	    line->samples * LIKELY_PART < x->place->samples)
		return LIKELY_UNKNOWN;
	if (line->insn.repeats)
		return LIKELY_ITSELF;
	before = annotate_before(x, i); /* of few: it looks for it */
	if (!before)
		return LIKELY_CALLER;
	if (before->bad)
		return LIKELY_UNKNOWN;
	if (before->flow == FLOW_AWAY)
		return LIKELY_JUMP;
	return before->flow == FLOW_CALL ? LIKELY_CALLEE : LIKELY_BEFORE;
}

bool annotate_target(const struct annotate *an, const struct annotated *x,
		     size_t i, char *buf, size_t size)
{
	const struct hot_place *p = x->place;
	const struct insn *in = &x->lines[i].insn;
	char *name, plain[DEMANGLE_MAX];

	if (!in->target || (in->flow != FLOW_CALL && in->target >= p->start &&
			    in->target < p->end))
		return false;
	name = code_name(an->report->a, p, in->target);
	if (!name)
		return false;
	if (demangle(an->report->names.demangler, name, plain, sizeof(plain)))
		safe_text(buf, size, plain);
	else
		safe_text(buf, size, name);
	free(name);
	return true;
}

const char *annotate_interrupt(const struct annotate *an, __u32 event)
{
	const struct vmmprof_info_event *e = NULL;

	if (event < VMMPROF_MAX_EVENTS)
		e = an->report->a->session.events[event];
	if (!e)
		return "unknown";
	return e->type == PERF_TYPE_SOFTWARE ? "timer" : "pmi";
}

bool annotate_source(const struct annotated *x, size_t i, char *buf,
		     size_t size)
{
	char raw[512];

	if (!x->found.dwarf || !x->place->end ||
	    !debuginfo_line(x->found.dwarf,
			    x->lines[i].insn.addr - x->found.slide, raw,
			    sizeof(raw)))
		return false;
	safe_text(buf, size, raw);
	return true;
}

bool annotate_source_text(const struct annotated *x, size_t i, char *buf,
			  size_t size)
{
	char raw[256];

	if (!x->found.dwarf || !x->place->end ||
	    !debuginfo_text(x->found.dwarf,
			    x->lines[i].insn.addr - x->found.slide, raw,
			    sizeof(raw)) ||
	    !raw[strspn(raw, " ")])
		return false;
	safe_text(buf, size, raw);
	return true;
}
