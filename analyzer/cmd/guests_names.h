/* SPDX-License-Identifier: GPL-2.0-only */
/* `vmmprof guests`: from where the names of each guest come, or could come. */
#ifndef VMMPROF_CMD_GUESTSNAMES_H
#define VMMPROF_CMD_GUESTSNAMES_H

#include "format/session.h"
#include "host/inventory.h"
#include "view/json.h"

/*
 * One VM: the session's word on it, or, without a session, the ways that there
 * are.  Members of the present object, or a line of text.
 */
void guests_names_json(struct vmmprof_json *j, const struct vmmprof_vm *vm,
		       const struct vmmprof_session *s);
void guests_names_text(const struct vmmprof_vm *vm,
		       const struct vmmprof_session *s);

#endif /* VMMPROF_CMD_GUESTSNAMES_H */
