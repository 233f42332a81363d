// SPDX-License-Identifier: GPL-2.0-only
/* Names of debug files; nothing is opened. */

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "sym/debug_path.h"

#define DEBUG_DIR "/usr/lib/debug"

bool debug_path_id(const void *id, size_t n, const char *suffix, char *buf,
		   size_t size)
{
	static const char dir[] = DEBUG_DIR "/.build-id/";
	char *p = buf + sizeof(dir) - 1;

	if (n < 2 || size < sizeof(dir) + 2 * n + 1 + strlen(suffix))
		return false;
	memcpy(buf, dir, sizeof(dir));
	p += hex_put(p, 3, id, 1);
	*p++ = '/';
	p += hex_put(p, 2 * n, (const char *)id + 1, n - 1);
	strcpy(p, suffix);
	return true;
}

bool debug_path_link(const char *path, const char *link, unsigned int place,
		     char *buf, size_t size)
{
	static const char *const forms[DEBUG_PATH_LINKS] = { "%s%.*s%s",
							     "%s%.*s.debug/%s",
							     "%s%.*s%s" };
	const char *slash = strrchr(path, '/');
	int dir = slash ? slash + 1 - path : 0, n;

	if (place >= DEBUG_PATH_LINKS || (place == 2 && *path != '/'))
		return false;
	n = snprintf(buf, size, forms[place], place == 2 ? DEBUG_DIR : "", dir,
		     path, link);
	return n >= 0 && (size_t)n < size;
}
