/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks through a finished record file for what the recorder still has to
 * know: vCPUs and their threads, and whether the file holds what the module
 * says it wrote.
 */
#ifndef HOST_RECORD_SCAN_H
#define HOST_RECORD_SCAN_H

#include "host/inventory.h"

struct record_scan {
	uint64_t samples;
	uint64_t lost;	    /* samples that LOST records tell of */
	uint64_t switches;  /* OUT, WAKE, IN, MIGRATE and SWITCH records */
	uint64_t names;	    /* SWITCH records left out, as LOST records tell */
	uint64_t chains;    /* CHAIN records left out, as they tell */
	uint64_t throttled; /* THROTTLE records */
};

/*
 * fd: a cpu-N.rec open for reading; its position is moved.  VMs and vCPUs are
 * added to inv, first seen at their first record's TSC; counts are added to
 * scan.  0 or -errno of the reader.  Time: proportional to the records.
 */
int record_scan(int fd, struct inventory *inv, struct record_scan *scan);

#endif /* HOST_RECORD_SCAN_H */
