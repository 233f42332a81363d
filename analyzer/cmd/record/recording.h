/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of `vmmprof record`: what its three parts share. */
#ifndef CMD_RECORD_RECORDING_H
#define CMD_RECORD_RECORDING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/session_writer.h"
#include "host/device.h"
#include "host/host_maps.h"
#include "host/inventory.h"
#include "host/kvm_layout.h"
#include "host/told.h"
#include "symcache/cache.h"
#include "host/vm_watch.h"
#include "host/workload.h"
#include "cmd/record/options.h"
#include "cmd/record/overhead.h"
#include "cmd/record/readings.h"
#include "transport/collect.h"

/* --max-overhead: what was found at the last look. */
struct record_overhead {
	struct overhead_cpu *last; /* of each ring; NULL: it is not asked for */
	uint64_t last_tsc;
	uint64_t next_ns;
	bool said; /* that it cannot be kept */
};

/* The thread that empties the rings (cmd/record/drain.c). */
struct record_drain {
	pthread_t thread;
	bool runs;
	bool stop;
	pthread_mutex_t lock; /* of what follows, and of what drain.c says */
	bool held;	      /* the record files stay as they are */
	int err;	      /* of a file, of this CPU; the thread has ended */
	unsigned int cpu;
	int wake, failed; /* eventfd: it is to look; err is set */
};

struct recording {
	const struct record_options *opts;
	int argc;
	char **argv;
	struct workload child;
	struct device dev;
	struct cpus cpus;
	struct event_list events;
	uint32_t ring_size; /* of each CPU */
	struct session_writer out;
	bool out_open;
	int *files; /* cpu-N.rec of each ring */
	unsigned int nr_files;
	struct record_drain drain;
	bool unwritten; /* writing a file failed, and that was printed */
	struct host_maps host;
	bool host_open;
	struct inventory inv;
	struct vm_watch watch;
	struct collect guests;
	struct symcache cache; /* dirfd -1: none */
	struct record_memory memory;
	struct record_overhead overhead;
	/* vmmprof top: guests do not watch, mapped files are read at once */
	bool live;
	struct told told; /* ... what was told before what the files have */
	int switches_err; /* -errno: the module writes no switch records */
	enum layout_verdict layout; /* DIFFERS: no guests */
	char layout_text[256];
	__u64 kvm_loads;   /* which KVM that was */
	uint64_t switches; /* switch records in the files */
	uint64_t names;	   /* SWITCH records left out of them */
	uint64_t chains;   /* CHAIN records left out of them */
	int signals;
	uint64_t start_tsc, stop_tsc;
	uint64_t start_ns, stop_ns;
	enum vmmprof_stop_reason reason;
	struct vmmprof_cpu_stat *stats; /* of each ring, after the stop */
};

/*
 * Everything up to the first sample: the module accepts the events, then the
 * session is created with the host's maps and the VMs.  Prints its errors;
 * 0 or -errno.
 */
int record_begin(struct recording *r);

/*
 * Everything after the last sample; r->reason says why it was the last.
 * Prints its errors; 0 or -errno.
 */
int record_end(struct recording *r);

/* Writes VMs and vCPUs found since the last call. */
void record_put_inventory(struct recording *r);

/*
 * Starts watching in the guests; returns when they watch.  Prints errors; the
 * recording goes on without those guests.
 */
void record_begin_guests(struct recording *r);

/*
 * The ways into guests, their times and the symbol cache, as the options have
 * them.  0; -ECANCELED: none is wanted; or -errno with a warning printed.
 */
int record_guest_ways(struct recording *r, struct collect *c);

/* Adds VMs that appeared since. */
void record_add_guests(struct recording *r);

/* Fetches the guests' bundles and prints the results. */
void record_end_guests(struct recording *r);

/*
 * Then, from guests that can still be asked, the code of their hot functions.
 * Prints what went wrong with all of them.
 */
void record_get_code(struct recording *r);

/*
 * Writes VCPU_STATE items of the vCPUs whose threads are known and live.
 * when: enum vmmprof_vcpu_when.
 */
void record_put_states(struct recording *r, uint32_t when);

/* The same into another file of items; its errors stay in it. */
void record_write_states(const struct inventory *inv, struct session_writer *w,
			 uint32_t when);

/*
 * Can the module count VM exits, if that is wanted?  0, or -EOPNOTSUPP with a
 * message.
 */
int record_check_exits(const struct recording *r);

/* Can the module measure what it spends, if that is limited?  As above. */
int record_check_overhead(const struct recording *r);

/* Then, at the first sample.  0 or -ENOMEM. */
int record_begin_overhead(struct recording *r);

/*
 * While sampling: makes samples rarer if they cost too much, and says so.  0, or
 * -errno after a message.
 */
int record_look_at_overhead(struct recording *r);

/*
 * The two parts of that.  Once a second: do samples cost too much?  Then @item says
 * by how much they are to be rarer.
 */
bool record_measure_overhead(struct recording *r,
			     struct vmmprof_info_widened *item);

/* Makes samples rarer by item->factor; sets when.  As above. */
int record_widen(struct recording *r, struct vmmprof_info_widened *item);

/*
 * Chooses in r->dev whose chains are taken; can the module do that?  As above.
 */
int record_check_chains(struct recording *r);

/* Is it to be read from guests' memory who runs there, and can that be? */
bool record_wants_identity(const struct recording *r);

/* Then: tells the module of the guests' kernels that are known. */
void record_begin_identity(struct recording *r);

/* Writes whose chains the module takes. */
void record_put_chains(struct recording *r);

/* After the stop: writes what was counted of them, if that was wanted. */
void record_put_exits(struct recording *r);

/* Says that the operator forbids to read guests' memory, if so. */
void record_memory_say_forbidden(const struct recording *r);

/* This VM's guest needs no reading. */
void record_memory_leave(struct recording *r, uint32_t pid);

/* Looks at what is in the rings; before they are drained, under drain.lock. */
void record_memory_look(struct recording *r);

/* Begins readings that are due and takes those that are done; does not wait. */
void record_memory_tick(struct recording *r);

/* Right before the last sample: begins the last readings. */
void record_memory_last(struct recording *r);

/* Waits for these. */
void record_memory_wait(struct recording *r);

/*
 * After the guests' own bundles are there: what was read becomes the bundle of
 * guests that have none, and the session says what was read of whom.
 */
void record_memory_end(struct recording *r);

/* Was the VM's guest read? */
bool record_memory_has(const struct recording *r, uint32_t pid);

/* The VM's process has ended: what was read of it goes, and its descriptors. */
void record_memory_gone(struct record_memory *m, uint32_t pid);

void record_memory_deinit(struct record_memory *m);

/* Prints what was obtained of a guest, and what to do for more. */
void record_say_bundle(const char *name, uint32_t how,
		       const struct import_stat *got);

/* From now on a thread writes what is in the rings.  0 or -errno. */
int record_drain_begin(struct recording *r);

/* Ends it, if it runs; rings may have something. */
void record_drain_end(struct recording *r);

/* Writes what is in the rings.  Prints its errors; 0 or -errno. */
int record_drain(struct recording *r);

/* The same; then the record files stay as they are until the release. */
int record_drain_hold(struct recording *r);

/* @empty makes room in the record files; its result. */
int record_drain_release(struct recording *r,
			 int (*empty)(struct recording *r));

/* Prints why the thread has ended; 0: it has not; or -errno. */
int record_drain_failed(struct recording *r);

/*
 * KVM that was loaded meanwhile: compares its layout, has the module look at
 * its guests if it may, and says so.  Does nothing if there is none.
 */
void record_look_at_kvm(struct recording *r);

/*
 * Writes all but the rings: the host's processes, and VMs that appear.  Prints
 * its errors; 0 or -errno.
 */
int record_tick(struct recording *r);

/*
 * The first sample, and the command.  Prints its errors; 0 or -errno.
 */
int record_start(struct recording *r);

/*
 * Ends sampling if it has not ended and releases everything; a session that
 * was not ended by record_end() is removed.
 */
void record_clean_up(struct recording *r);

#endif /* CMD_RECORD_RECORDING_H */
