// SPDX-License-Identifier: GPL-2.0-only
/*
 * window NAME SETTLE SECONDS [hist]: sleep SETTLE seconds, then one counting
 * window of the emulator's cost counter (pmu/cost.cc says what the ports are).
 * window -e ADDRESS: tell it where KVM calls the NMI handler.
 * window -t OFFSETS, window -t '': begin and end of pmu/truth.cc's truth.txt.
 * Prints the NMIs of the machine during the window, and its TSCs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <x86intrin.h>

enum { CONTROL = 0x7e8, NAME = 0x7e9 };
enum {
	START = 1,
	STOP = 2,
	NMI_ENTRY = 3,
	START_HIST = 4,
	TRUTH = 5,
	NO_TRUTH = 6
};

static int port;

static void out(int where, unsigned char c)
{
	if (pwrite(port, &c, 1, where) != 1) {
		perror("window: /dev/port");
		exit(3);
	}
}

static void name(const char *p)
{
	out(NAME, '\n');
	for (; *p; p++)
		out(NAME, *p);
}

/* Sum over all CPUs of /proc/interrupts' NMI line. */
static long nmis(void)
{
	char line[1024], *p;
	long sum = 0;
	FILE *f = fopen("/proc/interrupts", "r");

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		p = strstr(line, "NMI:");
		if (!p)
			continue;
		for (p += 4; *p; sum += strtol(p, &p, 10))
			while (*p == ' ' || (*p && (*p < '0' || *p > '9')))
				p++;
	}
	fclose(f);
	return sum;
}

int main(int argc, char **argv)
{
	struct timespec t = { 0 };
	unsigned long long begin, end;
	long before;

	port = open("/dev/port", O_WRONLY);
	if (port < 0) {
		perror("window: /dev/port");
		return 2;
	}
	if (argc == 3 && !strcmp(argv[1], "-e")) {
		name(argv[2]);
		out(CONTROL, NMI_ENTRY);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "-t")) {
		name(argv[2]);
		out(CONTROL, *argv[2] ? TRUTH : NO_TRUTH);
		return 0;
	}
	if (argc < 4)
		return 2;
	mlockall(MCL_CURRENT | MCL_FUTURE);
	t.tv_sec = atoi(argv[2]);
	nanosleep(&t, NULL);
	name(argv[1]);
	before = nmis();
	t.tv_sec = atoi(argv[3]);
	out(CONTROL, argc > 4 ? START_HIST : START);
	begin = __rdtsc();
	nanosleep(&t, NULL);
	end = __rdtsc();
	out(CONTROL, STOP);
	printf("window %s: %ld NMIs, TSC %llu to %llu\n", argv[1],
	       nmis() - before, begin, end);
	return 0;
}
