// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof record`: samples until it is told to stop, and leaves a session
 * directory.  This file has the loop while it samples.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "base/io.h"
#include "cmd/cmd.h"
#include "format/session_dir.h"
#include "cmd/record/recording.h"
#include "cmd/record/messages.h"

#define TICK_NS	     200000000ll
#define IDLE_TICK_NS 1000000000ll /* the same with --no-drain */
#define MAX_SIDE_FDS 1024
#define MAX_VMMS     1024 /* that are looked at again, at a time */

/* VMs and vCPUs that come long after their processes, or their VMs. */
static void look_again(struct recording *r, __u64 now)
{
	uint32_t vmms[MAX_VMMS];
	size_t nr;

	if (!vm_watch_is_due(&r->watch, now))
		return;
	/* of those that read no memory none is known */
	pthread_mutex_lock(&r->drain.lock);
	nr = guest_sights_sampled(&r->memory.sights, vmms, MAX_VMMS);
	pthread_mutex_unlock(&r->drain.lock);
	vm_watch_again(&r->watch, vmms, nr, __rdtsc(), &r->inv);
}

int record_tick(struct recording *r)
{
	bool started;
	int ret = host_maps_tick(&r->host, &started);
	int64_t now = clock_now();

	if (ret) {
		record_say("cannot write the host's maps: %s", strerror(-ret));
		return ret;
	}
	if (started || r->host.sideband_err)
		vm_watch_poke(&r->watch, now);
	record_look_at_kvm(r);
	vm_watch_run(&r->watch, now, __rdtsc(), &r->inv);
	look_again(r, now);
	record_put_inventory(r);
	record_add_guests(r);
	record_memory_tick(r);
	return session_writer_flush(&r->out);
}

/* The reason why the recording ended; 0: it goes on. */
static enum vmmprof_stop_reason check_end(struct recording *r)
{
	struct signalfd_siginfo info;

	/* signals first: SIGCHLD only wakes us, then the child is asked */
	while (read(r->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			return VMMPROF_STOP_SIGNAL;
	if (workload_poll(&r->child))
		return VMMPROF_STOP_COMMAND;
	if (r->opts->duration_ns &&
	    clock_now() - r->start_ns >= r->opts->duration_ns)
		return VMMPROF_STOP_DURATION;
	return 0;
}

/*
 * Sleeps until there is something to do.  fds[0]: signals, fds[1]: device, of which
 * errors alone are waited for, fds[2]: the thread that drains has failed.
 */
static void wait_for_work(struct recording *r, struct pollfd *fds, nfds_t nr)
{
	int64_t wait = r->opts->no_drain ? IDLE_TICK_NS : TICK_NS;
	struct timespec t;

	if (r->opts->duration_ns) {
		int64_t left = r->start_ns + r->opts->duration_ns - clock_now();

		if (left < wait)
			wait = left > 0 ? left : 0;
	}
	t.tv_sec = wait / 1000000000;
	t.tv_nsec = wait % 1000000000;
	if (ppoll(fds, nr, &t, NULL) > 0 && fds[1].revents & ~POLLIN) {
		record_say(
			"warning: a CPU that came online could not be sampled");
		fds[1].fd = -1; /* stays so */
	}
}

static enum vmmprof_stop_reason loop(struct recording *r)
{
	static struct pollfd fds[3 + MAX_SIDE_FDS];
	enum vmmprof_stop_reason reason;
	int nr;

	fds[0] = (struct pollfd){ r->signals, POLLIN, 0 };
	fds[1] = (struct pollfd){ r->opts->no_drain ? -1 : r->dev.fd, 0, 0 };
	fds[2] = (struct pollfd){ r->drain.runs ? r->drain.failed : -1, POLLIN,
				  0 };
	nr = host_maps_pollfds(&r->host, fds + 3, MAX_SIDE_FDS);
	if (nr > MAX_SIDE_FDS)
		nr = MAX_SIDE_FDS;
	do {
		wait_for_work(r, fds, 3 + nr);
		if (record_drain_failed(r) || record_tick(r) ||
		    record_look_at_overhead(r))
			return VMMPROF_STOP_ERROR;
		reason = check_end(r);
	} while (!reason);
	return reason;
}

/* Prints which events got no counter on which CPU. */
static void say_counters(const struct recording *r)
{
	struct vmmprof_cpu_stat stat;
	unsigned int i;

	for (i = 0; i < r->dev.nr_rings; i++)
		if (!device_stat(&r->dev, r->dev.rings[i].cpu, &stat))
			record_say_events(&stat, &r->events);
}

int record_start(struct recording *r)
{
	int ret = device_start(&r->dev);

	r->start_tsc = __rdtsc();
	r->start_ns = clock_now();
	if (ret) {
		say_counters(r);
		record_say("cannot start sampling: %s",
			   ret == -ENOSPC ? "too few counters" :
					    strerror(-ret));
		return ret;
	}
	if (!r->opts->no_drain)
		ret = record_drain_begin(r);
	record_put_states(r, VMMPROF_WHEN_START);
	if (!ret)
		ret = record_begin_overhead(r);
	if (ret) {
		record_say("%s", strerror(-ret));
		return ret;
	}
	if (!r->opts->quiet)
		record_say("sampling%s",
			   r->opts->command || r->opts->duration_ns ?
				   "" :
				   "; Ctrl-C ends it");
	if (!r->opts->command)
		return 0;
	ret = workload_start(&r->child);
	if (ret)
		record_say("cannot run '%s': %s", r->opts->command[0],
			   strerror(-ret));
	return ret;
}

/* The command's exit status, as a shell would tell it. */
static int pass_status(const struct recording *r)
{
	int status = r->child.status;

	if (!r->opts->command || !r->child.ended)
		return EXIT_OK;
	if (WIFSIGNALED(status)) {
		record_say("'%s' was ended by signal %d", r->opts->command[0],
			   WTERMSIG(status));
		return 128 + WTERMSIG(status);
	}
	if (!r->opts->quiet || WEXITSTATUS(status))
		record_say("'%s' ended with status %d", r->opts->command[0],
			   WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

void record_clean_up(struct recording *r)
{
	__u64 lost;
	unsigned int i;

	workload_end(&r->child);
	record_drain_end(r);
	device_close(&r->dev);
	if (r->host_open)
		host_maps_end(&r->host, &lost);
	if (r->out_open) {
		/* nothing was sampled, so remove the session */
		session_dir_remove(r->opts->dir, r->out.dirfd);
		session_writer_close(&r->out, false);
	}
	for (i = 0; i < r->nr_files; i++)
		close(r->files[i]);
	free(r->files);
	free(r->stats);
	free(r->overhead.last);
	collect_deinit(&r->guests);
	record_memory_deinit(&r->memory);
	told_deinit(&r->told);
	symcache_close(&r->cache);
	vm_watch_deinit(&r->watch);
	inventory_deinit(&r->inv);
	io_close(&r->signals);
}

static int record(struct recording *r)
{
	int ret = record_begin(r);

	if (!ret)
		ret = record_start(r);
	if (ret)
		return EXIT_ERROR;
	r->reason = loop(r);
	r->stop_ns = clock_now();
	ret = record_end(r);
	record_say_summary(r->opts, &r->events, r->stats, r->nr_files,
			   r->switches, r->names, r->chains,
			   (r->stop_ns - r->start_ns) / 1e9);
	if (ret || r->reason == VMMPROF_STOP_ERROR)
		return EXIT_ERROR;
	return pass_status(r);
}

int cmd_record(int argc, char **argv)
{
	static struct record_options opts;
	struct recording r = {
		.opts = &opts,
		.argc = argc,
		.argv = argv,
		.dev.fd = -1,
		.signals = -1,
		.cache.dirfd = -1,
	};
	int ret = record_parse_options(argc, argv, &opts);

	if (ret != OPTIONS_GO_ON)
		return ret;
	inventory_init(&r.inv);
	ret = record(&r);
	record_clean_up(&r);
	return ret;
}
