// SPDX-License-Identifier: GPL-2.0-only
/* All ways into guests, in the order in which they are tried. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/proc_file.h"
#include "transport/ways.h"

#define CMDLINE_MAX (256u << 10)

const struct transport *const transport_ways[NR_WAYS] = {
	&transport_agent,
	&transport_libvirt,
	&transport_vsock,
	&transport_ssh,
};

const char *way_name(uint32_t how)
{
	unsigned int i;

	if (how == VMMPROF_REACH_FILE)
		return "file";
	if (how == VMMPROF_REACH_MEMORY)
		return "memory";
	for (i = 0; i < NR_WAYS; i++)
		if (transport_ways[i]->how == how)
			return transport_ways[i]->name;
	return "-";
}

bool ways_have_agent(uint32_t ways)
{
	return ways >> VMMPROF_REACH_AGENT & 1 ||
	       ways >> VMMPROF_REACH_LIBVIRT & 1;
}

uint32_t ways_of(const char *root, uint32_t pid)
{
	struct target t = { .root = root, .pid = pid, .name = "" };
	struct channel c = { .target = &t, .fd = -1 };
	char *cmdline = malloc(CMDLINE_MAX);
	char path[PATH_MAX];
	uint32_t ways = 0;
	ssize_t n = -1;
	unsigned int i;

	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", root, pid);
	if (cmdline)
		n = proc_file_read(path, cmdline, CMDLINE_MAX);
	t.cmdline = n > 0 ? cmdline : "";
	t.cmdline_size = n > 0 ? n : 0;
	for (i = 0; i < NR_WAYS; i++)
		if (transport_ways[i]->probe(&c) == 1)
			ways |= 1u << transport_ways[i]->how;
	free(cmdline);
	return ways;
}
