// SPDX-License-Identifier: GPL-2.0-only
/* QEMU's command line: options and the parts of their values. */

#include <jansson.h>
#include <string.h>

#include "host/qemu_args.h"

const char *qemu_arg_next(const char *cmdline, size_t size, const char *name,
			  size_t *pos)
{
	while (*pos < size && memchr(cmdline + *pos, 0, size - *pos)) {
		const char *arg = cmdline + *pos;
		const char *value = arg + strlen(arg) + 1;

		*pos = value - cmdline;
		if (arg[0] == '-' && arg[1] == '-')
			arg++;
		if (strcmp(arg, name) || *pos >= size ||
		    !memchr(value, 0, size - *pos))
			continue;
		*pos += strlen(value) + 1;
		return value;
	}
	return NULL;
}

static bool json_part(const char *value, const char *key, char *out,
		      size_t size)
{
	json_t *object = json_loads(value, 0, NULL);
	const json_t *part = json_object_get(object, key);
	bool found = false;
	int n = -1;

	if (json_is_string(part))
		n = snprintf(out, size, "%s", json_string_value(part));
	else if (json_is_integer(part))
		n = snprintf(out, size, "%" JSON_INTEGER_FORMAT,
			     json_integer_value(part));
	found = n >= 0 && (size_t)n < size;
	json_decref(object);
	return found;
}

/* Copies one part (",," is a comma); returns where the next begins. */
static const char *copy_part(const char *s, char *out, size_t size, bool *fits)
{
	size_t used = 0;

	*fits = true;
	for (; *s; s++) {
		if (*s == ',' && *++s != ',')
			break;
		if (used + 1 < size)
			out[used++] = *s;
		else
			*fits = false;
	}
	out[used] = '\0';
	return s;
}

bool qemu_arg_part(const char *value, const char *key, char *out, size_t size)
{
	size_t len = strlen(key);
	bool first = true, fits;
	char part[1024];
	const char *found;

	if (*value == '{')
		return json_part(value, key, out, size);
	while (*value) {
		value = copy_part(value, part, sizeof(part), &fits);
		found = NULL;
		if (!strncmp(part, key, len) && part[len] == '=')
			found = part + len + 1;
		else if (first && !strcmp(key, "driver") && !strchr(part, '='))
			found = part;
		first = false;
		if (!found)
			continue;
		if (!fits || strlen(found) >= size)
			return false;
		strcpy(out, found);
		return true;
	}
	return false;
}
