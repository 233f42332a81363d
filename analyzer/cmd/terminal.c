// SPDX-License-Identifier: GPL-2.0-only
/* Both sides of the socket between the terminal's process and the reader. */

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/session_error.h"
#include "cmd/std_pipes.h"
#include "cmd/terminal.h"
#include "sandbox/confine.h"
#include "tui/screen.h"
#include "tui/wire.h"

#define EVENTS 64 /* sent together */

int terminal_keys(int fd, bool *sent)
{
	struct tui_event ev[EVENTS];
	size_t n = 0;

	while (n < EVENTS && screen_key(&ev[n])) {
		ev[n].more = 1;
		n++;
	}
	*sent = n;
	if (!n)
		return 0;
	ev[n - 1].more = 0;
	return io_send(fd, ev, n * sizeof(ev[0]));
}

bool terminal_screen(int fd, struct grid *g, bool show)
{
	struct tui_head head;

	if (io_recv(fd, &head, sizeof(head)) || tui_receive(fd, &head, g))
		return false;
	if (show)
		screen_show(g);
	return true;
}

static void serve_screen(int fd)
{
	struct pollfd fds[2] = { { fd, POLLIN, 0 },
				 { STDIN_FILENO, POLLIN, 0 } };
	struct tui_event ev;
	struct grid g;
	bool owed = true;

	screen_size(&ev);
	if (grid_init(&g, 1, 1, ev.utf8) || io_send(fd, &ev, sizeof(ev)))
		return;
	for (;;) {
		/*
		 * a key is read only after the screen for the last one is shown
		 */
		if (poll(fds, owed ? 1 : 2, 500) < 0 && errno != EINTR)
			break;
		if (fds[0].revents) {
			if (!terminal_screen(fd, &g, true))
				break;
			owed = false;
		}
		if (!owed && terminal_keys(fd, &owed))
			break;
		if (!owed && fds[1].revents & (POLLHUP | POLLERR))
			break; /* the terminal is gone */
		fds[0].revents = 0;
		fds[1].revents = 0;
	}
	grid_deinit(&g);
}

bool terminal_open(void)
{
	const char *term = getenv("TERM");
	int ret = screen_open();

	if (ret == -ENOTTY)
		fputs("vmmprof: there is no terminal on standard input and output\n",
		      stderr);
	else if (ret == -ENOTSUP)
		fprintf(stderr,
			"vmmprof: terminals like this one (TERM=%s) can only print lines; try TERM=vt100,\n"
			"or text: `vmmprof report`, `vmmprof top --batch`\n",
			term ? term : "");
	else if (ret)
		fprintf(stderr,
			"vmmprof: nothing is known of terminals like this one (TERM=%s); try TERM=vt100\n",
			term ? term : "");
	return !ret;
}

void terminal_serve(int fd)
{
	struct tui_head head;

	if (io_recv(fd, &head, sizeof(head)) || head.say != TUI_BEGIN ||
	    !terminal_open())
		return;
	serve_screen(fd);
	screen_close();
}

/*
 * The socket to the parent.  A build that does not confine has none, so it
 * forks here.
 */
static int channel(void)
{
	int fd = confine_channel(), pair[2], status;
	pid_t pid;

	if (fd >= 0)
		return fd;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		close(pair[0]);
		return pair[1];
	}
	close(pair[1]);
	terminal_serve(pair[0]);
	close(pair[0]);
	while (waitpid(pid, &status, 0) < 0)
		;
	if (WIFSIGNALED(status))
		raise(WTERMSIG(status));
	exit(WEXITSTATUS(status));
}

static int answer(int fd, struct panels *p, struct grid *g)
{
	panels_draw(p, g);
	return tui_send(fd, g);
}

int terminal_loop(int fd, struct panels *p, terminal_data *data, void *arg)
{
	struct tui_event ev;
	struct grid g;
	int ret;

	ret = grid_init(&g, 80, 24, false);
	while (!ret) {
		ret = io_recv(fd, &ev, sizeof(ev));
		if (ret)
			break;
		if (ev.key == TUI_KEY_RESIZE) {
			grid_deinit(&g);
			ret = grid_init(&g, ev.x, ev.y, ev.utf8);
		} else if (ev.key == TUI_KEY_DATA && data) {
			ret = data(arg, fd);
		} else if (!panels_key(p, &ev)) {
			break;
		}
		if (!ret && !ev.more)
			ret = answer(fd, p, &g);
	}
	grid_deinit(&g);
	return ret;
}

bool terminal_there(const char *verb)
{
	if (terminal_is(STDIN_FILENO) && terminal_is(STDOUT_FILENO))
		return true;
	fprintf(stderr,
		"vmmprof %s: there is no terminal on standard input and output\n",
		verb);
	return false;
}

int terminal_run(const char *verb, struct panels *p)
{
	struct tui_head head = { .say = TUI_BEGIN };
	int fd, ret;

	if (!terminal_there(verb))
		return EXIT_ERROR;
	setlocale(LC_CTYPE, "C.UTF-8");
	fd = channel();
	ret = fd < 0 ? fd : io_send(fd, &head, sizeof(head));
	if (!ret)
		ret = terminal_loop(fd, p, NULL, NULL);
	io_close(&fd);
	if (ret == -EPIPE) /* the parent has printed the reason */
		return EXIT_ERROR;
	if (ret)
		fprintf(stderr, "vmmprof %s: %s\n", verb,
			session_strerror(-ret));
	return ret ? EXIT_ERROR : EXIT_OK;
}
