/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's device: one open session, its events, rings and counts.
 * include/vmmprof/ioctl.h says what the module promises.
 */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <vmmprof/ioctl.h>

#include "base/error.h"
#include "os/cpu_list.h"
#include "format/ring_drain.h"
#include "host/events.h"

/* A hint, if the module is of another version. */
#define DEVICE_REBUILD                                                   \
	"Build both from one source, then `rmmod vmmprof` and load the " \
	"new one."

struct device {
	int fd;
	struct vmmprof_info info;
	unsigned int nr_rings;
	struct mapped_ring *rings; /* one per sampled CPU, in order */
	/* for setup with VMMPROF_SETUP_F_CHAINS */
	uint32_t chain_flags; /* VMMPROF_CHAIN_F_* */
	uint32_t chain_depth;
	uint32_t chain_stack;
};

/* The event that SETUP could not create; VMMPROF_NONE: another error. */
struct setup_error {
	unsigned int event;
	unsigned int cpu;
	struct error error;
};

/*
 * Opens path (VMMPROF_DEVICE) and asks for its info.  -ENOENT: no module;
 * -EBUSY: another session; -EPERM, -EACCES: not allowed; -EPROTO: the module
 * speaks another version (dev->info says which).  @e: in words, or NULL.
 */
int device_open(const char *path, struct device *dev, struct error *e);

/*
 * Chooses what to sample; once per open.  ring_size: bytes, a power of two.
 * flags: VMMPROF_SETUP_F_*; with F_CHAINS those of dev->chain_flags that these
 * allow.  On error, where tells the event at fault.
 */
int device_setup(struct device *dev, const struct event_list *events,
		 const struct cpus *cpus, uint32_t ring_size, uint32_t flags,
		 struct setup_error *where);

/* Maps the rings of the CPUs given to setup. */
int device_map(struct device *dev, const struct cpus *cpus, uint32_t ring_size);

int device_start(struct device *dev);

/* While it samples: samples are that many times as far apart.  ENOTTY: too old. */
int device_widen(struct device *dev, uint32_t factor);
int device_stop(struct device *dev);

/* Counts of one CPU so far; after stop they are final. */
int device_stat(const struct device *dev, unsigned int cpu,
		struct vmmprof_cpu_stat *stat);

/*
 * The same of the CPU of mapped ring @i.  If the module has no memory to tell them
 * or fails otherwise, what is returned: then the ring's own, samples, lost ones and
 * bytes; of events and other lost records nothing is known.
 */
int device_counts(const struct device *dev, unsigned int i,
		  struct vmmprof_cpu_stat *stat);

/*
 * The offsets at which the module reads KVM's members.  -ENOTTY: an older
 * module, which does not tell them.
 */
int device_layout(const struct device *dev, struct vmmprof_layout *layout);

/*
 * How often KVM was loaded as a module since the module was.  -ENOTTY: it does
 * not tell, and reads from any.
 */
int device_kvm_loads(const struct device *dev, __u64 *loads);

/*
 * The KVM that was the loads-th has the layout that the module was compiled
 * with, so guests of it may be looked at.  -ESTALE: there is a later one.
 */
int device_use_kvm(const struct device *dev, __u64 loads);

/*
 * Entries of the VM exits that were counted, from number from on, into exits,
 * which has room for *nr; sets *nr, to 0 behind the last one, and *missed.  After
 * stop.
 */
int device_exits(const struct device *dev, __u32 from,
		 struct vmmprof_exit *exits, __u32 *nr, __u64 *missed);

/*
 * Where the guest of a VMM (l->pid) has who runs; l->size is filled in.  -EINVAL:
 * none that the module takes; -ESRCH: no such process; -ENODATA: setup was
 * without F_IDENTITY.
 */
int device_guest_layout(const struct device *dev,
			struct vmmprof_guest_layout *l);

/*
 * The memslots of a VM as a sample of its guest found them, into @slots, which has
 * room for *nr; sets *nr, and *more: there are others.  -EAGAIN: asked for,
 * no sample yet; others as above.
 */
int device_memslots(const struct device *dev, __u32 pid,
		    struct vmmprof_memslot *slots, __u32 *nr, bool *more);

/*
 * Ends the session.  dev may have been opened only in part, or never (fd -1).
 */
void device_close(struct device *dev);

/*
 * The process that has the device open: its pid and name.  root: "" or the
 * prefix of a test's tree.  0 or -ENOENT.
 */
int device_owner(const char *root, int *pid, char *comm, size_t size);

#endif /* HOST_DEVICE_H */
