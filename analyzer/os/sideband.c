// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf's side-band events: one software event `dummy` on each CPU, its ring
 * read by us.  Rings of different CPUs are read one after the other, so what
 * is written is not in order of time.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/vec.h"
#include "os/cpu_list.h"
#include "os/sideband.h"

#define RING_PAGES  64
#define RECORD_MAX  65536

#define FORMAT_LOST 0x10 /* PERF_FORMAT_LOST, from 6.0 on */

struct ring {
	unsigned int cpu;
	int fd;
	struct perf_event_mmap_page *page;
	__u64 lost;  /* by LOST records, which come with the next record */
	bool counts; /* read() tells what is lost, up to now */
};

struct sideband {
	struct proc_maps *pm;
	struct ring *rings;
	int nr_rings;
	size_t cap_rings;
	int online_fd;
	struct cpus online; /* when that was looked at last */
	__u64 lost; /* in rings of CPUs that went offline and came back */
	size_t page_size;
	/* A record that the ring's end may have cut in two; aligned for it. */
	__u64 record[RECORD_MAX / 8 + 1];
};

/* Members after the header; then, as asked for, the time. */
struct mmap2 {
	struct perf_event_header hdr;
	__u32 pid, tid;
	__u64 addr, len, pgoff;
	__u32 maj, min;
	__u64 ino, ino_generation;
	__u32 prot, flags;
	char filename[];
};

struct comm {
	struct perf_event_header hdr;
	__u32 pid, tid;
	char comm[];
};

struct task { /* FORK and EXIT */
	struct perf_event_header hdr;
	__u32 pid, ppid, tid, ptid;
	__u64 time;
};

struct ksymbol {
	struct perf_event_header hdr;
	__u64 addr;
	__u32 len;
	__u16 type, flags; /* flags 1: it goes */
	char name[];
};

struct lost {
	struct perf_event_header hdr;
	__u64 id, lost;
};

/*
 * Not build_id: it would replace device and inode by a number that anybody can
 * write into a file.
 */
static int open_event(int cpu, bool ksymbol, bool counts)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = RING_PAGES * 4096 / 2,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.ksymbol = ksymbol,
		.read_format = counts ? FORMAT_LOST : 0,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* The last 8 bytes of a record, by sample_type. */
static __u64 record_time(const struct perf_event_header *hdr)
{
	__u64 ns;

	memcpy(&ns, (const __u8 *)hdr + hdr->size - sizeof(ns), sizeof(ns));
	return ns;
}

static int on_mmap2(struct sideband *sb, const struct mmap2 *m)
{
	struct mmap_event ev = {
		.ns = record_time(&m->hdr),
		.start = m->addr,
		.end = m->addr + m->len,
		.pgoff = m->pgoff,
		.dev = makedev(m->maj, m->min),
		.ino = m->ino,
		.generation = m->ino_generation,
		.pid = m->pid,
		.path = m->filename,
	};

	if (!(m->prot & PROT_EXEC) || m->pid == (__u32)-1)
		return 0;
	return proc_maps_mmap(sb->pm, &ev);
}

/* Names of processes; a thread's name is not kept. */
static int on_comm(struct sideband *sb, const struct comm *c)
{
	bool exec = c->hdr.misc & PERF_RECORD_MISC_COMM_EXEC;

	if (c->pid != c->tid)
		return 0;
	return proc_maps_proc(sb->pm, record_time(&c->hdr),
			      exec ? VMMPROF_OP_EXEC : VMMPROF_OP_RENAME,
			      c->pid, 0, c->comm);
}

/* A process begins with its first thread, and ends with its leader. */
static int on_task(struct sideband *sb, const struct task *t)
{
	bool fork = t->hdr.type == PERF_RECORD_FORK;

	if (t->pid != t->tid || (fork && t->pid == t->ppid))
		return 0;
	return proc_maps_proc(sb->pm, t->time,
			      fork ? VMMPROF_OP_FORK : VMMPROF_OP_DROP, t->pid,
			      t->ppid, "");
}

static int on_ksymbol(struct sideband *sb, const struct ksymbol *k)
{
	return proc_maps_ksym(sb->pm, record_time(&k->hdr), k->addr, k->len,
			      k->flags & 1, k->name);
}

static int on_record(struct sideband *sb, struct ring *r,
		     const struct perf_event_header *hdr)
{
	switch (hdr->type) {
	case PERF_RECORD_MMAP2:
		return on_mmap2(sb, (const void *)hdr);
	case PERF_RECORD_COMM:
		return on_comm(sb, (const void *)hdr);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return on_task(sb, (const void *)hdr);
	case PERF_RECORD_KSYMBOL:
		return on_ksymbol(sb, (const void *)hdr);
	case PERF_RECORD_LOST:
		r->lost += ((const struct lost *)(const void *)hdr)->lost;
		return 0;
	default:
		return 0;
	}
}

/* Copy @size bytes at position @pos of the ring, which wraps. */
static void copy_out(const struct sideband *sb, const struct ring *r, __u64 pos,
		     void *to, size_t size)
{
	size_t ring = RING_PAGES * sb->page_size, at = pos % ring;
	const __u8 *data = (const __u8 *)r->page + sb->page_size;
	size_t first = ring - at < size ? ring - at : size;

	memcpy(to, data + at, first);
	if (first < size)
		memcpy((__u8 *)to + first, data, size - first);
}

static int read_ring(struct sideband *sb, struct ring *r)
{
	__u64 head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	const __u8 *data = (const __u8 *)r->page + sb->page_size;
	size_t ring = RING_PAGES * sb->page_size;
	__u64 pos = r->page->data_tail;
	struct perf_event_header hdr;
	int err = 0;

	while (!err && pos < head) {
		/* Records begin at multiples of 8: this does not wrap. */
		memcpy(&hdr, data + pos % ring, sizeof(hdr));
		if (hdr.size < sizeof(hdr))
			return -EBADMSG;
		copy_out(sb, r, pos, sb->record, hdr.size);
		pos += hdr.size;
		__atomic_store_n(&r->page->data_tail, pos, __ATOMIC_RELEASE);
		err = on_record(sb, r, (const void *)sb->record);
	}
	return err;
}

/* Records that were dropped: the ring was full. */
static __u64 ring_lost(const struct ring *r)
{
	__u64 values[2]; /* the count, which stays 0, and the lost */
	bool ok = r->counts &&
		  read(r->fd, values, sizeof(values)) == sizeof(values);

	return ok && values[1] > r->lost ? values[1] : r->lost;
}

/* 0: ring filled in, 1: the CPU is offline, or -errno. */
static int open_ring(const struct sideband *sb, unsigned int cpu,
		     struct ring *r)
{
	void *page;

	memset(r, 0, sizeof(*r));
	r->cpu = cpu;
	/*
	 * Older kernels refuse newer flags with EINVAL: FORMAT_LOST came with
	 * 6.0, ksymbol with 5.1.
	 */
	r->counts = true;
	r->fd = open_event(cpu, true, true);
	if (r->fd == -EINVAL) {
		r->counts = false;
		r->fd = open_event(cpu, true, false);
	}
	if (r->fd == -EINVAL)
		r->fd = open_event(cpu, false, false);
	if (r->fd == -ENODEV)
		return 1;
	if (r->fd < 0)
		return r->fd;
	page = mmap(NULL, (RING_PAGES + 1) * sb->page_size,
		    PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (page == MAP_FAILED) {
		int err = -errno;

		close(r->fd);
		return err;
	}
	r->page = page;
	return 0;
}

static void release(struct sideband *sb)
{
	int i;

	for (i = 0; i < sb->nr_rings; i++) {
		munmap(sb->rings[i].page, (RING_PAGES + 1) * sb->page_size);
		close(sb->rings[i].fd);
	}
	io_close(&sb->online_fd);
	free(sb->rings);
	free(sb);
}

static struct ring *ring_of(const struct sideband *sb, unsigned int cpu)
{
	int i;

	for (i = 0; i < sb->nr_rings; i++)
		if (sb->rings[i].cpu == cpu)
			return &sb->rings[i];
	return NULL;
}

/*
 * A CPU has come online.  The event that it had before is off for ever, since it
 * went offline (kernel/events/core.c, perf_event_exit_cpu()).  The new one has its
 * descriptor, which somebody may poll.
 */
static int add_cpu(struct sideband *sb, unsigned int cpu)
{
	struct ring *old = ring_of(sb, cpu), r;
	int err;

	if (!old && vec_grow(&sb->rings, &sb->cap_rings, sb->nr_rings,
			     sizeof(*sb->rings)))
		return -ENOMEM;
	err = open_ring(sb, cpu, &r);
	if (err)
		return err > 0 ? 0 : err;
	if (!old) {
		sb->rings[sb->nr_rings++] = r;
		return 0;
	}
	err = read_ring(sb, old);
	sb->lost += ring_lost(old);
	munmap(old->page, (RING_PAGES + 1) * sb->page_size);
	dup3(r.fd, old->fd, O_CLOEXEC);
	close(r.fd);
	r.fd = old->fd;
	*old = r;
	return err;
}

/*
 * Which CPUs are online may have changed.  That is looked at in each round: by a file
 * that stays open, as opening it takes the most.
 */
static int look_at_cpus(struct sideband *sb)
{
	char text[4096];
	struct cpus online;
	unsigned int cpu;
	ssize_t n = pread(sb->online_fd, text, sizeof(text) - 1, 0);
	int err;

	if (n < 0)
		return -errno;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	err = cpus_parse(text, &online);
	if (err || !memcmp(&online, &sb->online, sizeof(online)))
		return err;
	for (cpu = 0; !err && cpu < CPUS_MAX; cpu++)
		if (cpus_has(&online, cpu) && !cpus_has(&sb->online, cpu))
			err = add_cpu(sb, cpu);
	sb->online = online;
	return err;
}

int sideband_open(struct proc_maps *pm, struct sideband **ret)
{
	struct sideband *sb = calloc(1, sizeof(*sb));
	int err;

	if (!sb)
		return -ENOMEM;
	sb->pm = pm;
	sb->page_size = sysconf(_SC_PAGESIZE);
	sb->online_fd = open("/sys/devices/system/cpu/online",
			     O_RDONLY | O_CLOEXEC);
	err = sb->online_fd < 0 ? -errno : look_at_cpus(sb);
	if (err) {
		release(sb);
		return err;
	}
	*ret = sb;
	return 0;
}

int sideband_read(struct sideband *sb)
{
	int i, err = 0;

	/* what is missing of a CPU then is as if it were lost */
	if (look_at_cpus(sb))
		sb->lost++;
	for (i = 0; !err && i < sb->nr_rings; i++)
		err = read_ring(sb, &sb->rings[i]);
	return err;
}

int sideband_pollfds(const struct sideband *sb, struct pollfd *fds, int max)
{
	int i;

	for (i = 0; i < sb->nr_rings && i < max; i++) {
		fds[i].fd = sb->rings[i].fd;
		fds[i].events = POLLIN;
	}
	return sb->nr_rings;
}

__u64 sideband_lost(const struct sideband *sb)
{
	__u64 sum = sb->lost;
	int i;

	for (i = 0; i < sb->nr_rings; i++)
		sum += ring_lost(&sb->rings[i]);
	return sum;
}

int sideband_close(struct sideband *sb, struct item_writer *w)
{
	struct vmmprof_maps_lost lost = { .what = VMMPROF_LOST_SIDEBAND };
	int i, err = 0;

	if (!sb)
		return 0;
	for (i = 0; i < sb->nr_rings; i++)
		ioctl(sb->rings[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	err = sideband_read(sb);
	lost.count = sideband_lost(sb);
	if (!err && lost.count)
		err = item_put(w, VMMPROF_MAPS_LOST, &lost, sizeof(lost), NULL,
			       0);
	release(sb);
	return err;
}
