/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QEMU's command line, as /proc/PID/cmdline has it: options and the KEY=VALUE
 * parts of their values, also where libvirt writes a value as JSON.
 */
#ifndef VMMPROF_HOST_QEMU_ARGS_H
#define VMMPROF_HOST_QEMU_ARGS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The value of the next option @name ("-device", written with one or two
 * dashes) at or after *pos, which becomes the byte behind it; *pos is 0 at
 * first.  NULL: there is no more.  cmdline: size bytes, a NUL after each
 * argument.
 */
const char *vmmprof_qemuarg_next(const char *cmdline, size_t size,
				 const char *name, size_t *pos);

/*
 * The part @key of an option's value; "driver" is also the first part without
 * a key.  False: it is not there, or longer than out.
 */
bool vmmprof_qemuarg_part(const char *value, const char *key, char *out,
			  size_t size);

#endif /* VMMPROF_HOST_QEMU_ARGS_H */
