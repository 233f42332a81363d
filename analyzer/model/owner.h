/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom thieves belong to: a VM, a container, a systemd unit, a process or the
 * host's kernel.  All threads of a VM's process are the VM's, whatever they do
 * for it, and so are the kernel's threads that serve its virtio queues (vhost).
 */
#ifndef MODEL_OWNER_H
#define MODEL_OWNER_H

#include <linux/types.h>

#include "base/hash.h"
#include "sym/strings.h"

/* More than these of a kind are counted as one, with the id VMMPROF_NONE. */
#define OWNERS_MAX 20480

enum owner_kind {
	OF_UNKNOWN = 0, /* always entry number 0 */
	OF_VM,		/* id: index of the guest */
	/* id: of its name in .names */
	OF_CONTAINER, /* as container_name() has it */
	OF_UNIT,      /* systemd's service or scope */
	OF_PROCESS,   /* in neither: its name */
	/* id 0 */
	OF_KERNEL, /* kernel threads */
	OF_IRQ,	   /* interrupts of the host, and what they left to do */
	OF_QUOTA,  /* the limit of CPU time of the victim's cgroup */
	OF_NOBODY, /* the CPU was idle */
	NR_OF
};

struct owner {
	__u8 kind; /* enum owner_kind */
	__u32 id;
};

struct owners {
	struct owner *owners;
	size_t nr, cap;
	struct hash by_key;   /* kind << 32 | id -> owner */
	struct hash by_image; /* of the host -> owner, for its finder */
	struct strings names;
};

/* A zeroed struct is empty. */
void owners_deinit(struct owners *os);

/* The host's processes have changed: look for their owners again. */
void owners_forget(struct owners *os);

/* The entry of a kind that has no name.  0 or -ENOMEM. */
int owner_get(struct owners *os, unsigned int kind, __u32 id, __u32 *ret);

/* The entry of a kind that has one; name: any bytes.  0 or -ENOMEM. */
int owner_named(struct owners *os, unsigned int kind, const char *name,
		__u32 *ret);

/* One word, never NULL. */
const char *owner_key(unsigned int kind);

#endif /* MODEL_OWNER_H */
