/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The container, systemd unit or VM that a process is part of, by the names that
 * container runtimes, systemd and libvirt give to control groups.
 */
#ifndef MODEL_CONTAINER_H
#define MODEL_CONTAINER_H

#include "model/processes.h"

#define CONTAINER_MAX 96

/*
 * Name of the container in the path of a control group, of several the
 * innermost: "docker:0123456789ab", podman, containerd, crio alike; "lxc:NAME",
 * "nspawn:NAME"; "pod:UID" of a kubernetes pod whose container is not named.
 * False: none.  The name may hold any bytes.
 */
bool container_name(const char *cgroup, char *buf, size_t size);

/*
 * The innermost systemd service or scope in the path of a control group:
 * "backup.service".  False: none, or a container's or VM's own part of it.
 * The name may hold any bytes.
 */
bool unit_name(const char *cgroup, char *buf, size_t size);

/* Is the control group part of the scope that libvirt made for a VM? */
bool vm_scope(const char *cgroup);

/* Are both groups parts of one VM's scope; without any, the same group? */
bool same_scope(const char *a, const char *b);

struct containers {
	const char **groups; /* by image: path of the control group, or NULL */
	size_t nr;
};

/*
 * From CGROUP items; an image without one is in the group of the process it
 * was before, or of its parent.  @b must live as long.  0 or -ENOMEM.
 */
int containers_init(struct containers *c, const struct bundle *b,
		    const struct procs *ps);
void containers_deinit(struct containers *c);

/* The name of the container of image number @image; false: none. */
bool container_of(const struct containers *c, size_t image, char *buf,
		  size_t size);

#endif /* MODEL_CONTAINER_H */
