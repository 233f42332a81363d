// SPDX-License-Identifier: GPL-2.0-only
/*
 * sorter [N]: sorts the same pseudo-random numbers in three ways, N times
 * (default: until killed).  Shares no function name with shor or spin.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 4096

static uint32_t data[COUNT], work[COUNT], scratch[COUNT];

__attribute__((noinline)) static void sorter_fill(uint32_t seed)
{
	for (int i = 0; i < COUNT; i++) {
		seed = seed * 1664525 + 1013904223;
		data[i] = seed >> 8;
	}
}

__attribute__((noinline)) void sorter_insertion(uint32_t *v, int n)
{
	for (int i = 1; i < n; i++) {
		uint32_t x = v[i];
		int k = i;

		for (; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static void sorter_sift(uint32_t *v, int top, int n)
{
	for (int child; (child = 2 * top + 1) < n; top = child) {
		uint32_t x = v[top];

		if (child + 1 < n && v[child + 1] > v[child])
			child++;
		if (v[child] <= x)
			break;
		v[top] = v[child];
		v[child] = x;
	}
}

__attribute__((noinline)) void sorter_heap(uint32_t *v, int n)
{
	for (int i = n / 2 - 1; i >= 0; i--)
		sorter_sift(v, i, n);
	for (int i = n - 1; i > 0; i--) {
		uint32_t x = v[0];

		v[0] = v[i];
		v[i] = x;
		sorter_sift(v, 0, i);
	}
}

__attribute__((noinline)) void sorter_radix(uint32_t *v, uint32_t *tmp, int n)
{
	for (int shift = 0; shift < 32; shift += 8) {
		int at[257] = { 0 };

		for (int i = 0; i < n; i++)
			at[(v[i] >> shift & 255) + 1]++;
		for (int i = 0; i < 256; i++)
			at[i + 1] += at[i];
		for (int i = 0; i < n; i++)
			tmp[at[v[i] >> shift & 255]++] = v[i];
		memcpy(v, tmp, n * sizeof(*v));
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : -1;
	uint32_t seed = 1;

	puts("SORTER");
	fflush(stdout);
	while (n < 0 || n-- > 0) {
		sorter_fill(seed++);
		memcpy(work, data, sizeof(work));
		sorter_insertion(work, COUNT / 16);
		memcpy(work, data, sizeof(work));
		sorter_heap(work, COUNT);
		memcpy(work, data, sizeof(work));
		sorter_radix(work, scratch, COUNT);
		for (int i = 1; i < COUNT; i++)
			if (work[i - 1] > work[i])
				return 1;
	}
	return 0;
}
