// SPDX-License-Identifier: GPL-2.0-only
/* Writes a bundle of what was read of a guest, and the module's part of it. */

#include <errno.h>
#include <string.h>
#include <vmmprof/record.h>

#include "introspect/bundle.h"

/* Beyond the limit the oldest readings' items are left out. */
static int note_over(struct item_writer *w)
{
	const __u64 over = w->over;
	int err = item_over(w);

	if (err || !over)
		return err;
	return item_note(
		w,
		"%llu processes, mappings and symbols are left out: the file would be too large to be read",
		over);
}

static int note_limits(struct item_writer *w,
		       const struct guest_bundle_stat *stat)
{
	if (stat->out_of_budget)
		item_note(
			w,
			"the guest has more processes than are read of its memory: the rest is missing");
	if (stat->tasks_torn)
		item_note(
			w,
			"the guest's list of tasks changed while it was read: some processes may be missing");
	if (stat->unread || stat->torn)
		item_note(
			w,
			"mappings of %u processes could not be read, those of %u changed meanwhile",
			stat->unread, stat->torn);
	if (stat->many)
		item_note(
			w,
			"mappings of %u processes are left out in part: they have too many",
			stat->many);
	if (stat->files_left)
		item_note(
			w,
			"symbols of %u mapped files are left out: they are too large, or too many",
			stat->files_left);
	return note_over(w);
}

/* Were both read of one boot? */
static bool same_boot(const struct bundle *b, const struct guest_kernel *k)
{
	char is[40], was[40];
	size_t i;

	guest_boot_id(k, is);
	/* It is made when it is first asked for, and stays. */
	if (text_get(&b->text, "boot_id", was, sizeof(was)) > 0)
		return !strcmp(is, was);
	for (i = 0; i < b->nr_mms; i++)
		if (b->mms[i]->op == VMMPROF_OP_INIT)
			return b->mms[i]->key == k->init_key;
	return !k->init_key;
}

static int open_before(int fd, const struct guest_kernel *k,
		       struct item_writer *w, struct guest_snapshots *s)
{
	int err = guest_snapshots_open(s, fd);

	if (!err && fd >= 0 && !same_boot(&s->before, k)) {
		guest_snapshots_close(s);
		item_note(
			w,
			"the guest was started again: what was read of it before is left out");
	} else if (err && err != -ENOMEM) {
		item_note(
			w,
			"what was read of the guest before cannot be read: it is left out");
		err = 0;
	}
	return err;
}

int guest_bundle_write(struct guest_kernel *k, int before, bool unwind,
		       struct item_writer *w, struct guest_bundle_stat *ret)
{
	struct guest_snapshots s;
	int err;

	memset(ret, 0, sizeof(*ret));
	err = open_before(before, k, w, &s);
	if (err)
		return err;
	err = item_writer_clock(w);
	err = err ?: guest_bundle_kernel(k, &s.before, unwind, w, ret);
	err = err ?: guest_bundle_processes(k, &s, w, ret);
	if (err == -EDQUOT) {
		ret->out_of_budget = true;
		err = 0;
	}
	err = err ?: guest_snapshots_write(&s, w);
	guest_snapshots_close(&s);
	return err ?: note_limits(w, ret);
}

int guest_kernel_layout(const struct guest_kernel *k, __u32 pid,
			struct vmmprof_guest_layout *ret)
{
	const __s32 *offset = k->members.offset;
	__u64 current;
	int err = guest_kernel_current(k, &current);

	if (err || !guest_members_have(&k->members, GUEST_PROCESSES))
		return -EOPNOTSUPP;
	*ret = (struct vmmprof_guest_layout){
		.size = sizeof(*ret),
		.pid = pid,
		.flags = k->pti ? VMMPROF_GUEST_LAYOUT_F_PTI : 0,
		.current_task = current,
		.task_tgid = offset[GUEST_TASK_TGID],
		.task_pid = offset[GUEST_TASK_PID],
		.task_mm = offset[GUEST_TASK_MM],
		.task_comm = offset[GUEST_TASK_COMM],
		.task_flags = offset[GUEST_TASK_FLAGS],
		.task_start = offset[GUEST_TASK_START] < 0 ?
				      VMMPROF_NONE :
				      (__u32)offset[GUEST_TASK_START],
	};
	return 0;
}
