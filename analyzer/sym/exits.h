/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of VM-exit reasons, by the vendor's numbering. */
#ifndef SYM_EXITS_H
#define SYM_EXITS_H

/* Name of a basic exit reason of VMX, NULL for one without a name. */
const char *exit_name(unsigned int reason);

#endif /* SYM_EXITS_H */
