/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The container a process runs in, by the name that container runtimes give
 * to its control group.
 */
#ifndef VMMPROF_MODEL_CONTAINER_H
#define VMMPROF_MODEL_CONTAINER_H

#include "model/processes.h"

#define VMMPROF_CONTAINER_MAX 96

/*
 * Name of the container in the path of a control group, of several the
 * innermost: "docker:0123456789ab", podman, containerd, crio alike; "lxc:NAME",
 * "nspawn:NAME"; "pod:UID" of a kubernetes pod without more.  False: none.
 * The name may hold any bytes.
 */
bool vmmprof_container_name(const char *cgroup, char *buf, size_t size);

struct vmmprof_containers {
	const char **groups; /* by image: path of the control group, or NULL */
	size_t nr;
};

/*
 * From CGROUP items; an image without one is in the group of the process it
 * was before, or of its parent.  @b must live as long.  0 or -ENOMEM.
 */
int vmmprof_containers_init(struct vmmprof_containers *c,
			    const struct vmmprof_bundle *b,
			    const struct vmmprof_procs *ps);
void vmmprof_containers_deinit(struct vmmprof_containers *c);

/* The name of the container of image number @image; false: none. */
bool vmmprof_container_of(const struct vmmprof_containers *c, size_t image,
			  char *buf, size_t size);

#endif /* VMMPROF_MODEL_CONTAINER_H */
