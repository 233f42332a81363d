/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and functions of a machine's files. */
#ifndef MODEL_MACHINE_FILE_H
#define MODEL_MACHINE_FILE_H

#include "model/machine.h"

/* 0 or -ENOMEM (of strings), as of all of these. */
int machine_add_name(struct strings *strings, const char *s, __u32 *ret);

/*
 * The same for names that live as long as the machine, with a cache: each
 * address of a symbol asks for its name.
 */
int machine_add_symbol(struct machine *m, struct strings *strings,
		       const char *s, size_t max, __u32 *ret);

/*
 * Last part of a path, without the kernel's " (deleted)"; with the slash kept
 * before a bracket, so that no file can be called "[vdso]" or the like.
 */
int machine_file_name(struct strings *strings, const char *path, __u32 *ret);

/*
 * A file of the host is opened by its absolute path, as the recorder writes
 * it.  Files of a guest are never opened.
 */
bool machine_may_open(const struct machine *m, const struct bundle_file *bf);

/*
 * The function at an offset of file @i of the bundle: .func, .module, .link and
 * .cause of *p.  *same, of the offset, becomes as large as it is the same; what is
 * not known of others is left out.
 */
int machine_find_in_file(struct machine *m, struct strings *strings, size_t i,
			 __u64 offset, struct symbol_ref *p,
			 struct symbols_range *same);

/*
 * Of an offset that has one: how many bytes below and from it on are the same
 * function's.
 */
void machine_function_in_file(struct machine *m, size_t i, __u64 offset,
			      __u64 *below, __u64 *above);

#endif /* MODEL_MACHINE_FILE_H */
