// SPDX-License-Identifier: GPL-2.0-only
/*
 * touches: page faults by turns, in narrow_touch() and wide_touch(), whose callers'
 * frames are at different places.  Below the kernel's first instructions stands who
 * called this one, not what is left of the fault before: tests/testbed/touches.py.
 */
#include <sys/mman.h>

#define PAGES  64
#define SIZE   4096
#define CALLED static __attribute__((noinline)) void

static volatile long sink;

CALLED narrow_touch(volatile char *at)
{
	*at = 1;
	sink++;
}

CALLED wide_touch(volatile char *at)
{
	*at = 1;
	sink++;
}

CALLED narrow(char *at)
{
	narrow_touch(at);
	sink++;
}

CALLED wide(char *at)
{
	wide_touch(at);
	sink++;
}

/* That frame is not where narrow()'s is. */
CALLED far(char *at)
{
	volatile char room[512];

	wide(at);
	room[0] = 0;
	sink += room[0];
}

int main(void)
{
	char *area = mmap(0, PAGES * SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	if (area == MAP_FAILED)
		return 1;
	for (;;) {
		for (i = 0; i < PAGES; i += 2) {
			narrow(area + i * SIZE);
			far(area + (i + 1) * SIZE);
		}
		madvise(area, PAGES * SIZE, MADV_DONTNEED);
	}
}
