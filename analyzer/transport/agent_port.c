// SPDX-License-Identifier: GPL-2.0-only
/* The guest agent's port, as QEMU's command line has it. */

#include <string.h>

#include "transport/agent_port.h"
#include "host/qemu_args.h"

bool vmmprof_agent_port(const struct vmmprof_target *t, char *id, size_t size)
{
	char text[64];
	const char *value;
	size_t pos = 0;

	while ((value = vmmprof_qemuarg_next(t->cmdline, t->cmdline_size,
					     "-device", &pos)))
		if (vmmprof_qemuarg_part(value, "driver", text, sizeof(text)) &&
		    !strcmp(text, "virtserialport") &&
		    vmmprof_qemuarg_part(value, "name", text, sizeof(text)) &&
		    !strcmp(text, VMMPROF_AGENT_PORT))
			return vmmprof_qemuarg_part(value, "chardev", id, size);
	return false;
}
