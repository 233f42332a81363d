/* SPDX-License-Identifier: GPL-2.0-only */
/* The build-id of a program, from what is mapped of its file. */
#ifndef INTROSPECT_ELF_NOTE_H
#define INTROSPECT_ELF_NOTE_H

#include "introspect/guest_space.h"

/*
 * The GNU build-id in @size bytes of notes.  Its size, at most 20, in @ret; 0:
 * there is none, or it is longer.
 */
__u8 elf_note_build_id(const void *notes, size_t size, __u8 ret[20]);

/*
 * The build-id of the ELF file whose first bytes are mapped at @start of
 * @space.  Its size; 0: the file has none; -ENOENT: a page that is needed is
 * not resident, -EBADMSG: no ELF file for x86; otherwise as guest_space_read().
 */
int elf_note_read(const struct guest_space *space, __u64 start, __u8 ret[20]);

#endif /* INTROSPECT_ELF_NOTE_H */
