// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many CPUs, of which some are possible and not there and others there and off:
 * one reader has all their samples, and what it has not is counted as lost.
 * What it takes is printed: times are the emulator's, to be compared with
 * those of other numbers of CPUs.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lab.h"

#define LEAST	  8	       /* CPUs that are many */
#define RING	  (512u << 10) /* record's own */
#define SMALL	  VMMPROF_RING_MIN
#define PERIOD_NS 50000000 /* all CPUs are one thread of the emulator's */
#define POLLS	  100

struct machine {
	unsigned int possible, sampled, off;
	int first_off; /* a CPU that is there and off */
	struct ring *ring;
	struct tally *tally;
};

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ull + ts.tv_nsec / 1000;
}

/* KiB of memory that nobody has. */
static long free_kib(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = -1;

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "MemFree: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

static unsigned int possible_cpus(int fd)
{
	struct vmmprof_info info = { .size = sizeof(info) };

	if (ioctl(fd, VMMPROF_IOC_INFO, &info))
		die("INFO");
	return info.nr_cpu_ids;
}

static int setup(const struct machine *m, uint32_t size, uint64_t period)
{
	static uint8_t mask[1024];
	struct vmmprof_setup s = good_setup();
	int fd = dev_open();

	memset(mask, 0, sizeof(mask));
	for (unsigned int i = 0; i < m->possible; i++)
		mask[i / 8] |= 1 << i % 8;
	s.cpumask = (uintptr_t)mask;
	s.cpumask_size = (m->possible + 7) / 8;
	s.ring_size = size;
	s.events[0].period = period;
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP of all possible CPUs");
	for (unsigned int i = 0; i < m->possible; i++) {
		m->ring[i] = ring_map(fd, i, size);
		m->tally[i] = (struct tally){ .cpu = i };
	}
	return fd;
}

static void end(const struct machine *m, int fd)
{
	for (unsigned int i = 0; i < m->possible; i++)
		ring_unmap(&m->ring[i]);
	close(fd);
}

static int drain(const struct machine *m)
{
	int ret = 0;

	for (unsigned int i = 0; i < m->possible; i++)
		ret |= ring_drain(&m->ring[i], tally, &m->tally[i]);
	return ret;
}

/* What SETUP, START and STOP take, and memory: of rings as record has them. */
static void look_at_costs(const struct machine *m)
{
	struct pollfd p = { .events = POLLIN };
	long before = free_kib(), with;
	uint64_t t[6];

	t[0] = now_us();
	p.fd = setup(m, RING, PERIOD_NS);
	t[1] = now_us();
	with = free_kib();
	for (int i = 0; i < POLLS; i++)
		if (poll(&p, 1, 0))
			die("poll of empty rings");
	t[2] = now_us();
	if (ioctl(p.fd, VMMPROF_IOC_START, 0))
		die("START");
	t[3] = now_us();
	if (ioctl(p.fd, VMMPROF_IOC_STOP, 0))
		die("STOP");
	t[4] = now_us();
	end(m, p.fd);
	t[5] = now_us();
	printf("# %u CPUs: SETUP and mmap %d us, START %d us, STOP %d us, close %d us\n",
	       m->possible, (int)(t[1] - t[0]), (int)(t[3] - t[2]),
	       (int)(t[4] - t[3]), (int)(t[5] - t[4]));
	printf("# poll() of their empty rings %d us; %ld KiB a CPU\n",
	       (int)((t[2] - t[1]) / POLLS), (before - with) / m->possible);
	/* What is freed goes to lists of each CPU first. */
	ok(before - with < (long)m->possible * (RING / 1024 + 64),
	   "scale: a ring of 512 KiB is no more memory than that and 64 KiB (%ld a CPU)",
	   (before - with) / m->possible);
}

/* Reads what comes for so long, as record does: all rings at a wake-up. */
static void read_for(const struct machine *m, int fd, unsigned int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t end_ms = now_ms(CLOCK_MONOTONIC) + ms;

	while (now_ms(CLOCK_MONOTONIC) < end_ms) {
		if (poll(&p, 1, 200) < 0 || p.revents & ~POLLIN)
			die("poll while sampling");
		if (drain(m))
			die("a ring is malformed");
	}
}

/*
 * After STOP and the last look: each CPU's samples are read or lost, and the
 * lost are told, but for those after which nothing more was written.
 */
static void books(const struct machine *m, int fd, const char *when,
		  bool losing)
{
	uint64_t samples = 0, lost = 0, untold = 0;
	unsigned int i, odd = 0, none = 0, full = 0;

	for (i = 0; i < m->possible; i++) {
		struct vmmprof_cpu_stat st = stat_of(fd, i);
		const struct tally *t = &m->tally[i];

		odd += t->samples != st.samples || t->lost > st.lost ||
		       t->wrong_cpu || t->wrong || t->other;
		samples += st.samples;
		lost += st.lost;
		untold += st.lost - t->lost;
		none += !(st.samples + st.lost);
		full += st.lost > 0;
	}
	ok(!odd && samples,
	   "scale: %s, each CPU's samples are those that were read (%d, %d lost, %d of these after the last record)",
	   when, (int)samples, (int)lost, (int)untold);
	ok(none == m->possible - m->sampled,
	   "scale: %s, all CPUs that were there have some (%d of %d have none)",
	   when, none, m->possible);
	if (losing)
		ok(full == m->sampled,
		   "scale: %s, %d CPUs lost samples and said so", when, full);
	else
		ok(!lost, "scale: %s, none is lost (%d)", when, (int)lost);
}

static void one_reader(struct machine *m)
{
	int fd = setup(m, RING, PERIOD_NS);

	if (ioctl(fd, VMMPROF_IOC_START, 0))
		die("START");
	read_for(m, fd, 1000);
	/* One more comes, one goes; it has been sampled. */
	if (m->first_off >= 0) {
		ok(!cpu_online(m->first_off, true) && !cpu_online(1, false),
		   "scale: CPU %d comes, CPU 1 goes", m->first_off);
		m->sampled++;
		read_for(m, fd, 1000);
	}
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	if (drain(m))
		die("a ring is malformed");
	books(m, fd, "one reader", false);
	end(m, fd);
	if (m->first_off >= 0) {
		ok(!cpu_online(1, true) && !cpu_online(m->first_off, false),
		   "scale: and back");
		m->sampled--;
	}
}

/* Nobody reads until all are full; then some more are written and told. */
static void nobody_reads(struct machine *m)
{
	unsigned int i, full = 0;
	int fd = setup(m, SMALL, PERIOD_NS / 10), times;

	if (ioctl(fd, VMMPROF_IOC_START, 0))
		die("START");
	for (times = 0; times < 600 && full < m->sampled; times++) {
		sleep_ms(100);
		for (i = full = 0; i < m->possible; i++)
			full += m->ring[i].head->lost > 0;
	}
	read_for(m, fd, 500);
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	if (drain(m))
		die("a ring is malformed");
	books(m, fd, "nobody read", true);
	end(m, fd);
}

void test_scale(void)
{
	struct machine m = { .first_off = -1 };
	char path[64];
	int fd = dev_open();

	m.possible = possible_cpus(fd);
	close(fd);
	m.sampled = online_cpus();
	if (m.sampled < LEAST) {
		skip("many CPUs", "there are not so many");
		return;
	}
	for (unsigned int i = 1; i < m.possible; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/online", i);
		if (read_int(path) != 0)
			continue;
		m.off++;
		if (m.first_off < 0)
			m.first_off = i;
	}
	printf("# %u CPUs possible, %u on, %u there and off\n", m.possible,
	       m.sampled, m.off);
	m.ring = calloc(m.possible, sizeof(*m.ring));
	m.tally = calloc(m.possible, sizeof(*m.tally));
	if (!m.ring || !m.tally)
		die("memory");
	look_at_costs(&m);
	one_reader(&m);
	nobody_reads(&m);
	free(m.ring);
	free(m.tally);
}
