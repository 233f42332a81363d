/* SPDX-License-Identifier: GPL-2.0-only */
/* The version of vmmprof's user-space programs. */
#ifndef VMMPROF_VERSION_H
#define VMMPROF_VERSION_H

#define VMMPROF_VERSION "0.1"

#endif /* VMMPROF_VERSION_H */
