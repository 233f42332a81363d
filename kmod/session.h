/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sampling session: what one open file of the device owns.
 *
 *   NEW -> setup -> READY -> start -> RUNNING -> stop -> STOPPED
 *
 * A session ends when its opener closes the file or dies, whatever a forked
 * child still holds; its memory goes with the last reference.
 */
#ifndef VMMPROF_SESSION_H
#define VMMPROF_SESSION_H

#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <vmmprof/ioctl.h>

#include "chain.h"
#include "exits.h"
#include "identity_vms.h"
#include "sample.h"
#include "switch.h"
#include "trigger.h"

enum vmmprof_state {
	VMMPROF_NEW,
	VMMPROF_READY,
	VMMPROF_RUNNING,
	VMMPROF_STOPPED,
};

struct vmmprof_session {
	struct mutex lock; /* state, and everything that changes it */
	enum vmmprof_state state;
	bool over;		/* the opener is gone */
	fl_owner_t owner;	/* the opener's table of files */
	pid_t pid;		/* the opener's tgid */
	wait_queue_head_t wait; /* of poll() */

	u32 ring_size;
	bool no_guest; /* nothing of KVM's is read */
	bool spent;    /* what callbacks take is measured */
	struct vmmprof_chain_want chains;
	struct vmmprof_trigger trigger;

	/* By CPU number, NULL: not asked for.  Published by rings_ready. */
	struct vmmprof_cpu **cpus;
	bool rings_ready;
	struct vmmprof_switch *sw;	  /* NULL: no switch records */
	struct vmmprof_exit_table *exits; /* NULL: not counted */
	struct vmmprof_vms *vms;	  /* NULL: no identities */
};

/* No suspend while a session samples.  Context: module init, exit. */
int vmmprof_session_init(void);
void vmmprof_session_exit(void);

/* The one session, or EBUSY.  Context: may sleep. */
int vmmprof_session_open(struct vmmprof_session **ret);

/* Disarm; let others open a session.  Any number of times. */
void vmmprof_session_end(struct vmmprof_session *s);

/* End and free it.  Nothing may be mapped any more. */
void vmmprof_session_free(struct vmmprof_session *s);

/*
 * @setup was copied from user space, nothing of it checked.  @cpus: the CPUs
 * wanted.  On failure @setup's bad_event and bad_cpu say where.
 */
int vmmprof_session_setup(struct vmmprof_session *s,
			  struct vmmprof_setup *setup,
			  const struct cpumask *cpus);

int vmmprof_session_start(struct vmmprof_session *s);
int vmmprof_session_stop(struct vmmprof_session *s);

/* IOC_WIDEN. */
int vmmprof_session_widen(struct vmmprof_session *s, u32 factor);

/* Guests of the KVM that was the @loads-th: vmmprof_kvm_use(). */
int vmmprof_session_use_kvm(struct vmmprof_session *s, u64 loads);

/* Fill in @stat of @stat->cpu; @stat is zero apart from that. */
int vmmprof_session_stat(struct vmmprof_session *s,
			 struct vmmprof_cpu_stat *stat);

/*
 * Up to @nr entries of the exits from number @from on; how many, or -errno.
 * *@missed as in struct vmmprof_exits.
 */
int vmmprof_session_exits(struct vmmprof_session *s, u32 from, u32 nr,
			  struct vmmprof_exit *to, u64 *missed);

/* IOC_GUEST_LAYOUT. */
int vmmprof_session_layout(struct vmmprof_session *s,
			   const struct vmmprof_guest_layout *layout);

/* IOC_MEMSLOTS: vmmprof_vms_slots(). */
int vmmprof_session_slots(struct vmmprof_session *s, u32 pid, u32 room,
			  struct vmmprof_slots **ret);

/* NULL before setup, and for CPUs that are not part of the session. */
struct vmmprof_cpu *vmmprof_session_cpu(struct vmmprof_session *s, u64 cpu);

/* What poll() finds.  Context: may not sleep. */
__poll_t vmmprof_session_poll(struct vmmprof_session *s);

/* tgid of the present session's opener, 0: none.  Context: may sleep. */
pid_t vmmprof_session_owner(void);

#endif /* VMMPROF_SESSION_H */
