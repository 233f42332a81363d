// SPDX-License-Identifier: GPL-2.0-only
/* Finds whom a task of the host belongs to. */

#include <stdlib.h>
#include <string.h>

#include "model/clock.h"
#include "model/timeline.h"
#include "model/timeline_internal.h"

#define UNIT_MAX 256 /* systemd's UNIT_NAME_MAX */

/* The path of its control group, NULL: not known. */
static const char *group_of(const struct machine *m, const struct image *im)
{
	size_t i = im - m->procs.images;

	return i < m->containers.nr ? m->containers.groups[i] : NULL;
}

/*
 * The only VM whose process is in that group; libvirt puts helpers of a VM
 * (virtiofsd, swtpm) and the kernel's threads for it there.  VMMPROF_NONE: none,
 * or several.
 */
static __u32 vm_in_group(const struct timeline *tl, const struct machine *m,
			 const char *group)
{
	const struct guests *gs = &tl->a->resolver.guests;
	const struct image *im;
	__u32 found = VMMPROF_NONE;
	const char *other;
	size_t i;

	for (i = 0; i < gs->nr; i++) {
		im = procs_find(&m->procs, gs->guests[i].pid, TIME_UNKNOWN);
		other = im ? group_of(m, im) : NULL;
		if (!other || !same_scope(group, other))
			continue;
		if (found != VMMPROF_NONE)
			return VMMPROF_NONE;
		found = i;
	}
	return found;
}

/*
 * The VM that a kernel thread works for: vhost's are named after the thread that
 * set up the device, which is mostly the VM's first one, and are in its control
 * group.
 */
static __u32 vm_of_kthread(const struct timeline *tl, const struct machine *m,
			   const struct image *im, const char *comm)
{
	static const char vhost[] = "vhost-";
	const char *group = im ? group_of(m, im) : NULL;
	unsigned long pid;
	char *end;
	__u32 vm;

	if (strncmp(comm, vhost, strlen(vhost)))
		return VMMPROF_NONE;
	pid = strtoul(comm + strlen(vhost), &end, 10);
	if (*end || !pid || pid >= VMMPROF_NONE)
		return VMMPROF_NONE;
	vm = hash_get(&tl->a->resolver.guests.pids, pid);
	if (vm != VMMPROF_NONE || !group)
		return vm;
	return vm_in_group(tl, m, group);
}

/* Of a process that is no VM's. */
static int owner_of_process(struct timeline *tl, const struct machine *m,
			    const struct image *im, const char *comm,
			    __u32 *ret)
{
	struct owners *os = &tl->thieves.owners;
	const char *group = im ? group_of(m, im) : NULL;
	char name[UNIT_MAX];
	__u32 vm;

	if (group && vm_scope(group)) {
		vm = vm_in_group(tl, m, group);
		if (vm != VMMPROF_NONE)
			return owner_get(os, OF_VM, vm, ret);
	}
	if (group && container_name(group, name, sizeof(name)))
		return owner_named(os, OF_CONTAINER, name, ret);
	if (group && unit_name(group, name, sizeof(name)))
		return owner_named(os, OF_UNIT, name, ret);
	return owner_named(os, OF_PROCESS, comm, ret);
}

/* Of a task that is in no VM's process. */
static int owner_new(struct timeline *tl, unsigned int kind,
		     const struct image *im, const struct task_id *id,
		     __u32 *ret)
{
	struct owners *os = &tl->thieves.owners;
	const struct machine *m = timeline_host(tl);
	char comm[17];
	__u32 vm;

	/* A process is named by its leader, not by one of its threads. */
	memcpy(comm, im && im->comm[0] ? im->comm : id->comm, 16);
	comm[16] = '\0';
	if (kind == BY_IRQ)
		return owner_get(os, OF_IRQ, 0, ret);
	if (kind != BY_KTHREAD)
		return owner_of_process(tl, m, im, comm, ret);
	vm = vm_of_kthread(tl, m, im, comm);
	if (vm != VMMPROF_NONE)
		return owner_get(os, OF_VM, vm, ret);
	return owner_get(os, OF_KERNEL, 0, ret);
}

int owner_of(struct timeline *tl, unsigned int kind, const struct task_id *id,
	     const struct image *im, __u32 *ret)
{
	struct owners *os = &tl->thieves.owners;
	__u32 vm = hash_get(&tl->a->resolver.guests.pids, id->pid);
	size_t i;
	int err;

	if (vm != VMMPROF_NONE)
		return owner_get(os, OF_VM, vm, ret);
	/* While a task is not known its name is all there is, and may change. */
	if (!im)
		return owner_new(tl, kind, NULL, id, ret);
	i = im - timeline_host(tl)->procs.images;
	*ret = hash_get(&os->by_image, i);
	if (*ret != VMMPROF_NONE)
		return 0;
	err = owner_new(tl, kind, im, id, ret);
	return err ? err : hash_set(&os->by_image, i, *ret);
}
