/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* The one version string of the module, the tools and the documents. */
#ifndef VMMPROF_VERSION_H
#define VMMPROF_VERSION_H

#define VMMPROF_VERSION "0.1.0"

#endif /* VMMPROF_VERSION_H */
