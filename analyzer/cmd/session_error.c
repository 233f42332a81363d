// SPDX-License-Identifier: GPL-2.0-only
/* Errors of reading a session, as text. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/session_error.h"
#include "sandbox/limits.h"

const char *session_strerror(int err)
{
	static char text[256];

	if (err != ENOMEM)
		return strerror(err);
	snprintf(
		text, sizeof(text),
		"out of memory: who reads a session may have %.1f GiB, half of this machine's; read it on a larger one, or without the bundles in its folder guests/",
		limits_memory() / 0x1p30);
	return text;
}
