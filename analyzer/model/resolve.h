/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a sample to machine, vCPU, process and function: the join of the
 * records with the host's map file and the guests' bundles.
 */
#ifndef VMMPROF_MODEL_RESOLVE_H
#define VMMPROF_MODEL_RESOLVE_H

#include <stdbool.h>

#include "model/exit_check.h"
#include "model/guests.h"
#include "model/machine.h"

/* A process as tables show it: same machine, pid and name. */
struct vmmprof_process {
	__u32 machine; /* 0: host, else 1 + index of the guest */
	__u32 pid;     /* VMMPROF_NONE: not known */
	__u32 name;    /* string id */
	__u32 next;    /* same machine and pid, other name */
	bool unnamed;  /* the name is ours, in brackets */
};

struct vmmprof_resolver {
	struct vmmprof_strings strings;
	struct vmmprof_guests guests;
	struct vmmprof_machine **machines; /* NULL: nothing known of it */
	size_t nr_machines, cap_machines;
	struct vmmprof_process *processes;
	size_t nr_processes, cap_processes;
	struct vmmprof_hash pids; /* machine << 32 | pid -> process */
	struct resolve_slot *cache;
};

struct vmmprof_where {
	struct vmmprof_cell_key key; /* addr, file filled in as well */
	enum vmmprof_contradiction contradiction;
	__u64 guest_ns; /* VMMPROF_TIME_UNKNOWN; guests only */
};

/* 0 or -ENOMEM; deinit is due in either case. */
int vmmprof_resolver_init(struct vmmprof_resolver *r,
			  const struct vmmprof_session *s);
void vmmprof_resolver_deinit(struct vmmprof_resolver *r);

/*
 * Give machine number i (0: host, 1 + guest) what its MAPS file says.  Takes
 * the bundle (*b is empty afterwards).  0 or -ENOMEM.
 */
int vmmprof_resolver_set(struct vmmprof_resolver *r, __u32 i,
			 struct vmmprof_bundle *b, __u64 tsc_khz);

/* Take note of a VCPU record.  0 or -ENOMEM. */
int vmmprof_resolver_vcpu(struct vmmprof_resolver *r,
			  const struct vmmprof_rec_vcpu *rec);

/*
 * This sample comes soon: what vmmprof_resolve() will look at is brought into
 * the CPU's cache.  Without effect on any result.
 */
void vmmprof_resolve_soon(const struct vmmprof_resolver *r,
			  const struct vmmprof_rec_sample *s);

/* Who and where a sample was.  0 or -ENOMEM. */
int vmmprof_resolve(struct vmmprof_resolver *r,
		    const struct vmmprof_rec_sample *s,
		    struct vmmprof_where *ret);

/*
 * The function of a host kernel address, for a listing: string id or
 * VMMPROF_NONE.  0 or -ENOMEM.
 */
int vmmprof_resolve_host_ip(struct vmmprof_resolver *r, __u64 ip,
			    struct vmmprof_place *ret);

#endif /* VMMPROF_MODEL_RESOLVE_H */
