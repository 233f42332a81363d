/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QEMU's command line, as /proc/PID/cmdline has it: options and the KEY=VALUE
 * parts of their values, also where libvirt writes a value as JSON.
 */
#ifndef HOST_QEMU_ARGS_H
#define HOST_QEMU_ARGS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The value of the next option @name ("-device", written with one or two
 * dashes) at or after *pos, which becomes the byte behind it; *pos is 0 at
 * first.  NULL: there is no more.  cmdline: size bytes, a NUL after each
 * argument.
 */
const char *qemu_arg_next(const char *cmdline, size_t size, const char *name,
			  size_t *pos);

/*
 * The part @key of an option's value; "driver" is also the first part without
 * a key.  False: it is not there, or longer than out.
 */
bool qemu_arg_part(const char *value, const char *key, char *out, size_t size);

#endif /* HOST_QEMU_ARGS_H */
