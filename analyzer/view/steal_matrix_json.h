/* SPDX-License-Identifier: GPL-2.0-only */
/* The matrix of victims by thieves as JSON and CSV, and its names. */
#ifndef VIEW_STEAL_MATRIX_JSON_H
#define VIEW_STEAL_MATRIX_JSON_H

#include "view/json.h"
#include "view/steal.h"

/* Ticks as nanoseconds, rounded down; null if the TSC's frequency is not known. */
void steal_put_ns(struct json_out *j, const struct timeline *tl,
		  const char *key, __u64 ticks);

/* A member "matrix" of the object that is open. */
void steal_matrix_json(struct json_out *j, const struct steal *s,
		       const struct steal_matrix *m, enum matrix_by by);

/* A line for each cell. */
void steal_matrix_csv(const struct steal *s, const struct steal_matrix *m,
		      FILE *out);

/* Names of a line and a column, safe to print. */
void steal_victim_name(const struct steal *s, const struct matrix_victim *v,
		       char *buf, size_t size);
void steal_thief_name(const struct steal *s, const struct matrix_thief *t,
		      char *buf, size_t size);

#endif /* VIEW_STEAL_MATRIX_JSON_H */
