/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of a record as a line of text: what they see, and those of the
 * scheduler's records and of chains.
 */
#ifndef VIEW_RECORD_TEXT_INTERNAL_H
#define VIEW_RECORD_TEXT_INTERNAL_H

#include "model/analysis.h"

#define VALUE_MAX 512

struct record_view;

/* What a field sees. */
struct line {
	struct record_view *v;
	struct analysis *a;
	const union rec *rec;
	const struct resolved *w; /* samples only */
	struct symbol_ref host;	  /* of the host PC; kernel mode only */
	char *buf;		  /* VALUE_MAX bytes; empty: no such field */
};

/* A field; its key in JSON is its name, unless that has a unit there. */
struct record_field {
	const char *name;
	void (*put)(struct line *l);
	enum { FIELD_TEXT, FIELD_NUMBER } kind;
	const char *key;
};

/* In their order; the last one has no name. */
extern const struct record_field record_fields[];

/* The line as one JSON object. */
void record_json(struct line *l);

#define PUT(l, ...) snprintf((l)->buf, VALUE_MAX, __VA_ARGS__)

/* The record as one of the scheduler's; NULL: it is another one. */
const struct vmmprof_rec_switch *line_switch(const struct line *l);
const struct vmmprof_rec_wake *line_wake(const struct line *l);
const struct vmmprof_rec_chain *line_chain(const struct line *l);

/* The guest's state of a CHAIN record; false: it has none. */
bool line_state(const struct line *l, struct vmmprof_chain_state *ret);

/* Each writes the field, or nothing if the record has no such field. */
void field_mp(struct line *l);
void field_prev_comm(struct line *l);
void field_prev_pid(struct line *l);
void field_prev_tid(struct line *l);
void field_next_comm(struct line *l);
void field_next_pid(struct line *l);
void field_next_tid(struct line *l);
void field_from_cpu(struct line *l);
void field_waker_pid(struct line *l);
void field_waker_tid(struct line *l);
void field_chain(struct line *l);
void field_kernel(struct line *l);
void field_user(struct line *l);
void field_stack(struct line *l);

#endif /* VIEW_RECORD_TEXT_INTERNAL_H */
