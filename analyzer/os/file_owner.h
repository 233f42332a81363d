/* SPDX-License-Identifier: GPL-2.0-only */
/* Who can have written a file. */
#ifndef OS_FILE_OWNER_H
#define OS_FILE_OWNER_H

#include "os/file_protocol.h"

/*
 * Is @fd the file of that device and inode, as the kernel shows it of a
 * mapping?  stat(2) may say otherwise (overlayfs, btrfs): then a mapping of
 * our own tells.  May wait for its file system.
 */
bool file_is(int fd, __u64 dev, __u64 ino);

/*
 * Who could have written it.  @pid: the process that has it mapped, which may
 * be gone.  On FUSE, which some user's program serves, and on network file
 * systems, owners are not believed.
 */
int file_owner(int fd, __u32 pid, struct file_owner *ret);

/* May a debug file of @debug describe a file of @of? */
bool file_may_describe(const struct file_owner *debug,
		       const struct file_owner *of);

#endif /* OS_FILE_OWNER_H */
