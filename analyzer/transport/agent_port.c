// SPDX-License-Identifier: GPL-2.0-only
/* Finds the guest agent's port in QEMU's command line. */

#include <string.h>

#include "transport/agent_port.h"
#include "host/qemu_args.h"

bool agent_port(const struct target *t, char *id, size_t size)
{
	char text[64];
	const char *value;
	size_t pos = 0;

	while ((value = qemu_arg_next(t->cmdline, t->cmdline_size, "-device",
				      &pos)))
		if (qemu_arg_part(value, "driver", text, sizeof(text)) &&
		    !strcmp(text, "virtserialport") &&
		    qemu_arg_part(value, "name", text, sizeof(text)) &&
		    !strcmp(text, AGENT_PORT))
			return qemu_arg_part(value, "chardev", id, size);
	return false;
}
