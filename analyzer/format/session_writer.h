/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a session directory (include/vmmprof/session.h) piece by piece, in an
 * order that leaves something readable whenever the writer dies.
 *
 * All functions return 0 or -errno.  An error of the info file stays: it is
 * returned by every later call that writes to it.
 */
#ifndef FORMAT_SESSION_WRITER_H
#define FORMAT_SESSION_WRITER_H

#include <stdbool.h>

#include <vmmprof/session.h>

#include "base/error.h"
#include "format/item_writer.h"

struct session_writer {
	int dirfd;
	struct item_writer info;
};

/* Makes the directory (session_dir_create()) and its info file. */
int session_writer_create(const char *path, bool force,
			  struct session_writer *w, struct error *e);

/* Creates cpu-N.rec with its header.  *fd is the caller's to close. */
int session_writer_records(struct session_writer *w, unsigned int cpu, int *fd);

/* Items of info; TEXT, NOTE and CLOCK are written to w->info directly. */
int session_writer_event(struct session_writer *w, unsigned int index,
			 const char *name, const struct vmmprof_event *event);
int session_writer_vm(struct session_writer *w, __u32 pid, __u32 nr_vcpus,
		      __u64 seen_tsc, const char *name);
int session_writer_vcpu(struct session_writer *w, __u32 pid, __u32 tid,
			__u32 vcpu_id, const char *comm);
int session_writer_cpu(struct session_writer *w,
		       const struct vmmprof_cpu_stat *stat);
int session_writer_stop(struct session_writer *w, __u64 start_tsc,
			__u64 stop_tsc, enum vmmprof_stop_reason reason,
			int status);
/* on: switch records are written; error: errno that says why not, or 0. */
int session_writer_switches(struct session_writer *w, bool on, __u32 error);
int session_writer_exit(struct session_writer *w,
			const struct vmmprof_exit *exit);
/* Behind all of those; on, error: as above. */
int session_writer_exits(struct session_writer *w, bool on, __u32 error,
			 __u64 missed);
/* item->hdr is filled in here. */
int session_writer_vcpu_state(struct session_writer *w,
			      const struct vmmprof_info_vcpu_state *item);

/*
 * Copies a guest's bundle to guests/NAME.bundle and names it in info.  name:
 * of the VM, no '/'.  -ENOEXEC: the file does not begin as a bundle does.
 */
int session_writer_bundle(struct session_writer *w, __u32 pid, const char *name,
			  const char *file);

/*
 * Makes guests/NAME.bundle.part for a bundle that is being fetched.  name: as
 * above.  The descriptor, or -errno.
 */
int session_writer_part(struct session_writer *w, const char *name);

/*
 * Makes fd, which session_writer_part() opened, the VM's bundle and
 * names it in info.   -ENOEXEC: does not begin as a bundle
 * does; it is removed then, as after every error.
 */
int session_writer_take_part(struct session_writer *w, __u32 pid,
			     const char *name, int fd);

/* Removes what came of a bundle. */
void session_writer_drop_part(struct session_writer *w, const char *name);

/* item->hdr is filled in here.  text: "" if item->error is 0. */
int session_writer_reach(struct session_writer *w,
			 const struct vmmprof_info_reach *item,
			 const char *text);

/* item->hdr is filled in here.  text: "" if item->error is 0. */
int session_writer_memory(struct session_writer *w,
			  const struct vmmprof_info_memory *item,
			  const char *text);

/* Writes what is buffered. */
/*
 * Writes that samples are further apart from here on; readers that do not know
 * that refuse the file then.
 */
int session_writer_widened(struct session_writer *w,
			   const struct vmmprof_info_widened *item);

int session_writer_flush(struct session_writer *w);

/*
 * finished: END is written, and is on the disk when this returns; without it
 * readers say that something is missing.
 */
int session_writer_close(struct session_writer *w, bool finished);

#endif /* FORMAT_SESSION_WRITER_H */
