// SPDX-License-Identifier: GPL-2.0-only
/* Names of debug files; nothing is opened. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "sym/debug_path.h"

/* Of this process: whoever looks for a debug file looks there first. */
static const char *added[DEBUG_PATH_DIRS];
static unsigned int nr_added;

bool debug_path_add(const char *dir)
{
	if (nr_added == DEBUG_PATH_DIRS)
		return false;
	added[nr_added++] = dir;
	return true;
}

/* Those in the order in which they are searched, the system's last; NULL: end. */
static const char *debug_path_dir(unsigned int i)
{
	if (i < nr_added)
		return added[i];
	return i == nr_added ? DEBUG_PATH_SYSTEM : NULL;
}

bool debug_path_id(const char *dir, const void *id, size_t n,
		   const char *suffix, char *buf, size_t size)
{
	static const char below[] = "/.build-id/";
	size_t len = strlen(dir) + sizeof(below) - 1;
	char *p = buf + len;

	if (n < 2 || size < len + 2 * n + 2 + strlen(suffix))
		return false;
	memcpy(buf, dir, strlen(dir));
	memcpy(buf + strlen(dir), below, sizeof(below));
	p += hex_put(p, 3, id, 1);
	*p++ = '/';
	p += hex_put(p, 2 * n, (const char *)id + 1, n - 1);
	strcpy(p, suffix);
	return true;
}

/* As debuginfod(8)'s clients keep files. */
static bool kept(const char *dir, const void *id, size_t n, char *buf,
		 size_t size)
{
	static const char file[] = "/debuginfo";
	size_t len = strlen(dir);

	if (!n || size < len + 1 + 2 * n + sizeof(file))
		return false;
	memcpy(buf, dir, len);
	buf[len++] = '/';
	len += hex_put(buf + len, 2 * n + 1, id, n);
	memcpy(buf + len, file, sizeof(file));
	return true;
}

int debug_path_try(unsigned int i, const void *id, size_t n, char *buf,
		   size_t size)
{
	static const char *const suffixes[] = { ".debug", "", "/debug",
						"/elf" };
	const unsigned int nr = sizeof(suffixes) / sizeof(suffixes[0]);
	const char *dir = debug_path_dir(i / (nr + 1));
	bool fits;

	i %= nr + 1;
	if (!dir)
		return -ENOENT;
	fits = i < nr ? debug_path_id(dir, id, n, suffixes[i], buf, size) :
			kept(dir, id, n, buf, size);
	return fits ? 0 : -ENAMETOOLONG;
}

int debug_path_vmlinux(unsigned int i, const char *release, char *buf,
		       size_t size)
{
	/* where Debian's and Fedora's debug packages have it */
	static const char *const where[] = {
		DEBUG_PATH_SYSTEM "/boot/vmlinux-%s",
		DEBUG_PATH_SYSTEM "/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
	};
	int n;

	if (i >= sizeof(where) / sizeof(where[0]) || !*release ||
	    strchr(release, '/'))
		return -ENOENT;
	n = snprintf(buf, size, where[i], release);
	return n >= 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
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
	n = snprintf(buf, size, forms[place],
		     place == 2 ? DEBUG_PATH_SYSTEM : "", dir, path, link);
	return n >= 0 && (size_t)n < size;
}
