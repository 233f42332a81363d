// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof top`: two processes.  This one records, as `vmmprof record` does,
 * into a directory in memory whose record files it empties after each interval,
 * and has the terminal.  The other (cmd/top/reader.h) reads them without rights
 * and makes the screens.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

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
#include "cmd/top/fetch.h"
#include "sandbox/confine.h"
#include "tui/screen.h"
#include "tui/wire.h"

#define DRAIN_NS      200000000ull
#define HOST_NS	      5000000000ull /* between two readings of the host's maps */
#define IN_FLIGHT_MS  2		    /* a record may be written that late */
#define HOST_MAX      (256ll << 20) /* bytes, of what came after the start */
#define RECORDS_START sizeof(struct vmmprof_file_hdr)

struct top {
	struct top_options o;
	struct recording r;
	char dir[64];
	struct top_fetch fetch;
	struct grid grid;
	struct std_pipes pipes; /* what the reader prints */
	bool screen;		/* the terminal is ours */
	bool reading;		/* the other one reads the record files */
	bool owed;		/* the reader has not sent its screen yet */
	bool ended; /* by the user, a signal, or the last interval */
	bool again; /* the reader is to be restarted */
	int sig;
	int status;
	__u32 times;
	__u64 drained_ns, tick_ns, cpu_ns, host_ns, lost;
	off_t host_size, host_first;
};

static off_t host_size(const struct top *t)
{
	struct stat st;

	if (fstatat(t->r.out.dirfd, "host", &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	return st.st_size;
}

static __u64 lost_samples(const struct top *t)
{
	__u64 n = 0;
	unsigned int i;

	for (i = 0; i < t->r.dev.nr_rings; i++)
		n += __atomic_load_n(&t->r.dev.rings[i].head->lost,
				     __ATOMIC_RELAXED);
	return n;
}

/* Empty the record files, which the reader has read. */
static int empty_files(struct top *t)
{
	unsigned int i;

	for (i = 0; i < t->r.nr_files; i++)
		if (ftruncate(t->r.files[i], RECORDS_START) ||
		    lseek(t->r.files[i], RECORDS_START, SEEK_SET) < 0) {
			record_say("cannot empty a record file: %s",
				   strerror(errno));
			return -errno;
		}
	return 0;
}

static bool has_ended(__u32 pid, __u32 tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) && errno == ESRCH;
}

/* Threads of vCPUs that have ended since; the list is to be freed. */
static struct top_gone *find_gone(struct top *t, __u32 *nr)
{
	struct inventory *inv = &t->r.inv;
	struct top_gone *list = NULL;
	unsigned int i, j, max = 0;

	*nr = 0;
	for (i = 0; i < inv->nr; i++)
		max += inv->vms[i].nr_vcpus;
	if (max)
		list = calloc(max, sizeof(*list));
	for (i = 0; list && i < inv->nr; i++) {
		for (j = 0; j < inv->vms[i].nr_vcpus; j++) {
			struct vm_vcpu *v = &inv->vms[i].vcpus[j];

			if (!v->tid || !has_ended(inv->vms[i].pid, v->tid))
				continue;
			list[*nr].pid = inv->vms[i].pid;
			list[(*nr)++].tid = v->tid;
			v->tid = 0;
		}
	}
	return list;
}

static int send_tick(int fd, const struct top_tick *tick,
		     const struct top_gone *gone, const struct top *t)
{
	const struct tui_event ev = { .key = TUI_KEY_DATA };
	struct top_vm vm;
	__u32 i;
	int ret;

	ret = io_send(fd, &ev, sizeof(ev));
	if (!ret)
		ret = io_send(fd, tick, sizeof(*tick));
	for (i = 0; i < tick->nr_vms && !ret; i++) {
		memset(&vm, 0, sizeof(vm));
		vm.pid = t->r.inv.vms[i].pid;
		memcpy(vm.name, t->r.inv.vms[i].name, sizeof(vm.name));
		ret = io_send(fd, &vm, sizeof(vm));
	}
	if (!ret && tick->nr_gone)
		ret = io_send(fd, gone, tick->nr_gone * sizeof(*gone));
	return ret;
}

/* CPU time of this process and of ended ones that fetched guests' maps. */
static __u64 own_cpu_ns(void)
{
	__u64 ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u))
		return ns;
	return ns + (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000ull +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000ull;
}

/* The interval is over: have the reader read it. */
static int end_interval(struct top *t, int fd)
{
	__u64 now = clock_now();
	__u64 cpu = own_cpu_ns(), lost;
	struct top_tick tick = {
		.until = __rdtsc() - IN_FLIGHT_MS * t->r.dev.info.tsc_khz,
		.cpu_ns = cpu - t->cpu_ns,
		.wall_ns = now - t->tick_ns,
		.nr_vms = t->r.inv.nr,
	};
	struct top_gone *gone;
	off_t size = host_size(t);
	int ret;

	ret = record_drain(&t->r);
	if (ret)
		return ret;
	lost = lost_samples(t);
	tick.lost = lost - t->lost;
	if (size != t->host_size && now - t->host_ns >= HOST_NS) {
		tick.host = 1;
		t->host_size = size;
		t->host_ns = now;
	}
	gone = find_gone(t, &tick.nr_gone);
	ret = send_tick(fd, &tick, gone, t);
	free(gone);
	t->lost = lost;
	t->cpu_ns = cpu;
	t->tick_ns = now;
	t->reading = true;
	t->owed = true;
	return ret;
}

static int answered(struct top *t, int fd)
{
	if (t->reading && top_fetch_wants(&t->fetch, fd))
		return -EPIPE;
	if (!terminal_screen(fd, &t->grid, t->screen))
		return -EPIPE;
	t->owed = false;
	if (!t->reading)
		return 0;
	t->reading = false;
	t->times++;
	if (t->o.times && t->times == t->o.times)
		t->ended = true;
	if (host_size(t) - t->host_first > HOST_MAX)
		t->again = true;
	return empty_files(t);
}

static void look_for_signals(struct top *t)
{
	struct signalfd_siginfo info;

	while (read(t->r.signals, &info, sizeof(info)) == sizeof(info)) {
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
	int ret = 0;

	if (now - t->drained_ns >= DRAIN_NS) {
		t->drained_ns = now;
		if (!t->reading)
			ret = record_drain(&t->r);
		if (!ret)
			ret = record_tick(&t->r);
		top_fetch_run(&t->fetch, &t->r, now);
	}
	if (!ret && !t->owed && now - t->tick_ns >= t->o.interval_ns)
		ret = end_interval(t, fd);
	return ret;
}

/* Milliseconds until something is due. */
static int wait_ms(const struct top *t)
{
	__u64 now = clock_now();
	__u64 next = t->drained_ns + DRAIN_NS;

	if (!t->owed && t->tick_ns + t->o.interval_ns < next)
		next = t->tick_ns + t->o.interval_ns;
	return next > now ? (next - now) / 1000000 + 1 : 0;
}

static int loop(struct top *t, int fd)
{
	struct pollfd fds[3] = { { fd, POLLIN, 0 },
				 { t->r.signals, POLLIN, 0 },
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
	const struct top_tick first = { .until = t->r.start_tsc };
	struct tui_event ev;
	struct tui_head head;
	int ret;

	ret = send_tick(fd, &first, NULL, t);
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
	t->host_first = host_size(t);
	t->host_size = t->host_first;
	t->host_ns = clock_now();
	t->drained_ns = t->host_ns;
	t->tick_ns = t->host_ns;
	t->cpu_ns = own_cpu_ns();
	t->lost = lost_samples(t);
	return ret;
}

/* Starts a new map file of the host, because the first grew too large. */
static int renew_host(struct top *t)
{
	__u64 lost;
	int ret;

	ret = host_maps_end(&t->r.host, &lost);
	t->r.host_open = false;
	if (!ret && unlinkat(t->r.out.dirfd, "host", 0))
		ret = -errno;
	if (!ret)
		ret = host_maps_begin(&t->r.host, t->r.out.dirfd, 0);
	t->r.host_open = !ret;
	if (ret)
		record_say("cannot write the host's maps: %s", strerror(-ret));
	return ret;
}

static int begin_recording(struct top *t)
{
	int ret;

	if (t->again) {
		t->again = false;
		t->r.start_tsc = __rdtsc();
		ret = renew_host(t);
		if (ret)
			return ret;
		record_put_states(&t->r, VMMPROF_WHEN_START);
		ret = session_writer_flush(&t->r.out);
		return ret ? ret : empty_files(t);
	}
	ret = record_begin(&t->r);
	if (!ret)
		ret = record_start(&t->r);
	if (!ret)
		ret = session_writer_flush(&t->r.out);
	return ret;
}

static void serve(void *arg, int fd)
{
	struct top *t = arg;
	int ret = std_pipes_copy(&t->pipes);

	if (!ret)
		ret = begin_recording(t);
	top_fetch_forked(&t->o);
	t->status = EXIT_ERROR;
	if (ret)
		return;
	top_fetch_begin(&t->fetch, &t->r);
	ret = begin_reader(t, fd);
	if (!ret)
		ret = loop(t, fd);
	if (t->screen)
		screen_close();
	t->screen = false;
	t->reading = false;
	t->owed = false;
	record_say_hold(false);
	grid_deinit(&t->grid);
	if (!ret || (ret == -EPIPE && !t->o.batch))
		t->status = EXIT_OK; /* unless the reader fails */
	else if (ret != -EPIPE && ret != -ENOTTY)
		record_say("%s", strerror(-ret));
}

/* Makes the session's directory, in memory if possible. */
static int make_dir(struct top *t)
{
	static const char *const places[] = { "/dev/shm", "/tmp" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		snprintf(t->dir, sizeof(t->dir), "%s/vmmprof-top-XXXXXX",
			 places[i]);
		if (mkdtemp(t->dir))
			return 0;
	}
	record_say("cannot make a directory in /dev/shm or /tmp: %s",
		   strerror(errno));
	return -errno;
}

/* Closes everything of the recorder's in the reader. */
static int read_alone(void *arg)
{
	struct top *t = arg;
	int channel = confine_channel();

	if (std_pipes_use(&t->pipes))
		return EXIT_ERROR;
	device_close(&t->r.dev);
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
		ret = top_fetch_open(&t->fetch, &t->o);
		if (ret)
			break;
		ret = std_pipes_open(&t->pipes);
		if (!ret) {
			ret = confine_run_served(read_alone, t, serve, &sig);
			err = std_pipes_close(&t->pipes, ret != -EINTR);
		}
		top_fetch_close(&t->fetch);
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
	if (make_dir(t))
		return EXIT_ERROR;
	t->o.load.dir = t->dir;
	t->o.record.dir = t->dir;
	t->r = (struct recording){ .opts = &t->o.record,
				   .argc = argc,
				   .argv = argv,
				   .dev.fd = -1,
				   .signals = -1,
				   .cache.dirfd = -1,
				   .live = true };
	inventory_init(&t->r.inv);
	ret = run(t);
	record_clean_up(&t->r);
	rmdir(t->dir);
	if (t->sig)
		confined_end_by(t->sig);
	return ret;
}
