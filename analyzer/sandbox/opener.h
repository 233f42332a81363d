/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files by their paths for a process that may open nothing: programs, their
 * debug files and sources, which foreign bytes name.  Another process opens
 * them, without rights as well; it looks at what a file is, not into it.
 */
#ifndef SANDBOX_OPENER_H
#define SANDBOX_OPENER_H

/*
 * Starts that process, before rights are given up; it ends with its caller.
 * From then on open_regular() asks it.  It opens, for reading, regular
 * files that are ELF files or have an absolute path and are for all to read: a
 * user's private files are none of them.  0 or -errno.
 */
int opener_start(void);

#endif /* SANDBOX_OPENER_H */
