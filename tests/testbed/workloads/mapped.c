// SPDX-License-Identifier: GPL-2.0-only
/* mapped FILE...: has a page of each file mapped as code until killed. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int i, fd;

	for (i = 1; i < argc; i++) {
		fd = open(argv[i], O_RDONLY);
		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			 4096) == MAP_FAILED) {
			perror(argv[i]);
			return 1;
		}
	}
	puts("mapped");
	fflush(stdout);
	pause();
	return 0;
}
