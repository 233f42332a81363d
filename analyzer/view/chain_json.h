/* SPDX-License-Identifier: GPL-2.0-only */
/* Chains in JSON. */
#ifndef VIEW_CHAIN_JSON_H
#define VIEW_CHAIN_JSON_H

#include "model/chain_pass.h"
#include "view/chain_time.h"
#include "view/chain_view.h"
#include "view/json.h"

/*
 * "chains" of a row: each with its samples (of rows with waits, of the @ns of the
 * row) and frames, in the order of chain_view_row().  0 or -ENOMEM.
 */
int chain_json_row(struct json_out *j, struct names *n,
		   const struct chain_rows *c, size_t row, __u64 ns,
		   bool callee);

/*
 * The same of a row of time that has chains: each with its "time_ns", which sum
 * to @ns.  Nothing where it has none.
 */
int chain_json_time(struct json_out *j, struct names *n,
		    const struct chain_time *c, size_t row, __u64 ns,
		    bool callee);

/* "chains" of the account: how many are complete, and why others are not. */
void chain_json_account(struct json_out *j, const struct chain_pass *p);

#endif /* VIEW_CHAIN_JSON_H */
