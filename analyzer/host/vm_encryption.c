// SPDX-License-Identifier: GPL-2.0-only
/* Looks for the objects that QEMU makes an encrypted guest by. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/qemu_args.h"
#include "host/vm_encryption.h"
#include "os/proc_file.h"

#define CMDLINE_MAX (256u << 10)

static const struct {
	const char *object, *what;
} objects[] = {
	{ "sev-guest", "SEV" },
	{ "sev-snp-guest", "SEV" },
	{ "tdx-guest", "TDX" },
};

static const char *look(const char *cmdline, size_t size)
{
	const char *value;
	size_t pos = 0, i;
	char type[32];

	while ((value = qemu_arg_next(cmdline, size, "-object", &pos))) {
		if (!qemu_arg_part(value, "qom-type", type, sizeof(type)) &&
		    !qemu_arg_part(value, "driver", type, sizeof(type)))
			continue;
		for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
			if (!strcmp(type, objects[i].object))
				return objects[i].what;
	}
	return NULL;
}

const char *vm_encryption(const char *root, uint32_t pid)
{
	char *cmdline = malloc(CMDLINE_MAX), path[PATH_MAX];
	const char *ret = NULL;
	ssize_t n;

	if (!cmdline)
		return NULL;
	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", root, pid);
	n = proc_file_read(path, cmdline, CMDLINE_MAX);
	if (n > 0)
		ret = look(cmdline, n);
	free(cmdline);
	return ret;
}
