// SPDX-License-Identifier: GPL-2.0-only
/* The module's counts of VM exits, into a session. */

#include "host/exit_counts.h"

int exit_counts_put(const struct device *dev, struct session_writer *out,
		    __u64 *missed)
{
	struct vmmprof_exit exits[VMMPROF_EXITS_MAX];
	__u32 from = 0, nr = 0, i;
	int ret;

	*missed = 0;
	do {
		from += nr;
		nr = VMMPROF_EXITS_MAX;
		ret = device_exits(dev, from, exits, &nr, missed);
		for (i = 0; !ret && i < nr; i++)
			session_writer_exit(out, &exits[i]);
	} while (!ret && nr);
	session_writer_exits(out, !ret, -ret, *missed);
	return ret;
}
