// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts of guests' kernels, and memslots of VMs, by the VMM's process.
 *
 * A layout is never written again once it is published: a new one replaces it
 * as a whole, and it is freed when no irq_work can see it any more.  An irq_work
 * on another CPU may still read by the old one while IOC_GUEST_LAYOUT returns:
 * that sample is older than the call.  Who copied from it before compares gen.
 *
 * Memslots are told by the VM's own thread, which has them at hand under
 * kvm->srcu: by pid alone no module finds a VM (kvm's list of them is not
 * exported), and nothing of KVM's has to be held.  The irq_work that wins the
 * exchange of state fills in the answer; it has a place of its own, so a VM that
 * dies, or a caller that never comes back, leaves nothing behind but that.
 */
#include <linux/hash.h>
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <asm/msr.h>
#include <vmmprof/record.h>

#include "identity_vms.h"
#include "ring.h"

enum { WANTED, TAKEN, THERE };

struct vmmprof_vms *vmmprof_vms_create(void)
{
	return kvzalloc(sizeof(struct vmmprof_vms), VMMPROF_GFP);
}

static void vm_free(struct vmmprof_vm *vm)
{
	put_pid(vm->pid);
	kfree(rcu_dereference_protected(vm->layout, true));
	kvfree(rcu_dereference_protected(vm->slots, true));
	kfree(vm);
}

void vmmprof_vms_destroy(struct vmmprof_vms *vms)
{
	struct hlist_node *next;
	struct vmmprof_vm *vm;
	unsigned int i;

	if (!vms)
		return;
	for (i = 0; i < ARRAY_SIZE(vms->heads); i++)
		hlist_for_each_entry_safe(vm, next, &vms->heads[i], node)
			vm_free(vm);
	kvfree(vms);
}

static struct hlist_head *head_of(struct vmmprof_vms *vms,
				  const struct pid *pid)
{
	return &vms->heads[hash_ptr(pid, VMMPROF_VM_BITS)];
}

static struct vmmprof_vm *find(struct vmmprof_vms *vms, const struct pid *pid)
{
	struct vmmprof_vm *vm;

	hlist_for_each_entry_rcu(vm, head_of(vms, pid), node, true)
		if (vm->pid == pid)
			return vm;
	return NULL;
}

struct vmmprof_vm *vmmprof_vms_current(struct vmmprof_vms *vms)
{
	return find(vms, task_tgid(current));
}

/* What CPUs remember is looked up again; after the change is published. */
static void changed(struct vmmprof_vms *vms)
{
	smp_wmb(); /* pairs with the interrupts of other CPUs being later */
	WRITE_ONCE(vms->gen, vms->gen + 1);
}

/* Make room by those whose processes are gone: one grace period for all. */
static void sweep(struct vmmprof_vms *vms)
{
	struct vmmprof_vm *vm, *dead = NULL;
	struct hlist_node *next;
	unsigned int i;
	bool alive;

	for (i = 0; i < ARRAY_SIZE(vms->heads); i++)
		hlist_for_each_entry_safe(vm, next, &vms->heads[i], node) {
			rcu_read_lock();
			alive = pid_task(vm->pid, PIDTYPE_TGID);
			rcu_read_unlock();
			if (alive)
				continue;
			hlist_del_rcu(&vm->node);
			vms->nr--;
			vm->next_dead = dead;
			dead = vm;
		}
	if (!dead)
		return;
	synchronize_rcu();
	while ((vm = dead)) {
		dead = vm->next_dead;
		vm_free(vm);
	}
}

/* The process's entry, perhaps a new one; or ERR_PTR(). */
static struct vmmprof_vm *vm_of(struct vmmprof_vms *vms, u32 number)
{
	struct vmmprof_vm *vm;
	struct pid *pid;

	rcu_read_lock();
	pid = find_pid_ns(number, &init_pid_ns);
	if (pid && !pid_task(pid, PIDTYPE_TGID))
		pid = NULL;
	get_pid(pid);
	rcu_read_unlock();
	if (!pid)
		return ERR_PTR(-ESRCH);
	vm = find(vms, pid);
	if (vm) {
		put_pid(pid);
		return vm;
	}
	if (vms->nr >= VMMPROF_GUEST_LAYOUTS_MAX)
		sweep(vms);
	vm = vms->nr < VMMPROF_GUEST_LAYOUTS_MAX ?
		     kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT) :
		     NULL;
	if (!vm) {
		put_pid(pid);
		return ERR_PTR(vms->nr < VMMPROF_GUEST_LAYOUTS_MAX ? -ENOMEM :
								     -ENOSPC);
	}
	vm->pid = pid;
	hlist_add_head_rcu(&vm->node, head_of(vms, pid));
	vms->nr++;
	return vm;
}

static bool member_ok(u32 offset, u32 align)
{
	return offset < VMMPROF_GUEST_TASK_MAX && !(offset % align);
}

static int layout_check(const struct vmmprof_guest_layout *l)
{
	if (l->flags & ~(VMMPROF_GUEST_LAYOUT_F_REMOVE |
			 VMMPROF_GUEST_LAYOUT_F_PTI) ||
	    l->reserved || !l->pid)
		return -EINVAL;
	if (l->flags & VMMPROF_GUEST_LAYOUT_F_REMOVE)
		return l->flags & VMMPROF_GUEST_LAYOUT_F_PTI ||
				       l->current_task || l->task_tgid ||
				       l->task_pid || l->task_mm ||
				       l->task_comm || l->task_flags ||
				       l->task_start ?
			       -EINVAL :
			       0;
	if (l->current_task % 8 || !member_ok(l->task_tgid, 4) ||
	    !member_ok(l->task_pid, 4) || !member_ok(l->task_mm, 8) ||
	    !member_ok(l->task_comm, 8))
		return -EINVAL;
	if ((l->task_flags != VMMPROF_NONE && !member_ok(l->task_flags, 4)) ||
	    (l->task_start != VMMPROF_NONE && !member_ok(l->task_start, 8)))
		return -EINVAL;
	return 0;
}

int vmmprof_vms_layout(struct vmmprof_vms *vms,
		       const struct vmmprof_guest_layout *layout)
{
	struct vmmprof_guest_layout *new = NULL, *old;
	struct vmmprof_vm *vm;
	int ret;

	ret = layout_check(layout);
	if (ret)
		return ret;
	vm = vm_of(vms, layout->pid);
	if (IS_ERR(vm))
		return PTR_ERR(vm);
	if (!(layout->flags & VMMPROF_GUEST_LAYOUT_F_REMOVE)) {
		new = kmemdup(layout, sizeof(*layout), GFP_KERNEL_ACCOUNT);
		if (!new)
			return -ENOMEM;
	}
	old = rcu_dereference_protected(vm->layout, true);
	rcu_assign_pointer(vm->layout, new);
	changed(vms);
	synchronize_rcu();
	kfree(old);
	return 0;
}

int vmmprof_vms_slots(struct vmmprof_vms *vms, u32 pid, u32 room,
		      struct vmmprof_slots **ret)
{
	struct vmmprof_vm *vm = vm_of(vms, pid);
	struct vmmprof_slots *slots;

	if (IS_ERR(vm))
		return PTR_ERR(vm);
	slots = rcu_dereference_protected(vm->slots, true);
	if (!slots) {
		slots = kvzalloc(struct_size(slots, slot, room), VMMPROF_GFP);
		if (!slots)
			return -ENOMEM;
		slots->room = room;
		rcu_assign_pointer(vm->slots, slots);
		changed(vms);
		return -EAGAIN;
	}
	/* Pairs with vmmprof_vm_tell_slots(). */
	if (smp_load_acquire(&slots->state) != THERE)
		return -EAGAIN;
	RCU_INIT_POINTER(vm->slots, NULL);
	synchronize_rcu();
	*ret = slots;
	return 0;
}

static void tell_slot(struct vmmprof_slots *to,
		      const struct kvm_memory_slot *from)
{
	if (to->nr == to->room) {
		to->more = true;
		return;
	}
	to->slot[to->nr++] = (struct vmmprof_memslot){
		.gpa = (u64)from->base_gfn << PAGE_SHIFT,
		.bytes = (u64)from->npages << PAGE_SHIFT,
		.hva = from->userspace_addr,
		.flags = from->flags & VMMPROF_SLOT_FLAGS,
	};
}

void vmmprof_vm_tell_slots(struct vmmprof_vm *vm, struct kvm_vcpu *vcpu)
{
	struct vmmprof_slots *to = rcu_dereference(vm->slots);
	struct kvm_memory_slot *slot;
	struct kvm_memslots *slots;

	if (!to || READ_ONCE(to->state) != WANTED ||
	    cmpxchg(&to->state, WANTED, TAKEN) != WANTED)
		return;
	slots = kvm_memslots(vcpu->kvm);
	vmmprof_for_each_memslot(slot, slots) {
		tell_slot(to, slot);
		if (to->more)
			break;
	}
	to->generation = slots->generation;
	to->tsc = rdtsc();
	/* Pairs with vmmprof_vms_slots(). */
	smp_store_release(&to->state, THERE);
}
