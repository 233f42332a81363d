/* SPDX-License-Identifier: GPL-2.0-only */
/* The offsets of KVM's members that this module was compiled with. */
#ifndef VMMPROF_LAYOUT_H
#define VMMPROF_LAYOUT_H

#include <vmmprof/ioctl.h>

/* Fill in @layout but for its size; @layout is zero apart from that. */
void vmmprof_layout_get(struct vmmprof_layout *layout);

#endif /* VMMPROF_LAYOUT_H */
