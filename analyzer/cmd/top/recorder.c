// SPDX-License-Identifier: GPL-2.0-only
/* Records for a reader that reads meanwhile. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/vec.h"
#include "cmd/record/messages.h"
#include "cmd/top/recorder.h"
#include "tui/wire.h"

#define WORK_NS	      200000000ull
#define HOST_NS	      5000000000ull /* between two readings of the host's maps */
#define IN_FLIGHT_MS  2		    /* a record may be written that late */
#define HOST_MAX      (256ll << 20) /* bytes, of what came after the start */
#define GONE_MAX      512	/* VMs of which a reader has what is known */
#define ENDED_MAX     0x100000u /* vCPUs that are remembered */
#define RECORDS_START sizeof(struct vmmprof_file_hdr)

static off_t host_size(const struct top_recorder *t)
{
	struct stat st;

	if (fstatat(t->r.out.dirfd, "host", &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	return st.st_size;
}

static __u64 lost_samples(const struct top_recorder *t)
{
	__u64 n = 0;
	unsigned int i;

	for (i = 0; i < t->r.dev.nr_rings; i++)
		n += __atomic_load_n(&t->r.dev.rings[i].head->lost,
				     __ATOMIC_RELAXED);
	return n;
}

/* What a reader that begins with it needs of the records of before. */
static int put_told(struct recording *r)
{
	unsigned int i;
	size_t bytes;
	int ret = 0;

	for (i = 0; i < r->nr_files && !ret; i++) {
		void *told = told_records(&r->told, i, &bytes);

		if (bytes)
			ret = told ? io_write(r->files[i], told, bytes) :
				     -ENOMEM;
		free(told);
	}
	if (ret)
		record_say("cannot write a record file: %s", strerror(-ret));
	return ret;
}

static int empty_files(struct recording *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_files; i++)
		if (ftruncate(r->files[i], RECORDS_START) ||
		    lseek(r->files[i], RECORDS_START, SEEK_SET) < 0) {
			record_say("cannot empty a record file: %s",
				   strerror(errno));
			return -errno;
		}
	return 0;
}

static int begin_files(struct recording *r)
{
	int ret = empty_files(r);

	return ret ? ret : put_told(r);
}

int top_recorder_empty(struct top_recorder *t, bool again)
{
	t->reading = false;
	return record_drain_release(&t->r, again ? begin_files : empty_files);
}

static bool has_ended(__u32 pid, __u32 tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) && errno == ESRCH;
}

/* The next reader finds it in info.  (Without memory for it that sees it wait.) */
static void remember_ended(struct top_recorder *t, const struct top_gone *gone)
{
	if (t->nr_ended < ENDED_MAX &&
	    !vec_grow(&t->ended, &t->cap_ended, t->nr_ended, sizeof(*gone)))
		t->ended[t->nr_ended++] = *gone;
}

static bool is_vcpu(const struct inventory *inv, const struct top_gone *gone)
{
	unsigned int i, j;

	for (i = 0; i < inv->nr; i++)
		for (j = 0; j < inv->vms[i].nr_vcpus; j++)
			if (inv->vms[i].pid == gone->pid &&
			    inv->vms[i].vcpus[j].tid == gone->tid)
				return true;
	return false;
}

/* Another thread may have the number of one that ended. */
static void forget_returned(struct top_recorder *t)
{
	size_t i, nr = 0;

	for (i = 0; i < t->nr_ended; i++)
		if (!is_vcpu(&t->r.inv, &t->ended[i]))
			t->ended[nr++] = t->ended[i];
	t->nr_ended = nr;
}

/* Threads of vCPUs that have ended since; the list is to be freed. */
static struct top_gone *find_gone(struct top_recorder *t, __u32 *nr)
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
			list[*nr].tid = v->tid;
			remember_ended(t, &list[(*nr)++]);
			v->tid = 0;
		}
	}
	return list;
}

static int send_tick(int fd, const struct top_tick *tick,
		     const struct top_gone *gone, const struct top_recorder *t)
{
	const struct tui_event ev = { .key = TUI_KEY_DATA };
	struct top_vm vm;
	__u32 i;
	int ret;

	ret = io_send(fd, &ev, sizeof(ev));
	if (!ret)
		ret = io_send(fd, tick, sizeof(*tick));
	if (!ret && tick->nr_gone)
		ret = io_send(fd, gone, tick->nr_gone * sizeof(*gone));
	for (i = 0; i < t->r.inv.nr && tick->nr_vms && !ret; i++) {
		if (t->r.inv.vms[i].gone)
			continue;
		memset(&vm, 0, sizeof(vm));
		vm.pid = t->r.inv.vms[i].pid;
		memcpy(vm.name, t->r.inv.vms[i].name, sizeof(vm.name));
		ret = io_send(fd, &vm, sizeof(vm));
	}
	return ret;
}

static __u32 nr_vms(const struct inventory *inv)
{
	__u32 nr = 0;
	unsigned int i;

	for (i = 0; i < inv->nr; i++)
		nr += !inv->vms[i].gone;
	return nr;
}

/* What was kept for VMs that have ended; the reader has been told of them. */
static void forget_gone(struct top_recorder *t)
{
	struct inventory *inv = &t->r.inv;
	unsigned int i;

	for (i = 0; i < inv->nr; i++) {
		struct vm *vm = &inv->vms[i];

		if (vm->gone || !has_ended(vm->pid, vm->pid))
			continue;
		record_memory_gone(&t->r.memory, vm->pid);
		symcache_unclaim(&t->r.cache, vm->pid);
		inventory_gone(vm);
		t->gone++;
	}
}

static void say_forgotten(struct top_recorder *t)
{
	if (!t->r.told.lost || t->forgotten)
		return;
	t->forgotten = true;
	record_say(
		"warning: more vCPUs run on a CPU than are remembered: what is frozen, or read by another reader, may lack guests' clocks and take a halt for running");
}

__u64 top_recorder_cpu_ns(void)
{
	__u64 ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u))
		return ns;
	return ns + (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000ull +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000ull;
}

int top_recorder_tick(struct top_recorder *t, int fd, struct top_tick *tick)
{
	__u64 now = clock_now();
	__u64 cpu = top_recorder_cpu_ns(), lost;
	struct top_gone *gone;
	off_t size = host_size(t);
	int ret;

	tick->until = __rdtsc() - IN_FLIGHT_MS * t->r.dev.info.tsc_khz;
	t->r.told.until = tick->until;
	tick->cpu_ns = cpu - t->cpu_ns;
	tick->wall_ns = now - t->tick_ns;
	tick->nr_vms = nr_vms(&t->r.inv);
	ret = record_drain_hold(&t->r);
	if (ret)
		return ret;
	say_forgotten(t);
	lost = lost_samples(t);
	tick->lost = lost - t->lost;
	if (size != t->host_size && now - t->host_ns >= HOST_NS) {
		tick->host = 1;
		t->host_size = size;
		t->host_ns = now;
	}
	gone = find_gone(t, &tick->nr_gone);
	ret = send_tick(fd, tick, gone, t);
	free(gone);
	forget_gone(t);
	t->lost = lost;
	t->cpu_ns = cpu;
	t->tick_ns = now;
	t->reading = true;
	return ret;
}

/* Starts a new map file of the host, because the first grew too large. */
static int renew_host(struct top_recorder *t)
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

int top_recorder_begin(struct top_recorder *t, bool again)
{
	int ret;

	if (again) {
		t->r.start_tsc = __rdtsc();
		ret = renew_host(t);
		if (ret)
			return ret;
		record_put_states(&t->r, VMMPROF_WHEN_START);
		/* what was drained since the last reader is the next one's */
		return session_writer_flush(&t->r.out);
	}
	ret = record_begin(&t->r);
	if (!ret)
		ret = record_start(&t->r);
	if (!ret)
		ret = session_writer_flush(&t->r.out);
	return ret;
}

int top_recorder_first(struct top_recorder *t, int fd)
{
	struct top_tick first = { .until = t->r.start_tsc };

	forget_returned(t);
	first.nr_gone = t->nr_ended;
	return send_tick(fd, &first, t->ended, t);
}

void top_recorder_count(struct top_recorder *t)
{
	t->gone = 0;
	t->host_first = host_size(t);
	t->host_size = t->host_first;
	t->host_ns = clock_now();
	t->worked_ns = t->host_ns;
	t->tick_ns = t->host_ns;
	t->cpu_ns = top_recorder_cpu_ns();
	t->lost = lost_samples(t);
}

bool top_recorder_grown(const struct top_recorder *t)
{
	return t->gone >= GONE_MAX || host_size(t) - t->host_first > HOST_MAX;
}

__u64 top_recorder_due(const struct top_recorder *t)
{
	return t->worked_ns + WORK_NS;
}

int top_recorder_work(struct top_recorder *t, __u64 now)
{
	int ret;

	if (now - t->worked_ns < WORK_NS)
		return 0;
	t->worked_ns = now;
	ret = record_drain_failed(&t->r);
	if (!ret)
		ret = record_tick(&t->r);
	top_fetch_run(&t->fetch, &t->r, now);
	return ret;
}

static int make_dir(struct top_recorder *t, const char *verb)
{
	static const char *const places[] = { "/dev/shm", "/tmp" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		snprintf(t->dir, sizeof(t->dir), "%s/vmmprof-%s-XXXXXX",
			 places[i], verb);
		if (mkdtemp(t->dir))
			return 0;
	}
	record_say("cannot make a directory in /dev/shm or /tmp: %s",
		   strerror(errno));
	return -errno;
}

int top_recorder_init(struct top_recorder *t, const char *verb,
		      struct top_options *o, int argc, char **argv)
{
	int ret = make_dir(t, verb);

	if (ret)
		return ret;
	o->load.dir = t->dir;
	o->record.dir = t->dir;
	t->r = (struct recording){ .opts = &o->record,
				   .argc = argc,
				   .argv = argv,
				   .dev.fd = -1,
				   .signals = -1,
				   .cache.dirfd = -1,
				   .live = true };
	inventory_init(&t->r.inv);
	return 0;
}

void top_recorder_deinit(struct top_recorder *t)
{
	record_clean_up(&t->r);
	rmdir(t->dir);
	free(t->ended);
	t->ended = NULL;
}
