// SPDX-License-Identifier: GPL-2.0-only
/*
 * packsession DIR: pack the CHAIN records of a session's files, as vmmprof record
 * does at its end.  Prints the bytes of all files before and after.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/chain_pack.h"

static unsigned long size_of(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, 0))
		err(1, "%s", name);
	return st.st_size;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	unsigned long before = 0, after = 0;
	char name[32];
	int cpu, ret;

	if (!dir)
		errx(2, "usage: packsession DIR");
	for (cpu = 0; cpu < 64; cpu++) {
		snprintf(name, sizeof(name), "cpu-%d.rec", cpu);
		if (faccessat(dirfd(dir), name, 0, 0))
			continue;
		before += size_of(dirfd(dir), name);
		ret = chain_pack_file(dirfd(dir), name);
		if (ret) {
			errno = -ret;
			err(1, "%s", name);
		}
		after += size_of(dirfd(dir), name);
	}
	closedir(dir);
	printf("%lu %lu\n", before, after);
	return 0;
}
