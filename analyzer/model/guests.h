/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which VM and vCPU a record belongs to, and the guest's clock.  A vCPU is
 * (pid of the VMM process, vcpu_id), never the VPID: KVM reuses VPIDs.
 */
#ifndef MODEL_GUESTS_H
#define MODEL_GUESTS_H

#include <stdbool.h>

#include "format/session.h"
#include "base/hash.h"

struct guest {
	__u32 pid;	  /* of the VMM process */
	char *name;	  /* of info, or "pid-N" of a VM that info lacks */
	bool listed;	  /* info has it */
	__u64 outside;	  /* samples outside the time its bundle watched */
	__u32 clock_vcpu; /* a vCPU whose clock is known, VMMPROF_NONE */
};

struct vcpu {
	__u32 guest; /* index */
	__u32 id;
	bool has_clock;
	struct vmmprof_rec_vcpu rec; /* the last one, with has_clock */
};

struct guests {
	struct guest *guests;
	struct vcpu *vcpus;
	size_t nr, cap, nr_vcpus, cap_vcpus;
	struct hash pids;  /* pid -> guest */
	struct hash names; /* hash of a name -> first guest that got it */
	struct hash ids;   /* guest << 32 | vcpu_id -> vCPU */
};

/* All VMs and vCPUs of info.  0 or -ENOMEM; deinit is due in either case. */
int guests_init(struct guests *gs, const struct session *s);
void guests_deinit(struct guests *gs);

/*
 * Index of the guest of a VMM process, made if there is none yet.  Returns
 * 0 or -ENOMEM.
 */
int guests_get(struct guests *gs, __u32 pid, __u32 *ret);

/* The VMM process pid is a VM of that name.  0 or -ENOMEM. */
int guests_name(struct guests *gs, __u32 pid, const char *name);

/* Index of the guest with that name, VMMPROF_NONE. */
__u32 guests_by_name(const struct guests *gs, const char *name);

/* Remember the clock of a VCPU record.  0 or -ENOMEM. */
int guests_clock(struct guests *gs, const struct vmmprof_rec_vcpu *rec);

/* A vCPU of which a VCPU record was met, in .vcpus; else VMMPROF_NONE. */
__u32 guests_vcpu(const struct guests *gs, __u32 guest, __u32 vcpu_id);

/*
 * The guest's TSC at a host TSC, by the vCPU's own record or, before there is
 * one, by another vCPU's of the same VM (KVM keeps them equal unless the
 * guest writes its TSC).  False if neither is known.
 */
bool guests_tsc(const struct guests *gs, __u32 guest, __u32 vcpu_id, __u64 tsc,
		__u64 *ret);

#endif /* MODEL_GUESTS_H */
