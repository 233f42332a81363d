// SPDX-License-Identifier: GPL-2.0-only
/* The module's device: one open session, its events, rings and counts. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vmmprof/record.h>

#include "host/device.h"
#include "os/proc_file.h"

#define OWNER_FILE "/sys/class/misc/vmmprof/owner"

int device_open(const char *path, struct device *dev)
{
	memset(dev, 0, sizeof(*dev));
	dev->fd = open(path, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0)
		return -errno;
	dev->info.size = sizeof(dev->info);
	if (ioctl(dev->fd, VMMPROF_IOC_INFO, &dev->info) < 0) {
		int ret = -errno;

		device_close(dev);
		/*
		 * something else answers there, or a module of another version
		 */
		return ret == -ENOTTY || ret == -EINVAL ? -EPROTO : ret;
	}
	if (dev->info.abi != VMMPROF_ABI) {
		device_close(dev);
		return -EPROTO;
	}
	dev->info.version[sizeof(dev->info.version) - 1] = '\0';
	return 0;
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
	for (i = 0; i < events->nr; i++)
		setup.events[i] = events->choice[i].event;
	if (ioctl(dev->fd, VMMPROF_IOC_SETUP, &setup) < 0)
		ret = -errno;
	where->event = setup.bad_event < events->nr ? setup.bad_event :
						      VMMPROF_NONE;
	where->cpu = setup.bad_cpu;
	return ret;
}

static int map_ring(struct device *dev, unsigned int cpu, uint32_t ring_size,
		    struct vmmprof_ring *ring)
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
	vmmprof_ring_init(ring, cpu, head, tail, (uint8_t *)head + page,
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

void device_close(struct device *dev)
{
	unmap_rings(dev);
	if (dev->fd >= 0)
		close(dev->fd);
	dev->fd = -1;
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
