/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens files that a process has mapped, and no others. */
#ifndef OS_OPEN_FILE_H
#define OS_OPEN_FILE_H

#include <linux/types.h>

/*
 * Open a regular file for reading, from a descriptor got with O_PATH: opening
 * a device by its path would run its driver.  Consumes @fd; a negative one is
 * that call's failure, errno says why.  A descriptor; -ENOEXEC: no regular
 * file; or -errno.
 */
int reopen_regular(int fd);

/*
 * The regular file @path below the root directory of process @pid, from which
 * links are followed as well.  As above.
 */
int open_in_root(__u32 pid, const char *path);

#define OPEN_MAPPED_WAYS 3

/*
 * The file that process @pid has mapped at @start, by one of these ways: by
 * map_files (needs CAP_CHECKPOINT_RESTORE), by its path in the process's root,
 * by its path in ours.  By each of them it may be another file by now: the
 * caller checks.  As above.
 */
int open_mapped_file(__u32 pid, __u64 start, __u64 end, const char *path,
		     unsigned int which);

#endif /* OS_OPEN_FILE_H */
