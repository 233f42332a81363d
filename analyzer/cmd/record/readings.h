/* SPDX-License-Identifier: GPL-2.0-only */
/* `vmmprof record`: what it keeps of the guests that it reads while it samples. */
#ifndef CMD_RECORD_READINGS_H
#define CMD_RECORD_READINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/guest_sights.h"
#include "introspect/read_apart.h"

/* One guest. */
struct memory_guest {
	uint32_t pid;		  /* of its VMM */
	int mem;		  /* the VMM's memory, O_RDONLY; -1: not open */
	struct guest_slot *slots; /* as the module told them last */
	size_t nr_slots;
	struct guest_reading reading;
	int out;	       /* what it writes, in memory */
	uint64_t begun_ns;     /* the reading: CLOCK_MONOTONIC */
	uint64_t begun_tsc;    /* ... the host's TSC */
	uint64_t begun_seen;   /* ... guest_sight.found */
	uint64_t begun_unread; /* ... guest_sight.unread */
	uint64_t next_ns;      /* none before */
	unsigned int tries;    /* that failed, without one that did not */
	bool over;	       /* it is not tried again */
	bool looked;	       /* at the VMM's command line */
	bool told;	       /* the module was told its kernel's layout */
	struct vmmprof_guest_layout layout; /* ... this one; size 0: none */
	struct error untold;   /* ... and does not take it; code 0: it does */
	unsigned int readings; /* that went well */
	struct guest_kernel kernel; /* guest_found.kernel of the last one */
	int bundle;	    /* what all of them found, in memory; -1: none */
	off_t first_size;   /* of it after the first of these */
	bool anew;	    /* the reading begins another one */
	uint64_t done_ns;   /* when the last one began that went well */
	uint64_t done_seen; /* guest_sight.found at the last one's begin */
	uint64_t first_ns;  /* when the first one was done */
	uint64_t last_ns;   /* ... the last one */
	uint64_t bytes;	    /* read, by all of them */
	unsigned int told_readings; /* of them, the reader of `vmmprof top` has */
	bool told_over;		    /* ... and why there are no more */
	struct error why; /* of the last one that failed; code 0: none */
};

struct record_memory {
	bool wanted;
	struct guest_sights sights;
	struct memory_guest *guests; /* in the order of the inventory */
	size_t nr, cap;
};

#endif /* CMD_RECORD_READINGS_H */
