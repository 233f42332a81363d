// SPDX-License-Identifier: GPL-2.0-only
/* One sampled run: threads, rings, and the session that they go to. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "base/io.h"
#include "format/session_dir.h"
#include "format/session_writer.h"
#include "host/exit_counts.h"
#include "host/vcpu_state.h"
#include "selftest/collect.h"
#include "selftest/run.h"

#define DRAIN_NS     50000000
#define MOST_TIMES   10	  /* as long as was asked for */
#define MIN_SAMPLES  1000 /* that a run goes on for so long */
#define MIN_HALTS    20
#define LAST_ROUND_S 300 /* for the guest to end, on a slow host */

/* A thread on the CPU: the vCPU's, or one that spins. */
struct worker {
	struct selftest *t;
	struct tiny_vm *vm; /* NULL: it spins */
	struct error error;
	pthread_t thread;
	pid_t tid;
	sem_t ready, go, done, end;
	atomic_bool stop; /* spinning */
	int ret;
	__u64 ticks; /* from the first entry to the last exit */
};

static void interrupt(int sig)
{
	(void)sig;
}

static void wait_for(sem_t *s)
{
	while (sem_wait(s) && errno == EINTR)
		;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	__u64 begin;

	w->tid = gettid();
	w->ret = selftest_pin(w->t->cpu);
	sem_post(&w->ready);
	wait_for(&w->go);
	if (w->ret) {
		error_set(&w->error, w->ret, "cannot run on CPU %u: %s",
			  w->t->cpu, strerror(-w->ret));
	} else if (!w->vm) {
		while (!atomic_load(&w->stop))
			;
	} else {
		begin = __rdtsc();
		w->ret = vm_go(w->vm, &w->error);
		w->ticks = __rdtsc() - begin;
	}
	sem_post(&w->done);
	wait_for(&w->end);
	return NULL;
}

static int worker_start(struct worker *w, struct selftest *t,
			struct tiny_vm *vm)
{
	int ret;

	memset(w, 0, sizeof(*w));
	w->t = t;
	w->vm = vm;
	sem_init(&w->ready, 0, 0);
	sem_init(&w->go, 0, 0);
	sem_init(&w->done, 0, 0);
	sem_init(&w->end, 0, 0);
	ret = pthread_create(&w->thread, NULL, work, w);
	if (!ret)
		wait_for(&w->ready);
	return -ret;
}

static void worker_end(struct worker *w)
{
	sem_post(&w->end);
	pthread_join(w->thread, NULL);
	sem_destroy(&w->ready);
	sem_destroy(&w->go);
	sem_destroy(&w->done);
	sem_destroy(&w->end);
}

struct running {
	struct selftest *t;
	struct tiny_vm *vm;
	enum selftest_kind kind;
	struct figures *f;
	struct device dev;
	struct session_writer out;
	char dir[PATH_MAX];
	int fd; /* of the CPU's records */
	struct worker vcpu, spinner;
	__u64 start_tsc, stop_tsc;
};

static int put_header(struct running *r)
{
	struct item_writer *w = &r->out.info;
	const struct event_list *events = &r->t->events;
	bool svm = r->dev.info.vendor == VMMPROF_VENDOR_SVM;
	unsigned int i;

	item_text(w, "vendor", "%s", svm ? "svm" : "vmx");
	item_text(w, "tsc_khz", "%u", r->dev.info.tsc_khz);
	if (r->f->chains_taken)
		item_text(w, "chains", "guest");
	session_writer_switches(&r->out, true, 0);
	for (i = 0; i < events->nr; i++)
		session_writer_event(&r->out, i, events->choice[i].name,
				     &events->choice[i].event);
	item_writer_clock(w);
	return session_writer_records(&r->out, r->t->cpu, &r->fd);
}

static void put_state(struct running *r, __u32 when)
{
	struct vmmprof_info_vcpu_state item;

	if (vcpu_state_read("", getpid(), r->vcpu.tid, &item))
		return;
	item.when = when;
	session_writer_vcpu_state(&r->out, &item);
}

/* Has the vCPU's thread ended within that time? */
static bool done_within(struct worker *w, __u64 ns)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return !sem_timedwait(&w->done, &t);
}

static int drain(struct running *r)
{
	int64_t n = ring_drain(&r->dev.rings[0], r->fd);

	return n < 0 ? n : 0;
}

/* The vCPU's part of the CPU's time; others may run there, too. */
static double vcpu_part(const struct running *r, __u64 passed)
{
	struct timespec t;
	clockid_t clock;

	if (!passed || pthread_getcpuclockid(r->vcpu.thread, &clock) ||
	    clock_gettime(clock, &t))
		return 1;
	return (t.tv_sec * 1e9 + t.tv_nsec) / passed;
}

/* Are there enough samples, or halts? */
static bool has_all(const struct running *r, __u64 passed)
{
	const double samples = r->dev.rings[0].head->samples;

	switch (r->kind) {
	case SELFTEST_HALTING:
		return r->vm->params->halts >= MIN_HALTS;
	case SELFTEST_ALONE: /* the vCPU's; its shares are judged */
		return samples * vcpu_part(r, passed) >= MIN_SAMPLES;
	default:
		return samples >= MIN_SAMPLES;
	}
}

/* ... or will there not be? */
static bool enough(const struct running *r, __u64 ns, __u64 passed)
{
	return passed >= ns &&
	       (passed >= MOST_TIMES * ns || has_all(r, passed));
}

/* Until the time is over and the guest has ended its round. */
static int sample_for(struct running *r, __u64 ns, struct error *e)
{
	__u64 begin = clock_now(), end = 0, now;
	int ret = 0;

	while (!ret && !done_within(&r->vcpu, DRAIN_NS)) {
		ret = drain(r);
		now = clock_now();
		if (!end && enough(r, ns, now - begin)) {
			vm_stop(r->vm);
			end = now + LAST_ROUND_S * 1000000000ull;
		}
		if (end && now >= end)
			ret = -ETIMEDOUT;
	}
	if (!ret)
		return r->vcpu.ret ? (*e = r->vcpu.error, r->vcpu.ret) : 0;
	if (ret == -ETIMEDOUT)
		error_set(
			e, ret,
			"the VM did not end within %d s, after %llu rounds and %llu halts",
			LAST_ROUND_S, r->vm->params->rounds,
			r->vm->params->halts);
	else
		error_set(e, ret, "sampling the VM: %s", strerror(-ret));
	/* Interrupted until it sees that it is to end. */
	atomic_store(&r->vm->abort, true);
	do
		pthread_kill(r->vcpu.thread, SIGUSR1);
	while (!done_within(&r->vcpu, DRAIN_NS));
	return ret;
}

static int start(struct running *r, struct error *e)
{
	int ret = device_start(&r->dev);

	r->start_tsc = __rdtsc();
	if (ret)
		return error_set(e, ret, "cannot start sampling: %s",
				 ret == -ENOSPC ? "no counter is free" :
						  strerror(-ret));
	put_state(r, VMMPROF_WHEN_START);
	session_writer_vcpu(&r->out, getpid(), r->vcpu.tid, 0, "");
	return 0;
}

static int put_exits(struct running *r)
{
	__u64 missed;

	if (!(r->dev.info.features & VMMPROF_FEAT_EXITS))
		return 0;
	return exit_counts_put(&r->dev, &r->out, &missed);
}

static int stop(struct running *r, struct error *e)
{
	struct vmmprof_cpu_stat stat;
	struct figures *f = r->f;
	int ret;

	put_state(r, VMMPROF_WHEN_STOP);
	r->stop_tsc = __rdtsc();
	ret = device_stop(&r->dev);
	if (!ret)
		ret = drain(r);
	if (!ret)
		ret = put_exits(r);
	if (!ret)
		ret = device_stat(&r->dev, r->t->cpu, &stat);
	if (ret)
		return error_set(e, ret, "ending the sampling: %s",
				 strerror(-ret));
	session_writer_cpu(&r->out, &stat);
	session_writer_stop(&r->out, r->start_tsc, r->stop_tsc,
			    VMMPROF_STOP_DURATION, 0);
	item_writer_clock(&r->out.info);
	f->samples = stat.samples;
	f->lost = stat.lost;
	f->lost_other = stat.lost_other;
	f->throttled = stat.events[0].throttled;
	f->count = stat.events[0].count;
	return 0;
}

/* What is known beside the samples. */
static void known(struct running *r)
{
	const struct event_choice *event = &r->t->events.choice[0];
	const struct guest_params *p = r->vm->params;
	const struct tiny_vm *vm = r->vm;
	struct figures *f = r->f;

	f->svm = r->dev.info.vendor == VMMPROF_VENDOR_SVM;
	f->hardware = event_is_hardware(&event->event);
	f->ref = !strcmp(event->name, event_default(0));
	f->emulated = r->t->emulated;
	f->no_ept = r->dev.info.features & VMMPROF_FEAT_NO_EPT;
	f->khz = r->dev.info.tsc_khz;
	f->params = *p;
	f->rounds = p->rounds;
	f->period = event->event.period;
	f->guest_ticks = r->vcpu.ticks;
	f->outs = vm->outs;
	f->hlts = vm->hlts;
	f->elapsed_ns = (r->stop_tsc - r->start_tsc) * 1e6 / f->khz;
}

/* With both threads there, which have not begun. */
static int measure(struct running *r, __u64 ns, struct error *e)
{
	struct tiny_vm *vm = r->vm;
	int ret, err;

	vm->outs = 0;
	vm->hlts = 0;
	vm->params->rounds = 0;
	vm->params->stop = 0;
	vm->params->halts = 0;
	vm->params->halted = 0;
	ret = start(r, e);
	atomic_store(&vm->abort, ret);
	sem_post(&r->spinner.go);
	sem_post(&r->vcpu.go);
	if (!ret) {
		ret = sample_for(r, ns, e);
		err = stop(r, ret ? NULL : e);
		if (!ret)
			ret = err;
	}
	atomic_store(&r->spinner.stop, true);
	if (!ret)
		known(r);
	return ret;
}

static int with_threads(struct running *r, __u64 ns, struct error *e)
{
	int ret = worker_start(&r->vcpu, r->t, r->vm);

	if (ret)
		return error_set(e, ret, "no thread: %s", strerror(-ret));
	ret = worker_start(&r->spinner, r->t, NULL);
	if (ret) {
		atomic_store(&r->vm->abort, true);
		sem_post(&r->vcpu.go);
		worker_end(&r->vcpu);
		return error_set(e, ret, "no thread: %s", strerror(-ret));
	}
	atomic_store(&r->spinner.stop, r->kind != SELFTEST_SHARED);
	ret = measure(r, ns, e);
	worker_end(&r->spinner);
	worker_end(&r->vcpu);
	return ret;
}

static int with_session(struct running *r, __u64 ns, struct error *e)
{
	__u32 pid = getpid(), tid;
	int ret, err;

	snprintf(r->dir, sizeof(r->dir), "%s/run", r->t->dir);
	ret = session_writer_create(r->dir, false, &r->out, e);
	if (ret)
		return ret;
	r->fd = -1;
	ret = put_header(r);
	if (ret)
		error_set(e, ret, "cannot write %s: %s", r->dir,
			  strerror(-ret));
	else
		ret = with_threads(r, ns, e);
	tid = r->vcpu.tid;
	io_close(&r->fd);
	err = session_writer_close(&r->out, true);
	if (!ret && err)
		ret = error_set(e, err, "cannot write %s: %s", r->dir,
				strerror(-err));
	if (!ret)
		ret = collect_figures(r->dir, pid, tid, r->f, e);
	return ret;
}

static void remove_session(const char *path)
{
	int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dirfd < 0)
		return;
	session_dir_remove(path, dirfd);
	close(dirfd);
}

int selftest_run(struct selftest *t, __u64 ns, enum selftest_kind kind,
		 struct figures *f, struct error *e)
{
	uint32_t flags = VMMPROF_SETUP_F_SWITCHES;
	struct sigaction sa = { .sa_handler = interrupt }, old;
	static struct running r;
	int ret;

	memset(f, 0, sizeof(*f));
	memset(&r, 0, sizeof(r));
	r.t = t;
	r.vm = kind == SELFTEST_HALTING ? &t->halting : &t->vm;
	r.kind = kind;
	r.f = f;
	if (t->info.features & VMMPROF_FEAT_EXITS)
		flags |= VMMPROF_SETUP_F_EXITS;
	if (t->info.features & VMMPROF_FEAT_CHAINS)
		flags |= VMMPROF_SETUP_F_CHAINS;
	f->chains_taken = flags & VMMPROF_SETUP_F_CHAINS;
	ret = selftest_open(t, &r.dev, flags, e);
	if (ret)
		return ret;
	sigaction(SIGUSR1, &sa, &old);
	ret = with_session(&r, ns, e);
	sigaction(SIGUSR1, &old, NULL);
	device_close(&r.dev);
	remove_session(r.dir);
	return ret;
}
