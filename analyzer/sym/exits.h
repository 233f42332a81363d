/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of VM-exit reasons, by the vendor's numbering. */
#ifndef VMMPROF_SYM_EXITS_H
#define VMMPROF_SYM_EXITS_H

/* Name of a basic exit reason of VMX, NULL for one without a name. */
const char *vmmprof_exit_name(unsigned int reason);

#endif /* VMMPROF_SYM_EXITS_H */
