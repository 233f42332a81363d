// SPDX-License-Identifier: GPL-2.0-only
/* Reads and writes the list of code that a guest is asked for. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <vmmprof/maps.h>
#include <vmmprof/record.h>

#include "format/code_list.h"

/* The number at *p, and the byte that has to follow it. */
static bool number(const char **p, const char *end, unsigned int base,
		   char after, __u64 max, __u64 *ret)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = *p, *digit;

	for (*ret = 0; at < end && *at != after; at++) {
		digit = memchr(digits, *at, base);
		if (!digit || *ret > (max - (digit - digits)) / base)
			return false;
		*ret = *ret * base + (digit - digits);
	}
	if (at == end || at == *p)
		return false;
	*p = at + 1;
	return true;
}

static bool line(const char **p, const char *end, struct code_want *ret)
{
	static const char kernel[] = "kernel ";
	const size_t len = sizeof(kernel) - 1;
	__u64 file = VMMPROF_NONE, size;

	if ((size_t)(end - *p) > len && !memcmp(*p, kernel, len))
		*p += len;
	else if (!number(p, end, 10, ' ', VMMPROF_NONE - 1, &file))
		return false;
	if (!number(p, end, 16, ' ', ~0ull, &ret->addr) ||
	    !number(p, end, 10, '\n', VMMPROF_CODE_RANGE, &size))
		return false;
	ret->file = file;
	ret->size = size;
	return size && ret->addr + size > ret->addr;
}

int code_list_parse(const char *text, size_t len, struct code_want *ret)
{
	const char *end = text + len;
	__u64 total = 0;
	int nr = 0;

	while (text < end) {
		if (nr == VMMPROF_CODE_RANGES || !line(&text, end, &ret[nr]))
			return -EINVAL;
		total += ret[nr++].size;
		if (total > VMMPROF_CODE_TOTAL)
			return -EINVAL;
	}
	return nr;
}

int code_list_line(const struct code_want *want, char *buf, size_t size)
{
	int n;

	if (want->file == VMMPROF_NONE)
		n = snprintf(buf, size, "kernel %llx %u\n", want->addr,
			     want->size);
	else
		n = snprintf(buf, size, "%u %llx %u\n", want->file, want->addr,
			     want->size);
	return n < (int)size ? n : -ENOSPC;
}

int code_list_add(struct code_list_buffer *l, const struct code_want *want)
{
	int n;

	if (l->ranges == VMMPROF_CODE_RANGES)
		return -ENOSPC;
	if (want->size > VMMPROF_CODE_RANGE ||
	    l->bytes + want->size > VMMPROF_CODE_TOTAL)
		return -E2BIG;
	n = code_list_line(want, l->text + l->len, CODE_LIST_MAX - l->len);
	if (n < 0)
		return n;
	l->len += n;
	l->ranges++;
	l->bytes += want->size;
	return 0;
}
