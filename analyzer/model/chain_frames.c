// SPDX-License-Identifier: GPL-2.0-only
/* Frames of the host's and the guest's stacks, one behind the other. */

#include <errno.h>
#include <string.h>

#include "model/chain_frames.h"

/*
 * Runs a vCPU until the VMM is needed (arch/x86/kvm/x86.c): what it calls
 * handles the vCPU's exits, what calls it is always the same.
 */
#define RUNS_VCPU "kvm_arch_vcpu_ioctl_run"

/*
 * What calls main() and the functions of threads, in glibc (csu/libc-start.c,
 * sysdeps/nptl/libc_start_call_main.h, nptl/pthread_create.c, clone.S) and musl.
 * They are often built without frame pointers: they are found, but not who called
 * them, which is of no interest.
 */
static const char *const entries[CHAIN_ENTRIES] = {
	"_start",
	"__libc_start_call_main",
	"__libc_start_main",
	"__libc_start_main_impl",
	"start_thread",
	"__clone3",
	"__clone",
	"libc_start_main_stage2",
};

static struct chain_frame *push(struct chain_frames *f, unsigned int kind,
				__u32 machine)
{
	/* there is room for all that the reader lets through */
	struct chain_frame
		*c = &f->frame[f->nr < CHAIN_FRAMES_MAX ? f->nr++ : f->nr - 1];

	memset(c, 0, sizeof(*c));
	c->kind = kind;
	c->machine = machine;
	c->func = VMMPROF_NONE;
	c->module = VMMPROF_NONE;
	c->file = VMMPROF_NONE;
	return c;
}

/* Frames are missing, or all there. */
static void gap(struct chain_frames *f, __u32 machine, unsigned int end)
{
	if (end == VMMPROF_END_DONE)
		return;
	push(f, FRAME_BROKEN, machine)->what = end;
	if (f->end == VMMPROF_END_DONE)
		f->end = end;
}

/* The code that was hit. */
static void push_leaf(struct chain_frames *f, const struct bucket_key *key,
		      __u64 addr)
{
	struct chain_frame *c = push(f, FRAME_CODE, key->guest);

	c->addr = addr;
	c->link = key->addr;
	c->func = key->func;
	c->module = key->module;
	c->file = key->file;
	c->mode = key->mode;
	c->cause = key->cause;
}

static int push_code(struct chain_frames *f, struct resolver *r,
		     const struct resolve_space *in, bool user, __u64 addr)
{
	struct symbol_ref ref;
	struct chain_frame *c;
	int err;

	err = resolve_in(r, in, user, addr, &ref);
	if (err)
		return err;
	c = push(f, FRAME_CODE, in->machine);
	c->addr = addr;
	c->link = ref.link;
	c->func = ref.func;
	c->module = ref.module;
	c->file = ref.file;
	c->mode = user ? MODE_USER : MODE_KERNEL;
	c->cause = ref.cause;
	return 0;
}

/* The address of the call that returns there. */
static __u64 call_of(__u64 ret)
{
	return ret ? ret - 1 : 0;
}

static int push_kernel(struct chain_frames *f, struct resolver *r,
		       const struct resolve_space *in,
		       const struct chain_part *p)
{
	unsigned int end = chain_end_of(p->head.end_kernel);
	size_t i;
	int err = 0;

	if (p->head.hdr.flags & VMMPROF_C_WORDS) {
		gap(f, in->machine, CHAIN_NO_RULES);
		return 0;
	}
	for (i = 0; i < p->head.nr_kernel && !err; i++)
		err = push_code(f, r, in, false, call_of(p->data[i]));
	/* of the whole stack nothing was read: the user part says why */
	if (!err && (end != VMMPROF_END_NONE || !p->head.end_user))
		gap(f, in->machine, end);
	return err;
}

/* Is the outermost frame where a thread begins? */
static bool at_entry(const struct chain_frames *f, const struct chain_names *n)
{
	const struct chain_frame *last = &f->frame[f->nr - 1];
	size_t i;

	if (last->kind != FRAME_CODE || last->func == VMMPROF_NONE)
		return false;
	for (i = 0; i < CHAIN_ENTRIES; i++)
		if (last->func == n->entry[i])
			return true;
	return false;
}

static int push_user(struct chain_frames *f, struct resolver *r,
		     const struct chain_names *n,
		     const struct resolve_space *in, const struct chain_part *p,
		     bool kernel)
{
	const __u64 *data = p->data + p->head.nr_kernel;
	size_t i;
	int err = 0;

	for (i = 0; i < p->head.nr_user && !err; i++) {
		/* the kernel was not called from there: it is the PC itself */
		err = push_code(f, r, in, true,
				kernel && !i ? data[i] : call_of(data[i]));
		/*
		 * What a function without frame pointers has in RBP may point
		 * to anything: where there is no code, nothing was called from.
		 */
		if (!err && f->frame[f->nr - 1].cause == CAUSE_NOT_MAPPED) {
			f->nr--;
			gap(f, in->machine, CHAIN_NO_CODE);
			return 0;
		}
	}
	if (!err && !at_entry(f, n))
		gap(f, in->machine, chain_end_of(p->head.end_user));
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

/* The callers of code of @mode that was hit there. */
static int push_part(struct chain_frames *f, struct resolver *r,
		     const struct chain_names *n,
		     const struct resolve_space *in, const struct chain_part *p,
		     const struct vmmprof_rec_sample *s, unsigned int mode)
{
	bool kernel = mode != MODE_USER;
	int err = 0;

	if (!p->there || !p->known) {
		gap(f, in->machine,
		    p->there	? CHAIN_ID :
		    in->machine ? guest_end(s) :
				  CHAIN_LOST);
		return 0;
	}
	if (kernel)
		err = push_kernel(f, r, in, p);
	/* a kernel thread has no user part */
	if (!err && (!kernel || p->head.end_user != VMMPROF_END_NONE))
		err = push_user(f, r, n, in, p, kernel);
	f->unchecked |= !kernel && p->head.nr_user;
	return err;
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
	push(f, FRAME_EXIT, from.key.guest)->what = s->where.key.exit;
	push_leaf(f, &from.key, s->rec.guest_ip);
	resolve_space(r, &s->rec, &from, &in);
	return push_part(f, r, n, &in, &s->guest, &s->rec, from.key.mode);
}

static int find_names(struct chain_names *n, struct resolver *r)
{
	size_t i;
	int err;

	if (n->ready)
		return 0;
	err = strings_add(&r->strings, RUNS_VCPU, strlen(RUNS_VCPU), &n->run);
	for (i = 0; i < CHAIN_ENTRIES && !err; i++)
		err = strings_add(&r->strings, entries[i], strlen(entries[i]),
				  &n->entry[i]);
	n->ready = !err;
	return err;
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

	f->nr = 0;
	f->end = VMMPROF_END_DONE;
	f->unchecked = false;
	f->machine = key->guest;
	f->proc = key->proc;
	err = find_names(names, r);
	if (err)
		return err;
	push_leaf(f, key, key->guest ? s->rec.guest_ip : s->rec.ip);
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
