// SPDX-License-Identifier: GPL-2.0-only
/* What an operator and the user say of reading guests' memory. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "host/memory_policy.h"

const char *memory_forbidden(bool option, const char *root)
{
	char path[PATH_MAX];

	if (option)
		return "--no-guest-memory";
	snprintf(path, sizeof(path), "%s" NO_GUEST_MEMORY, root);
	/* what cannot be looked at may be there */
	if (!access(path, F_OK) || errno != ENOENT)
		return NO_GUEST_MEMORY;
	return NULL;
}
