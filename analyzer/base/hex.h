/* SPDX-License-Identifier: GPL-2.0-only */
/* Hexadecimal digits: build-ids, and numbers in files of the kernel. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/*
 * Two digits for each of @n bytes, as many as fit, and a NUL; @size: not 0.
 * The digits written.
 */
size_t hex_put(char *buf, size_t size, const void *bytes, size_t n);

/*
 * The bytes, at most @max, that @text begins with.  Returns how many; the
 * caller checks what follows these digits.
 */
size_t hex_get(const char *text, void *bytes, size_t max);

/*
 * A number of 1 to 16 digits at *@p, which is moved behind it.
 * False: there is none, *@p may have moved.
 */
bool hex_number(const char **p, const char *end, __u64 *ret);

#endif /* BASE_HEX_H */
