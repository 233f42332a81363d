// SPDX-License-Identifier: GPL-2.0-only
/* All ways into guests, in the order in which they are tried. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/proc_file.h"
#include "transport/ways.h"

#define CMDLINE_MAX (256u << 10)

const struct vmmprof_transport *const vmmprof_ways[VMMPROF_NR_WAYS] = {
	&vmmprof_transport_agent,
	&vmmprof_transport_libvirt,
	&vmmprof_transport_vsock,
	&vmmprof_transport_ssh,
};

const char *vmmprof_way_name(uint32_t how)
{
	unsigned int i;

	if (how == VMMPROF_REACH_FILE)
		return "file";
	for (i = 0; i < VMMPROF_NR_WAYS; i++)
		if (vmmprof_ways[i]->how == how)
			return vmmprof_ways[i]->name;
	return "-";
}

uint32_t vmmprof_ways_of(const char *root, uint32_t pid)
{
	struct vmmprof_target t = { .root = root, .pid = pid, .name = "" };
	struct vmmprof_channel c = { .target = &t, .fd = -1 };
	char *cmdline = malloc(CMDLINE_MAX);
	char path[PATH_MAX];
	uint32_t ways = 0;
	ssize_t n = -1;
	unsigned int i;

	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", root, pid);
	if (cmdline)
		n = vmmprof_procfile_read(path, cmdline, CMDLINE_MAX);
	t.cmdline = n > 0 ? cmdline : "";
	t.cmdline_size = n > 0 ? n : 0;
	for (i = 0; i < VMMPROF_NR_WAYS; i++)
		if (vmmprof_ways[i]->probe(&c) == 1)
			ways |= 1u << vmmprof_ways[i]->how;
	free(cmdline);
	return ways;
}
