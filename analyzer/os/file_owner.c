// SPDX-License-Identifier: GPL-2.0-only
/* Owners of files, and which file a descriptor is. */

#include <errno.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "os/file_owner.h"
#include "os/proc_file.h"

#define OVERFLOW_UID 65534 /* a user without a number in this user namespace */

/* The line of our own maps that begins at @at. */
static bool read_own_line(const void *at, __u64 *dev, __u64 *ino)
{
	unsigned long long start, inode = 0;
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned int major, minor;
	bool found = false;
	char *line = NULL;
	size_t size = 0;

	while (f && !found && getline(&line, &size, f) > 0)
		found = sscanf(line, "%llx-%*x %*s %*x %x:%x %llu", &start,
			       &major, &minor, &inode) == 4 &&
			start == (unsigned long long)(uintptr_t)at;
	free(line);
	if (f)
		fclose(f);
	if (!found)
		return false;
	*dev = makedev(major, minor);
	*ino = inode;
	return true;
}

bool file_is(int fd, __u64 dev, __u64 ino)
{
	__u64 own_dev, own_ino;
	struct stat st;
	bool same;
	void *p;

	if (fstat(fd, &st))
		return false;
	if (st.st_dev == dev && st.st_ino == ino)
		return true;
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return false;
	same = read_own_line(p, &own_dev, &own_ino) && own_dev == dev &&
	       own_ino == ino;
	munmap(p, 4096);
	return same;
}

/* The user for whom it works: the one who began it, unless that is root. */
static bool uid_of(__u32 pid, __u32 *ret)
{
	char path[40], text[4096], *at;
	unsigned int real, effective;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (proc_file_read(path, text, sizeof(text)) < 0)
		return false;
	at = strstr(text, "\nUid:");
	if (!at || sscanf(at + 5, "%u %u", &real, &effective) != 2)
		return false;
	*ret = real ? real : effective;
	return true;
}

static bool foreign_filesystem(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	switch ((__u32)fs.f_type) {
	case FUSE_SUPER_MAGIC:
	case NFS_SUPER_MAGIC:
	case V9FS_MAGIC:
	case CIFS_SUPER_MAGIC:
	case SMB_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
	case AFS_FS_MAGIC:
	case CODA_SUPER_MAGIC:
		return true;
	}
	return false;
}

int file_owner(int fd, __u32 pid, struct file_owner *ret)
{
	int generation = 0;
	struct stat st;

	memset(ret, 0, sizeof(*ret));
	if (fstat(fd, &st))
		return -errno;
	ret->uid = st.st_uid;
	ret->sole = !(st.st_mode & 022) && st.st_uid != OVERFLOW_UID &&
		    !foreign_filesystem(fd);
	ret->trusted = ret->sole && !st.st_uid;
	if (!ioctl(fd, FS_IOC_GETVERSION, &generation))
		ret->generation = generation;
	if (!uid_of(pid, &ret->mapper))
		ret->mapper = st.st_uid;
	/* if root has mapped a user's file, it counts as that user's */
	if (!ret->mapper && !ret->trusted)
		ret->mapper = st.st_uid;
	return 0;
}

bool file_may_describe(const struct file_owner *debug,
		       const struct file_owner *of)
{
	return debug->trusted || !of->sole ||
	       (debug->sole && debug->uid == of->uid);
}
