// SPDX-License-Identifier: GPL-2.0-only
/* What the host's file has before sampling begins. */

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vmmprof/file.h>
#include <vmmprof/maps.h>

#include "test.h"
#include "host/host_maps.h"

/* Items of a type in the file, as far as it is written. */
static unsigned int count(int dir, __u32 type)
{
	int fd = openat(dir, "host", O_RDONLY);
	off_t at = sizeof(struct vmmprof_file_hdr);
	struct vmmprof_item_hdr item;
	unsigned int nr = 0;

	while (pread(fd, &item, sizeof(item), at) == sizeof(item) &&
	       item.size >= sizeof(item)) {
		nr += item.type == type;
		at += (item.size + 7) & ~7u;
	}
	close(fd);
	return nr;
}

/* The whole of it, in this process; the items before sampling. */
static int begin_here(int dir, unsigned int how, unsigned int *nr)
{
	static struct host_maps hm;
	__u64 lost;
	int err = host_maps_begin(&hm, dir, how);

	nr[0] = count(dir, VMMPROF_MAPS_UNWIND);
	nr[1] = count(dir, VMMPROF_MAPS_SYMTAB);
	return err ? err : host_maps_end(&hm, &lost);
}

/* In a world with this process alone, if that may be: the others take long. */
static int begin_alone(int dir, unsigned int how, unsigned int *nr)
{
	bool alone = !unshare(CLONE_NEWNS | CLONE_NEWPID);
	pid_t pid = alone ? fork() : 0;
	int status = -1;

	if (pid) {
		waitpid(pid, &status, 0);
		return status;
	}
	if (alone && !mount("", "/", "", MS_REC | MS_PRIVATE, NULL))
		mount("proc", "/proc", "proc", 0, NULL);
	_exit(begin_here(dir, how, nr) ? 1 : 0);
}

static int begin(unsigned int how, unsigned int *nr)
{
	char path[] = "/tmp/vmmprof-test-XXXXXX";
	int dir = open(mkdtemp(path), O_RDONLY | O_DIRECTORY), status;
	pid_t pid = fork();

	if (!pid)
		_exit(begin_alone(dir, how, nr) ? 1 : 0);
	waitpid(pid, &status, 0);
	unlinkat(dir, "host", 0);
	rmdir(path);
	close(dir);
	return status;
}

TEST(unwind_tables_are_there_before_sampling_begins)
{
	unsigned int *nr = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	TEST_EQ(begin(HOST_MAPS_SPARING | HOST_MAPS_UNWIND, nr), 0);
	/* this program, its libraries, and [vdso] */
	TEST_OK(nr[0] > 2);
	TEST_OK(nr[1] > 2);
	return 0;
}
