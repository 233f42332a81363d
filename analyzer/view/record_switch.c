// SPDX-License-Identifier: GPL-2.0-only
/* Fields of the scheduler's records: who left a CPU, who got it, who woke. */

#include <linux/kvm.h>
#include <stdio.h>

#include "view/record_text_internal.h"

const struct vmmprof_rec_switch *line_switch(const struct line *l)
{
	switch (l->rec->hdr.type) {
	case VMMPROF_REC_OUT:
	case VMMPROF_REC_IN:
	case VMMPROF_REC_SWITCH:
		return &l->rec->sw;
	}
	return NULL;
}

const struct vmmprof_rec_wake *line_wake(const struct line *l)
{
	switch (l->rec->hdr.type) {
	case VMMPROF_REC_WAKE:
	case VMMPROF_REC_MIGRATE:
		return &l->rec->wake;
	}
	return NULL;
}

void field_mp(struct line *l)
{
	static const char *const states[] = {
		[KVM_MP_STATE_RUNNABLE] = "runnable",
		[KVM_MP_STATE_UNINITIALIZED] = "uninitialized",
		[KVM_MP_STATE_INIT_RECEIVED] = "init",
		[KVM_MP_STATE_HALTED] = "halted",
		[KVM_MP_STATE_SIPI_RECEIVED] = "sipi",
	};
	const struct vmmprof_rec_switch *s = line_switch(l);

	if (!s || !(s->hdr.flags & VMMPROF_W_VCPU))
		return;
	if (s->mp_state < sizeof(states) / sizeof(states[0]))
		PUT(l, "%s", states[s->mp_state]);
	else
		PUT(l, "%u", s->mp_state);
}

/* In IN the members without "other" are of who comes, else of who leaves. */
static bool is_in(const struct vmmprof_rec_switch *s)
{
	return s->hdr.type == VMMPROF_REC_IN;
}

static void put_comm(struct line *l, bool next)
{
	const struct vmmprof_rec_switch *s = line_switch(l);

	if (s)
		PUT(l, "%.16s", is_in(s) == next ? s->comm : s->other_comm);
}

static void put_pid(struct line *l, bool next)
{
	const struct vmmprof_rec_switch *s = line_switch(l);

	if (s)
		PUT(l, "%u", is_in(s) == next ? s->pid : s->other_pid);
}

static void put_tid(struct line *l, bool next)
{
	const struct vmmprof_rec_switch *s = line_switch(l);

	if (s)
		PUT(l, "%u", is_in(s) == next ? s->tid : s->other_tid);
}

void field_prev_comm(struct line *l)
{
	put_comm(l, false);
}

void field_prev_pid(struct line *l)
{
	put_pid(l, false);
}

void field_prev_tid(struct line *l)
{
	put_tid(l, false);
}

void field_next_comm(struct line *l)
{
	put_comm(l, true);
}

void field_next_pid(struct line *l)
{
	put_pid(l, true);
}

void field_next_tid(struct line *l)
{
	put_tid(l, true);
}

void field_from_cpu(struct line *l)
{
	const struct vmmprof_rec_wake *w = line_wake(l);

	if (w)
		PUT(l, "%u", w->from_cpu);
}

/* An interrupt has no process that woke the thread. */
static const struct vmmprof_rec_wake *by_thread(const struct line *l)
{
	const struct vmmprof_rec_wake *w = line_wake(l);

	return w && w->hdr.type == VMMPROF_REC_WAKE &&
			       !(w->hdr.flags & VMMPROF_W_IRQ) ?
		       w :
		       NULL;
}

void field_waker_pid(struct line *l)
{
	if (by_thread(l))
		PUT(l, "%u", by_thread(l)->other_pid);
}

void field_waker_tid(struct line *l)
{
	if (by_thread(l))
		PUT(l, "%u", by_thread(l)->other_tid);
}
