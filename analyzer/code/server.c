// SPDX-License-Identifier: GPL-2.0-only
/* Asks for files by build-id, and checks the build-id of the answer. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "code/server.h"
#include "format/preopen.h"
#include "sym/elf.h"

/* May the server be asked for this file? */
static int allowed(const struct code_id *id)
{
	if (!id->server)
		return -ECANCELED;
	if (id->server->none)
		return id->server->none;
	return id->guest && !id->server->guests ? -EPERM : 0;
}

/* Takes the descriptor if it is not the file. */
static int compare(const struct code_id *id, int fd)
{
	struct elffile elf = { 0 };
	int err;

	err = elffile_read_build_id(fd, &elf);
	if (!err && (elf.build_id_size != id->size ||
		     memcmp(elf.build_id, id->build_id, id->size)))
		err = -ESTALE;
	elffile_free(&elf);
	if (err)
		close(fd);
	/* for example a login page */
	return err && err != -ENOMEM ? -ESTALE : err;
}

int code_server_get(const struct code_id *id, enum debuginfod_kind kind,
		    char *name, size_t size)
{
	size_t len;
	int fd, err = allowed(id);

	if (err)
		return err;
	len = snprintf(name, size, "debuginfod:%s/",
		       kind == DEBUGINFOD_DEBUGINFO ? "debuginfo" :
						      "executable");
	if (len < size)
		hex_put(name + len, size - len, id->build_id, id->size);
	if (preopen_find(AT_FDCWD, name, &fd)) {
		close(fd);
		return 0;
	}
	fd = debuginfod_get(&id->server->broker, kind, id->build_id, id->size,
			    NULL);
	if (fd < 0)
		return fd;
	err = compare(id, fd);
	return err ? err : preopen_add(name, fd);
}

int code_server_source(const struct code_id *id, const char *path)
{
	int err = allowed(id);

	return err ? err :
		     debuginfod_get(&id->server->broker, DEBUGINFOD_SOURCE,
				    id->build_id, id->size, path);
}

const char *code_server_why(int err)
{
	static const struct {
		int err;
		const char *why;
	} whys[] = {
		{ 0, "" },
		{ ECANCELED, "" },
		{ ENOSYS,
		  "not asked: set DEBUGINFOD_URLS to the address of a server that has it" },
		{ EINPROGRESS, "servers are being asked" },
		{ ELIBACC,
		  "not asked: install libdebuginfod1 (elsewhere elfutils-debuginfod-client)" },
		{ ELIBBAD,
		  "not asked: libdebuginfod.so.1 is too old, elfutils 0.180 is needed" },
		{ EPERM,
		  "not asked for a guest's file; --debuginfod=all does, with its build-id" },
		{ ENOENT, "no server of DEBUGINFOD_URLS has it" },
		{ ESTALE,
		  "what came is another file and is not used; it may lie in the cache" },
		{ ETIMEDOUT,
		  "no answer in time (DEBUGINFOD_TIMEOUT); asked no more" },
		{ EOVERFLOW,
		  "it takes too long: `vmmprof annotate` waits for it, then it is cached" },
		{ EPIPE, "the process that asks has ended; asked no more" },
		{ ECONNREFUSED,
		  "no server of DEBUGINFOD_URLS can be reached; asked no more" },
		{ EHOSTUNREACH,
		  "no server of DEBUGINFOD_URLS can be reached; asked no more" },
		{ EDQUOT, "not asked: that would be too many files" },
		{ EFBIG, "the file is larger than DEBUGINFOD_MAXSIZE" },
		{ EACCES,
		  "its cache may not be written: set DEBUGINFOD_CACHE_PATH" },
	};
	size_t i;

	for (i = 0; i < sizeof(whys) / sizeof(whys[0]); i++)
		if (whys[i].err == -err)
			return whys[i].why;
	return strerror(-err);
}
