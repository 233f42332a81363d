/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files by their paths for a process that may open nothing: programs,
 * their debug files and sources, whose names come from foreign bytes.  Another
 * process, also without rights, opens them; it checks what kind of file it is
 * and does not read the content.
 */
#ifndef SANDBOX_OPENER_H
#define SANDBOX_OPENER_H

/*
 * Starts that process; to be called before rights are given up.  It ends with
 * its caller.  From then on open_regular() asks it.  It opens, for reading,
 * regular files that are ELF files, or that have an absolute path and may be
 * read by everybody: so none of a user's other private files.  0 or -errno.
 */
int opener_start(void);

#endif /* SANDBOX_OPENER_H */
