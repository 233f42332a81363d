// SPDX-License-Identifier: GPL-2.0-only
/*
 * exits cpuid | io [COUNT]: nothing but instructions that leave the guest,
 * CPUID, or a byte to port 0x80 (no device), which QEMU answers in user space.
 * Until killed, or so many; then it says how many they were.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>

int main(int argc, char **argv)
{
	int io = argc > 1 && !strcmp(argv[1], "io");
	long count = argc > 2 ? atol(argv[2]) : -1, n;

	if (io && ioperm(0x80, 1, 1)) {
		perror("exits: ioperm");
		return 1;
	}
	for (n = 0; n != count; n++) {
		unsigned int a = 0, b, c = 0, d;

		if (io)
			outb(0, 0x80);
		else
			__asm__ volatile("cpuid"
					 : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	}
	printf("%ld\n", n);
	return 0;
}
