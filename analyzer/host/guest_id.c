// SPDX-License-Identifier: GPL-2.0-only
/* Identifies a guest by its VMM's user, and the UUID and name given to it. */

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hex.h"
#include "host/guest_id.h"
#include "os/proc_file.h"
#include "host/qemu_args.h"
#include "host/vm_name.h"

#define CMDLINE_MAX (256u << 10)
#define NAME_MAX_ID 96
#define UUID_DIGITS 32

/* 32 lower-case digits of a UUID that is not zero. */
static bool take_uuid(const char *text, char *uuid)
{
	static const char digits[] = "0123456789abcdef";
	bool zero = true;
	int n = 0;

	for (; *text; text++) {
		char c = *text >= 'A' && *text <= 'F' ? *text | 0x20 : *text;

		if (c == '-')
			continue;
		if (n == UUID_DIGITS || !strchr(digits, c))
			return false;
		zero &= c == '0';
		uuid[n++] = c;
	}
	uuid[n] = '\0';
	return n == UUID_DIGITS && !zero;
}

/* QEMU: -uuid, which wins, or -smbios type=1,uuid=. */
static bool find_uuid(const char *cmdline, size_t size, char *uuid)
{
	const char *value;
	char part[64];
	size_t pos = 0;

	value = qemu_arg_next(cmdline, size, "-uuid", &pos);
	if (value)
		return take_uuid(value, uuid);
	pos = 0;
	while ((value = qemu_arg_next(cmdline, size, "-smbios", &pos)))
		if (qemu_arg_part(value, "type", part, sizeof(part)) &&
		    !strcmp(part, "1") &&
		    qemu_arg_part(value, "uuid", part, sizeof(part)))
			return take_uuid(part, uuid);
	return false;
}

static int make_id(const char *cmdline, size_t size, uint32_t uid, char *id)
{
	char name[NAME_MAX_ID + 2] = "", uuid[UUID_DIGITS + 1];
	bool has_uuid = find_uuid(cmdline, size, uuid);
	int n;

	if (vm_name_cmdline(cmdline, size, name, sizeof(name)))
		*name = '\0';
	/* a name that was cut could be the same as another VM's */
	if (strlen(name) > NAME_MAX_ID)
		return -ENAMETOOLONG;
	if (!has_uuid && !*name)
		return -ENOENT;
	n = sprintf(id, "u%u-%s-", uid, has_uuid ? uuid : "none");
	hex_put(id + n, 2 * NAME_MAX_ID + 1, name, strlen(name));
	return 0;
}

int guest_id(const char *root, uint32_t pid, char *id)
{
	char path[PATH_MAX], *cmdline;
	struct stat st;
	ssize_t n;
	int ret;

	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", root, pid);
	cmdline = malloc(CMDLINE_MAX);
	if (!cmdline)
		return -ENOMEM;
	n = proc_file_read(path, cmdline, CMDLINE_MAX);
	*strrchr(path, '/') = '\0';
	if (n <= 0 || stat(path, &st))
		ret = -ENOENT;
	else
		ret = make_id(cmdline, n, st.st_uid, id);
	free(cmdline);
	return ret;
}
