/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what a guest sent a bundle that can be read? */
#ifndef VMMPROF_IMPORTCHECK_H
#define VMMPROF_IMPORTCHECK_H

/*
 * Read the whole file fd (stays the caller's) as a report would, in a process
 * without rights and with bounded memory and time.  0; -ENOEXEC: no bundle;
 * -EBADE: the process was stopped for what it did; -EFBIG: it needs too much
 * memory or time; other -errno: there was no process.
 */
int vmmprof_import_check(int fd);

#endif /* VMMPROF_IMPORTCHECK_H */
