// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes whose memory tests/introspect/run reads from outside.
 *
 *	marker spin			waits until killed
 *	marker leader			the first thread ends, others wait
 *	marker maps			has mappings of all kinds, many of them
 */

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGES 1200

static void *wait_thread(void *name)
{
	prctl(PR_SET_NAME, name);
	for (;;)
		pause();
	return NULL;
}

static int leader(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, wait_thread, "second");
	pthread_create(&b, NULL, wait_thread, "thi rd\n\t%");
	pthread_exit(NULL);
}

/* Every second page may be executed: as many mappings as pages. */
static int many(int fd, int flags)
{
	char *p = mmap(NULL, PAGES * 4096L, PROT_READ, flags, fd, 0);
	int i;

	if (p == MAP_FAILED)
		return 1;
	for (i = 0; i < PAGES; i += 2)
		if (mprotect(p + i * 4096L, 4096, PROT_READ | PROT_EXEC))
			return 1;
	return 0;
}

static int maps(void)
{
	int self = open("/proc/self/exe", O_RDONLY), mem, zero;
	int failed = many(self, MAP_PRIVATE);

	failed |= many(-1, MAP_PRIVATE | MAP_ANONYMOUS);
	mem = memfd_create("code of \"mine\"", 0);
	failed |= ftruncate(mem, 65536);
	failed |= mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_SHARED, mem,
		       0) == MAP_FAILED;
	failed |= mmap(NULL, 8192, PROT_READ | PROT_EXEC,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
	zero = open("/dev/zero", O_RDWR);
	failed |= mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, zero,
		       0) == MAP_FAILED;
	if (failed)
		perror("marker: maps");
	wait_thread("maps of all");
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "leader"))
		return leader();
	if (argc == 2 && !strcmp(argv[1], "maps"))
		return maps();
	wait_thread(argv[0]);
	return 1;
}
