/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CPU of a session: its ring, its counters and the vCPUs already described
 * there.  The overflow callbacks find it through the event's context pointer.
 */
#ifndef VMMPROF_CPU_H
#define VMMPROF_CPU_H

#include <linux/perf_event.h>
#include <vmmprof/ioctl.h>

#include "ring.h"

struct kvm_vcpu;
struct vmmprof_chains;
struct vmmprof_cpu;
struct vmmprof_identities;

/* One event on one CPU.  The first three members are for the callback. */
struct vmmprof_counter {
	struct vmmprof_cpu *cpu;
	u32 index; /* of the session's event */
	u32 throttled;

	struct perf_event *event; /* NULL: not there (CPU offline, stopped) */
	u32 state;		  /* enum vmmprof_event_state without event */
	int error;
	u64 count; /* of events that were released */
	u64 enabled;
	u64 running;
};

/* What the last VCPU record on this CPU said of a vCPU. */
struct vmmprof_seen {
	const struct kvm_vcpu *vcpu; /* compared with only, never followed */
	u64 clock; /* TSC offset plus ratio: one of them changes, it changes */
	u32 tid;
	u32 vpid;  /* above 0xffff: matches none, see VMMPROF_SEEN_UNPAGED */
	u32 flags; /* of samples: VMMPROF_S_OWN, VMMPROF_S_SHADOW */
	u32 unused[9];
};

/* Direct-mapped by address bits 10 up: a struct kvm_vcpu has some 10 KiB. */
#define VMMPROF_SEEN_SHIFT	10
#define VMMPROF_SEEN		128
#define VMMPROF_SEEN_SIZE_SHIFT 6

/*
 * Beside the VPID of a vCPU that runs without "unrestricted guest": while its
 * paging is off, CR3 and CPL are KVM's.  A bit of the VPID, so that others'
 * samples need no look at it.
 */
#define VMMPROF_SEEN_UNPAGED	0x10000

struct vmmprof_cpu {
	struct vmmprof_ring ring;
	u32 cpu;
	struct vmmprof_counter counters[VMMPROF_MAX_EVENTS];
	struct vmmprof_seen nobody; /* stands for "none of seen" */
	struct vmmprof_seen seen[VMMPROF_SEEN];
	perf_overflow_handler_t overflow;      /* of its counters */
	perf_overflow_handler_t timed;	       /* what overflow_spent calls */
	struct vmmprof_chains *chains;	       /* NULL: none are taken */
	struct vmmprof_identities *identities; /* NULL: none are read */
};

/* Where what is known of @vcpu would be; another one may be there. */
static __always_inline struct vmmprof_seen *
vmmprof_seen_at(struct vmmprof_cpu *cpu, const struct kvm_vcpu *vcpu)
{
	BUILD_BUG_ON(sizeof(struct vmmprof_seen) !=
		     1 << VMMPROF_SEEN_SIZE_SHIFT);
	return (void *)cpu->seen +
	       ((unsigned long)vcpu >>
			(VMMPROF_SEEN_SHIFT - VMMPROF_SEEN_SIZE_SHIFT) &
		(VMMPROF_SEEN - 1) << VMMPROF_SEEN_SIZE_SHIFT);
}

#endif /* VMMPROF_CPU_H */
