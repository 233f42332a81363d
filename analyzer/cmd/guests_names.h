/* SPDX-License-Identifier: GPL-2.0-only */
/* `vmmprof guests`: how each guest's bundle was fetched, or the ways to it. */
#ifndef CMD_GUESTS_NAMES_H
#define CMD_GUESTS_NAMES_H

#include "format/session.h"
#include "host/inventory.h"
#include "view/json.h"

/*
 * One VM: how the session's bundle was fetched, or, without a session, the ways
 * into the guest.  Prints members of the current JSON object, or a line of
 * text.
 */
void guests_names_json(struct json_out *j, const struct vm *vm,
		       const struct session *s);
void guests_names_text(const struct vm *vm, const struct session *s);

#endif /* CMD_GUESTS_NAMES_H */
