/* SPDX-License-Identifier: GPL-2.0-only */
/* How each instruction of a file is unwound: its .eh_frame as rows. */
#ifndef SYM_EH_FRAME_ROWS_H
#define SYM_EH_FRAME_ROWS_H

#include "sym/eh_frame.h"
#include "sym/unwind_table.h"

/*
 * Rules for all code that the section describes, which must be of 64 bits.  What
 * a rule cannot express is in *ret as such.  Of functions that overlap the one
 * that begins first counts.  0, *ret to be released by unwind_table_free();
 * -ENOENT: no functions; -EFBIG: more than real files have, or farther apart;
 * -ENOTSUP: code of 32 bits; -ENOMEM.
 */
int eh_frame_table(const struct eh_frame *f, struct unwind_table *ret);

#endif /* SYM_EH_FRAME_ROWS_H */
