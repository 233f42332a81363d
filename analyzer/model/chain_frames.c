// SPDX-License-Identifier: GPL-2.0-only
/* Frames of the host's and the guest's stacks, one behind the other. */

#include <errno.h>
#include <string.h>

#include "model/chain_frames.h"
#include "model/chain_kernel.h"
#include "model/chain_switch.h"
#include "model/chain_user.h"
#include "model/vcpu_state.h"
#include "sym/exits.h"
#include "sym/kernel_code.h"

/*
 * Runs a vCPU until the VMM is needed (arch/x86/kvm/x86.c): what it calls
 * handles the vCPU's exits, what calls it is always the same.
 */
#define RUNS_VCPU "kvm_arch_vcpu_ioctl_run"

/* The code that was hit. */
static void push_leaf(struct chain_frames *f, const struct bucket_key *key,
		      __u64 addr)
{
	struct chain_frame *c = chain_push(f, FRAME_CODE, key->guest);

	c->addr = addr;
	c->link = key->addr;
	c->func = key->func;
	c->module = key->module;
	c->file = key->file;
	c->mode = key->mode;
	c->cause = key->cause;
}

/* What the rules of the kernel's code are looked up by. */
struct rules {
	struct resolver *r;
	const struct resolve_space *in;
};

static const struct vmmprof_unwind_rule *kernel_rule(void *arg, __u64 addr)
{
	/* right behind a call, and with one more word pushed */
	static const struct vmmprof_unwind_rule jump[] = {
		{ .kind = VMMPROF_UNWIND_CALL, .cfa = 8 },
		{ .kind = VMMPROF_UNWIND_CALL, .cfa = 16 },
	};
	const struct rules *rules = arg;
	const struct vmmprof_unwind_rule *r;
	const struct ksym *s;

	r = resolve_rule(rules->r, rules->in, VMMPROF_NONE, addr);
	if (!r)
		return NULL;
	s = resolve_ksym(rules->r, rules->in->machine, addr);
	if (kernel_code_made(s))
		return NULL;
	if (r->kind == VMMPROF_UNWIND_CALL)
		return r;
	/* the tables say of it that nothing called it */
	if (kernel_code_of(s) == KCODE_JUMP)
		return &jump[addr - s->addr >= KCODE_JUMP_PUSHED];
	return r;
}

static bool kernel_jumps(void *arg, __u64 at, __u64 to)
{
	const struct rules *rules = arg;
	const struct ksym *s = resolve_ksym(rules->r, rules->in->machine, to);
	enum kernel_code code;

	if (!s || s->addr != to)
		return false;
	s = resolve_ksym(rules->r, rules->in->machine, at);
	code = kernel_code_of(s);
	return code == KCODE_JUMP || code == KCODE_RETURN;
}

/* The code that returns to @ip: a call, or what a new task begins with. */
static __u64 from_return(struct resolver *r, __u32 machine, __u64 ip)
{
	const struct ksym *s = resolve_ksym(r, machine, ip);

	return s && s->addr == ip && kernel_code_of(s) == KCODE_BEGINS ?
		       ip :
		       call_of(ip);
}

/* Return addresses out of the words of a guest kernel's stack. */
static int push_words(struct chain_frames *f, struct resolver *r,
		      const struct resolve_space *in,
		      const struct chain_part *p,
		      const struct vmmprof_rec_sample *s)
{
	const struct chain_kernel_from from = {
		.ip = s->guest_ip,
		.sp = s->guest_rsp,
		.bp = p->regs.bp,
		.has_bp = p->head.hdr.flags & VMMPROF_C_REGS,
		.words = p->data,
		.nr_words = p->head.nr_kernel,
		.end = p->head.end_kernel,
		.jumps = kernel_jumps,
	};
	struct rules rules = { r, in };
	struct chain_kernel k;
	unsigned int i;
	__u64 at;
	int err = 0;

	if (!resolve_kernel_rules(r, in->machine)) {
		chain_gap(f, in->machine, CHAIN_NO_RULES);
		return 0;
	}
	chain_kernel(&from, kernel_rule, &rules, &k);
	for (i = 0; i < k.nr && !err; i++) {
		at = k.exact[i] ? k.ip[i] :
				  from_return(r, in->machine, k.ip[i]);
		err = chain_push_code(f, r, in, false, at);
	}
	if (err || k.end == UNWIND_DONE)
		return err;
	chain_gap(f, in->machine,
		  k.end == UNWIND_STEP ? VMMPROF_END_DEPTH :
					 CHAIN_UNWIND + k.end);
	return 0;
}

/* The address of the frame below the one at @at, of which @ip was found. */
static __u64 frame_of(struct resolver *r, __u32 machine, __u64 at, __u64 ip)
{
	enum kernel_code code = kernel_code_of(resolve_ksym(r, machine, at));

	if (code == KCODE_SAVES &&
	    kernel_code_of(resolve_ksym(r, machine, ip)) != KCODE_ENTRY)
		code = KCODE_ENTRY;
	return code == KCODE_ENTRY ? ip : from_return(r, machine, ip);
}

/*
 * Return addresses that the host kernel's unwinder found, by the same tables: it
 * takes what was interrupted for such, too, and where retpolines jump to.
 */
static int push_found(struct chain_frames *f, struct resolver *r,
		      const struct resolve_space *in,
		      const struct chain_part *p)
{
	struct rules rules = { r, in };
	__u64 at;
	size_t i;
	int err = 0;

	/* of an OUT record the first one is the innermost */
	at = f->nr ? f->frame[f->nr - 1].addr : 0;
	if (at && !p->head.nr_kernel &&
	    p->head.end_kernel == VMMPROF_END_DONE &&
	    kernel_code_of(resolve_ksym(r, in->machine, at)) == KCODE_JUMP)
		chain_gap(f, in->machine, CHAIN_UNWIND + UNWIND_UNKNOWN);
	for (i = 0; i < p->head.nr_kernel && !err; i++) {
		if (at && kernel_jumps(&rules, at, p->data[i]))
			continue;
		at = frame_of(r, in->machine, at, p->data[i]);
		err = chain_push_code(f, r, in, false, at);
	}
	return err;
}

static int push_kernel(struct chain_frames *f, struct resolver *r,
		       const struct resolve_space *in,
		       const struct chain_part *p,
		       const struct vmmprof_rec_sample *s)
{
	unsigned int end = chain_end_of(p->head.end_kernel);
	int err;

	if (p->head.hdr.flags & VMMPROF_C_WORDS)
		return push_words(f, r, in, p, s);
	err = push_found(f, r, in, p);
	/* of the whole stack nothing was read: the user part says why */
	if (!err && (end != VMMPROF_END_NONE || !p->head.end_user))
		chain_gap(f, in->machine, end);
	return err;
}

/* Why there can be no chain of a guest. */
static unsigned int guest_end(const struct vmmprof_rec_sample *s)
{
	__u32 flags = s->hdr.flags;

	return flags & VMMPROF_S_L2	   ? CHAIN_L2 :
	       flags & VMMPROF_S_PROTECTED ? CHAIN_PROTECTED :
	       flags & VMMPROF_S_SMM	   ? CHAIN_SMM :
	       flags & VMMPROF_S_UNPAGED   ? CHAIN_UNPAGED :
	       flags & VMMPROF_S_SHADOW	   ? CHAIN_SHADOW :
					     CHAIN_LOST;
}

/* Where the process's code was left, or hit; 0: that is not known. */
static __u64 user_pc(const struct vmmprof_rec_sample *s,
		     const struct resolve_space *in, const struct chain_part *p,
		     bool kernel)
{
	if (kernel)
		return p->head.nr_user ? p->data[p->head.nr_kernel] : 0;
	return in->machine ? s->guest_ip : s->ip;
}

/* The user part below the kernel's frames, which begin with number @first. */
static int push_left(struct chain_frames *f, struct resolver *r,
		     const struct chain_names *n,
		     const struct resolve_space *in, const struct chain_part *p,
		     __u64 pc, size_t first)
{
	bool pc_known;
	unsigned int why = chain_switch_end(f, first, n, in, &pc_known);
	int err = 0;

	if (why == VMMPROF_END_DONE)
		return chain_push_user(f, r, n, in, p, pc, true);
	if (pc_known && p->head.nr_user)
		err = chain_push_left(f, r, in, pc);
	if (err < 0)
		return err;
	chain_gap(f, in->machine, why);
	return 0;
}

/* The callers of code of @mode that was hit there. */
static int push_part(struct chain_frames *f, struct resolver *r,
		     const struct chain_names *n,
		     const struct resolve_space *in, const struct chain_part *p,
		     const struct vmmprof_rec_sample *s, unsigned int mode)
{
	const size_t first = f->nr ? f->nr - 1 : 0;
	bool kernel = mode != MODE_USER;
	int err = 0;

	if (!p->there || !p->known) {
		chain_gap(f, in->machine,
			  p->there    ? CHAIN_ID :
			  in->machine ? guest_end(s) :
					CHAIN_LOST);
		return 0;
	}
	if (!kernel)
		return chain_push_user(f, r, n, in, p, user_pc(s, in, p, false),
				       false);
	err = push_kernel(f, r, in, p, s);
	/* a kernel thread has no user part */
	if (err || p->head.end_user == VMMPROF_END_NONE)
		return err;
	return push_left(f, r, n, in, p, user_pc(s, in, p, true), first);
}

/*
 * KVM's frames down to the function that runs a vCPU: *nr of them, or false.
 * What is below is the VMM's loop.
 */
static bool runs_vcpu(const struct chain_frames *f, __u32 run, size_t *nr)
{
	for (*nr = 0; *nr < f->nr; ++*nr)
		if (f->frame[*nr].func == run &&
		    f->frame[*nr].kind == FRAME_CODE) {
			++*nr;
			return true;
		}
	return false;
}

/* Whose code the exit came from that is handled. */
static int push_exit(struct chain_frames *f, struct resolver *r,
		     const struct chain_names *n, const struct chain_sample *s)
{
	struct resolve_space in;
	struct resolved from;
	int err;

	err = resolve_exit(r, &s->rec, &from);
	if (err)
		return err;
	f->machine = from.key.guest;
	f->proc = from.key.proc;
	f->tid = resolve_thread(r, &from.key);
	chain_push(f, FRAME_EXIT, from.key.guest)->what = s->where.key.exit;
	push_leaf(f, &from.key, s->rec.guest_ip);
	resolve_space(r, &s->rec, &from, &in);
	return push_part(f, r, n, &in, &s->guest, &s->rec, from.key.mode);
}

static int find_names(struct chain_names *n, struct resolver *r)
{
	int err;

	if (n->ready)
		return 0;
	err = strings_add(&r->strings, RUNS_VCPU, strlen(RUNS_VCPU), &n->run);
	if (!err)
		err = chain_switch_names(n, r);
	if (!err)
		err = chain_entry_names(n, r);
	n->ready = !err;
	return err;
}

static void begin(struct chain_frames *f, __u32 machine, __u32 proc)
{
	f->nr = 0;
	f->end = VMMPROF_END_DONE;
	f->unchecked = false;
	f->machine = machine;
	f->proc = proc;
	f->tid = 0;
}

/* What a sample would have said there. */
static struct vmmprof_rec_sample sample_of(const struct chain_out *o)
{
	return (struct vmmprof_rec_sample){
		.hdr = { .flags = VMMPROF_S_VCPU | VMMPROF_S_VMCS |
				  VMMPROF_S_STATE | VMMPROF_S_OWN,
			 .tsc = o->rec.hdr.tsc },
		.pid = o->rec.pid,
		.tid = o->rec.tid,
		.guest_ip = o->state.guest_ip,
		.guest_cr3 = o->state.guest_cr3,
		.guest_rsp = o->state.guest_rsp,
		.guest_ss_ar = o->state.guest_ss_ar,
		.exit_reason = o->rec.exit_reason,
		.vcpu_id = o->rec.vcpu_id,
		.cpu = o->rec.cpu,
	};
}

/* How it came to sleep in the host; what of KVM is always the same is left out. */
static int push_sleep(struct chain_frames *f, struct resolver *r,
		      const struct chain_names *n, const struct chain_out *o,
		      const struct vmmprof_rec_sample *s)
{
	struct resolved where = { .guest_ns = TIME_UNKNOWN };
	struct resolve_space in;
	size_t nr;
	int err;

	if (!o->host.there)
		return 0;
	resolve_space(r, s, &where, &in);
	err = push_part(f, r, n, &in, &o->host, s, MODE_KERNEL);
	if (err || !o->has_state || !runs_vcpu(f, n->run, &nr))
		return err;
	f->nr = nr;
	f->end = VMMPROF_END_DONE;
	if (o->rec.hdr.flags & VMMPROF_W_VMCS)
		chain_push(f, FRAME_EXIT, f->machine)->what = exit_reason(
			r->svm, o->rec.exit_reason);
	return 0;
}

int chain_frames_out(struct chain_frames *f, struct resolver *r,
		     struct chain_names *names, const struct chain_out *o,
		     __u32 machine, bool blocked)
{
	const struct vmmprof_rec_sample s = sample_of(o);
	struct resolve_space in;
	struct resolved from;
	int err;

	begin(f, machine, VMMPROF_NONE);
	err = find_names(names, r);
	if (!err && blocked)
		err = push_sleep(f, r, names, o, &s);
	if (blocked)
		chain_push(f, FRAME_STATE, machine)->what = STATE_BLOCKED;
	if (!err && o->has_state)
		err = resolve_exit(r, &s, &from);
	if (err)
		return err;
	if (!o->has_state) {
		/* its own code, in the VMM, is no gap */
		if (o->rec.hdr.flags & VMMPROF_W_VCPU)
			chain_gap(f, machine, CHAIN_LOST);
		return 0;
	}
	f->proc = from.key.proc;
	f->tid = resolve_thread(r, &from.key);
	push_leaf(f, &from.key, s.guest_ip);
	resolve_space(r, &s, &from, &in);
	return push_part(f, r, names, &in, &o->guest, &s, from.key.mode);
}

int chain_frames(struct chain_frames *f, struct resolver *r,
		 struct chain_names *names, const struct chain_sample *s)
{
	const __u32 exited = VMMPROF_S_VCPU | VMMPROF_S_STATE | VMMPROF_S_OWN;
	const __u32 flags = s->rec.hdr.flags;
	const struct bucket_key *key = &s->where.key;
	struct resolve_space in;
	size_t nr;
	int err;

	begin(f, key->guest, key->proc);
	f->tid = resolve_thread(r, key);
	err = find_names(names, r);
	if (err)
		return err;
	push_leaf(f, key, key->guest ? s->rec.guest_ip : s->rec.ip);
	/* Of the host nothing was recorded; its guest is where it was hit. */
	if (key->cause == CAUSE_NEAR_GUEST)
		return (flags & exited) == exited ? push_exit(f, r, names, s) :
						    0;
	resolve_space(r, &s->rec, &s->where, &in);
	err = push_part(f, r, names, &in, key->guest ? &s->guest : &s->host,
			&s->rec, key->mode);
	if (err || key->guest || (flags & exited) != exited ||
	    (flags & VMMPROF_S_USER) || !runs_vcpu(f, names->run, &nr))
		return err;
	f->nr = nr;
	f->end = VMMPROF_END_DONE;
	return push_exit(f, r, names, s);
}
