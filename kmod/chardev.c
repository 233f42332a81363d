// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/vmmprof: permissions, ioctls, mmap, poll.  All access to user memory is
 * here, with no lock held (the mmap handler runs under the mmap lock).
 */
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/tsc.h>
#include <vmmprof/version.h>

#include "chardev.h"
#include "exits.h"
#include "guest_state.h"
#include "layout.h"
#include "params.h"
#include "session.h"
#include "vcpu.h"

/* perf asks the same of events of the whole machine, kernel included. */
static int may_open(void)
{
	int ret;

	if (!perfmon_capable())
		return -EPERM;
	ret = security_locked_down(LOCKDOWN_PERF);
	return ret ? ret : vmmprof_perf_allowed();
}

static int dev_open(struct inode *inode, struct file *file)
{
	struct vmmprof_session *s;
	int ret;

	ret = may_open();
	if (ret)
		return ret;
	ret = vmmprof_session_open(&s);
	if (ret)
		return ret;
	file->private_data = s;
	return nonseekable_open(inode, file);
}

/*
 * Called for every close() and at exit, with the table of files it happens
 * in.  A forked child has its own table and cannot prolong the session.
 */
static int dev_flush(struct file *file, fl_owner_t id)
{
	struct vmmprof_session *s = file->private_data;

	if (id == s->owner)
		vmmprof_session_end(s);
	return 0;
}

static int dev_release(struct inode *inode, struct file *file)
{
	vmmprof_session_free(file->private_data);
	return 0;
}

/*
 * Copy a struct in that begins with its size as the caller knows it.  A
 * longer one is good if what we do not know is zero (E2BIG otherwise), a
 * shorter one only from @min bytes on, its first version's: the rest is zero.
 */
static int copy_in_from(void *to, size_t size, size_t min, unsigned int cmd,
			const void __user *arg)
{
	u32 usize;

	if (get_user(usize, (const u32 __user *)arg))
		return -EFAULT;
	if (usize != _IOC_SIZE(cmd) || usize < min)
		return -EINVAL;
	return copy_struct_from_user(to, size, arg, usize);
}

/* One whose members all exist since the first version. */
static int copy_in(void *to, size_t size, unsigned int cmd,
		   const void __user *arg)
{
	return copy_in_from(to, size, size, cmd, arg);
}

static long ioctl_info(unsigned int cmd, void __user *arg)
{
	struct vmmprof_info info;
	u32 usize;
	int ret;

	ret = copy_in(&info, sizeof(info), cmd, arg);
	if (ret)
		return ret;
	usize = info.size;
	info = (struct vmmprof_info){
		.size = usize,
		.abi = VMMPROF_ABI,
		.vendor = vmmprof_guest_ops->vendor,
		.features = vmmprof_guest_ops->features(),
		.tsc_khz = tsc_khz,
		.nr_cpu_ids = nr_cpu_ids,
		.max_events = VMMPROF_MAX_EVENTS,
		.version = VMMPROF_VERSION,
	};
	info.features |= VMMPROF_FEAT_CHAINS | VMMPROF_FEAT_IDENTITY |
			 VMMPROF_FEAT_SPENT;
	if (vmmprof_mediated_pmu())
		info.features |= VMMPROF_FEAT_MEDIATED;
	if (vmmprof_exits_usable())
		info.features |= VMMPROF_FEAT_EXITS;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

/* Bits of CPUs that cannot exist are an error, missing bytes are zero. */
static int copy_cpumask(struct cpumask *mask, const struct vmmprof_setup *setup)
{
	const size_t bits = cpumask_size() * BITS_PER_BYTE;
	int ret;

	if (!setup->cpumask_size) {
		if (setup->cpumask)
			return -EINVAL;
		cpumask_copy(mask, cpu_present_mask);
		return 0;
	}
	if (setup->cpumask_size > PAGE_SIZE)
		return -EINVAL;
	ret = copy_struct_from_user(cpumask_bits(mask), cpumask_size(),
				    u64_to_user_ptr(setup->cpumask),
				    setup->cpumask_size);
	if (ret)
		return ret == -E2BIG ? -EINVAL : ret;
	/* No function of cpumasks looks at the rest of the last word. */
	if (find_next_bit(cpumask_bits(mask), bits, nr_cpu_ids) < bits)
		return -EINVAL;
	return cpumask_subset(mask, cpu_possible_mask) ? 0 : -EINVAL;
}

static long ioctl_setup(struct vmmprof_session *s, unsigned int cmd,
			void __user *arg)
{
	struct vmmprof_setup setup;
	cpumask_var_t mask;
	int ret;

	ret = copy_in_from(&setup, sizeof(setup), VMMPROF_SETUP_SIZE_MIN, cmd,
			   arg);
	if (ret)
		return ret;
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	ret = copy_cpumask(mask, &setup);
	if (!ret)
		ret = vmmprof_session_setup(s, &setup, mask);
	free_cpumask_var(mask);
	/* bad_event and bad_cpu matter most when it failed. */
	if (copy_to_user(arg, &setup,
			 min_t(size_t, sizeof(setup), setup.size)) &&
	    !ret)
		ret = -EFAULT;
	return ret;
}

static long ioctl_cpu_stat(struct vmmprof_session *s, unsigned int cmd,
			   void __user *arg)
{
	struct vmmprof_cpu_stat *stat;
	u32 usize, cpu;
	int ret;

	stat = kzalloc(sizeof(*stat), GFP_KERNEL);
	if (!stat)
		return -ENOMEM;
	ret = copy_in(stat, sizeof(*stat), cmd, arg);
	if (ret)
		goto out_free;
	usize = stat->size;
	cpu = stat->cpu;
	memset(stat, 0, sizeof(*stat));
	stat->size = usize;
	stat->cpu = cpu;
	ret = vmmprof_session_stat(s, stat);
	if (!ret && copy_to_user(arg, stat, sizeof(*stat)))
		ret = -EFAULT;
out_free:
	kfree(stat);
	return ret;
}

static long ioctl_layout(unsigned int cmd, void __user *arg)
{
	struct vmmprof_layout *layout;
	u32 usize;
	int ret;

	layout = kzalloc(sizeof(*layout), GFP_KERNEL);
	if (!layout)
		return -ENOMEM;
	ret = copy_in(layout, sizeof(*layout), cmd, arg);
	if (ret)
		goto out_free;
	usize = layout->size;
	memset(layout, 0, sizeof(*layout));
	layout->size = usize;
	vmmprof_layout_get(layout);
	if (copy_to_user(arg, layout, sizeof(*layout)))
		ret = -EFAULT;
out_free:
	kfree(layout);
	return ret;
}

static long ioctl_kvm(struct vmmprof_session *s, unsigned int cmd,
		      void __user *arg)
{
	struct vmmprof_kvm kvm;
	int ret;

	ret = copy_in(&kvm, sizeof(kvm), cmd, arg);
	if (ret)
		return ret;
	if (kvm.flags & ~VMMPROF_KVM_F_USE)
		return -EINVAL;
	if (kvm.flags & VMMPROF_KVM_F_USE)
		return vmmprof_session_use_kvm(s, kvm.loads);
	kvm.loads = vmmprof_kvm_loads();
	return copy_to_user(arg, &kvm, sizeof(kvm)) ? -EFAULT : 0;
}

static long ioctl_exits(struct vmmprof_session *s, unsigned int cmd,
			void __user *arg)
{
	struct vmmprof_exits exits;
	struct vmmprof_exit *entries;
	int ret;

	ret = copy_in(&exits, sizeof(exits), cmd, arg);
	if (ret)
		return ret;
	if (!exits.nr || exits.nr > VMMPROF_EXITS_MAX || exits.reserved)
		return -EINVAL;
	entries = kvmalloc_array(exits.nr, sizeof(*entries), VMMPROF_GFP);
	if (!entries)
		return -ENOMEM;
	ret = vmmprof_session_exits(s, exits.from, exits.nr, entries,
				    &exits.missed);
	if (ret >= 0) {
		exits.nr = ret;
		ret = copy_to_user(u64_to_user_ptr(exits.to), entries,
				   exits.nr * sizeof(*entries)) ||
				      copy_to_user(arg, &exits, sizeof(exits)) ?
			      -EFAULT :
			      0;
	}
	kvfree(entries);
	return ret;
}

static long ioctl_guest_layout(struct vmmprof_session *s, unsigned int cmd,
			       void __user *arg)
{
	struct vmmprof_guest_layout layout;
	int ret;

	ret = copy_in(&layout, sizeof(layout), cmd, arg);
	return ret ? ret : vmmprof_session_layout(s, &layout);
}

static long ioctl_memslots(struct vmmprof_session *s, unsigned int cmd,
			   void __user *arg)
{
	struct vmmprof_memslots want;
	struct vmmprof_slots *slots;
	int ret;

	ret = copy_in(&want, sizeof(want), cmd, arg);
	if (ret)
		return ret;
	if (!want.nr || want.nr > VMMPROF_MEMSLOTS_MAX || !want.pid ||
	    want.total || want.generation || want.tsc)
		return -EINVAL;
	ret = vmmprof_session_slots(s, want.pid, want.nr, &slots);
	if (ret)
		return ret;
	/* The room may have been another one when it was asked for. */
	want.total = slots->nr + slots->more;
	want.nr = min(want.nr, slots->nr);
	want.generation = slots->generation;
	want.tsc = slots->tsc;
	if (copy_to_user(u64_to_user_ptr(want.to), slots->slot,
			 want.nr * sizeof(slots->slot[0])) ||
	    copy_to_user(arg, &want, sizeof(want)))
		ret = -EFAULT;
	kvfree(slots);
	return ret;
}

static long ioctl_widen(struct vmmprof_session *s, unsigned int cmd,
			void __user *arg)
{
	struct vmmprof_widen widen;
	int ret;

	ret = copy_in(&widen, sizeof(widen), cmd, arg);
	return ret ? ret : vmmprof_session_widen(s, widen.factor);
}

static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct vmmprof_session *s = file->private_data;
	void __user *argp = (void __user *)arg;

	/* A later version's struct may be larger: any size is looked at. */
	switch (cmd & ~IOCSIZE_MASK) {
	case VMMPROF_IOC_INFO & ~IOCSIZE_MASK:
		return ioctl_info(cmd, argp);
	case VMMPROF_IOC_SETUP & ~IOCSIZE_MASK:
		return ioctl_setup(s, cmd, argp);
	case VMMPROF_IOC_CPU_STAT & ~IOCSIZE_MASK:
		return ioctl_cpu_stat(s, cmd, argp);
	case VMMPROF_IOC_LAYOUT & ~IOCSIZE_MASK:
		return ioctl_layout(cmd, argp);
	case VMMPROF_IOC_KVM & ~IOCSIZE_MASK:
		return ioctl_kvm(s, cmd, argp);
	case VMMPROF_IOC_EXITS & ~IOCSIZE_MASK:
		return ioctl_exits(s, cmd, argp);
	case VMMPROF_IOC_GUEST_LAYOUT & ~IOCSIZE_MASK:
		return ioctl_guest_layout(s, cmd, argp);
	case VMMPROF_IOC_MEMSLOTS & ~IOCSIZE_MASK:
		return ioctl_memslots(s, cmd, argp);
	case VMMPROF_IOC_WIDEN & ~IOCSIZE_MASK:
		return ioctl_widen(s, cmd, argp);
	}
	switch (cmd) {
	case VMMPROF_IOC_START:
		return arg ? -EINVAL : vmmprof_session_start(s);
	case VMMPROF_IOC_STOP:
		return arg ? -EINVAL : vmmprof_session_stop(s);
	}
	return -ENOTTY;
}

/*
 * VM_DONTCOPY: a forked child gets no mapping.  The ring can never become
 * writable: VM_MAYWRITE is what mprotect() looks at.
 */
static int dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct vmmprof_cpu *c;
	bool tail;

	c = vmmprof_session_cpu(file->private_data, offset >> 32);
	if (!c)
		return -EINVAL;
	tail = offset == VMMPROF_OFF_TAIL(c->cpu);
	if (!tail && offset != VMMPROF_OFF_RING(c->cpu))
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC || (!tail && vma->vm_flags & VM_WRITE))
		return -EACCES;

	vmmprof_vm_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
			 VM_MAYEXEC | (tail ? 0 : VM_MAYWRITE));
	return tail ? vmmprof_ring_map_tail(&c->ring, vma) :
		      vmmprof_ring_map(&c->ring, vma);
}

static __poll_t dev_poll(struct file *file, poll_table *table)
{
	struct vmmprof_session *s = file->private_data;

	poll_wait(file, &s->wait, table);
	return vmmprof_session_poll(s);
}

static const struct file_operations dev_fops = {
	.owner = THIS_MODULE,
	.open = dev_open,
	.flush = dev_flush,
	.release = dev_release,
	.unlocked_ioctl = dev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = dev_mmap,
	.poll = dev_poll,
};

static ssize_t owner_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%d\n", vmmprof_session_owner());
}
static DEVICE_ATTR_RO(owner);

static struct attribute *dev_attrs[] = {
	&dev_attr_owner.attr,
	NULL,
};
ATTRIBUTE_GROUPS(dev);

static struct miscdevice dev_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vmmprof",
	.fops = &dev_fops,
	.mode = 0600,
	.groups = dev_groups,
};

int vmmprof_chardev_register(void)
{
	return misc_register(&dev_misc);
}

void vmmprof_chardev_unregister(void)
{
	misc_deregister(&dev_misc);
}
