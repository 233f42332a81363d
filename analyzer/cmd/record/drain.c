// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof record`, top and agent: a thread that does nothing but empty the rings
 * into the record files.  All else that goes on while they sample may take long:
 * /proc/PID/maps of a process that holds its mmap_lock, a directory of many
 * processes, a disk that is slow to take the maps.  Samples are not lost for that.
 *
 * The lock is held for a round.  It covers the rings' tails, the record files, and
 * r->memory.sights and r->told, which are filled from what is in the rings.
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/record/messages.h"
#include "cmd/record/recording.h"

#define ROUND_MS 200

/* Of all rings; *cpu: the one whose file could not be written. */
static int drain_all(struct recording *r, unsigned int *cpu)
{
	unsigned int i;

	for (i = 0; i < r->dev.nr_rings; i++) {
		struct mapped_ring *ring = &r->dev.rings[i];
		uint64_t head = ring_head(ring);
		int64_t n;

		if (r->live)
			told_look(&r->told, i, ring, head);
		n = ring_drain_until(ring, head, r->files[i]);
		if (n < 0) {
			*cpu = ring->cpu;
			return n;
		}
	}
	return 0;
}

/* Under the lock. */
static int say_failed(struct recording *r, unsigned int cpu, int err)
{
	if (err && !r->unwritten) /* record_end() tries again */
		record_say_records(cpu, err);
	if (err)
		r->unwritten = true;
	return err;
}

static int drain_now(struct recording *r)
{
	unsigned int cpu = 0;
	int ret = r->drain.err;

	if (ret && r->drain.runs)
		return say_failed(r, r->drain.cpu, ret);
	record_memory_look(r);
	ret = drain_all(r, &cpu);
	return say_failed(r, cpu, ret);
}

/* What the thread does each time; it prints nothing. */
static int one_round(struct recording *r, bool *held)
{
	struct record_drain *d = &r->drain;

	pthread_mutex_lock(&d->lock);
	record_memory_look(r);
	*held = d->held;
	if (!d->held && !d->err)
		d->err = drain_all(r, &d->cpu);
	pthread_mutex_unlock(&d->lock);
	return d->err;
}

static void poke(int fd)
{
	const uint64_t one = 1;

	/* it fails only if it is readable anyway */
	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

static void *run(void *arg)
{
	struct recording *r = arg;
	struct record_drain *d = &r->drain;
	struct pollfd fds[2] = { { .fd = d->wake, .events = POLLIN },
				 { .fd = r->dev.fd, .events = POLLIN } };
	int device = r->dev.fd;
	uint64_t count;
	bool held;

	while (!__atomic_load_n(&d->stop, __ATOMIC_ACQUIRE)) {
		if (one_round(r, &held)) {
			poke(d->failed);
			break;
		}
		/* as long as nothing is taken out of them, rings stay readable */
		fds[1].fd = held ? -1 : device;
		fds[1].revents = 0;
		if (poll(fds, 2, ROUND_MS) <= 0)
			continue;
		if (fds[0].revents &&
		    read(d->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
			break;
		if (fds[1].revents & ~POLLIN)
			device = -1; /* the recorder says it; time drains */
	}
	return NULL;
}

int record_drain_begin(struct recording *r)
{
	struct record_drain *d = &r->drain;
	sigset_t all, old;
	int ret = 0;

	d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->failed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->wake < 0 || d->failed < 0)
		ret = -errno;
	d->stop = false;
	d->held = false;
	d->err = 0;
	/* signals are the recorder's */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	if (!ret)
		ret = -pthread_create(&d->thread, NULL, run, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	d->runs = !ret;
	if (ret) {
		io_close(&d->wake);
		io_close(&d->failed);
	}
	return ret;
}

void record_drain_end(struct recording *r)
{
	struct record_drain *d = &r->drain;

	if (!d->runs)
		return;
	__atomic_store_n(&d->stop, true, __ATOMIC_RELEASE);
	poke(d->wake);
	pthread_join(d->thread, NULL);
	d->runs = false;
	io_close(&d->wake);
	io_close(&d->failed);
}

int record_drain(struct recording *r)
{
	int ret;

	pthread_mutex_lock(&r->drain.lock);
	ret = drain_now(r);
	pthread_mutex_unlock(&r->drain.lock);
	return ret;
}

int record_drain_hold(struct recording *r)
{
	int ret;

	pthread_mutex_lock(&r->drain.lock);
	ret = drain_now(r);
	r->drain.held = true;
	pthread_mutex_unlock(&r->drain.lock);
	return ret;
}

int record_drain_release(struct recording *r, int (*empty)(struct recording *r))
{
	int ret;

	pthread_mutex_lock(&r->drain.lock);
	ret = empty(r);
	r->drain.held = false;
	pthread_mutex_unlock(&r->drain.lock);
	if (r->drain.runs)
		poke(r->drain.wake);
	return ret;
}

int record_drain_failed(struct recording *r)
{
	int ret = 0;

	pthread_mutex_lock(&r->drain.lock);
	if (r->drain.runs)
		ret = say_failed(r, r->drain.cpu, r->drain.err);
	pthread_mutex_unlock(&r->drain.lock);
	return ret;
}
