// SPDX-License-Identifier: GPL-2.0-only
/* What is in the rings: well-formed, complete, losses counted, readers woken. */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define RATE "/proc/sys/kernel/perf_event_max_sample_rate"

static int start(struct vmmprof_setup *s)
{
	int fd = dev_open();

	if (ioctl(fd, VMMPROF_IOC_SETUP, s)) {
		close(fd);
		return -1;
	}
	if (ioctl(fd, VMMPROF_IOC_START, 0))
		die("START");
	return fd;
}

/*
 * A CPU that is emulated by QEMU stands still where the machine does other
 * things, but its clock goes on: timers come late then, never early.  What
 * needs many samples waits for them, and not for a time: a minute at most.
 */
static void busy_until_samples(int fd, uint64_t nr)
{
	for (int i = 0; i < 6000 && stat_of(fd, 0).samples < nr; i++)
		busy_ms(10);
}

static void one_second(void)
{
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat st;
	struct tally t = {};
	bool pmu = have_pmu();
	uint64_t outer, inner;
	struct ring r;
	int fd;

	s.ring_size = 1 << 20;
	only_cpu(&s, 0);
	outer = now_ms(CLOCK_MONOTONIC);
	fd = start(&s);
	inner = now_ms(CLOCK_MONOTONIC);
	r = ring_map(fd, 0, s.ring_size);
	busy_ms(1000);
	busy_until_samples(fd, 500);
	inner = now_ms(CLOCK_MONOTONIC) - inner;
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	outer = now_ms(CLOCK_MONOTONIC) - outer + 1;
	st = stat_of(fd, 0);
	ok(!ring_drain(&r, tally, &t), "records follow each other");
	ok(t.samples >= 500 && t.samples <= outer,
	   "one sample a ms: %d in %d ms", (int)t.samples, (int)outer);
	/* The other emulator, which has a PMU, has a clock of its own. */
	ok(!pmu || t.samples >= inner * 98 / 100,
	   "and not fewer, where timers are not late");
	ok(!t.wrong && !t.wrong_cpu && !t.other,
	   "members that are not valid are zero, and none is odd");
	ok(!t.nmi, "cpu-clock comes by timer, not by NMI");
	ok(st.samples == t.samples && !st.lost && st.bytes == r.head->head,
	   "the counts of CPU_STAT are those of the ring");
	ok(st.events[0].enabled_ns == st.events[0].running_ns &&
		   st.events[0].enabled_ns >= (inner - 1) * 1000000,
	   "the counter ran as long as it was enabled (%lld ms)",
	   st.events[0].enabled_ns / 1000000ll);
	ring_unmap(&r);
	close(fd);
}

/* A ring that nobody reads fills up; then somebody reads. */
static void losses(void)
{
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat full, end;
	struct tally t = {}, after = {};
	struct ring r;
	int fd;

	s.ring_size = VMMPROF_RING_MIN;
	s.events[0].period = 100000;
	only_cpu(&s, 0);
	fd = start(&s);
	r = ring_map(fd, 0, s.ring_size);
	for (int i = 0; i < 600 && stat_of(fd, 0).lost <= 10; i++)
		busy_ms(100);
	full = stat_of(fd, 0);
	ok(full.lost > 10, "a full ring loses samples, and counts (%d)",
	   (int)full.lost);
	ok(!ring_drain(&r, tally, &t) && !t.lost && t.samples <= full.samples &&
		   t.samples >=
			   (s.ring_size - 6 * sizeof(struct vmmprof_rec_lost)) /
					   sizeof(struct vmmprof_rec_sample) -
				   2,
	   "it is full, but for LOST records at the end (%d samples)",
	   (int)t.samples);
	busy_ms(50);
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	end = stat_of(fd, 0);
	ok(!ring_drain(&r, tally, &after) && after.lost_records >= 1 &&
		   after.lost >= full.lost,
	   "then LOST tells how many (%d)", (int)after.lost);
	ok(t.samples + after.samples == end.samples,
	   "samples written are samples read");
	ok(end.lost == after.lost, "and none was lost without being told");
	ok(!t.wrong && !after.wrong, "all of it sound");
	ring_unmap(&r);
	close(fd);
}

/* A slow reader: what it has not read is never written over. */
static void slow_reader(void)
{
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat st;
	struct tally t = {};
	uint64_t lost = 0;
	struct ring r;
	int fd, bad = 0;

	s.ring_size = VMMPROF_RING_MIN;
	s.events[0].period = 100000;
	only_cpu(&s, 0);
	fd = start(&s);
	r = ring_map(fd, 0, s.ring_size);
	for (int i = 0; i < 30; i++) {
		/* Not before there is a loss: an emulated timer may be late. */
		for (int k = 0; k < 100 && stat_of(fd, 0).lost == lost; k++)
			busy_ms(5);
		lost = stat_of(fd, 0).lost;
		bad += ring_drain_some(&r, tally, &t, 1000 + 100 * i) != 0;
	}
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	bad += ring_drain(&r, tally, &t) != 0;
	st = stat_of(fd, 0);
	ok(!bad && t.samples == st.samples && st.lost && st.lost >= t.lost &&
		   t.lost_records > 3,
	   "a slow reader gets all that was written (%d, %d lost)",
	   (int)t.samples, (int)st.lost);
	ring_unmap(&r);
	close(fd);
}

static void bad_tails(void)
{
	static const uint64_t bad[] = { 1,	    ~0ull,    1ull << 63,
					1ull << 40, 12345678, 0x8000 };
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat st;
	struct ring r;
	int fd;

	s.ring_size = VMMPROF_RING_MIN;
	s.events[0].period = 50000;
	only_cpu(&s, 0);
	fd = start(&s);
	r = ring_map(fd, 0, s.ring_size);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		r.tail->tail = bad[i];
		busy_ms(40);
	}
	r.tail->tail = r.head->head;
	st = stat_of(fd, 0);
	busy_until_samples(fd, st.samples + 1);
	ok(stat_of(fd, 0).samples > st.samples,
	   "a tail full of nonsense harms only its writer (%d lost)",
	   (int)st.lost);
	ring_unmap(&r);
	close(fd);
}

/* Rounds in which poll() woke, and what was in the ring then. */
struct woken {
	int rounds;
	uint64_t least, most;
	bool early; /* also once it was read */
};

#define ROUNDS 8

/*
 * A child that keeps CPU 0 from being idle.  There perf throttles an event after as
 * many samples as a tick may have, and an idle CPU may have none for long.
 */
static pid_t keep_busy(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	pin_cpu(0);
	if (nice(19) == -1)
		_exit(1);
	for (;;)
		;
}

static struct woken wait_for_quarters(struct vmmprof_setup s)
{
	struct woken w = { .least = ~0ull };
	pid_t busy = keep_busy();
	struct pollfd p = { .events = POLLIN };
	struct tally t = {};
	uint64_t used;
	struct ring r;

	only_cpu(&s, 0);
	p.fd = start(&s);
	r = ring_map(p.fd, 0, s.ring_size);
	for (; w.rounds < ROUNDS; w.rounds++) {
		if (poll(&p, 1, 6000) != 1 || p.revents != POLLIN)
			break;
		used = r.head->head - r.tail->tail;
		w.least = used < w.least ? used : w.least;
		w.most = used > w.most ? used : w.most;
		ring_drain(&r, tally, &t);
	}
	w.early = poll(&p, 1, 0);
	ring_unmap(&r);
	close(p.fd);
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	return w;
}

static void wakeups(void)
{
	struct vmmprof_setup s = good_setup();
	struct woken w;

	s.events[0].period = 200000;
	w = wait_for_quarters(s);
	/* A kernel that looks at its memory may be that late, emulated. */
	if (w.most > s.ring_size / 2 || w.early) {
		s.events[0].period *= 25;
		w = wait_for_quarters(s);
	}
	/* Late by what the reader needs to wake, on a slow machine. */
	ok(w.rounds == ROUNDS && w.least >= s.ring_size / 4 &&
		   w.most <= s.ring_size / 2,
	   "poll() wakes at a quarter: %d times, %d to %d of %d bytes",
	   w.rounds, (int)w.least, (int)w.most, s.ring_size);
	ok(!w.early, "and not before");
}

static void several_events(void)
{
	struct vmmprof_setup s = good_setup();
	bool good = true, enough = false;
	struct tally t = {};
	struct ring r;
	int fd;

	s.nr_events = 3;
	s.ring_size = 1 << 20;
	s.events[1] = (struct vmmprof_event){ .type = 1, .period = 2000000 };
	s.events[2] = (struct vmmprof_event){ .type = 1,
					      .flags = VMMPROF_EVENT_F_FREQ,
					      .period = 250 };
	only_cpu(&s, 0);
	fd = start(&s);
	r = ring_map(fd, 0, s.ring_size);
	/* A timer that is late gives less, so that 1 ms may look like 2. */
	for (int i = 0; i < 300 && good && !enough; i++) {
		busy_ms(200);
		good = !ring_drain(&r, tally, &t);
		enough = t.by_event[0] > 40 && t.by_event[1] > 20 &&
			 t.by_event[2] > 10 && t.by_event[0] > t.by_event[1] &&
			 t.by_event[1] > t.by_event[2];
	}
	ok(good && enough && !t.wrong,
	   "three events at 1 ms, 2 ms, 250 Hz: %d, %d, %d", (int)t.by_event[0],
	   (int)t.by_event[1], (int)t.by_event[2]);
	ring_unmap(&r);
	close(fd);
}

static void throttling(void)
{
	int rate = read_int(RATE);
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat st;
	struct tally t = {};
	struct ring r;
	int fd;

	if (rate < 0 || write_int(RATE, 500)) {
		skip("throttling", "cannot set " RATE);
		return;
	}
	s.ring_size = 1 << 20;
	s.events[0].period = 100000;
	only_cpu(&s, 0);
	fd = start(&s);
	r = ring_map(fd, 0, s.ring_size);
	for (int i = 0; i < 200; i++) {
		busy_ms(300);
		st = stat_of(fd, 0);
		if (st.events[0].throttled > 5)
			break;
	}
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	ok(!ring_drain(&r, tally, &t) && !t.wrong && t.throttles > 5,
	   "throttling by perf is recorded (%d times)", (int)t.throttles);
	ok(st.events[0].throttled && st.events[0].throttled <= t.throttles,
	   "and counted");
	write_int(RATE, rate);
	ring_unmap(&r);
	close(fd);
}

/* An NMI may interrupt the timer's callback anywhere. */
static void nesting(void)
{
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat st;
	struct tally t = {};
	struct ring r;
	int fd, bad = 0;

	s.nr_events = 3;
	s.ring_size = VMMPROF_RING_MIN;
	s.events[0].period = 100000;
	s.events[1] = cycles(7001);
	s.events[2] = cycles(12007);
	only_cpu(&s, 0);
	fd = start(&s);
	if (fd < 0) {
		skip("NMI over timer", strerror(errno));
		return;
	}
	r = ring_map(fd, 0, s.ring_size);
	for (int i = 0; i < 60; i++) {
		busy_ms(10 + i % 7 * 5);
		bad += ring_drain(&r, tally, &t) != 0;
	}
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	bad += ring_drain(&r, tally, &t) != 0;
	st = stat_of(fd, 0);
	ok(!bad && !t.wrong && t.nmi > 100 && t.samples - t.nmi > 100,
	   "NMIs over timers: %d and %d samples, no record torn", (int)t.nmi,
	   (int)(t.samples - t.nmi));
	ok(st.samples == t.samples && st.lost == t.lost,
	   "and all accounted for (%d lost, %d told)", (int)st.lost,
	   (int)t.lost);
	ring_unmap(&r);
	close(fd);
}

static void does_not_fit(void)
{
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat st;
	int fd = dev_open(), ret, errors = 0;

	s.nr_events = VMMPROF_MAX_EVENTS;
	for (int i = 0; i < VMMPROF_MAX_EVENTS; i++)
		s.events[i] = cycles(1000000 + i);
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s)) {
		skip("pinned events that do not fit", strerror(errno));
		close(fd);
		return;
	}
	ret = ioctl(fd, VMMPROF_IOC_START, 0);
	if (!ret) {
		skip("pinned events that do not fit", "all of them do");
		close(fd);
		return;
	}
	ok(errno == ENOSPC, "START: events that do not fit (ENOSPC)");
	st = stat_of(fd, 0);
	for (int i = 0; i < VMMPROF_MAX_EVENTS; i++)
		errors += st.events[i].state == VMMPROF_EV_ERROR;
	ok(errors > 0 && errors < VMMPROF_MAX_EVENTS,
	   "CPU_STAT says which: %d of %d", errors, VMMPROF_MAX_EVENTS);
	close(fd);
}

/* How many samples there are, and how many of another period. */
struct periods {
	uint64_t want, nr, other;
};

static void look_at_period(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_sample *s = (const void *)hdr;
	struct periods *p = arg;

	if (hdr->type != VMMPROF_REC_SAMPLE)
		return;
	p->nr++;
	p->other += s->period != p->want;
}

static int widen(int fd, uint32_t factor)
{
	struct vmmprof_widen w = { .size = sizeof(w), .factor = factor };

	return ioctl(fd, VMMPROF_IOC_WIDEN, &w);
}

/* What callbacks take is measured, and samples become rarer while sampling. */
static void widened(void)
{
	struct periods p = { .want = 1000000 };
	struct vmmprof_setup s = good_setup();
	uint64_t before, spent;
	struct ring r;
	int fd;

	s.events[0] = (struct vmmprof_event){ .type = PERF_TYPE_SOFTWARE,
					      .period = p.want };
	only_cpu(&s, 0);
	fd = start(&s);
	r = ring_map(fd, 0, s.ring_size);
	busy_until_samples(fd, 20);
	ok(!r.head->spent, "without being asked nothing is measured");
	ring_unmap(&r);
	close(fd);
	s.flags = VMMPROF_SETUP_F_SPENT;
	fd = dev_open();
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP");
	ok(fails(widen(fd, 2), EINVAL), "not wider before it samples");
	if (ioctl(fd, VMMPROF_IOC_START, 0))
		die("START");
	r = ring_map(fd, 0, s.ring_size);
	busy_until_samples(fd, 20);
	spent = r.head->spent;
	ok(spent, "what callbacks take is measured (%d ticks of %d samples)",
	   (int)spent, (int)r.head->samples);
	ok(fails(widen(fd, 1), EINVAL) && fails(widen(fd, 0), EINVAL),
	   "not as wide as before");
	ok(!ring_drain(&r, look_at_period, &p) && p.nr >= 20 && !p.other,
	   "samples have the period that was asked for (%d)", (int)p.nr);
	ok(!widen(fd, 4), "the period becomes longer");
	/* until it was called, and perhaps since it returned */
	ok(!ring_drain(&r, look_at_period, &p), "the ring stays sound");
	before = stat_of(fd, 0).samples;
	busy_until_samples(fd, before + 20);
	p = (struct periods){ .want = 4000000 };
	ok(!ring_drain(&r, look_at_period, &p) && p.nr >= 20 && !p.other,
	   "... and later ones the new one (%d, %d others)", (int)p.nr,
	   (int)p.other);
	ok(r.head->spent > spent, "... and are measured, too");
	ok(stat_of(fd, 0).events[0].state == VMMPROF_EV_ACTIVE,
	   "... by a counter that counts");
	ok(!widen(fd, ~0u) && fails(widen(fd, ~0u), EINVAL),
	   "a period that would be too long is none");
	ok(!ioctl(fd, VMMPROF_IOC_STOP, 0) && fails(widen(fd, 2), EINVAL),
	   "not wider once it stopped");
	ring_unmap(&r);
	close(fd);
}

void test_sampling(void)
{
	pin_cpu(0);
	one_second();
	widened();
	losses();
	slow_reader();
	bad_tails();
	wakeups();
	several_events();
	throttling();
	nesting();
	does_not_fit();
}
