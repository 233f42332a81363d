// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin [N [MS]]: pure computing in two functions, 80 : 20, for N rounds (default:
 * until killed), silent after its first line.  No system call in between.  With
 * MS: N rounds and so many milliseconds of sleep, again and again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile double sink;

__attribute__((noinline)) void heavy80(void)
{
	double x = sink;

	for (int i = 0; i < 8000; i++)
		x = x * 1.0000001 + 0.5;
	sink = x;
}

__attribute__((noinline)) void light20(void)
{
	double x = sink;

	for (int i = 0; i < 2000; i++)
		x = x * 1.0000001 + 0.25;
	sink = x;
}

static void rounds(long n)
{
	while (n < 0 || n-- > 0) {
		heavy80();
		light20();
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : -1;
	int ms = argc > 2 ? atoi(argv[2]) : 0;

	puts("SPIN");
	fflush(stdout);
	rounds(n);
	while (ms) {
		usleep(ms * 1000);
		rounds(n);
	}
	return 0;
}
