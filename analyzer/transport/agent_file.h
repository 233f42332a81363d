/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of our directory in a guest, by the commands of its agent. */
#ifndef TRANSPORT_AGENT_FILE_H
#define TRANSPORT_AGENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/agent_call.h"

/* Write a file there: what descriptor @fd has, or @size bytes.  0 or -errno. */
int agent_push_file(struct agent_talk *a, int fd, const char *name);
int agent_push_data(struct agent_talk *a, const char *name, const char *data,
		    size_t size);

/* A file to fetch, and where it is written. */
struct agent_file {
	const char *name; /* what it is called there, and in messages */
	bool packed;	  /* it is NAME.gz there */
	int out;	  /* written from offset 0 on */
	uint64_t max;	  /* bytes; more is refused, packed as well as not */
	uint64_t size;	  /* bytes written */
};

/* 0 or -errno with a text in a->c; what was written until then stays. */
int agent_fetch_file(struct agent_talk *a, struct agent_file *f);

#endif /* TRANSPORT_AGENT_FILE_H */
