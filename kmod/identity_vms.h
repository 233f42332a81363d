/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session was told of VMs, by their processes, and what it asked of them.
 *
 * A process is known by its struct pid, which is held: its number may be another
 * process's later, its struct pid never.  Entries stay until the session's end;
 * those of dead processes go when there is no room.  Writers hold the session's
 * lock; readers are hard irq_works on any CPU, under RCU.
 */
#ifndef VMMPROF_IDENTITY_VMS_H
#define VMMPROF_IDENTITY_VMS_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <vmmprof/ioctl.h>

struct kvm_vcpu;
struct pid;

/* Memslots that were asked for. */
struct vmmprof_slots {
	int state; /* WANTED -> TAKEN -> THERE; only by cmpxchg from WANTED */
	u32 room;
	u32 nr;
	bool more;
	u64 generation;
	u64 tsc;
	struct vmmprof_memslot slot[];
};

struct vmmprof_vm {
	struct hlist_node node;
	struct pid *pid;			   /* held */
	struct vmmprof_guest_layout __rcu *layout; /* never changes; or NULL */
	struct vmmprof_slots __rcu *slots;	   /* NULL: not asked for */
	struct vmmprof_vm *next_dead;		   /* while it is swept away */
};

#define VMMPROF_VM_BITS 8

struct vmmprof_vms {
	/*
	 * Changes with every layout and every question: what a CPU remembers of
	 * a vCPU is looked up again then.
	 */
	u32 gen;
	u32 nr;
	struct hlist_head heads[1 << VMMPROF_VM_BITS];
};

/* Empty ones, or NULL.  Context: may sleep, as for all but the last two. */
struct vmmprof_vms *vmmprof_vms_create(void);

/* No reader is left.  NULL is allowed. */
void vmmprof_vms_destroy(struct vmmprof_vms *vms);

/* Set, replace or remove a layout: errors of IOC_GUEST_LAYOUT. */
int vmmprof_vms_layout(struct vmmprof_vms *vms,
		       const struct vmmprof_guest_layout *layout);

/*
 * What is there of @pid's memslots: *@ret is the caller's to kvfree().  -EAGAIN:
 * asked for, up to @room.
 */
int vmmprof_vms_slots(struct vmmprof_vms *vms, u32 pid, u32 room,
		      struct vmmprof_slots **ret);

/* That of current's process, or NULL.  Context: RCU read side. */
struct vmmprof_vm *vmmprof_vms_current(struct vmmprof_vms *vms);

/*
 * Answer the question for memslots, if there is one.  Context: hard irq_work,
 * kvm->srcu held, current has @vcpu loaded.
 */
void vmmprof_vm_tell_slots(struct vmmprof_vm *vm, struct kvm_vcpu *vcpu);

#endif /* VMMPROF_IDENTITY_VMS_H */
