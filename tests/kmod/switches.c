// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switch records of three guests on one CPU: two spin, one halts; against what
 * the scheduler itself says of the same threads.  One is killed meanwhile.
 * Once more after readers were killed and a CPU came and went.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include "lab.h"

#define VMS  3
#define HALT 2 /* the last one halts */

enum state { UNKNOWN, RUNS, WAITS, SLEEPS };

struct thread {
	uint32_t tid; /* the first one: also the pid */
	enum state state;
	/* waits that ended from @from to @to: what run delay is */
	uint64_t since, from, to, waited;
	/* of the same time, from the scheduler; ns */
	uint64_t delay, voluntary, slept;
	uint64_t records, odd, halts, wakes, by_irq, unwoken;
};

struct counts {
	struct thread threads[VMS];
	uint64_t switches, foreign, lost;
	uint64_t elsewhere; /* wake-ups of HALT on CPU 1 */
};

static void end_of(struct thread *t, uint64_t tsc)
{
	if (t->state == WAITS && tsc > t->from && tsc < t->to)
		t->waited += tsc - t->since;
	t->since = tsc;
}

static void count_switch(struct thread *t, const struct vmmprof_rec_switch *r)
{
	bool out = r->hdr.type == VMMPROF_REC_OUT;

	t->records++;
	if (t->state != UNKNOWN)
		t->odd += out != (t->state == RUNS);
	/* During START the probes are registered one after another. */
	t->unwoken += !out && t->state == SLEEPS && t->since > t->from;
	end_of(t, r->hdr.tsc);
	if (!out)
		t->state = RUNS;
	else if (r->hdr.flags & VMMPROF_W_RUNNABLE)
		t->state = WAITS;
	else
		t->state = SLEEPS;
	t->slept += t->state == SLEEPS && t->since > t->from &&
		    t->since < t->to;
	t->halts += out && t->state == SLEEPS &&
		    r->hdr.flags & VMMPROF_W_VCPU &&
		    r->mp_state == KVM_MP_STATE_HALTED;
}

static void count(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_switch *r = (const void *)hdr;
	const struct vmmprof_rec_wake *w = (const void *)hdr;
	struct counts *b = arg;
	struct thread *t = NULL;
	int i;

	if (hdr->type == VMMPROF_REC_LOST)
		b->lost++;
	if (hdr->type < VMMPROF_REC_OUT || hdr->type > VMMPROF_REC_SWITCH)
		return;
	for (i = 0; i < VMS; i++)
		if (b->threads[i].tid == r->tid)
			t = &b->threads[i];
	if (hdr->type == VMMPROF_REC_SWITCH) {
		b->switches++;
		/*
		 * A thread is known as a vCPU's by a switch within KVM_RUN;
		 * when sampling begins one may be outside, for once.
		 */
		b->foreign += t &&
			      (t->state != UNKNOWN || r->hdr.tsc > t->from);
		return;
	}
	if (!t) {
		b->foreign++;
		return;
	}
	if (hdr->type == VMMPROF_REC_WAKE) {
		t->odd += t->state != SLEEPS && t->state != UNKNOWN;
		t->odd += w->cpu != 0;
		t->wakes++;
		t->by_irq += !!(hdr->flags & VMMPROF_W_IRQ);
		end_of(t, hdr->tsc);
		t->state = WAITS;
	} else if (hdr->type != VMMPROF_REC_MIGRATE) {
		count_switch(t, r);
	}
}

/* CPU 1 has none of the guests, but may wake one. */
static void count_elsewhere(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_wake *w = (const void *)hdr;
	struct counts *b = arg;

	if (hdr->type == VMMPROF_REC_WAKE)
		b->elsewhere += w->tid == b->threads[HALT].tid;
	else if (hdr->type >= VMMPROF_REC_OUT &&
		 hdr->type <= VMMPROF_REC_SWITCH)
		b->foreign++;
}

/* Nanoseconds that the thread was runnable without a CPU, as of now. */
static uint64_t run_delay(pid_t pid)
{
	unsigned long long ran, delay = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu %llu", &ran, &delay) != 2)
		die(path);
	fclose(f);
	return delay;
}

/* Times it went to sleep, as of now. */
static uint64_t sleeps(pid_t pid)
{
	unsigned long long n = 0;
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* Until it went to sleep for the @nth time; looked up @ms apart, 30 times at most. */
static void let_sleep(pid_t pid, uint64_t nth, unsigned int ms)
{
	int n = 0;

	do
		sleep_ms(ms);
	while (sleeps(pid) < nth && ++n < 30);
}

/* r: of CPU 0, and of CPU 1 if there is one. */
static int start(struct ring *r)
{
	struct vmmprof_setup s = good_setup();
	int fd = dev_open(), i;

	s.flags = VMMPROF_SETUP_F_SWITCHES;
	s.ring_size = 4 << 20;
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP with switches");
	for (i = 0; i < 2 && i < online_cpus(); i++)
		r[i] = ring_map(fd, i, s.ring_size);
	if (ioctl(fd, VMMPROF_IOC_START, 0))
		die("START with switches");
	return fd;
}

static bool stop(int fd, struct ring *r, struct counts *b)
{
	bool good;

	ioctl(fd, VMMPROF_IOC_STOP, 0);
	good = !ring_drain(&r[0], count, b);
	ring_unmap(&r[0]);
	if (online_cpus() > 1) {
		good &= !ring_drain(&r[1], count_elsewhere, b);
		ring_unmap(&r[1]);
	}
	close(fd);
	return good;
}

static double khz(int fd)
{
	struct vmmprof_info info = { .size = sizeof(info) };

	ioctl(fd, VMMPROF_IOC_INFO, &info);
	return info.tsc_khz;
}

static double difference(const struct thread *t, double per_ms)
{
	double ms = t->waited / per_ms - t->delay / 1e6;

	return ms < 0 ? -ms : ms;
}

/* 1 % and 30 us a switch; an emulator's clocks drift further apart. */
static double may_differ(const struct thread *t, double per_ms)
{
	return 2 * ((t->to - t->from) / per_ms * .01 + t->records * .03);
}

static bool agree(const struct counts *b, double per_ms)
{
	const struct thread *t;

	for (t = b->threads; t < b->threads + VMS; t++)
		if (difference(t, per_ms) >= may_differ(t, per_ms))
			return false;
	return true;
}

static void compare(const struct thread *t, int i, double per_ms)
{
	double ms = (t->to - t->from) / per_ms, ours = t->waited / per_ms;

	ok((i == HALT || ours > ms / 10) &&
		   difference(t, per_ms) < may_differ(t, per_ms),
	   "switches: guest %d waited %.1f ms of %.0f, run delay %.1f, %d switches",
	   i, ours, ms, t->delay / 1e6, (int)t->records);
}

static void start_guests(struct counts *b)
{
	static const uint8_t spin[] = { 0xeb, 0xfe };
	/* mov $100000, %ecx; loop .; sti; hlt; jmp: it has used some time */
	static const uint8_t halt[] = { 0x66, 0xb9, 0xa0, 0x86, 1,    0,   0x67,
					0xe2, 0xfd, 0xfb, 0xf4, 0xeb, 0xf3 };
	pid_t tid;
	int i;

	for (i = 0; i < VMS; i++)
		b->threads[i].tid = i == HALT ? vm_start(halt, sizeof(halt)) :
						vm_start(spin, sizeof(spin));
	/*
	 * It wants more than is its due: a sleeper that had too much stays on
	 * the run queue of kernels since 6.12 for a while.
	 */
	tid = b->threads[HALT].tid;
	setpriority(PRIO_PROCESS, tid, 10);
	/* It sleeps nowhere but in KVM_RUN, which it may be late to come to. */
	let_sleep(tid, sleeps(tid) + 3, 300);
}

/*
 * What the scheduler says of a thread and the TSC of it: between two readings
 * that are the same.
 */
static uint64_t reading(const struct thread *t, uint64_t *delay,
			uint64_t *voluntary)
{
	uint64_t tsc, again;
	int i = 0;

	do {
		*delay = run_delay(t->tid);
		*voluntary = sleeps(t->tid);
		tsc = __rdtsc();
		again = run_delay(t->tid) - *delay + sleeps(t->tid) -
			*voluntary;
	} while (again && ++i < 1000);
	return tsc;
}

/* Times it left a CPU, of its own will or not. */
static uint64_t slices(pid_t pid)
{
	unsigned long long ran, delay, n = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu %llu %llu", &ran, &delay, &n) != 3)
		die(path);
	fclose(f);
	return n;
}

/* Until each has come and gone, and its state is known: at most ten seconds. */
static void let_come(const struct counts *b)
{
	uint64_t before[VMS];
	int i, n;

	for (i = 0; i < VMS; i++)
		before[i] = slices(b->threads[i].tid);
	for (n = 0; n < 100; n++) {
		sleep_ms(100);
		for (i = 0; i < VMS; i++)
			if (slices(b->threads[i].tid) < before[i] + 3)
				break;
		if (i == VMS)
			break;
	}
}

/*
 * Two readings, a second between them, some time after START; half a minute
 * where a busy machine lets the one that halts sleep less than 20 times.
 */
static void measure(struct counts *b)
{
	uint64_t delay, voluntary;
	struct thread *t;

	sleep_ms(100);
	let_come(b);
	for (t = b->threads; t < b->threads + VMS; t++)
		t->from = reading(t, &t->delay, &t->voluntary);
	t = &b->threads[HALT];
	let_sleep(t->tid, t->voluntary + 20, 1000);
	for (t = b->threads; t < b->threads + VMS; t++) {
		t->to = reading(t, &delay, &voluntary);
		t->delay = delay - t->delay;
		t->voluntary = voluntary - t->voluntary;
	}
}

/*
 * A killed thread can be waited for before it has left its CPU a last time: at
 * most ten seconds.  The kill woke it, so a sleep that ends the records now is
 * its last.
 */
static void see_last(struct ring *r, struct counts *b, const struct thread *t)
{
	int n;

	for (n = 0; n < 100; n++) {
		ring_drain(r, count, b);
		if (t->state == SLEEPS)
			break;
		sleep_ms(100);
	}
}

static void stop_guest(const struct thread *t)
{
	kill(t->tid, SIGKILL);
	waitpid(t->tid, NULL, 0);
}

/* True: records follow each other. */
static bool run(struct counts *b, double *per_ms)
{
	struct ring r[2];
	bool good;
	int fd, i;

	start_guests(b);
	fd = start(r);
	*per_ms = khz(fd);
	measure(b);
	stop_guest(&b->threads[HALT]);
	see_last(&r[0], b, &b->threads[HALT]);
	good = stop(fd, r, b);
	for (i = 0; i < HALT; i++)
		stop_guest(&b->threads[i]);
	return good;
}

/*
 * The scheduler takes its time at the beginning of a switch, our record follows.
 * Where an emulator has no CPU in between, one of them has waited for it, and
 * the other has not: as this is rare, it does not come five times.
 */
static void account(void)
{
	const struct thread *t;
	struct counts b;
	double per_ms;
	int i, n = 0;
	bool good;

	do {
		b = (struct counts){};
		good = run(&b, &per_ms);
	} while (good && !agree(&b, per_ms) && ++n < 5);
	ok(good, "switches: records follow each other (%d stalls)", n);
	ok(!b.lost && !b.foreign,
	   "switches: none is lost, none a stranger's (%d, %d)", (int)b.lost,
	   (int)b.foreign);
	for (i = 0; i < VMS; i++)
		ok(!b.threads[i].odd && b.threads[i].records,
		   "switches: guest %d leaves and comes by turns (%d, %d not)",
		   i, (int)b.threads[i].records, (int)b.threads[i].odd);
	for (i = 0; i < VMS; i++)
		compare(&b.threads[i], i, per_ms);
	t = &b.threads[HALT];
	ok(t->wakes > 15 && t->by_irq > t->wakes / 2 &&
		   t->unwoken <= b.elsewhere,
	   "switches: each sleep ends by a wake-up (%d, %d by interrupt; %d not, %d on CPU 1)",
	   (int)t->wakes, (int)t->by_irq, (int)t->unwoken, (int)b.elsewhere);
	ok(t->slept < t->voluntary + 3 && t->voluntary < t->slept + 3,
	   "switches: it slept %d times, %d as the scheduler counts",
	   (int)t->slept, (int)t->voluntary);
	ok(t->halts > 15, "switches: it slept as a halted vCPU (%d times)",
	   (int)t->halts);
	ok(t->state == SLEEPS, "switches: a killed guest leaves a last time");
}

/* Guests on all CPUs while readers are killed and a CPU comes and goes. */
static void killed_readers(void)
{
	struct counts b = {};
	int i;

	pin_none();
	start_guests(&b);
	kill_sessions();
	for (i = 0; i < VMS; i++)
		stop_guest(&b.threads[i]);
	pin_cpu(0);
}

/* Without guests nothing is recorded, whatever else switches. */
static void silent(void)
{
	struct counts b = {};
	struct ring r[2];
	int fd = start(r);

	sleep_ms(300);
	ok(stop(fd, r, &b) && !b.switches && !b.foreign,
	   "switches: without guests there are none");
}

void test_switches(void)
{
	pin_cpu(0);
	silent();
	account();
	killed_readers();
	account();
}
