/* SPDX-License-Identifier: GPL-2.0-only */
/* VM-exit reasons: their numbers and names, by the vendor's numbering. */
#ifndef SYM_EXITS_H
#define SYM_EXITS_H

#include <linux/types.h>
#include <stdbool.h>

/*
 * An exit reason of any vendor in 16 bits, as everything behind the records has
 * it: VMX's basic exit reason, or EXIT_SVM and SVM's exit code.
 */
#define EXIT_SVM	0x8000
#define EXIT_SVM_OTHERS 0xfffc /* codes that have no room, and no meaning */
#define EXIT_SVM_ERR	0xfffd /* VMEXIT_INVALID: -1 */

/* That of what a record or EXIT item of a host with VMX, or SVM, says. */
__u16 exit_reason(bool svm, __u32 recorded);

/* The vendor's own number of it; of EXIT_SVM_ERR 65535. */
__u32 exit_number(__u16 reason);

/* The same as text: as the vendor's manual has it. Bytes of @buf: EXIT_TEXT. */
#define EXIT_TEXT 12
const char *exit_number_text(__u16 reason, char *buf);

/* NULL for one without a name.  None is longer than EXIT_NAME_COLUMNS. */
#define EXIT_NAME_COLUMNS 19
const char *exit_name(__u16 reason);

/* HLT, also where the CPU itself waits a little before it. */
bool exit_is_hlt(__u16 reason);

/*
 * Reasons as places of an array: below EXIT_REASONS, the last one is that of all
 * others; and back.
 */
#define EXIT_REASONS 208
unsigned int exit_place(__u16 reason);
__u16 exit_at_place(bool svm, unsigned int place);

#endif /* SYM_EXITS_H */
