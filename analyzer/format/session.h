/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session directory as `vmmprof record` left it: opened, validated, its
 * info items as arrays.  The directory may come from elsewhere and may be
 * damaged: what can be read is read, the rest becomes a line of problems.
 */
#ifndef FORMAT_SESSION_H
#define FORMAT_SESSION_H

#include <stdbool.h>

#include <vmmprof/session.h>

#include "base/hash.h"
#include "format/items.h"
#include "format/merge.h"

struct session_cpu {
	const struct vmmprof_info_cpu *stat; /* NULL: none in info */
	__u32 cpu;
	bool file; /* there is a cpu-N.rec */
};

struct session {
	char *dir;
	int dirfd;
	struct items info; /* what the pointers below point into */
	struct text text;
	const struct vmmprof_info_event *events[VMMPROF_MAX_EVENTS];
	const struct vmmprof_info_vm **vms;
	const struct vmmprof_info_vcpu **vcpus;
	const struct vmmprof_info_guest **guests;
	const struct vmmprof_item_clock **clocks;
	const char **notes;
	const struct vmmprof_info_reach **reach;
	const struct vmmprof_info_memory **memory; /* in order of time */
	struct hash reach_of; /* pid -> the last one of it */
	const struct vmmprof_info_vcpu_state **states;
	const struct vmmprof_info_switches *switches; /* NULL: none */
	const struct vmmprof_info_exits *exits_on;    /* NULL: none */
	const struct vmmprof_info_exit **exits;
	size_t nr_exits, cap_exits;
	/* in order of time, not too many */
	const struct vmmprof_info_widened **widened;
	__u64 widest; /* the product of their factors */
	size_t nr_widened, cap_widened;
	struct session_cpu *cpus;	      /* by number */
	const struct vmmprof_info_stop *stop; /* NULL: none */
	size_t nr_vms, nr_vcpus, nr_guests, nr_clocks, nr_notes, nr_cpus;
	size_t nr_reach, cap_reach, nr_states, cap_states;
	size_t nr_memory, cap_memory;
	size_t cap_vms, cap_vcpus, cap_guests, cap_clocks, cap_notes, cap_cpus;
	bool complete;		/* info has its END item */
	struct merge_cuts cuts; /* as the last merge has found them so far */
	struct problems problems;
};

/*
 * Open the session in dir.  On error s->problems has a line that says what is
 * wrong; session_close() is due in either case.  Returns 0 (maybe
 * with problems), -ENOENT (no such directory, or no session in it),
 * -ENOTDIR, -EBADMSG, -EPROTONOSUPPORT, -EACCES, ...
 */
int session_open(struct session *s, const char *dir);
void session_close(struct session *s);

/*
 * Leaves out threads of vCPUs, by the keys pid << 32 | tid of @ended, and VMs of
 * which none but such are known: a reader that comes later needs nothing of them.
 * 0 or -ENOMEM.
 */
int session_forget(struct session *s, const struct hash *ended);

/* How the guest of a VMM process was reached, the last word; NULL: not told. */
const struct vmmprof_info_reach *session_reach(const struct session *s,
					       __u32 pid);

/* Is this record, which is no sample, one that is looked for? */
typedef bool session_record_fn(const struct vmmprof_rec_hdr *hdr);

/*
 * Is there such a record in one of the files, each read alone until it cannot be
 * read further?  That takes a fifth of the time of merging them.  PACKED records
 * are as they are in the file.
 */
bool session_has_record(const struct session *s, session_record_fn *is);

/*
 * Open all record files for merging; files that cannot be read become
 * problems.  m is then the caller's and must be deinitialised before s is
 * closed.  After a WIDENED item samples from before it are left out
 * (merge_left_out()), so that each one stands for as much as any other.
 * Returns 0, -ENOMEM, or -EBADMSG if there are files and none can be
 * used.
 */
int session_merge(struct session *s, struct merge *m);

/*
 * Open DIR/guests/NAME.bundle; a NAME that would lead elsewhere is refused
 * with -EINVAL.  Returns a descriptor or -errno.
 */
int session_open_bundle(const struct session *s, const char *name);

/* The frequency of the host's TSC in kHz; 0: info does not tell it. */
__u64 session_tsc_khz(const struct session *s);

/* Its host's CPU has SVM; else VMX, also where info does not tell it. */
bool session_is_svm(const struct session *s);

/* Its host is itself a VM. */
bool session_in_vm(const struct session *s);

/*
 * The period of event number i that its samples have where all of them are looked
 * at, or its frequency (VMMPROF_EVENT_F_FREQ): those of before the last WIDENED
 * item are thinned out.  0: not known.
 */
__u64 session_period(const struct session *s, unsigned int i);

/* The name of event number i, or a name for an event that info lacks. */
const char *session_event_name(const struct session *s, unsigned int i);

#endif /* FORMAT_SESSION_H */
