/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers of the generators, the same for the same seed, and who they
 * let run what: a few functions take most of the time, each process has its
 * own, and a loop's instruction takes most of a function's.
 */
#ifndef GEN_DRAW_H
#define GEN_DRAW_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define DRAW_TABLE	 65536
#define DRAW_FUNC_SIZE	 64 /* bytes of code */
#define DRAW_KERNEL_PART 40 /* percent of the samples in kernel mode */
#define DRAW_STAY	 8  /* samples that a process runs, in the mean */

/* Of bigsession's sessions. */
#define DRAW_START	 1000000000ull /* host TSC */
#define DRAW_KHZ	 2500000ull
#define DRAW_VM_PID(guest) \
	(100000u + 10000u * (guest)) /* its vCPUs' threads follow */

struct draw {
	uint64_t state;
	uint32_t funcs, procs;
	uint32_t func[DRAW_TABLE], proc[DRAW_TABLE];
};

/* xorshift64* */
static inline uint64_t draw(struct draw *d)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return d->state * 0x2545f4914f6cdd1dull;
}

/* 0..n-1 */
static inline uint32_t draw_below(struct draw *d, uint32_t n)
{
	return (draw(d) >> 32) * n >> 32;
}

/* Zipf's law: number i comes 1 / (i + 1)^exponent as often as the first. */
static inline void draw_zipf(uint32_t table[DRAW_TABLE], uint32_t nr,
			     double exponent)
{
	double sum = 0, part = 0;
	uint32_t i, at = 0;

	for (i = 0; i < nr; i++)
		sum += pow(i + 1, -exponent);
	for (i = 0; i < nr; i++) {
		part += pow(i + 1, -exponent);
		while (at < DRAW_TABLE && at < part / sum * DRAW_TABLE)
			table[at++] = i;
	}
	while (at < DRAW_TABLE)
		table[at++] = nr - 1;
}

static inline void draw_init(struct draw *d, uint64_t seed, uint32_t funcs,
			     uint32_t procs)
{
	d->state = seed * 2 + 1;
	d->funcs = funcs;
	d->procs = procs;
	draw_zipf(d->func, funcs, 1.5);
	draw_zipf(d->proc, procs, 1);
}

/* Number of a process of a machine: a few have most of the time. */
static inline uint32_t draw_proc(struct draw *d)
{
	return d->proc[draw(d) >> 48];
}

/* Offset of a PC in the code of process or kernel number who. */
static inline uint64_t draw_pc(struct draw *d, uint32_t who)
{
	uint64_t r = draw(d);
	uint32_t func = (d->func[r >> 48] + who * 37) % d->funcs;
	uint32_t at = r & 1 ? 20 : (r >> 8) % (DRAW_FUNC_SIZE / 4) * 4;

	return (uint64_t)func * DRAW_FUNC_SIZE + at;
}

/* Name of a function, length bytes or what its number needs. */
static inline void draw_name(char *buf, size_t size, char kind, uint32_t i,
			     size_t length)
{
	size_t n = snprintf(buf, size, "%c_function_%u_", kind, i);

	for (; n < length && n + 1 < size; n++)
		buf[n] = 'a' + n % 26;
	buf[n] = 0;
}

#endif /* GEN_DRAW_H */
