// SPDX-License-Identifier: GPL-2.0-only
/*
 * jit [-d] [-t] [-l FILE] EPOCHS SECONDS: makes code and runs it.  In each
 * epoch of SECONDS three functions of one loop each lie at the same three
 * addresses; those of even epochs are called alpha, beta, gamma and run 60, 30
 * and 10 % of the time, those of odd ones delta, epsilon, zeta with 20, 30 and
 * 50 %.  Says so in /tmp/perf-PID.map, which stays; -d: in ./jit-PID.dump as
 * well, which also tells when.  -t: prints "TSC PID ADDRESS NAME" of what runs,
 * 100 a second.  -l: writes "TSC TSC ADDRESS NAME" of each stretch of one
 * function to FILE, whole only when it ends.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum { SLOTS = 3, SLOT_SIZE = 64, LOOPS = 100000 };

static const struct {
	const char *name;
	int share; /* of 10 */
} functions[2][SLOTS] = {
	{ { "alpha", 6 }, { "beta", 3 }, { "gamma", 1 } },
	{ { "delta", 2 }, { "epsilon", 3 }, { "zeta", 5 } },
};

/* mov %edi,%ecx; 1: dec %ecx; jnz 1b; ret */
static const uint8_t code[] = { 0x89, 0xf9, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };

static int dump = -1;
static FILE *stretches;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void put(const void *p, size_t size)
{
	if (write(dump, p, size) != (ssize_t)size) {
		perror("jit: dump");
		exit(3);
	}
}

/* The mapping tells a profiler where the file is. */
static void open_dump(void)
{
	const uint32_t head[] = { 0x4a695444, 1, 40, 62, 0, getpid() };
	const uint64_t rest[] = { now(), 0 };
	char path[40];

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	dump = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (dump < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			     dump, 0) == MAP_FAILED) {
		perror("jit: jitdump");
		exit(3);
	}
	put(head, sizeof(head));
	put(rest, sizeof(rest));
}

static void tell(FILE *map, const uint8_t *at, const char *name)
{
	static uint64_t index;
	const uint32_t head[] = { 0, 56 + strlen(name) + 1 + sizeof(code) };
	const uint64_t stamp = now();
	const uint32_t ids[] = { getpid(), getpid() };
	const uint64_t rest[] = { (uintptr_t)at, (uintptr_t)at, sizeof(code),
				  index++ };

	fprintf(map, "%lx %zx %s\n", (unsigned long)at, sizeof(code), name);
	fflush(map);
	if (dump < 0)
		return;
	put(head, sizeof(head));
	put(&stamp, sizeof(stamp));
	put(ids, sizeof(ids));
	put(rest, sizeof(rest));
	put(name, strlen(name) + 1);
	put(code, sizeof(code));
}

/* One epoch: slices of 10 parts of some milliseconds. */
static void epoch(FILE *map, uint8_t *region, int odd, double seconds,
		  int truth)
{
	uint64_t said = now(), end = said + seconds * 1e9;
	int i, n;

	for (i = 0; i < SLOTS; i++) {
		memset(region + i * SLOT_SIZE, 0xcc, SLOT_SIZE);
		memcpy(region + i * SLOT_SIZE, code, sizeof(code));
		tell(map, region + i * SLOT_SIZE, functions[odd][i].name);
	}
	while (now() < end) {
		for (i = 0; i < SLOTS; i++) {
			uint8_t *at = region + i * SLOT_SIZE;
			uint64_t from = __rdtsc();

			if (truth && now() - said > 10000000) {
				said = now();
				printf("%llu %d %#lx %s\n", __rdtsc(), getpid(),
				       (unsigned long)at + 2,
				       functions[odd][i].name);
			}
			for (n = 0; n < functions[odd][i].share; n++)
				((void (*)(int))(uintptr_t)at)(LOOPS);
			if (stretches)
				fprintf(stretches, "%llu %llu %#lx %s\n",
					(unsigned long long)from, __rdtsc(),
					(unsigned long)at,
					functions[odd][i].name);
		}
	}
}

int main(int argc, char **argv)
{
	int truth = 0, c, i, epochs;
	const char *log = NULL;
	uint8_t *region;
	char path[40];
	FILE *map;

	while ((c = getopt(argc, argv, "dtl:")) != -1) {
		if (c == 'd')
			open_dump();
		else if (c == 'l')
			log = optarg;
		else
			truth = 1;
	}
	if (argc - optind != 2)
		return 2;
	epochs = atoi(argv[optind]);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	map = fopen(path, "w");
	if (log)
		stretches = fopen(log, "w");
	region = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!map || region == MAP_FAILED || (log && !stretches)) {
		perror("jit");
		return 3;
	}
	for (i = 0; i < epochs; i++)
		epoch(map, region, i & 1, atof(argv[optind + 1]), truth);
	return 0;
}
