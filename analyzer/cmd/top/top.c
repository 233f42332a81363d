// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof top`: two processes.  This one records, as `vmmprof record` does,
 * into a directory in memory whose record files it empties after each interval,
 * and has the terminal.  The other (cmd/top/reader.h) reads them without rights
 * and makes the screens.
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/record/recording.h"
#include "cmd/record/messages.h"
#include "cmd/std_pipes.h"
#include "cmd/terminal.h"
#include "cmd/top/options.h"
#include "cmd/top/protocol.h"
#include "cmd/top/reader.h"
#include "cmd/top/recorder.h"
#include "sandbox/confine.h"
#include "tui/screen.h"
#include "tui/wire.h"

struct top {
	struct top_options o;
	struct top_recorder rec;
	struct grid grid;
	struct std_pipes pipes; /* what the reader prints */
	bool screen;		/* the terminal is ours */
	bool owed;		/* the reader has not sent its screen yet */
	bool ended; /* by the user, a signal, or the last interval */
	bool again; /* the reader is to be restarted */
	int sig;
	int status;
	__u32 times;
};

static int answered(struct top *t, int fd)
{
	if (t->rec.reading && top_fetch_wants(&t->rec.fetch, fd))
		return -EPIPE;
	if (!terminal_screen(fd, &t->grid, t->screen))
		return -EPIPE;
	t->owed = false;
	if (!t->rec.reading)
		return 0;
	t->times++;
	if (t->o.times && t->times == t->o.times)
		t->ended = true;
	t->again = top_recorder_grown(&t->rec);
	return top_recorder_empty(&t->rec, t->again);
}

static void look_for_signals(struct top *t)
{
	struct signalfd_siginfo info;

	while (read(t->rec.r.signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		t->ended = true;
		t->sig = info.ssi_signo;
	}
}

/* Does everything that is due at this time.  0 or -errno. */
static int by_time(struct top *t, int fd)
{
	__u64 now = clock_now();
	int ret = top_recorder_work(&t->rec, now);
	struct top_tick tick = { 0 };

	if (ret || t->owed || now - t->rec.tick_ns < t->o.interval_ns)
		return ret;
	t->owed = true;
	return top_recorder_tick(&t->rec, fd, &tick);
}

/* Milliseconds until something is due. */
static int wait_ms(const struct top *t)
{
	__u64 now = clock_now();
	__u64 next = top_recorder_due(&t->rec);

	if (!t->owed && t->rec.tick_ns + t->o.interval_ns < next)
		next = t->rec.tick_ns + t->o.interval_ns;
	return next > now ? (next - now) / 1000000 + 1 : 0;
}

static int loop(struct top *t, int fd)
{
	struct pollfd fds[3] = { { fd, POLLIN, 0 },
				 { t->rec.r.signals, POLLIN, 0 },
				 { STDIN_FILENO, POLLIN, 0 } };
	int ret = 0;

	while (!ret && !t->ended && !t->again) {
		fds[0].revents = 0;
		fds[1].revents = 0;
		fds[2].revents = 0;
		/*
		 * a key is read only after the screen for the last one is shown
		 */
		if (poll(fds, t->screen && !t->owed ? 3 : 2, wait_ms(t)) < 0 &&
		    errno != EINTR)
			return -errno;
		if (fds[0].revents)
			ret = answered(t, fd);
		if (fds[1].revents)
			look_for_signals(t);
		if (t->ended || t->again)
			break; /* no further interval */
		if (!ret && t->screen && !t->owed)
			ret = terminal_keys(fd, &t->owed);
		if (!ret && t->screen && !t->owed &&
		    fds[2].revents & (POLLHUP | POLLERR))
			return -EPIPE; /* the terminal is gone */
		if (!ret)
			ret = by_time(t, fd);
	}
	return ret;
}

/* Waits until the reader has opened the session and asks for the terminal. */
static int begin_reader(struct top *t, int fd)
{
	struct tui_event ev;
	struct tui_head head;
	int ret;

	ret = top_recorder_first(&t->rec, fd);
	if (!ret)
		ret = io_recv(fd, &head, sizeof(head));
	if (ret || head.say != TUI_BEGIN)
		return -EPIPE;
	memset(&ev, 0, sizeof(ev));
	if (!t->o.batch) {
		if (!terminal_open())
			return -ENOTTY;
		t->screen = true;
		record_say_hold(true);
		screen_size(&ev);
	}
	ret = grid_init(&t->grid, 1, 1, ev.utf8);
	if (!ret && t->screen) {
		ret = io_send(fd, &ev, sizeof(ev));
		t->owed = true;
	}
	top_recorder_count(&t->rec);
	return ret;
}

static void serve(void *arg, int fd)
{
	struct top *t = arg;
	int ret = std_pipes_copy(&t->pipes);

	if (!ret)
		ret = top_recorder_begin(&t->rec, t->again);
	t->again = false;
	top_fetch_forked(&t->o);
	t->status = EXIT_ERROR;
	if (ret)
		return;
	top_fetch_begin(&t->rec.fetch, &t->rec.r);
	ret = begin_reader(t, fd);
	if (!ret)
		ret = loop(t, fd);
	if (t->screen)
		screen_close();
	t->screen = false;
	t->rec.reading = false;
	t->owed = false;
	record_say_hold(false);
	grid_deinit(&t->grid);
	if (!ret || (ret == -EPIPE && !t->o.batch))
		t->status = EXIT_OK; /* unless the reader fails */
	else if (ret != -EPIPE && ret != -ENOTTY)
		record_say("%s", strerror(-ret));
}

/* Closes everything of the recorder's in the reader. */
static int read_alone(void *arg)
{
	struct top *t = arg;
	int channel = confine_channel();

	if (std_pipes_use(&t->pipes))
		return EXIT_ERROR;
	device_close(&t->rec.r.dev);
	confine_files(3, (int[]){ channel, t->o.notes }, 2);
	if (!t->o.batch)
		code_from_server(&t->o.code, DEBUGINFOD_SECONDS, false);
	/* the screen is served meanwhile */
	t->o.code.server.broker.later = true;
	return top_read(&t->o);
}

static int run(struct top *t)
{
	int ret, sig = 0, err = 0;

	do {
		ret = top_fetch_open(&t->rec.fetch, &t->o);
		if (ret)
			break;
		ret = std_pipes_open(&t->pipes);
		if (!ret) {
			ret = confine_run_served(read_alone, t, serve, &sig);
			err = std_pipes_close(&t->pipes, ret != -EINTR);
		}
		top_fetch_close(&t->rec.fetch);
	} while (!ret && t->again && !t->status);
	if (ret == -EINTR && sig != SIGKILL && !t->sig)
		t->sig = sig;
	if (err && err != -EPIPE) {
		t->sig = 0;
		record_say("%s", strerror(-err));
		return EXIT_ERROR;
	}
	if (ret < 0 && (ret != -EINTR || sig == SIGKILL))
		confined_say_end("vmmprof top", "the records", ret, sig, "");
	return ret ? EXIT_ERROR : t->status;
}

int cmd_top(int argc, char **argv)
{
	static struct top top; /* threads that copy its pipes may outlive this */
	struct top *t = &top;
	int ret;

	record_say_verb("top");
	ret = top_parse_options(argc, argv, &t->o);
	if (ret != OPTIONS_GO_ON)
		return ret;
	if (!t->o.batch && !terminal_there("top"))
		return EXIT_ERROR;
	terminal_look();
	if (top_recorder_init(&t->rec, "top", &t->o, argc, argv))
		return EXIT_ERROR;
	ret = run(t);
	top_recorder_deinit(&t->rec);
	if (t->sig)
		confined_end_by(t->sig);
	return ret;
}
