// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of one run: first the hooks, then the snapshot, then the word
 * "ready".  So no process that begins after "ready" is missed.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "birth.h"
#include "cputime.h"
#include "emit.h"
#include "os/btf.h"
#include "os/kernel_syms.h"
#include "os/proc_maps.h"
#include "os/sideband.h"
#include "os/symbol_budget.h"
#include "kernel.h"
#include "session.h"
#include "task_layout.h"
#include "unwind.h"
#include <vmmprof/version.h>
#include "walk.h"

#define CONSUME_NS	100000000L
#define FILES_MS	50    /* new files may take as long each time */
#define CLOCK_S		5     /* between two pairs of the clocks */
#define STACK_SIZE	16384 /* x86-64 without KASAN: THREAD_SIZE */
#define PID_INIT_NS_INO 0xeffffffcU

struct session {
	const struct guest_options *opt;
	struct emit emit;
	struct birth *birth; /* one of these two, or none */
	struct task_walk *walk;
	struct proc_maps *maps;
	struct sideband *sideband;
};

static void __attribute__((format(printf, 2, 3)))
verbose(const struct session *s, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (!s->opt->verbose)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->opt->say(text);
}

/* Use the first method that works, among those asked for. */
static int choose_method(struct session *s)
{
	bool usable = s->emit.rule.page_offset;
	enum method want = usable ? s->opt->method : METHOD_NONE;
	const char *name = "none";
	int err;

	if (want == METHOD_AUTO || want == METHOD_BPF) {
		err = birth_open(&s->emit, &s->birth);
		if (err == -ENOMEM)
			return err;
		if (s->birth)
			name = "bpf";
	}
	if (!s->birth && (want == METHOD_AUTO || want == METHOD_KCORE)) {
		err = task_walk_open(&s->emit, &s->walk);
		if (err == -ENOMEM)
			return err;
		if (s->walk)
			name = "kcore";
	}
	if (s->walk && s->opt->watch)
		emit_limit(
			&s->emit,
			"address spaces are known from two walks through /proc/kcore only: processes that ran for a shorter time have no name");
	if (!s->walk && !s->birth && s->opt->method != METHOD_NONE)
		emit_limit(
			&s->emit,
			"no address spaces: user samples of this guest will show CR3 instead of a process");
	verbose(s, "method %s", name);
	return item_text(&s->emit.w, "method", "%s", name);
}

/*
 * Where tasks are, for the host to read them; and the size of a kernel stack, so
 * that a stack pointer tells its task.
 */
static int emit_tasks(struct session *s)
{
	long size = STACK_SIZE;
	struct btf btf;
	int err = 0;

	if (!btf_open_kernel(&btf)) {
		size = btf_union_size(&btf, "thread_union");
		err = task_layout_write(&s->emit.w, &btf);
		btf_free(&btf);
	}
	if (err || (!s->birth && !s->walk))
		return err;
	return item_text(&s->emit.w, "stack_size", "%ld",
			 size > 0 ? size : STACK_SIZE);
}

static int snapshot(struct session *s)
{
	int err = 0;

	if (s->birth)
		err = birth_snapshot(s->birth);
	else if (s->walk)
		err = task_walk_snapshot(s->walk);
	if (!err || err == -ENOMEM || s->emit.w.err)
		return err;
	emit_limit(&s->emit, "no snapshot of address spaces: %s",
		   strerror(-err));
	return 0;
}

static int open_sideband(struct session *s)
{
	int err = sideband_open(s->maps, &s->sideband);

	if (!err || err == -ENOMEM)
		return err;
	emit_limit(
		&s->emit,
		"no perf events for processes that start while watching (%s): run as root with CAP_SYS_ADMIN, in a kernel with CONFIG_PERF_EVENTS; short-lived processes will have no function names",
		strerror(-err));
	return 0;
}

/* Only the initial PID namespace shows all processes with the kernel's pids. */
static void check_namespace(struct session *s)
{
	struct stat st;

	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != PID_INIT_NS_INO)
		emit_limit(
			&s->emit,
			"this is a container's PID namespace: its process numbers do not match the kernel's; run outside of it");
	if (geteuid())
		emit_limit(
			&s->emit,
			"not root: other users' processes and the kernel's addresses are hidden");
}

/* The clocks, and what the guest itself counts at that time. */
static int write_clocks(struct session *s)
{
	return item_writer_clock(&s->emit.w) ?: cputime_write(&s->emit.w);
}

static int begin(struct session *s)
{
	struct emit *e = &s->emit;
	int err;

	item_text(&e->w, "tool", "vmmprof-guest %s", VMMPROF_VERSION);
	item_text(&e->w, "from", s->opt->watch ? "watch" : "dump");
	err = kernel_syms_identity(&e->w);
	check_namespace(s);
	if (!err)
		err = kernel_rule(e);
	if (!err)
		err = cputime_describe(&e->w);
	if (!err)
		err = write_clocks(s);
	if (!err)
		err = proc_maps_create(&e->w, &symlimits_guest, &s->maps);
	if (!err && s->opt->nr_have)
		err = proc_maps_have(s->maps, s->opt->have, s->opt->nr_have);
	if (!err && s->opt->unwind)
		err = proc_maps_unwind(s->maps);
	if (!err)
		err = choose_method(s);
	if (!err)
		err = emit_tasks(s);
	if (!err && s->opt->watch)
		err = open_sideband(s);
	if (!err && s->opt->watch && s->birth)
		err = birth_watch(s->birth);
	if (!err)
		err = snapshot(s);
	if (!err)
		err = proc_maps_scan(s->maps);
	if (!err)
		err = proc_maps_tick(s->maps, false);
	return err ?: item_writer_flush(&e->w);
}

static int read_events(struct session *s)
{
	int err = s->birth ? birth_read(s->birth) : 0;

	if (!err && s->sideband)
		err = sideband_read(s->sideband);
	if (!err)
		err = proc_maps_run(s->maps, FILES_MS);
	if (!err)
		err = proc_maps_tick(s->maps, false);
	return err ?: item_writer_flush(&s->emit.w);
}

static double seconds(void)
{
	return clock_now() / 1e9;
}

/*
 * Until a signal of @stop, or the end of the time.  What came while it began is
 * read before "ready", so that there is room for what comes then.
 */
static int watch(struct session *s, const sigset_t *stop)
{
	int err = read_events(s);
	double end = seconds() + s->opt->duration;
	double clock = seconds() + CLOCK_S;

	if (err)
		return err;
	puts("ready");
	fflush(stdout);
	while (!err) {
		struct timespec wait = { .tv_nsec = CONSUME_NS };
		double left = end - seconds();

		if (s->opt->duration > 0 && left <= 0)
			break;
		if (s->opt->duration > 0 && left < CONSUME_NS / 1e9)
			wait.tv_nsec = left * 1e9;
		if (sigtimedwait(stop, NULL, &wait) > 0)
			break;
		err = read_events(s);
		if (!err && seconds() >= clock) {
			err = write_clocks(s);
			clock += CLOCK_S;
		}
	}
	return err;
}

/* Report files and processes that could not be read, each kind once. */
static void check_files(struct session *s)
{
	struct proc_maps_stat st;
	char left[512];

	proc_maps_stat(s->maps, &st);
	verbose(s,
		"%u processes, %u kernel threads, %u mappings, %u files, %u symbol tables",
		st.procs, st.kthreads, st.maps, st.files, st.symtabs);
	if (st.denied)
		emit_limit(
			&s->emit,
			"the mappings of %u processes are hidden: run as root with CAP_SYS_PTRACE",
			st.denied);
	if (st.unread)
		emit_limit(
			&s->emit,
			"%u mapped files could not be read (gone, or no permission): their functions have no names",
			st.unread);
	/* the bundle has a note for each user */
	proc_maps_left(s->maps, left, sizeof(left));
	if (*left)
		s->opt->say(left);
}

/* Read the remaining events, and scan again if some were lost. */
static int stop_watching(struct session *s)
{
	__u64 lost = 0;
	int err = snapshot(s);

	if (!err)
		err = birth_close(s->birth);
	s->birth = NULL;
	if (!err && s->sideband)
		err = sideband_read(s->sideband);
	if (err)
		return err;
	if (s->sideband)
		lost = sideband_lost(s->sideband);
	if (lost)
		emit_limit(
			&s->emit,
			"%llu mapping events lost: nobody read them in time; processes that ended meanwhile have no function names",
			lost);
	if (lost || !s->sideband)
		err = proc_maps_scan(s->maps);
	if (!err)
		err = sideband_close(s->sideband, &s->emit.w);
	s->sideband = NULL;
	return err;
}

static int finish(struct session *s)
{
	struct item_writer *w = &s->emit.w;
	int err = s->opt->watch ? stop_watching(s) : 0;

	if (!err)
		err = proc_maps_tick(s->maps, true);
	if (err)
		return err;
	check_files(s);
	err = kernel_syms_write(w);
	if (err && !w->err)
		s->opt->say(
			"no kernel symbols: run as root, with kernel.kptr_restrict 0 or 1");
	err = s->opt->unwind ? unwind_write(&s->emit) : 0;
	return err ?: write_clocks(s);
}

int guest_run(const struct guest_options *opt)
{
	struct session s = { .opt = opt, .emit.say = opt->say };
	struct item_writer *w = &s.emit.w;
	sigset_t stop;
	int err, err2;

	err = item_writer_open(w, AT_FDCWD, opt->output, VMMPROF_FILE_MAPS);
	if (err)
		return err;
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	/* The program that waits for "ready" may have ended. */
	signal(SIGPIPE, SIG_IGN);

	err = begin(&s);
	if (!err && opt->watch)
		err = watch(&s, &stop);
	if (!err)
		err = finish(&s);
	birth_close(s.birth);
	sideband_close(s.sideband, w);
	task_walk_close(s.walk);
	proc_maps_destroy(s.maps);
	err2 = item_writer_close(w, !err);
	return err ?: err2;
}
