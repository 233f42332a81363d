/* SPDX-License-Identifier: GPL-2.0-only */
/* The device file: include/vmmprof/ioctl.h is its manual. */
#ifndef VMMPROF_CHARDEV_H
#define VMMPROF_CHARDEV_H

/* From register on, user space may come.  Context: module init, exit. */
int vmmprof_chardev_register(void);
void vmmprof_chardev_unregister(void);

#endif /* VMMPROF_CHARDEV_H */
