// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest's chain: of user mode by frame pointers; of its kernel the words of
 * the stack that may be return addresses, to which the reader applies the
 * kernel's own unwind tables; and below a kernel's the one of the user mode
 * that it was entered from.
 *
 * What is known of Linux's stacks, 5.10 to 7.x:
 *  - A task's has 16 KiB and begins at a multiple of that (THREAD_SIZE); at its
 *    end is the struct pt_regs of the entry from user mode (task_pt_regs()), or
 *    16 bytes before it with FRED (TOP_OF_KERNEL_STACK_PADDING).  They are
 *    believed if they look like those of 64-bit user mode.
 *  - The interrupts' is mapped at any page, with nothing mapped behind it
 *    (map_irq_stack()).  Its last word is the stack pointer that it was entered
 *    with (call_on_irqstack(); 5.10: asm_call_on_stack): there the words go on.
 *  - That of an entry has an IRET frame at the end of its page (entry_stack;
 *    with page table isolation, on the way out too), below which error_entry()
 *    completes a struct pt_regs before it changes to the task's stack; before
 *    SYSRET it has user mode's RSP there, and at most RDI and RAX below.
 *  - Between SYSCALL and the change of stacks, and before SYSRET, RSP is still
 *    or again user mode's, and RCX its PC.
 * Another system's stacks make words that mean nothing, and a chain that the
 * reader cannot use; nothing is read beyond what is said here.
 */
#include <linux/srcu.h>
#include <linux/uaccess.h>

#include "chain_guest.h"

#define STACK_SIZE   16384u /* THREAD_SIZE, IRQ_STACK_SIZE */
#define SCAN_BYTES   4096u
#define MAX_STACKS   4
#define KERNEL_TEXT  0xffffffff80000000ull /* __START_KERNEL_map */
#define KERNEL_END   0xffffffffff000000ull
#define USER_CS	     0x33
#define USER_DS	     0x2b
#define FLAGS_FIXED  BIT(1)
#define FRED_PADDING 16
#define SYSRET_BYTES 24

struct scan {
	struct vmmprof_chain_buf *buf;
	struct vmmprof_guest_memory *m;
	struct kvm_vcpu *vcpu;
	u32 bytes; /* may still be looked at */
};

/* Where user mode was left, or is. */
struct user_at {
	u64 ip;
	u64 sp;
	u64 bp;
};

static bool is_user(u64 va)
{
	return va >= PAGE_SIZE && va < VMMPROF_USER_END;
}

static __always_inline u8 read_frame(void *arg, u64 at, u64 frame[2])
{
	struct vmmprof_guest_memory *m = arg;

	if (!vmmprof_guest_word(m, at, &frame[0]) ||
	    !vmmprof_guest_word(m, at + 8, &frame[1]))
		return m->why;
	return VMMPROF_END_NONE;
}

static void take_user(struct vmmprof_chain_buf *buf,
		      struct vmmprof_guest_memory *m, const struct user_at *at,
		      u32 most)
{
	struct vmmprof_chain_regs *r = &buf->regs;

	/* whatever the kernel part took: behind .data is other memory */
	most = min(most, (u32)VMMPROF_CHAIN_DATA - buf->nr_kernel);
	r->sp = at->sp;
	if (!vmmprof_guest_word(m, at->sp & -8ull, &r->top[0]) ||
	    !vmmprof_guest_word(m, (at->sp & -8ull) + 8, &r->top[1]))
		memset(r->top, 0, sizeof(r->top));
	buf->end_user = vmmprof_chain_frames(buf, at->bp, at->sp, most,
					     VMMPROF_USER_END, read_frame, m);
	if (buf->stack_most && !(at->sp & 7))
		buf->stack_size = vmmprof_guest_copy(m, at->sp, buf->stack,
						     buf->stack_most);
}

/* An IRET frame of 64-bit user mode that ends at @end. */
static bool iret_frame(struct vmmprof_guest_memory *m, u64 end,
		       struct user_at *at)
{
	u64 cs, flags, ss;

	return vmmprof_guest_word(m, end - 8, &ss) && (u16)ss == USER_DS &&
	       vmmprof_guest_word(m, end - 32, &cs) && (u16)cs == USER_CS &&
	       vmmprof_guest_word(m, end - 24, &flags) && flags & FLAGS_FIXED &&
	       flags & X86_EFLAGS_IF &&
	       vmmprof_guest_word(m, end - 16, &at->sp) && is_user(at->sp) &&
	       vmmprof_guest_word(m, end - 40, &at->ip) && is_user(at->ip);
}

/*
 * RBP of the struct pt_regs at @regs.  Above @sp are those that are pushed; the others
 * may be the ones of the entry before, and are in their registers still.
 */
static bool user_bp(struct scan *s, u64 regs, u64 sp, u64 *bp)
{
	const u64 at = regs + offsetof(struct pt_regs, bp);

	if (sp <= at)
		return vmmprof_guest_word(s->m, at, bp);
	*bp = s->vcpu->arch.regs[VCPU_REGS_RBP];
	return true;
}

/*
 * struct pt_regs of user mode that ends at @end; its lowest address.  @sp as above;
 * RIP is in SYSCALL's RCX as long as it is not pushed.
 */
static u64 user_regs(struct scan *s, u64 end, u64 sp, struct user_at *at)
{
	u64 regs = end - sizeof(struct pt_regs);

	if (!iret_frame(s->m, end, at) || !user_bp(s, regs, sp, &at->bp))
		return 0;
	if (sp > regs + offsetof(struct pt_regs, ip))
		at->ip = s->vcpu->arch.regs[VCPU_REGS_RCX];
	/* it is only kept where the CPU has it */
	if (sp > regs + offsetof(struct pt_regs, sp) || !is_user(at->ip))
		at->ip = 0;
	return regs;
}

/*
 * The stack at @sp, which ends at @end, is that from which SYSRET will be done:
 * the other registers are user mode's again, RIP is in RCX.
 */
static bool before_sysret(struct scan *s, u64 end, u64 sp, struct user_at *at)
{
	const unsigned long *live = s->vcpu->arch.regs;

	at->ip = live[VCPU_REGS_RCX];
	at->bp = live[VCPU_REGS_RBP];
	return sp >= end - SYSRET_BYTES && is_user(at->ip) &&
	       vmmprof_guest_word(s->m, end - 8, &at->sp) && is_user(at->sp);
}

static void add_word(struct vmmprof_chain_buf *buf, u64 word)
{
	buf->data[buf->nr_kernel++] = word;
}

/*
 * Keep those of @nr words of the window, at @at, that may be of use; @base and
 * @end bound the stack.  Some words are looked at in every sample: about ten
 * instructions each.
 */
static void keep_words(struct scan *s, u64 base, u64 end, u64 at, u32 nr)
{
	const u64 *w = vmmprof_guest_window(s->m, at), *stop = w + nr;
	u64 *to = s->buf->data + s->buf->nr_kernel, word, span = end - base;
	u64 index = (at - base) / sizeof(*w);

	for (; w < stop; w++, index++) {
		word = *w;
		if ((s64)word >= 0)
			continue;
		if (word - base < span)
			*to++ = (word - base) << 16 | VMMPROF_WORD_STACK |
				index;
		else if (word - KERNEL_TEXT < KERNEL_END - KERNEL_TEXT)
			*to++ = word << 16 | index;
	}
	s->buf->nr_kernel = to - s->buf->data;
}

/*
 * Look at the words from @base to @end, while they are mapped.  Returns where
 * it ended; 0: at nothing (m->why), or there is no room for more.
 */
static u64 take_words(struct scan *s, u64 base, u64 end)
{
	/* two are for the link to another stack */
	const u32 most = VMMPROF_CHAIN_WORDS - 2;
	u64 at = base, size, room;

	for (; at < end; at += size, s->bytes -= size) {
		/* a link may have taken the last of it */
		room = most - min(most, s->buf->nr_kernel);
		size = min(VMMPROF_GUEST_WINDOW - at % VMMPROF_GUEST_WINDOW,
			   end - at);
		size = min3(size, (u64)s->bytes, room * sizeof(u64));
		if (!size) {
			s->m->why = VMMPROF_END_ROOM;
			return 0;
		}
		if (!vmmprof_guest_has(s->m, at))
			return at & ~PAGE_MASK || at == base ? 0 : at;
		keep_words(s, base, end, at, size / sizeof(u64));
	}
	return end;
}

/*
 * The stack that @base points into, to its end.  *@next: the one that it was
 * entered from, 0: none.  True: @user is where user mode was left.
 */
static bool take_stack(struct scan *s, u64 base, u64 *next,
		       struct user_at *user)
{
	u64 top = (base | (STACK_SIZE - 1)) + 1, regs, end, link;
	u64 page_end = (base | ~PAGE_MASK) + 1;

	*next = 0;
	regs = user_regs(s, top, base, user) ?:
		       user_regs(s, top - FRED_PADDING, base, user);
	if (regs) {
		end = base < regs ? take_words(s, base, regs) : regs;
		s->buf->end_kernel = end ? VMMPROF_END_DONE : s->m->why;
		if (!user->ip)
			s->buf->end_user = VMMPROF_END_FRAME;
		return user->ip;
	}
	/* a CPU's entry stack, to which error_entry() pushes the others */
	if (iret_frame(s->m, page_end, user) &&
	    user_bp(s, page_end - sizeof(struct pt_regs), base, &user->bp)) {
		s->buf->end_kernel = VMMPROF_END_DONE;
		return true;
	}
	if (before_sysret(s, page_end, base, user)) {
		s->buf->end_kernel = VMMPROF_END_DONE;
		return true;
	}
	/* there is no address behind the last of all */
	if (!top) {
		s->buf->end_kernel = VMMPROF_END_FRAME;
		return false;
	}
	/*
	 * Not at a multiple of its size, perhaps: to the page that is none.
	 * In the kernel's image is that of the first task, which is at one.
	 */
	end = take_words(s, base, base < KERNEL_TEXT ? top + STACK_SIZE : top);
	if (!end) {
		s->buf->end_kernel = s->m->why;
		return false;
	}
	s->buf->end_kernel = VMMPROF_END_DONE;
	if (vmmprof_guest_word(s->m, end - 8, &link) && !(link & 7) &&
	    link >= vmmprof_guest_upper(s->m) && link - base >= end - base)
		*next = link;
	return false;
}

/* From kernel mode's stack pointer @sp on; true: to user mode. */
static bool take_kernel(struct scan *s, u64 sp, struct user_at *user)
{
	unsigned int stacks;
	u64 next;

	for (stacks = 0; stacks < MAX_STACKS; stacks++, sp = next) {
		if (sp & 7 || sp < vmmprof_guest_upper(s->m)) {
			s->buf->end_kernel = VMMPROF_END_FRAME;
			return false;
		}
		if (take_stack(s, sp, &next, user))
			return true;
		if (!next)
			return false;
		add_word(s->buf, VMMPROF_WORD_BASE);
		add_word(s->buf, next);
	}
	s->buf->end_kernel = VMMPROF_END_DEPTH;
	return false;
}

void vmmprof_chain_guest(struct vmmprof_chain_buf *buf,
			 struct vmmprof_guest_memory *m, struct kvm_vcpu *vcpu,
			 const struct vmmprof_guest_at *at)
{
	struct user_at user = {
		.ip = at->ip,
		.sp = at->sp,
		.bp = vcpu->arch.regs[VCPU_REGS_RBP],
	};
	struct scan s = {
		.buf = buf, .m = m, .vcpu = vcpu, .bytes = SCAN_BYTES
	};
	bool kernel = (at->ss_ar >> 5 & 3) != 3;
	int srcu;
	u8 *end = kernel ? &buf->end_kernel : &buf->end_user;

	buf->flags |= VMMPROF_C_REGS;
	buf->regs.bp = user.bp;
	if (!at->code64 || !(vcpu->arch.efer & EFER_LMA)) {
		*end = VMMPROF_END_BITS;
		return;
	}
	srcu = srcu_read_lock(&vcpu->kvm->srcu);
	pagefault_disable();
	vmmprof_guest_begin(m, vcpu, at->cr3);
	if (!kernel) {
		take_user(buf, m, &user, buf->depth);
	} else {
		buf->flags |= VMMPROF_C_WORDS;
		if (is_user(at->sp)) {
			user.ip = vcpu->arch.regs[VCPU_REGS_RCX];
			buf->end_kernel = VMMPROF_END_DONE;
			kernel = !is_user(user.ip);
		} else {
			kernel = !take_kernel(&s, at->sp, &user);
		}
		if (!kernel) {
			vmmprof_chain_user(buf, user.ip);
			take_user(buf, m, &user, buf->depth + 1);
		}
	}
	pagefault_enable();
	srcu_read_unlock(&vcpu->kvm->srcu, srcu);
}
