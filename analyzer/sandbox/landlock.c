// SPDX-License-Identifier: GPL-2.0-only
/*
 * Landlock by its system calls, because headers and libraries of older
 * distributions lack what newer kernels have.
 */

#include <errno.h>
#include <linux/landlock.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/landlock.h"

/* Constants of linux/landlock.h, by the version of the ABI that added them. */
#define FS_1   0x1fffull /* EXECUTE to MAKE_SYM */
#define FS_2   0x2000ull /* REFER */
#define FS_3   0x4000ull /* TRUNCATE */
#define FS_5   0x8000ull /* IOCTL_DEV */
#define NET_4  0x3ull	 /* BIND_TCP, CONNECT_TCP */
#define BIND_4 0x1ull
#define ALL_6  0x3ull /* ABSTRACT_UNIX_SOCKET, SIGNAL */
#define READS                                                         \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | \
	 LANDLOCK_ACCESS_FS_EXECUTE)

/* struct landlock_ruleset_attr of ABI 6; older kernels know its beginning. */
struct attr {
	uint64_t fs, net, scoped;
};

/*
 * Not allowed even in a writable directory: links, devices, sockets, programs.
 */
#define WRITES                                                          \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |   \
	 LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |  \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
	 LANDLOCK_ACCESS_FS_REMOVE_DIR | FS_3)

static size_t describe(struct attr *a, long abi, const struct landlock_may *may)
{
	*a = (struct attr){ .fs = FS_1 };
	if (abi >= 2)
		a->fs |= FS_2;
	if (abi >= 3)
		a->fs |= FS_3;
	if (abi >= 5)
		a->fs |= FS_5;
	if (may->read_all)
		a->fs &= ~(uint64_t)(READS | FS_5);
	if (abi >= 4)
		a->net = may->connect ? BIND_4 : NET_4;
	if (abi >= 6)
		a->scoped = ALL_6;
	return abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
}

static int allow(int rules, int fd, uint64_t what)
{
	struct landlock_path_beneath_attr beneath = { .allowed_access = what,
						      .parent_fd = fd };
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		beneath.allowed_access &= LANDLOCK_ACCESS_FS_READ_FILE;
	return beneath.allowed_access && syscall(SYS_landlock_add_rule, rules,
						 LANDLOCK_RULE_PATH_BENEATH,
						 &beneath, 0) ?
		       -errno :
		       0;
}

int landlock(const struct landlock_may *may)
{
	struct attr a;
	unsigned int i;
	size_t size;
	int fd, ret = 0;
	long abi;

	abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
		      LANDLOCK_CREATE_RULESET_VERSION);
	if (abi < 1)
		return 0;
	size = describe(&a, abi, may);
	fd = syscall(SYS_landlock_create_ruleset, &a, size, 0);
	if (fd < 0)
		return -errno;
	if (may->dir >= 0)
		ret = allow(fd, may->dir, a.fs & WRITES);
	for (i = 0; i < may->nr_read && !ret; i++)
		ret = allow(fd, may->read[i],
			    a.fs & READS & ~LANDLOCK_ACCESS_FS_EXECUTE);
	if (!ret && syscall(SYS_landlock_restrict_self, fd, 0))
		ret = -errno;
	close(fd);
	return ret;
}
