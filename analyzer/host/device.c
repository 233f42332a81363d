// SPDX-License-Identifier: GPL-2.0-only
/* The module's device: one open session, its events, rings and counts. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vmmprof/record.h>
#include <vmmprof/version.h>

#include "base/io.h"
#include "host/device.h"
#include "os/proc_file.h"

#define OWNER_FILE "/sys/class/misc/vmmprof/owner"
#define LOCKDOWN   "/sys/kernel/security/lockdown"

#define STAT_TRIES 5 /* while the module has no memory */

static void in_use(struct error *e)
{
	char comm[32];
	int pid;

	if (device_owner("", &pid, comm, sizeof(comm)))
		error_set(
			e, -EBUSY,
			"somebody else is recording: the module serves one session at a time");
	else
		error_set(e, -EBUSY,
			  "somebody else is recording: process %d (%s)", pid,
			  comm);
	error_hint(e,
		   "Wait for it to end, or end it; its session stays readable.",
		   NULL);
}

/* kernel_lockdown(7): who may see what the kernel holds is nobody then. */
static bool locked_down(void)
{
	char line[64];

	return proc_file_line(LOCKDOWN, line, sizeof(line)) > 0 &&
	       strstr(line, "[confidentiality]");
}

static int not_opened(int err, const char *path, const struct device *dev,
		      struct error *e)
{
	switch (err) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		error_set(e, err,
			  "%s is not there: the module vmmprof is not loaded",
			  path);
		error_hint(
			e, "Load it with `modprobe vmmprof`.",
			"From the source tree: `make kmod`, then `insmod vmmprof.ko`.");
		break;
	case -EACCES:
	case -EPERM:
		error_set(e, err, "not allowed to open %s: %s", path,
			  strerror(-err));
		if (locked_down())
			error_hint(
				e,
				"The kernel's lockdown is `confidentiality`, which forbids it, as perf events.",
				"Boot with lockdown=integrity, which Secure Boot has, too.");
		else
			error_hint(
				e,
				"Run it as root; or be in the device's group and have CAP_PERFMON.",
				"A security module (SELinux) may forbid it, as perf events.");
		break;
	case -EBUSY:
		in_use(e);
		break;
	case -EPROTO:
		error_set(
			e, err,
			"the loaded module speaks ABI %u, this program (%s) ABI %u",
			dev->info.abi, VMMPROF_VERSION, VMMPROF_ABI);
		error_hint(e, DEVICE_REBUILD, NULL);
		break;
	default:
		error_set(e, err, "cannot open %s: %s", path, strerror(-err));
	}
	return err;
}

int device_open(const char *path, struct device *dev, struct error *e)
{
	int ret = 0;

	memset(dev, 0, sizeof(*dev));
	dev->fd = open(path, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0)
		return not_opened(-errno, path, dev, e);
	dev->info.size = sizeof(dev->info);
	if (ioctl(dev->fd, VMMPROF_IOC_INFO, &dev->info) < 0)
		ret = -errno;
	else if (dev->info.abi != VMMPROF_ABI)
		ret = -EPROTO;
	/* something else answers there, or a module of another version */
	if (ret == -ENOTTY || ret == -EINVAL)
		ret = -EPROTO;
	if (ret) {
		device_close(dev);
		return not_opened(ret, path, dev, e);
	}
	dev->info.version[sizeof(dev->info.version) - 1] = '\0';
	return 0;
}

static const char *why_refused(int err, bool mediated)
{
	if (mediated && err == -EOPNOTSUPP)
		return "KVM's mediated vPMU is in use by a VM";
	switch (err) {
	case -ENOENT:
		return "this CPU has no performance counter for it";
	case -EOPNOTSUPP:
	case -ENODEV:
		return "no performance counters that interrupt (a VM without a vPMU?)";
	case -EINVAL:
		return "the event or its period is not one the counters take";
	case -EBUSY:
		return "the performance counters are taken";
	default:
		return strerror(-err);
	}
}

static int not_set_up(int err, const struct device *dev,
		      const struct event_list *events,
		      struct setup_error *where)
{
	bool mediated = dev->info.features & VMMPROF_FEAT_MEDIATED;
	struct error *e = &where->error;

	if (where->event != VMMPROF_NONE) {
		error_set(e, err, "event '%s' on CPU %u: %s",
			  events->choice[where->event].name, where->cpu,
			  why_refused(err, mediated));
		error_hint(
			e,
			"Choose another with -e; cpu-clock works everywhere, but is not an NMI.",
			"`vmmprof record --help` lists the names; the machine may lack some.");
		return err;
	}
	if (err == -ENOMEM) {
		error_set(e, err, "no memory for the rings");
		error_hint(e, "Choose smaller ones with -m.", NULL);
		return err;
	}
	error_set(e, err, "the module refuses the settings: %s",
		  strerror(-err));
	if (mediated && err == -EOPNOTSUPP)
		error_hint(
			e,
			"KVM's mediated vPMU is on: -e cpu-clock, or --force-pmu.",
			NULL);
	if (err == -EINVAL)
		error_hint(e, "cpu-clock takes no period below 10000 ns.",
			   NULL);
	return err;
}

int device_setup(struct device *dev, const struct event_list *events,
		 const struct cpus *cpus, uint32_t ring_size, uint32_t flags,
		 struct setup_error *where)
{
	struct vmmprof_setup setup = {
		.size = sizeof(setup),
		.flags = flags,
		.ring_size = ring_size,
		.nr_events = events->nr,
		.cpumask = (uintptr_t)cpus->bits,
		.cpumask_size = (dev->info.nr_cpu_ids + 7) / 8,
		.bad_event = VMMPROF_NONE,
		.bad_cpu = VMMPROF_NONE,
	};
	unsigned int i;
	int ret = 0;

	if (setup.cpumask_size > sizeof(cpus->bits))
		setup.cpumask_size = sizeof(cpus->bits);
	if (flags & VMMPROF_SETUP_F_CHAINS) {
		setup.chain_flags = dev->chain_flags;
		if (!(flags & VMMPROF_SETUP_F_SWITCHES))
			setup.chain_flags &= ~VMMPROF_CHAIN_F_OUT;
		setup.chain_depth = dev->chain_depth;
		setup.chain_stack = dev->chain_stack;
	}
	for (i = 0; i < events->nr; i++)
		setup.events[i] = events->choice[i].event;
	if (ioctl(dev->fd, VMMPROF_IOC_SETUP, &setup) < 0)
		ret = -errno;
	where->event = setup.bad_event < events->nr ? setup.bad_event :
						      VMMPROF_NONE;
	where->cpu = setup.bad_cpu;
	return ret ? not_set_up(ret, dev, events, where) : 0;
}

static int map_ring(struct device *dev, unsigned int cpu, uint32_t ring_size,
		    struct mapped_ring *ring)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *head, *tail;

	head = mmap(NULL, page + ring_size, PROT_READ, MAP_SHARED, dev->fd,
		    VMMPROF_OFF_RING(cpu));
	if (head == MAP_FAILED)
		return -errno;
	tail = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd,
		    VMMPROF_OFF_TAIL(cpu));
	if (tail == MAP_FAILED) {
		int ret = -errno;

		munmap(head, page + ring_size);
		return ret;
	}
	mapped_ring_init(ring, cpu, head, tail, (uint8_t *)head + page,
			 ring_size);
	return 0;
}

int device_map(struct device *dev, const struct cpus *cpus, uint32_t ring_size)
{
	unsigned int nr = cpus_count(cpus);
	unsigned int cpu;

	dev->rings = calloc(nr ? nr : 1, sizeof(*dev->rings));
	if (!dev->rings)
		return -ENOMEM;
	for (cpu = 0; cpu < CPUS_MAX; cpu++) {
		int ret;

		if (!cpus_has(cpus, cpu))
			continue;
		ret = map_ring(dev, cpu, ring_size, &dev->rings[dev->nr_rings]);
		if (ret)
			return ret;
		dev->nr_rings++;
	}
	return 0;
}

static void unmap_rings(struct device *dev)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned int i;

	for (i = 0; i < dev->nr_rings; i++) {
		munmap((void *)dev->rings[i].head, page + dev->rings[i].size);
		munmap(dev->rings[i].tail, page);
	}
	free(dev->rings);
	dev->rings = NULL;
	dev->nr_rings = 0;
}

int device_start(struct device *dev)
{
	return ioctl(dev->fd, VMMPROF_IOC_START, 0) < 0 ? -errno : 0;
}

int device_widen(struct device *dev, uint32_t factor)
{
	struct vmmprof_widen arg = { .size = sizeof(arg), .factor = factor };

	return ioctl(dev->fd, VMMPROF_IOC_WIDEN, &arg) < 0 ? -errno : 0;
}

int device_stop(struct device *dev)
{
	return ioctl(dev->fd, VMMPROF_IOC_STOP, 0) < 0 ? -errno : 0;
}

int device_stat(const struct device *dev, unsigned int cpu,
		struct vmmprof_cpu_stat *stat)
{
	memset(stat, 0, sizeof(*stat));
	stat->size = sizeof(*stat);
	stat->cpu = cpu;
	if (ioctl(dev->fd, VMMPROF_IOC_CPU_STAT, stat) < 0)
		return -errno;
	if (stat->nr_events > VMMPROF_MAX_EVENTS)
		stat->nr_events = VMMPROF_MAX_EVENTS;
	return 0;
}

int device_counts(const struct device *dev, unsigned int i,
		  struct vmmprof_cpu_stat *stat)
{
	const struct mapped_ring *ring = &dev->rings[i];
	int tries, ret = -ENOMEM;

	for (tries = 0; ret == -ENOMEM && tries < STAT_TRIES; tries++)
		ret = device_stat(dev, ring->cpu, stat);
	if (!ret)
		return 0;
	/* it is empty but for its size and CPU */
	stat->samples = __atomic_load_n(&ring->head->samples, __ATOMIC_RELAXED);
	stat->lost = __atomic_load_n(&ring->head->lost, __ATOMIC_RELAXED);
	stat->bytes = __atomic_load_n(&ring->head->head, __ATOMIC_ACQUIRE);
	return ret;
}

int device_layout(const struct device *dev, struct vmmprof_layout *layout)
{
	unsigned int i;

	memset(layout, 0, sizeof(*layout));
	layout->size = sizeof(*layout);
	if (ioctl(dev->fd, VMMPROF_IOC_LAYOUT, layout) < 0)
		return -errno;
	if (layout->nr > VMMPROF_LAYOUT_MAX)
		return -EPROTO;
	for (i = 0; i < layout->nr; i++) {
		struct vmmprof_layout_member *m = &layout->members[i];

		m->type[sizeof(m->type) - 1] = '\0';
		m->member[sizeof(m->member) - 1] = '\0';
	}
	return 0;
}

int device_kvm_loads(const struct device *dev, __u64 *loads)
{
	struct vmmprof_kvm kvm = { .size = sizeof(kvm) };

	if (ioctl(dev->fd, VMMPROF_IOC_KVM, &kvm) < 0)
		return -errno;
	*loads = kvm.loads;
	return 0;
}

int device_use_kvm(const struct device *dev, __u64 loads)
{
	struct vmmprof_kvm kvm = {
		.size = sizeof(kvm),
		.flags = VMMPROF_KVM_F_USE,
		.loads = loads,
	};

	return ioctl(dev->fd, VMMPROF_IOC_KVM, &kvm) < 0 ? -errno : 0;
}

int device_exits(const struct device *dev, __u32 from,
		 struct vmmprof_exit *exits, __u32 *nr, __u64 *missed)
{
	struct vmmprof_exits arg = {
		.size = sizeof(arg),
		.from = from,
		.nr = *nr,
		.to = (uintptr_t)exits,
	};

	if (ioctl(dev->fd, VMMPROF_IOC_EXITS, &arg) < 0)
		return -errno;
	if (arg.nr > *nr)
		return -EPROTO;
	*nr = arg.nr;
	*missed = arg.missed;
	return 0;
}

int device_guest_layout(const struct device *dev,
			struct vmmprof_guest_layout *l)
{
	l->size = sizeof(*l);
	return ioctl(dev->fd, VMMPROF_IOC_GUEST_LAYOUT, l) < 0 ? -errno : 0;
}

int device_memslots(const struct device *dev, __u32 pid,
		    struct vmmprof_memslot *slots, __u32 *nr, bool *more)
{
	struct vmmprof_memslots arg = {
		.size = sizeof(arg),
		.pid = pid,
		.nr = *nr,
		.to = (uintptr_t)slots,
	};

	if (ioctl(dev->fd, VMMPROF_IOC_MEMSLOTS, &arg) < 0)
		return -errno;
	if (arg.nr > *nr)
		return -EPROTO;
	*nr = arg.nr;
	*more = arg.total > arg.nr;
	return 0;
}

void device_close(struct device *dev)
{
	unmap_rings(dev);
	io_close(&dev->fd);
}

int device_owner(const char *root, int *pid, char *comm, size_t size)
{
	char path[PATH_MAX], text[64];
	int ret;

	snprintf(path, sizeof(path), "%s" OWNER_FILE, root);
	ret = proc_file_line(path, text, sizeof(text));
	if (ret < 0)
		return -ENOENT;
	*pid = atoi(text);
	if (*pid <= 0)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/proc/%d/comm", root, *pid);
	if (proc_file_line(path, comm, size) < 0)
		snprintf(comm, size, "?");
	return 0;
}
