// SPDX-License-Identifier: GPL-2.0-only
/* The checks: what is wrong with figures, in one line each. */

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "selftest/checks.h"

#define SIGMAS	    4
#define ENOUGH	    200	 /* samples for a share */
#define SHARE_BIAS  0.01 /* calls, returns and skid beside the loops */
#define RATE_BIAS   0.05 /* of the event's clock against the scheduler's */
#define GUEST_BIAS  0.02 /* cold caches behind an exit */
#define MOST_COST   0.05 /* of a CPU, at the usual rate of 1,000 a second */
#define USUAL_RATE  1000
#define TWICE	    50 /* of so many interrupts one may bring two samples */
#define LEAST_STEAL 0.1
#define LEAST_HALTS 10
#define HALT_EXITS  0.25 /* of a halt: exits before and behind the sleep */
#define SLOW_EXITS  0.5	 /* ... where they are emulated */
#define HALT_BIAS   0.01 /* of a halt: an interrupt between HLT and RDTSC */

#define N(n)	    ((uint64_t)(n)) /* for PRIu64 */

static __attribute__((format(printf, 4, 5))) void
checks_add(struct checks *c, enum check_verdict verdict, const char *name,
	   const char *text, ...)
{
	struct check *check;
	va_list ap;

	if (c->nr == CHECKS_MAX)
		return;
	check = &c->list[c->nr++];
	check->verdict = verdict;
	check->name = name;
	va_start(ap, text);
	vsnprintf(check->text, sizeof(check->text), text, ap);
	va_end(ap);
}

unsigned int checks_count(const struct checks *c, enum check_verdict verdict)
{
	unsigned int i, n = 0;

	for (i = 0; i < c->nr; i++)
		n += c->list[i].verdict == verdict;
	return n;
}

static enum check_verdict verdict(bool good)
{
	return good ? CHECK_OK : CHECK_BAD;
}

static double part(__u64 n, __u64 of)
{
	return of ? (double)n / of : 0;
}

/* How far a share @p of @n samples may be off by chance. */
static double chance(double p, __u64 n)
{
	return n ? SIGMAS * sqrt(p * (1 - p) / n) : 1;
}

static __u64 in_loops(const struct figures *f)
{
	return f->in_loop[GUEST_LOOP_A] + f->in_loop[GUEST_LOOP_B] +
	       f->in_loop[GUEST_LOOP_U];
}

/* What to do if a check fails for want of samples. */
static const char *few(__u64 n)
{
	return n < ENOUGH ? ": too few samples, --seconds for more" : "";
}

static void check_losses(struct checks *c, const struct figures *f)
{
	checks_add(c,
		   verdict(!f->lost && !f->lost_other && f->samples == f->all),
		   "losses",
		   "%" PRIu64 " samples and %" PRIu64
		   " other records were lost; the module wrote %" PRIu64
		   " samples, %" PRIu64 " were read",
		   N(f->lost), N(f->lost_other), N(f->samples), N(f->all));
}

/* Does each overflow make one sample? */
static void check_rate(struct checks *c, const struct figures *f)
{
	double want = part(f->count, f->period);
	double got = f->samples + f->lost;
	double slack = 2 + want / 100;
	const char *kind = f->hardware ? "NMIs" : "timer interrupts";

	if (f->throttled) {
		checks_add(
			c, CHECK_SKIPPED, "rate",
			"the kernel throttled the event %" PRIu64
			" times (kernel.perf_event_max_sample_rate): %.0f of %.0f came",
			N(f->throttled), got, want);
		return;
	}
	/* A timer that is late takes one for several; in a VM it often is. */
	if (f->hardware || got > want)
		checks_add(c, verdict(fabs(got - want) <= slack), "rate",
			   "%.0f %s for %.0f periods of %" PRIu64
			   ", within %.0f",
			   got, kind, want, N(f->period), slack);
	else
		checks_add(c,
			   verdict(f->emulated ? got > 0 : got >= 0.9 * want),
			   "rate",
			   "%.0f %s for %.0f periods of %" PRIu64
			   " ns; a late one stands for several",
			   got, kind, want, N(f->period));
}

static void check_interrupts(struct checks *c, const struct figures *f)
{
	checks_add(c, verdict(f->all && !f->wrong_interrupt), "interrupts",
		   "%" PRIu64 " of %" PRIu64 " samples were not taken by %s",
		   N(f->wrong_interrupt), N(f->all),
		   f->hardware ? "NMI" : "timer");
}

/* The event's clock against the scheduler's. */
static void check_frequency(struct checks *c, const struct figures *f)
{
	double ns = (double)f->own * f->period * 1e6 / (f->khz ? f->khz : 1);
	double ratio = f->run.theirs ? ns / f->run.theirs : 0;
	double slack = RATE_BIAS + (f->own ? SIGMAS / sqrt(f->own) : 1);

	if (!f->hardware)
		checks_add(c, CHECK_SKIPPED, "frequency",
			   "of a timer that may be late");
	else if (!f->run.known)
		checks_add(c, CHECK_SKIPPED, "frequency",
			   "the kernel has no schedstat to compare with");
	else if (!f->ref)
		checks_add(
			c, verdict(ratio > 0.1 && ratio < 4), "frequency",
			"cycles ran at %.2f of the TSC's frequency while the vCPU did",
			ratio);
	else
		checks_add(
			c, verdict(fabs(ratio - 1) <= slack), "frequency",
			"samples of the vCPU say %.3f of the time that it ran, within %.3f of 1",
			ratio, slack);
}

static __u64 contradictions(const struct figures *f, unsigned int *first)
{
	__u64 n = 0;
	unsigned int i;

	*first = 0;
	for (i = CONTRA_NONE + 1; i < NR_CONTRAS; i++) {
		if (f->contradictions[i] && !*first)
			*first = i;
		n += f->contradictions[i];
	}
	return n;
}

/* Samples of the host while it handled the VM's own exits. */
static __u64 handled(const struct figures *f)
{
	return f->handling[KNOWN_CPUID] + f->handling[KNOWN_IO] +
	       f->handling[KNOWN_HLT];
}

/*
 * A timer that is due again before its interrupt ends is called by the same one
 * (hrtimer_interrupt(), kernel/time/hrtimer.c).  Where CPUs are emulated that
 * happens now and then, and more often where these wait for others: the one that
 * stopped in its interrupt came back too late for some of its periods, of which it
 * has one sample in all.
 */
static __u64 called_twice(const struct figures *f)
{
	__u64 periods = f->period ? f->count / f->period : 0;
	__u64 late = periods > f->samples ? periods - f->samples : 0;

	return f->exits[KNOWN_IRQ] / TWICE + late;
}

/*
 * Which samples are the guest's.  One that comes due on the way into the guest is
 * the guest's at its next instruction: that are never more than those of the
 * whole exit.  A timer waits for the way in: no bound of it.  But one that is
 * due when the guest exits for another reason is taken right after, and is the
 * guest's, too (KVM turns interrupts on there): it is where the guest exits.
 */
static void check_guest(struct checks *c, const struct figures *f)
{
	__u64 interrupts = f->exits[f->hardware ? KNOWN_NMI : KNOWN_IRQ];
	double most = 10 + handled(f) + SIGMAS * sqrt(handled(f));
	unsigned int first;
	__u64 contra = contradictions(f, &first);
	bool many = f->hardware && f->in_exits > most;
	/* NMIs of others, as the watchdog's, are few. */
	bool less = f->hardware && f->exits_counted &&
		    f->guest + 10 < interrupts * 9 / 10;
	__u64 twice = !f->hardware && f->emulated ? called_twice(f) : 0;
	bool more = f->exits_counted &&
		    f->guest - (f->hardware ? 0 : f->in_exits) >
			    interrupts + twice;

	checks_add(c,
		   verdict(f->guest >= ENOUGH && !f->strangers && !contra &&
			   !many && !less && !more),
		   "guest",
		   "%" PRIu64 " samples in the guest (%" PRIu64
		   " exits for interrupts), %" PRIu64
		   " where it exits (%.0f are possible), %" PRIu64
		   " of other threads, %" PRIu64 " contradictions%s%s%s%s",
		   N(f->guest), N(interrupts), N(f->in_exits),
		   f->hardware ? most : (double)f->guest, N(f->strangers),
		   N(contra), contra ? " (" : "",
		   contra ? contradiction_text(first) : "", contra ? ")" : "",
		   few(f->guest));
}

/* The same share by the times of exits, which need no samples. */
static void check_time_in_guest(struct checks *c, const struct figures *f)
{
	double run = f->run.theirs * (f->khz / 1e6);
	double want, got = part(f->guest, f->own), slack;

	if (!f->hardware || !f->exits_counted || !f->run.known || run <= 0) {
		checks_add(
			c, CHECK_SKIPPED, "time in guest",
			!f->hardware ?
				"a timer that comes due in the host waits for the guest" :
			!f->exits_counted ? "VM exits are not counted here" :
					    "no schedstat to compare with");
		return;
	}
	want = f->guest_ticks > f->exit_ticks ?
		       (f->guest_ticks - f->exit_ticks) / run :
		       0;
	/* What comes due in KVM's way in and out may be of either. */
	slack = chance(want < 1 ? want : 1, f->own) + GUEST_BIAS +
		f->exit_ticks / run / 2;
	checks_add(
		c, verdict(f->own >= ENOUGH && fabs(got - want) <= slack),
		"time in guest",
		"%.1f %% of the vCPU's samples, %.1f %% of its time, within %.1f%s",
		100 * got, 100 * want, 100 * slack, few(f->own));
}

static void check_rip(struct checks *c, const struct figures *f)
{
	__u64 n = in_loops(f);

	checks_add(c,
		   verdict(n >= ENOUGH && !f->outside &&
			   f->in_rest <= 10 + f->guest / 50),
		   "RIP",
		   "%" PRIu64 " in the loops, %" PRIu64
		   " where it exits, %" PRIu64
		   " elsewhere in its code, %" PRIu64 " where it has none%s",
		   N(n), N(f->in_exits), N(f->in_rest), N(f->outside), few(n));
}

static void check_shares(struct checks *c, const struct figures *f)
{
	double got[GUEST_LOOPS], want[GUEST_LOOPS], slack[GUEST_LOOPS];
	__u64 n = in_loops(f), all = 0;
	bool good = n >= ENOUGH;
	unsigned int i;

	for (i = 0; i < GUEST_LOOPS; i++)
		all += f->params.length[i];
	for (i = 0; i < GUEST_LOOPS; i++) {
		want[i] = part(f->params.length[i], all);
		got[i] = part(f->in_loop[i], n);
		slack[i] = chance(want[i], n) + SHARE_BIAS;
		good &= fabs(got[i] - want[i]) <= slack[i];
	}
	checks_add(c, verdict(good), "shares",
		   "loops A, B, user: %.1f, %.1f, %.1f %% of %" PRIu64
		   "; known %.1f, %.1f, %.1f; within %.1f, %.1f, %.1f%s",
		   100 * got[0], 100 * got[1], 100 * got[2], N(n),
		   100 * want[0], 100 * want[1], 100 * want[2], 100 * slack[0],
		   100 * slack[1], 100 * slack[2], few(n));
}

static void check_state(struct checks *c, const struct figures *f,
			const char *name, __u64 wrong, bool no_ept)
{
	__u64 n = in_loops(f);

	if (no_ept)
		checks_add(c, CHECK_SKIPPED, name,
			   "without EPT or NPT it is KVM's own");
	else
		checks_add(c, verdict(n >= ENOUGH && !wrong), name,
			   "%" PRIu64 " of %" PRIu64
			   " samples in loops have another%s",
			   N(wrong), N(n), few(n));
}

static void check_reasons(struct checks *c, const struct figures *f)
{
	__u64 n = 0;
	int i;

	for (i = 0; i < KNOWN_EXITS; i++)
		n += f->handling[i];
	if (n < 20)
		checks_add(
			c, CHECK_SKIPPED, "exit reasons",
			"only %" PRIu64
			" samples hit the handling of exits: --seconds for more",
			N(n));
	else
		checks_add(c,
			   verdict(f->handling[KNOWN_OTHER] <= 5 + n / 10 &&
				   handled(f)),
			   "exit reasons",
			   "of samples that hit the handling: CPUID %" PRIu64
			   ", I/O %" PRIu64 ", HLT %" PRIu64
			   ", interrupts %" PRIu64 ", others %" PRIu64,
			   N(f->handling[KNOWN_CPUID]),
			   N(f->handling[KNOWN_IO]), N(f->handling[KNOWN_HLT]),
			   N(f->handling[KNOWN_NMI] + f->handling[KNOWN_IRQ]),
			   N(f->handling[KNOWN_OTHER]));
}

static void check_exits(struct checks *c, const struct figures *f)
{
	const struct guest_params *p = &f->params;
	__u64 cpuids = f->rounds * p->cpuids, hlts = f->rounds * p->hlts;
	__u64 outs = f->rounds * p->outs + 1; /* the last one ends it */

	if (!f->exits_counted) {
		checks_add(
			c, CHECK_SKIPPED, "exits",
			"this kernel lets no module count VM exits (kCFI), or the module is older");
		return;
	}
	checks_add(c,
		   verdict(f->rounds && f->exits[KNOWN_CPUID] == cpuids &&
			   f->exits[KNOWN_IO] == outs &&
			   f->exits[KNOWN_HLT] == hlts && f->outs == outs &&
			   f->hlts == hlts && !f->exits_missed),
		   "exits",
		   "counted CPUID %" PRIu64 ", I/O %" PRIu64 ", HLT %" PRIu64
		   "; the guest made %" PRIu64 ", %" PRIu64 ", %" PRIu64
		   "; missed %" PRIu64,
		   N(f->exits[KNOWN_CPUID]), N(f->exits[KNOWN_IO]),
		   N(f->exits[KNOWN_HLT]), N(cpuids), N(outs), N(hlts),
		   N(f->exits_missed));
}

static void check_chains(struct checks *c, const struct figures *f)
{
	__u64 n = in_loops(f);

	if (!f->chains_taken || f->no_ept) {
		checks_add(c, CHECK_SKIPPED, "chains",
			   f->no_ept ?
				   "without EPT or NPT a guest has none" :
				   "the loaded module is older and takes none");
		return;
	}
	checks_add(c,
		   verdict(n >= ENOUGH && !f->chains_wrong &&
			   f->chains_right >= n * 8 / 10),
		   "chains",
		   "%" PRIu64 " of %" PRIu64
		   " samples in loops have their callers, %" PRIu64
		   " have others, %" PRIu64 " could not be read in time%s",
		   N(f->chains_right), N(n), N(f->chains_wrong),
		   N(f->chains_none), few(n));
}

void checks_alone(struct checks *c, const struct figures *f)
{
	check_losses(c, f);
	check_interrupts(c, f);
	check_rate(c, f);
	check_frequency(c, f);
	check_guest(c, f);
	check_time_in_guest(c, f);
	check_rip(c, f);
	check_shares(c, f);
	check_state(c, f, "CR3", f->wrong_cr3, f->no_ept);
	check_state(c, f, "CPL", f->wrong_cpl, false);
	check_reasons(c, f);
	check_exits(c, f);
	check_chains(c, f);
}

/*
 * A switch is timed twice: by the scheduler's clock (update_rq_clock() of
 * __schedule(), kernel/sched/core.c), and then by the module's hook.  A CPU that is
 * emulated may be stopped between the two, and for as long as it was the vCPU waited by
 * one and ran by the other.  Its samples have the same gap.  In ns.
 */
static __u64 stopped(const struct figures *f)
{
	double ns = f->khz ? f->longest_gap * 1e6 / f->khz : 0;

	return f->emulated && !f->hardware ? ns : 0;
}

static void compare(struct checks *c, const char *name, const char *what,
		    struct steal_check s, __u64 more, bool enough)
{
	if (!s.known) {
		checks_add(c, CHECK_SKIPPED, name, "not to be compared: %s",
			   nocheck_key(s.why));
		return;
	}
	if (more)
		s = steal_check_compare(s.ours, s.theirs, s.tolerance + more,
					s.outside, s.inside);
	checks_add(
		c, verdict(s.agrees && enough), name,
		"%.1f ms by the module, %s %.1f ms by schedstat, within %.1f%s",
		s.ours / 1e6, what, s.theirs / 1e6, s.tolerance / 1e6,
		enough ? "" : ": too little for a comparison");
}

void checks_shared(struct checks *c, const struct figures *f)
{
	if (!f->has_track) {
		checks_add(c, CHECK_BAD, "steal",
			   "there is no record of the vCPU's thread");
		return;
	}
	compare(c, "steal", "waited", f->delay, stopped(f),
		f->delay.theirs >= LEAST_STEAL * f->elapsed_ns);
	compare(c, "run time", "ran", f->run, stopped(f), true);
	checks_add(
		c, verdict(!f->strangers && f->own), "other threads",
		"%" PRIu64
		" samples of the thread beside it were taken for a vCPU's, of %" PRIu64,
		N(f->strangers), N(f->all - f->own));
}

/*
 * From setting its timer to behind HLT a guest sleeps, but for the exits to there
 * and back, and for what KVM polls before it sleeps (halt_poll_ns).  It does not if
 * the timer is due before KVM has come to HLT: where the host is a VM whose CPUs
 * have to wait themselves that happens between any two instructions.
 */
void checks_halting(struct checks *c, const struct figures *f)
{
	const struct guest_params *p = &f->params;
	/* by switch records; what it polled, by samples, is more or less that */
	double all = p->halted, ours = f->asleep + f->woken;
	double most = all * (1 + HALT_BIAS);
	double least = all * (1 - (f->emulated ? SLOW_EXITS : HALT_EXITS)) -
		       f->preempted;
	double sleeps = p->halts * (f->emulated ? SLOW_EXITS : 0.9);
	double ms = f->khz ? f->khz : 1;
	bool polls = f->polled > all / 2;
	/* Woken for something else it sleeps once more. */
	bool count = p->halts >= LEAST_HALTS &&
		     f->slept <= p->halts * 11 / 10 &&
		     (polls || f->slept >= floor(sleeps)) &&
		     (!f->exits_counted || f->exits[KNOWN_HLT] == p->halts);

	checks_add(
		c,
		verdict(f->has_track && count && ours <= most &&
			ours + f->polled >= least),
		"halts",
		"slept %" PRIu64 " times in %" PRIu64
		" HLTs, %.1f ms (%.1f until it was woken, %.1f until it ran; about %.1f polled beside); by the guest's own clock %.1f, with its exits",
		N(f->slept), N(p->halts), ours / ms, f->asleep / ms,
		f->woken / ms, f->polled / ms, all / ms);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void checks_cost(struct checks *c, const char *name,
		 const struct cost_figures *cost, const struct figures *f)
{
	double each[COST_PAIRS], used;
	__u64 samples = 0;
	unsigned int i, n = 0;

	for (i = 0; i < cost->pairs; i++) {
		samples += cost->samples[i];
		if (cost->samples[i])
			each[n++] = ((double)cost->with[i] - cost->without[i]) /
				    cost->samples[i];
	}
	if (n < COST_PAIRS / 2 || !f->khz) {
		checks_add(c, f->emulated ? CHECK_SKIPPED : CHECK_BAD, name,
			   "%u of %u pairs have samples: --seconds for more", n,
			   cost->pairs);
		return;
	}
	sort_array(each, n, sizeof(each[0]), by_value);
	used = each[n / 2] * USUAL_RATE / (f->khz * 1e3);
	checks_add(
		c, f->emulated ? CHECK_SKIPPED : verdict(used <= MOST_COST),
		name,
		"median %.0f ticks of the TSC a sample, half from %.0f to %.0f, of %" PRIu64
		" samples: %.2f %% of a CPU at %d a second%s",
		each[n / 2], each[n / 4], each[n * 3 / 4], N(samples),
		100 * used, USUAL_RATE,
		f->emulated ? "; not judged: this host is a VM itself" : "");
}
