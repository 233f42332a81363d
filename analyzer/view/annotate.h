/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instructions of a function with the samples of each.  Text and JSON are
 * two layouts of the same lines: their samples add up to the function's in the
 * report, even where the code is not known.
 */
#ifndef VIEW_ANNOTATE_H
#define VIEW_ANNOTATE_H

#include "code/find.h"
#include "code/disasm.h"
#include "view/report.h"

#define ANNOTATE_INLINES 8

enum annotate_kind {
	LINE_INSN,
	LINE_INSIDE,  /* an address in the instruction above */
	LINE_NO_CODE, /* an address whose code is not at hand */
};

struct annotate_line {
	struct insn insn; /* others than INSN: addr only */
	__u64 samples;
	__u8 kind;   /* enum annotate_kind */
	__u32 jumps; /* to it, from within the function */
	__u64 jump;  /* the first of them */
};

/*
 * Interrupts come late: which instruction likely caused the samples of a line.
 */
enum annotate_likely {
	LIKELY_UNKNOWN, /* not known: few samples, or no code */
	LIKELY_ITSELF,	/* the line itself, interrupted before it was done */
	LIKELY_BEFORE,	/* the one before it */
	LIKELY_CALLEE,	/* the end of what the one before called */
	LIKELY_CALLER,	/* the call of this function */
	LIKELY_JUMP, /* a jump to the line: the instruction before goes elsewhere */
};

struct annotate {
	struct report *report; /* names, event */
	const char *function;  /* as given */
	struct hot_places places;
	struct code_files files;
	bool intel;
	/* NULL, or called before a line with samples is written as text */
	void (*mark)(void *arg, FILE *out, double percent);
	void *mark_arg;
	bool has_code; /* the text has instructions */
	/*
	 * Samples are of chains through these places, most of them at calls: what
	 * is inside of an instruction is the instruction's.
	 */
	bool calls;
};

/* One place, with all that is known of it. */
struct annotated {
	const struct hot_place *place;
	struct code_found found;
	struct annotate_line *lines;
	size_t nr;
	bool calls; /* as in struct annotate */
};

/* 0 or -ENOMEM; deinit is due in either case. */
int annotated_init(struct annotated *x, const struct annotate *an,
		   const struct hot_place *p);
void annotated_deinit(struct annotated *x);

/*
 * Of line i, if it has at least a twentieth of the samples.  Where jumps lead
 * to the line, one of them may be the cause as well.
 */
enum annotate_likely annotate_likely(const struct annotated *x, size_t i);

/* The instruction before line i, NULL: none. */
const struct insn *annotate_before(const struct annotated *x, size_t i);

/*
 * The function that line i calls or leaves for: its name, safe to print; false
 * if it does not, or that is not known.
 */
bool annotate_target(const struct annotate *an, const struct annotated *x,
		     size_t i, char *buf, size_t size);

/* How the event interrupts: "pmi", "timer" or "unknown". */
const char *annotate_interrupt(const struct annotate *an, __u32 event);

/* "FILE:LINE" of a line, safe to print; false if it is not known. */
bool annotate_source(const struct annotated *x, size_t i, char *buf,
		     size_t size);

/* The text of that line, safe to print; false if it is empty or not at hand. */
bool annotate_source_text(const struct annotated *x, size_t i, char *buf,
			  size_t size);

/* Both write all places; 0 or -ENOMEM. */
int annotate_text(struct annotate *an, FILE *out);
int annotate_json(struct annotate *an, FILE *out);

#endif /* VIEW_ANNOTATE_H */
