/* SPDX-License-Identifier: GPL-2.0-only */
/* The name of a thief as a frame of its own, with its owner. */
#ifndef VIEW_EXPORT_THIEF_H
#define VIEW_EXPORT_THIEF_H

#include "model/timeline_state.h"

/*
 * "noisy vCPU 0", "vhost-71 of noisy", "tar of backup.service", "quota"; safe
 * to print.  @thief: index in tl->thieves.
 */
void export_thief(const struct timeline *tl, __u32 thief, char *buf,
		  size_t size);

#endif /* VIEW_EXPORT_THIEF_H */
