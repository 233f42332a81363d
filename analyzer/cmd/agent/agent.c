// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof agent`: two processes, as of `vmmprof top`.  This one records and
 * writes files; it reads nothing of what it records.  The other (cmd/agent/
 * reader.h) reads it without rights, each second, and at the end of a window
 * leaves metrics and a profile in two files in memory, which this one copies.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/saturate.h"
#include "cmd/agent/frozen.h"
#include "cmd/agent/options.h"
#include "cmd/agent/protocol.h"
#include "cmd/agent/reader.h"
#include "cmd/agent/kept.h"
#include "cmd/agent/leftover.h"
#include "cmd/agent/listen.h"
#include "cmd/agent/notify.h"
#include "cmd/agent/outputs.h"
#include "cmd/agent/restart.h"
#include "cmd/agent/spool.h"
#include "cmd/agent/status.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/record/messages.h"
#include "cmd/std_pipes.h"
#include "cmd/top/recorder.h"
#include "sandbox/confine.h"

#define LOOK_NS	    1000000000ull	 /* between two ticks */
#define ANSWER_NS   (120 * LOOK_NS)	 /* longer no tick takes */
#define RENEW_NS    (86400ull * LOOK_NS) /* a reader's life: names pile up */
#define METRICS_MAX (16u << 20)		 /* bytes */

struct agent {
	struct agent_options o;
	struct top_recorder rec;
	struct std_pipes pipes; /* what the reader prints: errors */
	struct agent_files files;
	struct spool spool;
	struct kept kept; /* dirfd -1: no records are kept */
	struct frozen frozen;
	struct listen listen; /* .sock -1: nobody can ask for metrics */
	__u32 *cpus;	      /* of the record files */
	__u64 until;	      /* all records until then are in the files */
	int metrics_dir;
	struct agent_status status;
	bool owed;   /* the reader has not answered */
	bool window; /* ... to the last tick of a window */
	bool last;   /* the window that is open is the last one */
	bool ended;
	bool again;  /* the reader is to be restarted */
	bool widen;  /* ... with samples that are rarer by .widened */
	bool reload; /* the options are to be read again */
	int sig, exit;
	char **args; /* as they were */
	__u32 windows;
	__u64 begun_ns, window_ns; /* the reader, the window: CLOCK_MONOTONIC */
	__u64 real_ns;		   /* the window: CLOCK_REALTIME */
	__u64 cpu_ns;		   /* of readers that have ended */
	struct vmmprof_info_widened widened;
};

/* Says what goes wrong again and again once until it goes well. */
static void say_once(bool *said, const char *what, const char *dir, int err)
{
	if (err && !*said)
		record_say("warning: cannot write %s to %s: %s", what, dir,
			   strerror(-err));
	*said = err;
}

static void serve_metrics(struct agent *t, __u64 size, const char *more)
{
	static bool said;
	int ret;

	if (t->listen.sock < 0)
		return;
	ret = listen_put(&t->listen, t->files.metrics, size, more);
	if (ret == -EPIPE && !t->last) {
		record_say(
			"warning: the process that answers at %s has ended: begins anew with another one",
			t->o.metrics_listen);
		t->reload = true;
		t->last = true;
		return;
	}
	say_once(&said, "metrics", t->o.metrics_listen,
		 ret == -EAGAIN ? 0 : ret);
}

static void write_metrics(struct agent *t, __u64 now_real)
{
	static bool said;
	char text[AGENT_STATUS_TEXT];
	struct stat st;
	int ret;

	if (t->metrics_dir < 0 && t->listen.sock < 0)
		return;
	t->status.window_end_ns = now_real;
	t->status.freezes = t->o.freeze.percent;
	t->status.made = t->frozen.made;
	t->status.failed = t->frozen.failed;
	agent_status_text(&t->status, t->o.spool_dir ? &t->spool : NULL, text,
			  sizeof(text));
	ret = fstat(t->files.metrics, &st) ? -errno : 0;
	if (!ret && st.st_size > METRICS_MAX)
		ret = -EFBIG;
	if (!ret)
		serve_metrics(t, st.st_size, text);
	if (t->metrics_dir < 0)
		return;
	if (!ret)
		ret = spool_write_file(t->metrics_dir, ".vmmprof.prom.tmp",
				       "vmmprof.prom", t->files.metrics,
				       st.st_size, text);
	say_once(&said, "vmmprof.prom", t->o.metrics_dir, ret);
}

/* What the reader has read is kept, too. */
static void keep_records(struct agent *t)
{
	static bool said;
	int ret;

	if (t->kept.dirfd < 0)
		return;
	ret = kept_add(&t->kept, t->rec.r.files, t->cpus, t->until, __rdtsc());
	say_once(&said, "records", t->o.records_dir, ret);
}

static void agent_deinit(struct agent *t)
{
	frozen_end(&t->frozen);
	listen_close(&t->listen);
	spool_close(&t->spool);
	kept_close(&t->kept);
	free(t->cpus);
	io_close(&t->metrics_dir);
	io_close(&t->files.metrics);
	io_close(&t->files.profile);
}

/* It has the records from then on, CLOCK_MONOTONIC: not from when this is called. */
static void begin_window(struct agent *t, __u64 from)
{
	t->window_ns = from;
	t->real_ns = clock_ns(CLOCK_REALTIME) - (clock_now() - from);
}

/* The reader has ended a window. */
static void take_window(struct agent *t, const struct agent_done *done)
{
	static bool said;
	__u64 now = clock_ns(CLOCK_REALTIME);
	int ret;

	t->status.windows++;
	t->status.switches = done->switches;
	t->status.cpu_ns = t->cpu_ns + top_recorder_cpu_ns() + done->cpu_ns +
			   listen_cpu_ns(&t->listen);
	if (t->o.spool_dir) {
		sat_sum(&t->status.folded, done->folded);
		ret = spool_put(&t->spool,
				done->profile ? t->files.profile : -1,
				done->profiles, t->real_ns, now);
		say_once(&said, "a profile", t->o.spool_dir, ret);
	}
	write_metrics(t, now);
	begin_window(t, t->rec.tick_ns);
	t->windows++;
	t->ended |= t->last || (t->o.windows && t->windows == t->o.windows);
}

static bool renewal_due(const struct agent *t)
{
	return t->window && (t->widen || top_recorder_grown(&t->rec) ||
			     clock_now() - t->begun_ns >= RENEW_NS);
}

/* The reader may say anything: a VM's number is taken from it, and no name. */
static int look_at_alarm(struct agent *t, const struct agent_alarm *a)
{
	const struct vm *vm = inventory_find(&t->rec.r.inv, a->pid);

	if (a->permille > 1000 || (a->pid && !t->o.freeze.percent))
		return -EPROTO;
	frozen_alarm(&t->frozen, a->pid ? vm ? vm->name : "" : NULL,
		     a->permille, clock_now());
	return 0;
}

static int answered(struct agent *t, int fd)
{
	struct agent_done done;
	bool again;
	int ret = io_recv(fd, &done, sizeof(done));

	if (!ret &&
	    (!done.window != !t->window || done.profiles > AGENT_PROFILES_MAX))
		ret = -EPROTO;
	if (!ret && t->window)
		ret = top_fetch_wants(&t->rec.fetch, fd);
	if (ret)
		return ret == -EPIPE || ret == -ETIMEDOUT ? ret : -EPROTO;
	t->owed = false;
	keep_records(t);
	again = renewal_due(t);
	/* the rings are emptied again while files are written to slow disks */
	ret = top_recorder_empty(&t->rec, again);
	if (t->window)
		take_window(t, &done);
	if (!ret)
		ret = look_at_alarm(t, &done.alarm);
	if (!t->ended)
		frozen_work(&t->frozen, clock_now());
	t->again = again && !t->ended;
	return ret;
}

static int empty_outputs(const struct agent_files *f)
{
	if (ftruncate(f->metrics, 0) || lseek(f->metrics, 0, SEEK_SET) < 0 ||
	    ftruncate(f->profile, 0) || lseek(f->profile, 0, SEEK_SET) < 0)
		return -errno;
	return 0;
}

/* Have the reader read what there is. */
static int tick(struct agent *t, int fd, bool end)
{
	struct top_tick tick = { .more = !end, .real_ns = t->real_ns };
	int ret = empty_outputs(&t->files);

	t->owed = true;
	t->window = end;
	if (!ret)
		ret = top_recorder_tick(&t->rec, fd, &tick);
	t->until = tick.until;
	return ret;
}

static int by_time(struct agent *t, int fd)
{
	__u64 now = clock_now();
	int ret = top_recorder_work(&t->rec, now);
	bool end;

	if (!ret && t->owed && now - t->rec.tick_ns > ANSWER_NS)
		ret = -ETIMEDOUT;
	if (ret || t->owed)
		return ret;
	/* a reader knows the periods that were when it began: it ends before */
	if (!t->widen)
		t->widen = record_measure_overhead(&t->rec.r, &t->widened);
	end = t->last || t->widen || now - t->window_ns >= t->o.window_ns;
	if (!end && now - t->rec.tick_ns < LOOK_NS)
		return 0;
	return tick(t, fd, end);
}

static int wait_ms(const struct agent *t)
{
	__u64 now = clock_now(), next = top_recorder_due(&t->rec);

	if (!t->owed && (t->last || t->rec.tick_ns + LOOK_NS < next))
		next = t->last ? now : t->rec.tick_ns + LOOK_NS;
	return next > now ? (next - now) / 1000000 + 1 : 0;
}

/* The options are read again: a file that is wrong changes nothing. */
static void look_at_options(struct agent *t)
{
	static struct agent_options o;
	char **args = restart_args(t->rec.r.argc, t->args);
	int ret = EXIT_ERROR;

	if (args)
		ret = agent_parse_options(t->rec.r.argc, args, &o);
	conf_deinit(&o.conf);
	if (ret != OPTIONS_GO_ON) {
		record_say("goes on with the options of before");
		return;
	}
	t->reload = true;
	t->last = true;
}

/* A signal ends the window, so that what was sampled is not lost. */
static void look_for_signals(struct agent *t)
{
	struct signalfd_siginfo info;

	while (read(t->rec.r.signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (info.ssi_signo == SIGHUP) {
			look_at_options(t);
			continue;
		}
		t->sig = info.ssi_signo;
		t->last = true;
	}
}

static int loop(struct agent *t, int fd)
{
	struct pollfd fds[2] = { { fd, POLLIN, 0 },
				 { t->rec.r.signals, POLLIN, 0 } };
	int ret = 0;

	while (!ret && !t->ended && !t->again) {
		fds[0].revents = 0;
		fds[1].revents = 0;
		if (poll(fds, 2, wait_ms(t)) < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents)
			ret = answered(t, fd);
		if (fds[1].revents)
			look_for_signals(t);
		if (!ret && !t->ended && !t->again)
			ret = by_time(t, fd);
	}
	return ret;
}

static void put_states(void *arg, struct session_writer *w)
{
	struct agent *t = arg;

	record_write_states(&t->rec.r.inv, w, VMMPROF_WHEN_START);
}

/* Once the record files are there.  An error is no end: it is said. */
static void begin_kept(struct agent *t)
{
	struct recording *r = &t->rec.r;
	unsigned int i;
	int ret;

	/* of another reader they go on */
	if (!t->o.records_dir || t->kept.dirfd >= 0)
		return;
	kept_close(&t->kept);
	free(t->cpus);
	t->cpus = calloc(r->nr_files + 1, sizeof(*t->cpus));
	for (i = 0; t->cpus && i < r->nr_files; i++)
		t->cpus[i] = r->dev.rings[i].cpu;
	ret = t->cpus ? kept_open(&t->kept, t->o.records_dir, t->rec.dir,
				  r->nr_files) :
			-ENOMEM;
	t->kept.states = put_states;
	t->kept.told = &t->rec.r.told;
	t->kept.states_arg = t;
	t->kept.max_bytes = (__u64)t->o.records_size << 20;
	t->kept.max_ticks = t->o.records_ns / 1000000 * r->dev.info.tsc_khz;
	if (!ret)
		return;
	record_say("warning: no records are kept: %s: %s", t->o.records_dir,
		   ret == -EPERM ? "others than its owner may write there" :
				   strerror(-ret));
	kept_close(&t->kept);
}

static int begin_reader(struct agent *t, int fd)
{
	struct agent_done ready;
	/* of parts of messages, too */
	int ret = io_limit(fd, ANSWER_NS / LOOK_NS);

	if (!ret)
		ret = top_recorder_first(&t->rec, fd);
	if (!ret)
		ret = io_recv(fd, &ready, sizeof(ready));
	if (ret)
		return ret == -ETIMEDOUT ? ret : -EPIPE;
	top_recorder_count(&t->rec);
	t->begun_ns = clock_now();
	begin_kept(t);
	begin_window(t, clock_now());
	notify_ready();
	return 0;
}

static int sample_again(void *arg)
{
	struct agent *t = arg;

	return top_recorder_begin(&t->rec, true);
}

static int begin_again(struct agent *t)
{
	static bool said;
	int host, ret, kept;

	if (t->kept.dirfd < 0)
		return sample_again(t);
	host = openat(t->rec.r.out.dirfd, "host",
		      O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (host < 0)
		return -errno;
	ret = kept_renew(&t->kept, host, __rdtsc(), sample_again, t, &kept);
	close(host);
	say_once(&said, "records", t->o.records_dir, kept);
	return ret;
}

/* Without waiting for the reader, which ends with this process. */
static void give_up(struct agent *t)
{
	record_say(
		"the process that reads the records has not answered for %llu s",
		ANSWER_NS / LOOK_NS);
	top_recorder_deinit(&t->rec);
	agent_deinit(t);
	_exit(EXIT_ERROR);
}

static void serve(void *arg, int fd)
{
	struct agent *t = arg;
	int ret = std_pipes_copy(&t->pipes);

	if (!ret && t->widen)
		ret = record_widen(&t->rec.r, &t->widened);
	t->widen = false;
	if (!ret)
		ret = t->again ? begin_again(t) :
				 top_recorder_begin(&t->rec, false);
	if (!ret && !t->again)
		leftover_remove(t->rec.dir);
	t->again = false;
	top_fetch_forked(&t->o.top);
	t->exit = EXIT_ERROR;
	if (ret)
		return;
	top_fetch_begin(&t->rec.fetch, &t->rec.r);
	ret = begin_reader(t, fd);
	if (!ret)
		ret = loop(t, fd);
	if (ret == -ETIMEDOUT)
		give_up(t);
	t->rec.reading = false;
	t->owed = false;
	if (!ret)
		t->exit = EXIT_OK; /* unless the reader fails */
	else if (ret != -EPIPE)
		record_say("%s", strerror(-ret));
}

/* Closes everything of the recorder's in the reader. */
static int read_alone(void *arg)
{
	struct agent *t = arg;
	int channel = confine_channel();

	/* these are the recorder's to take, which ends this process then */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (std_pipes_use(&t->pipes))
		return EXIT_ERROR;
	device_close(&t->rec.r.dev);
	confine_files(3,
		      (int[]){ channel, t->o.top.notes, t->files.metrics,
			       t->files.profile },
		      4);
	return agent_read(&t->o, &t->files);
}

static int run(struct agent *t)
{
	int ret, sig = 0, err = 0;

	do {
		ret = top_fetch_open(&t->rec.fetch, &t->o.top);
		if (ret)
			break;
		ret = std_pipes_open(&t->pipes);
		if (!ret) {
			ret = confine_run_served(read_alone, t, serve, &sig);
			err = std_pipes_close(&t->pipes, ret != -EINTR);
		}
		top_fetch_close(&t->rec.fetch);
	} while (!ret && t->again && !t->exit);
	if (err && err != -EPIPE) {
		record_say("%s", strerror(-err));
		return EXIT_ERROR;
	}
	if (ret < 0)
		confined_say_end("vmmprof agent", "the records", ret, sig, "");
	return ret ? EXIT_ERROR : t->exit;
}

/* The directories and files that are written to.  0, or -errno with a message. */
static int open_outputs(struct agent *t)
{
	const struct agent_options *o = &t->o;
	int ret;

	if (!o->metrics_dir && !o->metrics_listen && !o->spool_dir &&
	    !o->records_dir) {
		record_say(
			"nothing to do: name --metrics-dir, --metrics-listen, --spool-dir or --records-dir, here or in %s",
			o->conf_name ? o->conf_name : AGENT_CONF);
		return -EINVAL;
	}
	if (o->metrics_dir) {
		t->metrics_dir = open(o->metrics_dir,
				      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (t->metrics_dir < 0) {
			ret = -errno;
			record_say("%s: %s", o->metrics_dir, strerror(-ret));
			return ret;
		}
	}
	if (o->spool_dir) {
		ret = outputs_spool(&t->spool, o);
		if (ret)
			return ret;
	}
	ret = outputs_frozen(&t->frozen, o);
	if (!ret)
		ret = outputs_listen(&t->listen, o);
	if (ret)
		return ret;
	t->files.metrics = memfd_create("vmmprof metrics", MFD_CLOEXEC);
	t->files.profile = memfd_create("vmmprof profile", MFD_CLOEXEC);
	if (t->files.metrics >= 0 && t->files.profile >= 0)
		return 0;
	ret = -errno;
	record_say("cannot make files in memory: %s", strerror(-ret));
	return ret;
}

static int freeze(const struct agent_options *o)
{
	struct error e;

	if (!o->records_dir) {
		record_say(
			"freeze: name --records-dir, here or in %s, where the agent keeps records",
			o->conf_name ? o->conf_name : AGENT_CONF);
		return EXIT_ERROR;
	}
	if (!kept_freeze(o->records_dir,
			 o->output ? o->output : DEFAULT_SESSION, &e))
		return EXIT_OK;
	record_say_error(&e);
	return EXIT_ERROR;
}

int cmd_agent(int argc, char **argv)
{
	static struct agent t; /* threads that copy its pipes may outlive this */
	int ret;

	record_say_verb("agent");
	t.spool = (struct spool){ .dirfd = -1, .book.fd = -1 };
	t.kept = KEPT_NONE;
	t.metrics_dir = -1;
	t.listen = (struct listen){ .sock = -1 };
	t.files = (struct agent_files){ -1, -1 };
	t.args = restart_args(argc, argv);
	ret = t.args ? agent_parse_options(argc, argv, &t.o) : EXIT_ERROR;
	if (ret != OPTIONS_GO_ON)
		return ret;
	if (*t.o.what)
		return freeze(&t.o);
	terminal_look();
	ret = open_outputs(&t) ? EXIT_ERROR : EXIT_OK;
	if (!ret && top_recorder_init(&t.rec, "agent", &t.o.top, argc, argv))
		ret = EXIT_ERROR;
	if (!ret) {
		ret = run(&t);
		top_recorder_deinit(&t.rec);
	}
	agent_deinit(&t);
	if (t.reload && !ret && !t.sig)
		return restart(argc, t.args);
	return ret;
}
