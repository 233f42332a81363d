/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instructions of a function with the samples of each.  Text and JSON are
 * two layouts of the same lines: their samples add up to the function's in the
 * report, whatever is known of the code.
 */
#ifndef VMMPROF_VIEW_ANNOTATE_H
#define VMMPROF_VIEW_ANNOTATE_H

#include "code/find.h"
#include "code/disasm.h"
#include "view/report.h"

#define VMMPROF_ANNOTATE_INLINES 8

enum vmmprof_annotate_kind {
	VMMPROF_LINE_INSN,
	VMMPROF_LINE_INSIDE,  /* an address in the instruction above */
	VMMPROF_LINE_NO_CODE, /* an address whose code is not at hand */
};

struct vmmprof_annotate_line {
	struct vmmprof_insn insn; /* others than INSN: addr only */
	__u64 samples;
	__u8 kind;   /* enum vmmprof_annotate_kind */
	__u32 jumps; /* to it, from within the function */
	__u64 jump;  /* the first of them */
};

/* Which instruction it likely was that an interrupt came late for. */
enum vmmprof_annotate_likely {
	VMMPROF_LIKELY_UNKNOWN, /* not told: few samples, or no code */
	VMMPROF_LIKELY_ITSELF,	/* it was interrupted before it was done */
	VMMPROF_LIKELY_BEFORE,	/* the one before it */
	VMMPROF_LIKELY_CALLEE,	/* the end of what the one before called */
	VMMPROF_LIKELY_CALLER,	/* the call of this function */
	VMMPROF_LIKELY_JUMP, /* a jump to it only: the one before goes away */
};

struct vmmprof_annotate {
	struct vmmprof_report *report; /* names, event */
	const char *function;	       /* as given */
	struct vmmprof_hot_places places;
	struct vmmprof_code_files files;
	bool intel;
	/* NULL, or called before a line with samples is written as text */
	void (*mark)(void *arg, FILE *out, double percent);
	void *mark_arg;
};

/* One place, with all that is known of it. */
struct vmmprof_annotated {
	const struct vmmprof_hot_place *place;
	struct vmmprof_code_found found;
	struct vmmprof_annotate_line *lines;
	size_t nr;
};

/* 0 or -ENOMEM; deinit is due in either case. */
int vmmprof_annotated_init(struct vmmprof_annotated *x,
			   const struct vmmprof_annotate *an,
			   const struct vmmprof_hot_place *p);
void vmmprof_annotated_deinit(struct vmmprof_annotated *x);

/*
 * Of line i; told of those with at least a twentieth of the samples.  Where the
 * line has jumps, it may be one of these as well.
 */
enum vmmprof_annotate_likely
vmmprof_annotate_likely(const struct vmmprof_annotated *x, size_t i);

/* The instruction before line i, NULL: none. */
const struct vmmprof_insn *
vmmprof_annotate_before(const struct vmmprof_annotated *x, size_t i);

/*
 * The function that line i calls or leaves for: its name, safe to print; false
 * if it does not, or that is not known.
 */
bool vmmprof_annotate_target(const struct vmmprof_annotate *an,
			     const struct vmmprof_annotated *x, size_t i,
			     char *buf, size_t size);

/* How the event interrupts: "pmi", "timer" or "unknown". */
const char *vmmprof_annotate_interrupt(const struct vmmprof_annotate *an,
				       __u32 event);

/* "FILE:LINE" of a line, safe to print; false if it is not known. */
bool vmmprof_annotate_source(const struct vmmprof_annotated *x, size_t i,
			     char *buf, size_t size);

/* The text of that line, safe to print; false if it is empty or not at hand. */
bool vmmprof_annotate_source_text(const struct vmmprof_annotated *x, size_t i,
				  char *buf, size_t size);

/* Both write all places; 0 or -ENOMEM. */
int vmmprof_annotate_text(struct vmmprof_annotate *an, FILE *out);
int vmmprof_annotate_json(struct vmmprof_annotate *an, FILE *out);

#endif /* VMMPROF_VIEW_ANNOTATE_H */
