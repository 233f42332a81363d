// SPDX-License-Identifier: GPL-2.0-only
/* A fixed loop with and without sampling. */

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "selftest/cost.h"

#define FASTER 10 /* than usual */
#define TRY    4000

struct work {
	struct selftest *t;
	bool guest;
	__u64 steps;
};

/* The guest's step, on the host. */
static void host_loop(__u64 steps)
{
	__u64 x = 3, n = steps;

	asm volatile("1:	imul	%0, %0\n"
		     "	imul	%0, %0\n"
		     "	imul	%0, %0\n"
		     "	imul	%0, %0\n"
		     "	imul	%0, %0\n"
		     "	imul	%0, %0\n"
		     "	imul	%0, %0\n"
		     "	imul	%0, %0\n"
		     "	dec	%1\n"
		     "	jnz	1b\n"
		     : "+r"(x), "+r"(n)
		     :
		     : "cc");
}

/* All of it once; *ticks: how long it took. */
static int work_once(const struct work *w, __u64 *ticks, struct error *e)
{
	__u64 begin = __rdtsc();
	int ret = 0;

	if (w->guest) {
		w->t->vm.params->length[GUEST_LOOP_A] = w->steps;
		vm_stop(&w->t->vm);
		ret = vm_go(&w->t->vm, e);
	} else {
		host_loop(w->steps);
	}
	*ticks = __rdtsc() - begin;
	return ret;
}

/* The shorter of two times: something else may have run in one of them. */
static int time_work(const struct work *w, __u64 *ns, struct error *e)
{
	__u64 begin, took, ticks;
	int i, ret = 0;

	*ns = ~0ull;
	for (i = 0; !ret && i < 2; i++) {
		begin = clock_now();
		ret = work_once(w, &ticks, e);
		took = clock_now() - begin;
		if (took < *ns)
			*ns = took;
	}
	return ret;
}

/* As many steps as take @ns. */
static int calibrate(struct work *w, __u64 ns, struct error *e)
{
	__u64 took = 0;
	int ret;

	for (w->steps = TRY;; w->steps *= 2) {
		ret = time_work(w, &took, e);
		if (ret || took >= ns / 4 || w->steps > 1ull << 40)
			break;
	}
	if (!ret)
		w->steps = (double)w->steps * ns / (took + 1) + 1;
	return ret;
}

static int sampled(const struct work *w, __u64 *ticks, __u64 *samples,
		   struct error *e)
{
	struct vmmprof_cpu_stat stat;
	struct device dev;
	int ret = selftest_open(w->t, &dev, 0, e);

	if (ret)
		return ret;
	ret = device_start(&dev);
	if (ret)
		error_set(e, ret, "cannot start sampling: %s", strerror(-ret));
	else
		ret = work_once(w, ticks, e);
	if (!ret) {
		ret = device_stop(&dev);
		if (!ret)
			ret = device_stat(&dev, w->t->cpu, &stat);
		if (ret)
			error_set(e, ret, "ending the sampling: %s",
				  strerror(-ret));
		else
			*samples = stat.samples + stat.lost;
	}
	device_close(&dev);
	return ret;
}

static int in_turns(const struct work *w, struct cost_figures *f,
		    struct error *e)
{
	unsigned int i, turn;
	int ret = 0;

	for (i = 0; !ret && i < COST_PAIRS; i++) {
		/* Which comes first changes, too. */
		for (turn = 0; !ret && turn < 2; turn++) {
			if ((turn ^ i) & 1)
				ret = sampled(w, &f->with[i], &f->samples[i],
					      e);
			else
				ret = work_once(w, &f->without[i], e);
		}
		f->pairs += !ret;
	}
	return ret;
}

int cost_measure(struct selftest *t, bool guest, __u64 ns,
		 struct cost_figures *f, struct error *e)
{
	struct vmmprof_event *event = &t->events.choice[0].event;
	struct work w = { .t = t, .guest = guest };
	struct guest_params *p = t->vm.params, old = *p;
	__u64 period = event->period;
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *all = CPU_ALLOC(CPUS_MAX);
	int ret;

	memset(f, 0, sizeof(*f));
	if (!all || sched_getaffinity(0, size, all)) {
		CPU_FREE(all);
		return error_set(e, -ENOMEM, "no memory");
	}
	ret = selftest_pin(t->cpu);
	if (ret)
		error_set(e, ret, "cannot run on CPU %u: %s", t->cpu,
			  strerror(-ret));
	p->cpuids = 1;
	p->outs = 1;
	p->hlts = 1;
	p->length[GUEST_LOOP_B] = 1;
	p->length[GUEST_LOOP_U] = 1;
	event->period /= FASTER;
	if (!ret)
		ret = calibrate(&w, ns / (2 * COST_PAIRS), e);
	if (!ret)
		ret = in_turns(&w, f, e);
	event->period = period;
	*p = old;
	sched_setaffinity(0, size, all);
	CPU_FREE(all);
	return ret;
}
