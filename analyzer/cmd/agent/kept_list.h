/* SPDX-License-Identifier: GPL-2.0-only */
/* The stretches of time in a directory of records (cmd/agent/kept.h). */
#ifndef CMD_AGENT_KEPT_LIST_H
#define CMD_AGENT_KEPT_LIST_H

#include <stddef.h>

#include <linux/types.h>

#define KEPT_NAME_DIGITS 20

struct kept_stretch {
	char name[KEPT_NAME_DIGITS + 1];
	__u64 from; /* TSC */
};

/* The oldest comes first; *list is to be freed.  0 or -errno. */
int kept_list(int at, struct kept_stretch **list, size_t *nr);

/* Calls @fn for each file cpu-N of a stretch until it is not 0. */
int kept_each_file(int at, const struct kept_stretch *s,
		   int (*fn)(void *arg, int stretch, const char *name,
			     __u32 cpu),
		   void *arg);

#endif /* CMD_AGENT_KEPT_LIST_H */
