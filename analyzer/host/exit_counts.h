/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's counts of VM exits, into a session. */
#ifndef HOST_EXIT_COUNTS_H
#define HOST_EXIT_COUNTS_H

#include "format/session_writer.h"
#include "host/device.h"

/*
 * Writes what was counted, once sampling is over, and that it is whole or why it
 * is not.  *missed: exits that were not counted.  0 or -errno.
 */
int exit_counts_put(const struct device *dev, struct session_writer *out,
		    __u64 *missed);

#endif
