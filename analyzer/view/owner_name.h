/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of thieves' owners (model/owner.h), safe to print. */
#ifndef VIEW_OWNER_NAME_H
#define VIEW_OWNER_NAME_H

#include <stddef.h>

#include "model/timeline_state.h"

/*
 * As a heading: "web", "backup.service", "docker:0123456789ab", a process's
 * name, or a word of ours: kernel, interrupts, quota, nobody, unknown.
 * VMMPROF_NONE: host, all programs outside of VMs.
 */
void owner_name(const struct timeline *tl, __u32 owner, char *buf, size_t size);

/*
 * As in "98 % to ...": the same name, or some words.  @victim: index of a guest
 * whose own threads are called so, VMMPROF_NONE: of no one in particular.
 */
void owner_phrase(const struct timeline *tl, __u32 owner, __u32 victim,
		  char *buf, size_t size);

#endif /* VIEW_OWNER_NAME_H */
