// SPDX-License-Identifier: GPL-2.0-only
/* Escapes foreign names that look like vmmprof's own. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "view/foreign_names.h"
#include "view/safe.h"
#include "model/profile.h"

/* Names in brackets that are the kernel's: mappings without a file. */
static const char *const mapped[] = { "[vdso]",	   "[vvar]",  "[vsyscall]",
				      "[heap]",	   "[stack]", "[anon]",
				      "[uprobes]", "[jit]",   NULL };

/* Modules of ours, in parentheses; a number may follow. */
static const char *const modules[] = {
	"VM",	  "on vcpu", "host",	"host polls", "idle in guest",
	"asleep", "outside", "others",	"no record",  "samples lost",
	"kernel", "user",    "unknown", "halt_exit",  "-",
	"(none)", NULL
};

static bool among(const char *s, size_t len, const char *const *words)
{
	for (; words && *words; words++)
		if (strlen(*words) == len && !memcmp(s, *words, len))
			return true;
	return false;
}

static size_t without_number(const char *s, size_t len)
{
	while (len && s[len - 1] >= '0' && s[len - 1] <= '9')
		len--;
	return len;
}

/* "(outside)", "(VM2)", "(no kernel symbols)" */
static bool in_parentheses(const char *s, size_t len)
{
	unsigned int i;

	if (len < 2 || s[0] != '(' || s[len - 1] != ')')
		return false;
	s++;
	len -= 2;
	if (among(s, without_number(s, len), modules))
		return true;
	for (i = 0; i < NR_CAUSES; i++)
		if (strlen(cause_text(i)) == len &&
		    !memcmp(cause_text(i), s, len))
			return true;
	return false;
}

/* Where "(2)" or " vCPU 0" at the end begins, as we number; len: it has none. */
static size_t numbered(const char *s, size_t len)
{
	static const char *const before[] = { " vCPU ", " thread " };
	size_t end = len, at, i, n;

	if (end && s[end - 1] == ')') {
		at = without_number(s, end - 1);
		return at && at < end - 1 && s[at - 1] == '(' ? at - 1 : len;
	}
	at = without_number(s, end);
	for (i = 0; at < end && i < sizeof(before) / sizeof(before[0]); i++) {
		n = strlen(before[i]);
		if (at >= n && !memcmp(s + at - n, before[i], n))
			return at - n;
	}
	return len;
}

/*
 * The index of the byte to escape as \xNN; len: none, the name is not like
 * ours.
 */
static size_t give_away(const char *s, size_t len, const char *const *words)
{
	if (!strcmp(s, "-") || in_parentheses(s, len) || among(s, len, words) ||
	    (*s == '[' && !among(s, len, mapped)))
		return 0;
	return numbered(s, len);
}

size_t foreign(char *dst, size_t size, const char *src,
	       const char *const *words)
{
	size_t len = strlen(src), at = give_away(src, len, words), cols, used;

	if (at == len)
		return safe_text(dst, size, src);
	cols = 0;
	used = 0;
	if (at) {
		char head[4096];

		snprintf(head, sizeof(head), "%.*s", (int)at, src);
		cols = safe_text(dst, size, head);
		used = strlen(dst);
	}
	if (used + 5 > size)
		return cols;
	used += snprintf(dst + used, size - used, "\\x%02x",
			 (unsigned char)src[at]);
	return cols + 4 + safe_text(dst + used, size - used, src + at + 1);
}

size_t foreign_guest(char *dst, size_t size, const char *src)
{
	static const char *const words[] = { "host", NULL };

	return foreign(dst, size, src, words);
}
