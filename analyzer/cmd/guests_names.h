/* SPDX-License-Identifier: GPL-2.0-only */
/* `vmmprof guests`: from where the names of each guest come, or could come. */
#ifndef CMD_GUESTS_NAMES_H
#define CMD_GUESTS_NAMES_H

#include "format/session.h"
#include "host/inventory.h"
#include "view/json.h"

/*
 * One VM: the session's word on it, or, without a session, the ways that there
 * are.  Members of the present object, or a line of text.
 */
void guests_names_json(struct json_out *j, const struct vm *vm,
		       const struct vmmprof_session *s);
void guests_names_text(const struct vm *vm, const struct vmmprof_session *s);

#endif /* CMD_GUESTS_NAMES_H */
