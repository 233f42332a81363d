/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a session directory (include/vmmprof/session.h) piece by piece, in an
 * order that leaves something readable whenever the writer dies.
 *
 * All functions return 0 or -errno.  An error of the info file stays: it is
 * returned by every later call that writes to it.
 */
#ifndef VMMPROF_FORMAT_SESSION_WRITER_H
#define VMMPROF_FORMAT_SESSION_WRITER_H

#include <stdbool.h>

#include <vmmprof/session.h>

#include "format/item_writer.h"

struct vmmprof_sessionwriter {
	int dirfd;
	struct vmmprof_itemwriter info;
};

/* Makes the directory (vmmprof_sessiondir_create()) and its info file. */
int vmmprof_sessionwriter_create(const char *path, bool force,
				 struct vmmprof_sessionwriter *w);

/* Creates cpu-N.rec with its header.  *fd is the caller's to close. */
int vmmprof_sessionwriter_records(struct vmmprof_sessionwriter *w,
				  unsigned int cpu, int *fd);

/* Items of info; TEXT, NOTE and CLOCK are written to w->info directly. */
int vmmprof_sessionwriter_event(struct vmmprof_sessionwriter *w,
				unsigned int index, const char *name,
				const struct vmmprof_event *event);
int vmmprof_sessionwriter_vm(struct vmmprof_sessionwriter *w, __u32 pid,
			     __u32 nr_vcpus, __u64 seen_tsc, const char *name);
int vmmprof_sessionwriter_vcpu(struct vmmprof_sessionwriter *w, __u32 pid,
			       __u32 tid, __u32 vcpu_id, const char *comm);
int vmmprof_sessionwriter_cpu(struct vmmprof_sessionwriter *w,
			      const struct vmmprof_cpu_stat *stat);
int vmmprof_sessionwriter_stop(struct vmmprof_sessionwriter *w, __u64 start_tsc,
			       __u64 stop_tsc, enum vmmprof_stop_reason reason,
			       int status);
/* on: switch records are written; error: errno that says why not, or 0. */
int vmmprof_sessionwriter_switches(struct vmmprof_sessionwriter *w, bool on,
				   __u32 error);
/* item->hdr is filled in here. */
int vmmprof_sessionwriter_vcpu_state(struct vmmprof_sessionwriter *w,
				     const struct vmmprof_info_vcpu_state *item);

/*
 * Copies a guest's bundle to guests/NAME.bundle and names it in info.  name:
 * of the VM, no '/'.  -ENOEXEC: the file does not begin as a bundle does.
 */
int vmmprof_sessionwriter_bundle(struct vmmprof_sessionwriter *w, __u32 pid,
				 const char *name, const char *file);

/*
 * Makes guests/NAME.bundle.part for a bundle that is being fetched.  name: as
 * above.  The descriptor, or -errno.
 */
int vmmprof_sessionwriter_part(struct vmmprof_sessionwriter *w,
			       const char *name);

/*
 * Makes fd, which vmmprof_sessionwriter_part() opened, the VM's bundle and
 * names it in info.   -ENOEXEC: does not begin as a bundle
 * does; it is removed then, as after every error.
 */
int vmmprof_sessionwriter_take_part(struct vmmprof_sessionwriter *w, __u32 pid,
				    const char *name, int fd);

/* Removes what came of a bundle. */
void vmmprof_sessionwriter_drop_part(struct vmmprof_sessionwriter *w,
				     const char *name);

/* item->hdr is filled in here.  text: "" if item->error is 0. */
int vmmprof_sessionwriter_reach(struct vmmprof_sessionwriter *w,
				const struct vmmprof_info_reach *item,
				const char *text);

/* Hands what was put so far to the kernel. */
int vmmprof_sessionwriter_flush(struct vmmprof_sessionwriter *w);

/* finished: END is written; without it readers say that something is missing. */
int vmmprof_sessionwriter_close(struct vmmprof_sessionwriter *w, bool finished);

#endif /* VMMPROF_FORMAT_SESSION_WRITER_H */
