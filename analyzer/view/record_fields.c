// SPDX-License-Identifier: GPL-2.0-only
/* The fields of a record; each is one row of the table at the end. */

#include <string.h>

#include "view/record_text.h"
#include "view/record_text_internal.h"
#include "model/track.h"
#include "sym/exits.h"

static const struct vmmprof_rec_sample *sample(const struct line *l)
{
	return l->w ? &l->rec->sample : NULL;
}

static const struct vmmprof_rec_identity *identity(const struct line *l)
{
	return l->rec->hdr.type == VMMPROF_REC_IDENTITY ? &l->rec->identity :
							  NULL;
}

static const struct vmmprof_rec_vcpu *vcpu(const struct line *l)
{
	return l->rec->hdr.type == VMMPROF_REC_VCPU ? &l->rec->vcpu : NULL;
}

/* Guest fields are shown where the module could read the guest's state. */
static bool has_state(const struct line *l)
{
	return l->w && (l->rec->hdr.flags & VMMPROF_S_GUEST);
}

static void put_string(struct line *l, __u32 id)
{
	PUT(l, "%s", strings_get(&l->a->resolver.strings, id));
}

static void f_type(struct line *l)
{
	static const char *const types[] = {
		[VMMPROF_REC_SAMPLE] = "sample",
		[VMMPROF_REC_LOST] = "lost",
		[VMMPROF_REC_THROTTLE] = "throttle",
		[VMMPROF_REC_VCPU] = "vcpu",
		[VMMPROF_REC_CHAIN] = "chain",
		[VMMPROF_REC_IDENTITY] = "identity",
		[VMMPROF_REC_OUT] = "out",
		[VMMPROF_REC_WAKE] = "wake",
		[VMMPROF_REC_IN] = "in",
		[VMMPROF_REC_MIGRATE] = "migrate",
		[VMMPROF_REC_SWITCH] = "switch",
	};
	unsigned int type = l->rec->hdr.type;

	if (type < sizeof(types) / sizeof(types[0]) && types[type])
		PUT(l, "%s", types[type]);
	else
		PUT(l, "%u", type);
}

static void f_cpu(struct line *l)
{
	if (sample(l))
		PUT(l, "%u", l->rec->sample.cpu);
	else if (vcpu(l))
		PUT(l, "%u", l->rec->vcpu.cpu);
	else if (line_switch(l))
		PUT(l, "%u", l->rec->sw.cpu);
	else if (line_wake(l))
		PUT(l, "%u", l->rec->wake.cpu);
	else if (l->rec->hdr.type == VMMPROF_REC_THROTTLE)
		PUT(l, "%u", l->rec->throttle.cpu);
	else if (line_chain(l) || identity(l))
		PUT(l, "%u", l->a->rec_cpu);
}

static void f_tsc(struct line *l)
{
	PUT(l, "%llu", l->rec->hdr.tsc);
}

static void f_time(struct line *l)
{
	__s64 d = l->rec->hdr.tsc - l->v->first_tsc;

	if (!l->v->tsc_khz)
		return;
	if (l->v->json)
		PUT(l, "%lld",
		    (long long)((__int128)d * 1000000 / l->v->tsc_khz));
	else
		PUT(l, "%.9f", d / (l->v->tsc_khz * 1000.0));
}

static void f_event(struct line *l)
{
	if (sample(l))
		PUT(l, "%s",
		    session_event_name(&l->a->session, l->rec->sample.event));
	else if (l->rec->hdr.type == VMMPROF_REC_THROTTLE)
		PUT(l, "%s",
		    session_event_name(&l->a->session, l->rec->throttle.event));
}

static void f_period(struct line *l)
{
	if (sample(l))
		PUT(l, "%llu", l->rec->sample.period);
}

/* A switch record of a vCPU's thread; SWITCH is of the two others alone. */
static bool is_of_thread(const struct line *l)
{
	return line_switch(l) && l->rec->hdr.type != VMMPROF_REC_SWITCH;
}

static void f_pid(struct line *l)
{
	if (sample(l))
		PUT(l, "%u", l->rec->sample.pid);
	else if (vcpu(l))
		PUT(l, "%u", l->rec->vcpu.pid);
	else if (identity(l))
		PUT(l, "%u", l->rec->identity.pid);
	else if (is_of_thread(l))
		PUT(l, "%u", l->rec->sw.pid);
	else if (line_wake(l))
		PUT(l, "%u", l->rec->wake.pid);
}

static void f_tid(struct line *l)
{
	if (sample(l))
		PUT(l, "%u", l->rec->sample.tid);
	else if (vcpu(l))
		PUT(l, "%u", l->rec->vcpu.tid);
	else if (is_of_thread(l))
		PUT(l, "%u", l->rec->sw.tid);
	else if (line_wake(l))
		PUT(l, "%u", l->rec->wake.tid);
}

static void f_comm(struct line *l)
{
	if (l->w && !l->w->key.guest && l->w->key.proc != VMMPROF_NONE)
		put_string(l, l->a->resolver.processes[l->w->key.proc].name);
}

struct letter {
	__u32 bit; /* 0: the end */
	char c;
};

static void put_letters(struct line *l, const struct letter *letters)
{
	size_t n = 0;

	for (; letters->bit; letters++)
		if (l->rec->hdr.flags & letters->bit)
			l->buf[n++] = letters->c;
	if (!n)
		l->buf[n++] = '-';
	l->buf[n] = '\0';
}

static void f_flags(struct line *l)
{
	static const struct letter of_samples[] = {
		{ VMMPROF_S_NMI, 'N' },
		{ VMMPROF_S_USER, 'U' },
		{ VMMPROF_S_IF, 'I' },
		{ VMMPROF_S_VCPU, 'V' },
		{ VMMPROF_S_VMCS, 'M' },
		{ VMMPROF_S_STATE, 'S' },
		{ VMMPROF_S_OWN, 'O' },
		{ VMMPROF_S_GUEST, 'G' },
		{ VMMPROF_S_L2, '2' },
		{ VMMPROF_S_SHADOW, 'W' },
		{ VMMPROF_S_PROTECTED, 'P' },
		{ VMMPROF_S_HANDLING, 'H' },
		{ VMMPROF_S_SMM, 'F' },
		{ VMMPROF_S_UNPAGED, 'R' },
		{ 0 },
	};
	static const struct letter of_switches[] = {
		{ VMMPROF_W_VCPU, 'V' },
		{ VMMPROF_W_RUNNABLE, 'R' },
		{ VMMPROF_W_VMCS, 'M' },
		{ VMMPROF_W_IRQ, 'I' },
		{ 0 },
	};

	static const struct letter of_chains[] = {
		{ VMMPROF_C_GUEST, 'G' },
		{ VMMPROF_C_REF, 'R' },
		{ VMMPROF_C_WORDS, 'W' },
		{ VMMPROF_C_REGS, 'S' },
		{ VMMPROF_C_OUT, 'O' },
		{ VMMPROF_C_STATE, 'T' },
		{ 0 },
	};

	if (line_chain(l))
		put_letters(l, of_chains);
	else if (sample(l))
		put_letters(l, of_samples);
	else if (line_switch(l) || line_wake(l))
		put_letters(l, of_switches);
}

static void f_mode(struct line *l)
{
	static const char *const modes[] = { "kernel", "user", "unknown" };

	if (l->w)
		PUT(l, "%s-%s", l->w->key.guest ? "guest" : "host",
		    modes[l->w->key.mode]);
}

static void f_ip(struct line *l)
{
	if (sample(l))
		PUT(l, "%#llx", l->rec->sample.ip);
}

static void f_sym(struct line *l)
{
	if (l->w && !l->w->key.guest && l->w->key.func != VMMPROF_NONE)
		put_string(l, l->w->key.func);
	else if (l->w && l->host.func != VMMPROF_NONE)
		put_string(l, l->host.func);
}

static void f_mod(struct line *l)
{
	if (l->w && !l->w->key.guest && l->w->key.module != VMMPROF_NONE)
		put_string(l, l->w->key.module);
	else if (l->w && l->host.module != VMMPROF_NONE)
		put_string(l, l->host.module);
}

static void f_guest(struct line *l)
{
	__u32 g = VMMPROF_NONE;

	if (l->w && l->w->key.guest)
		g = l->w->key.guest - 1;
	else if (vcpu(l))
		g = hash_get(&l->a->resolver.guests.pids, l->rec->vcpu.pid);
	else if (is_of_thread(l))
		g = hash_get(&l->a->resolver.guests.pids, l->rec->sw.pid);
	else if (line_wake(l))
		g = hash_get(&l->a->resolver.guests.pids, l->rec->wake.pid);
	if (g != VMMPROF_NONE)
		PUT(l, "%s", l->a->resolver.guests.guests[g].name);
}

static void f_vcpu(struct line *l)
{
	if (sample(l) && (l->rec->hdr.flags & VMMPROF_S_VCPU))
		PUT(l, "%u", l->rec->sample.vcpu_id);
	else if (vcpu(l))
		PUT(l, "%u", l->rec->vcpu.vcpu_id);
	else if (is_of_thread(l) && l->rec->sw.vcpu_id != VMMPROF_NONE)
		PUT(l, "%u", l->rec->sw.vcpu_id);
	else if (line_wake(l) && l->rec->wake.vcpu_id != VMMPROF_NONE)
		PUT(l, "%u", l->rec->wake.vcpu_id);
}

static void f_vpid(struct line *l)
{
	if (sample(l) && (l->rec->hdr.flags & VMMPROF_S_VMCS))
		PUT(l, "%u", l->rec->sample.vpid);
	else if (vcpu(l))
		PUT(l, "%u", l->rec->vcpu.vpid);
}

static void f_irq(struct line *l)
{
	enum sample_irq irq = sample(l) ? sample_irq(&l->rec->sample) :
					  IRQ_NONE;

	if (irq != IRQ_NONE)
		PUT(l, "%s", irq == IRQ_HARD ? "hard" : "soft");
}

static void f_exit(struct line *l)
{
	bool svm = l->a->resolver.svm;
	char number[EXIT_TEXT];
	const char *name;
	__u16 reason;

	if (sample(l) && (l->rec->hdr.flags & VMMPROF_S_VMCS))
		reason = exit_reason(svm, l->rec->sample.exit_reason);
	else if (line_switch(l) && (l->rec->hdr.flags & VMMPROF_W_VMCS))
		reason = exit_reason(svm, l->rec->sw.exit_reason);
	else
		return;
	name = exit_name(reason);
	PUT(l, "%s:%s", exit_number_text(reason, number), name ? name : "?");
}

static void f_intr(struct line *l)
{
	if (sample(l) && (l->rec->hdr.flags & VMMPROF_S_STATE))
		PUT(l, "%#x", l->rec->sample.exit_intr_info);
}

static void f_handling(struct line *l)
{
	if (sample(l) && (l->rec->hdr.flags & VMMPROF_S_HANDLING))
		PUT(l, "%u", l->rec->sample.handling);
}

static void f_cpl(struct line *l)
{
	struct vmmprof_chain_state s;

	if (has_state(l))
		PUT(l, "%u", l->rec->sample.guest_ss_ar >> 5 & 3);
	else if (line_state(l, &s))
		PUT(l, "%u", s.guest_ss_ar >> 5 & 3);
}

static void f_cr3(struct line *l)
{
	struct vmmprof_chain_state s;

	if (has_state(l))
		PUT(l, "%#llx", l->rec->sample.guest_cr3);
	else if (line_state(l, &s))
		PUT(l, "%#llx", s.guest_cr3);
}

static void f_gip(struct line *l)
{
	struct vmmprof_chain_state s;

	if (has_state(l))
		PUT(l, "%#llx", l->rec->sample.guest_ip);
	else if (line_state(l, &s))
		PUT(l, "%#llx", s.guest_ip);
}

static void f_gns(struct line *l)
{
	if (l->w && l->w->guest_ns != TIME_UNKNOWN)
		PUT(l, "%llu", l->w->guest_ns);
}

static void f_gsym(struct line *l)
{
	if (l->w && l->w->key.guest && l->w->key.func != VMMPROF_NONE)
		put_string(l, l->w->key.func);
}

static void f_gmod(struct line *l)
{
	if (l->w && l->w->key.guest && l->w->key.module != VMMPROF_NONE)
		put_string(l, l->w->key.module);
}

static void f_gpid(struct line *l)
{
	__u32 pid;

	if (identity(l))
		PUT(l, "%u", l->rec->identity.tgid);
	if (!l->w || !l->w->key.guest || l->w->key.proc == VMMPROF_NONE)
		return;
	pid = l->a->resolver.processes[l->w->key.proc].pid;
	if (pid != VMMPROF_NONE)
		PUT(l, "%u", pid);
}

static void f_gcomm(struct line *l)
{
	if (identity(l))
		PUT(l, "%.16s", l->rec->identity.comm);
	if (l->w && l->w->key.guest && l->w->key.proc != VMMPROF_NONE)
		put_string(l, l->a->resolver.processes[l->w->key.proc].name);
}

/* The guest's thread. */
static void f_gtid(struct line *l)
{
	if (identity(l))
		PUT(l, "%u", l->rec->identity.tid);
	else if (l->w && l->w->key.guest && l->w->key.tid)
		PUT(l, "%u", l->w->key.tid - 1);
}

/* Who ran, by the number of its IDENTITY record, or why that is not known. */
static void f_who(struct line *l)
{
	static const char *const why[VMMPROF_WHO_FIRST] = {
		"",	      "later",	     "no-layout", "unmapped",
		"no-memory",  "not-present", "no-task",	  "moved",
		"busy",	      "nested",	     "smm",	  "encrypted",
		"not-64-bit", "no-base",     "no-room",	  "no-paging"
	};
	__u32 id;

	if (!sample(l) && !identity(l))
		return;
	id = sample(l) ? l->rec->sample.identity : l->rec->identity.id;
	if (id < VMMPROF_WHO_FIRST)
		PUT(l, "%s", why[id]);
	else
		PUT(l, "%u", id);
}

static void f_unresolved(struct line *l)
{
	if (l->w && l->w->key.cause)
		PUT(l, "%s", cause_key(l->w->key.cause));
}

static void f_lost(struct line *l)
{
	if (l->rec->hdr.type == VMMPROF_REC_LOST)
		PUT(l, "%llu", l->rec->lost.lost);
}

static void f_offset(struct line *l)
{
	if (vcpu(l))
		PUT(l, "%lld", (long long)l->rec->vcpu.tsc_offset);
}

static void f_check(struct line *l)
{
	if (l->w && l->w->contradiction)
		PUT(l, "%s", contradiction_key(l->w->contradiction));
}

const struct record_field record_fields[] = {
	{ "type", f_type, FIELD_TEXT, NULL },
	{ "cpu", f_cpu, FIELD_NUMBER, NULL },
	{ "t", f_time, FIELD_NUMBER, "t_ns" },
	{ "tsc", f_tsc, FIELD_NUMBER, "tsc_value" },
	{ "event", f_event, FIELD_TEXT, NULL },
	{ "period", f_period, FIELD_NUMBER, NULL },
	{ "pid", f_pid, FIELD_NUMBER, NULL },
	{ "tid", f_tid, FIELD_NUMBER, NULL },
	{ "comm", f_comm, FIELD_TEXT, NULL },
	{ "flags", f_flags, FIELD_TEXT, NULL },
	{ "mode", f_mode, FIELD_TEXT, NULL },
	{ "ip", f_ip, FIELD_TEXT, NULL },
	{ "sym", f_sym, FIELD_TEXT, NULL },
	{ "mod", f_mod, FIELD_TEXT, NULL },
	{ "guest", f_guest, FIELD_TEXT, NULL },
	{ "vcpu", f_vcpu, FIELD_NUMBER, NULL },
	{ "vpid", f_vpid, FIELD_NUMBER, NULL },
	{ "irq", f_irq, FIELD_TEXT, NULL },
	{ "exit", f_exit, FIELD_TEXT, NULL },
	{ "intr", f_intr, FIELD_TEXT, NULL },
	{ "handling", f_handling, FIELD_NUMBER, NULL },
	{ "cpl", f_cpl, FIELD_NUMBER, NULL },
	{ "cr3", f_cr3, FIELD_TEXT, NULL },
	{ "gip", f_gip, FIELD_TEXT, NULL },
	{ "gns", f_gns, FIELD_NUMBER, "guest_ns" },
	{ "gsym", f_gsym, FIELD_TEXT, NULL },
	{ "gmod", f_gmod, FIELD_TEXT, NULL },
	{ "gpid", f_gpid, FIELD_NUMBER, NULL },
	{ "gcomm", f_gcomm, FIELD_TEXT, NULL },
	{ "gtid", f_gtid, FIELD_NUMBER, NULL },
	{ "who", f_who, FIELD_TEXT, NULL },
	{ "unresolved", f_unresolved, FIELD_TEXT, NULL },
	{ "lost", f_lost, FIELD_NUMBER, NULL },
	{ "offset", f_offset, FIELD_NUMBER, NULL },
	{ "mp", field_mp, FIELD_TEXT, NULL },
	{ "prev_comm", field_prev_comm, FIELD_TEXT, NULL },
	{ "prev_pid", field_prev_pid, FIELD_NUMBER, NULL },
	{ "prev_tid", field_prev_tid, FIELD_NUMBER, NULL },
	{ "next_comm", field_next_comm, FIELD_TEXT, NULL },
	{ "next_pid", field_next_pid, FIELD_NUMBER, NULL },
	{ "next_tid", field_next_tid, FIELD_NUMBER, NULL },
	{ "from_cpu", field_from_cpu, FIELD_NUMBER, NULL },
	{ "waker_pid", field_waker_pid, FIELD_NUMBER, NULL },
	{ "waker_tid", field_waker_tid, FIELD_NUMBER, NULL },
	{ "chain", field_chain, FIELD_NUMBER, NULL },
	{ "kernel", field_kernel, FIELD_TEXT, NULL },
	{ "user", field_user, FIELD_TEXT, NULL },
	{ "stack", field_stack, FIELD_NUMBER, NULL },
	{ "check", f_check, FIELD_TEXT, NULL },
	{ NULL, NULL, FIELD_TEXT, NULL },
};
