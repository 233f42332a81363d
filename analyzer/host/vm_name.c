// SPDX-License-Identifier: GPL-2.0-only
/* The name of a VM, from its command line or its systemd scope. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "host/vm_name.h"

static void copy(char *out, size_t size, const char *s, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(out, s, len);
	out[len] = '\0';
}

/* One KEY=VALUE or VALUE of a QEMU option; ",," stands for a comma. */
static const char *qemu_part(const char *s, char *out, size_t size)
{
	size_t used = 0;

	for (; *s; s++) {
		if (*s == ',' && *++s != ',')
			break;
		if (used < size - 1)
			out[used++] = *s;
	}
	out[used] = '\0';
	return *s ? s : NULL;
}

/* -name's value: NAME, or guest=NAME among other settings. */
static bool qemu_name(const char *value, char *out, size_t size)
{
	const char *s = value;
	bool first = true;
	char part[256];

	while (s && *s) {
		s = qemu_part(s, part, sizeof(part));
		if (!strncmp(part, "guest=", 6)) {
			copy(out, size, part + 6, strlen(part + 6));
			return *out;
		}
		if (first && !strchr(part, '=')) {
			copy(out, size, part, strlen(part));
			return *out;
		}
		first = false;
	}
	return false;
}

/* The value of an option written "-o VALUE", "--o VALUE" or "--o=VALUE". */
static const char *find_option(const char *cmdline, size_t len,
			       const char *option)
{
	const char *end = cmdline + len;
	const char *arg, *next;
	size_t n = strlen(option);

	for (arg = cmdline; arg < end; arg = next) {
		next = arg + strlen(arg) + 1;
		while (*arg == '-' && arg[1] == '-')
			arg++;
		if (strncmp(arg, option, n))
			continue;
		if (arg[n] == '=')
			return arg + n + 1;
		if (!arg[n] && next < end)
			return next;
	}
	return NULL;
}

int vm_name_cmdline(const char *cmdline, size_t len, char *out, size_t size)
{
	const char *value;

	if (!len || cmdline[len - 1])
		return -ENOENT;
	value = find_option(cmdline, len, "-name");
	if (value && qemu_name(value, out, size))
		return 0;
	value = find_option(cmdline, len, "-id");
	if (!value || !*value)
		return -ENOENT;
	copy(out, size, value, strlen(value));
	return 0;
}

/* Undoes systemd's escaping of one character; returns where the next begins. */
static const char *unescape(const char *s, char *c)
{
	if (s[0] == '\\' && s[1] == 'x' &&
	    strspn(s + 2, "0123456789abcdef") >= 2 && hex_get(s + 2, c, 1))
		return s + 4;
	*c = *s;
	return s + 1;
}

int vm_name_cgroup(const char *cgroup, char *out, size_t size)
{
	static const char head[] = "machine-qemu\\x2d";
	const char *s = strstr(cgroup, head);
	const char *end;
	size_t used = 0;

	if (!s)
		return -ENOENT;
	s += strlen(head);
	s += strspn(s, "0123456789");
	if (strncmp(s, "\\x2d", 4))
		return -ENOENT;
	s += 4;
	end = strstr(s, ".scope");
	if (!end || memchr(s, '\n', end - s))
		return -ENOENT;
	while (s < end && used < size - 1)
		s = unescape(s, &out[used++]);
	out[used] = '\0';
	return used ? 0 : -ENOENT;
}
