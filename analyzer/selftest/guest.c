// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tiny VM's code.  It has no stack but its own: user mode is entered by SYSRET
 * and left by SYSCALL.  Interrupts are on only where it halts until the timer of
 * its x2APIC (SDM, "Extended XAPIC (x2APIC)") wakes it.  R15 points to struct
 * guest_params; the numbers before (%r15) are its offsets.
 *
 * A CPU takes no interrupt between STI and the instruction behind it.  The SVM that
 * QEMU 7.2 emulates does if the VM left it in between: its VMRUN restores no
 * interrupt shadow (int_state of the VMCB).  HLT would then wait for a timer that
 * has been, without end; so the interrupt's handler looks for it.
 */

#include "selftest/guest.h"

_Static_assert(offsetof(struct guest_params, length) == 16, "guest.c");
_Static_assert(offsetof(struct guest_params, kernel_sp) == 40, "guest.c");
_Static_assert(offsetof(struct guest_params, user_ip) == 48, "guest.c");
_Static_assert(offsetof(struct guest_params, cpuids) == 64, "guest.c");
_Static_assert(offsetof(struct guest_params, rounds) == 88, "guest.c");
_Static_assert(offsetof(struct guest_params, stop) == 96, "guest.c");
_Static_assert(offsetof(struct guest_params, timer) == 104, "guest.c");
_Static_assert(offsetof(struct guest_params, halted) == 120, "guest.c");
_Static_assert(GUEST_TIMER == 0x20, "guest.c");
_Static_assert(GUEST_END_PORT == 0x81, "guest.c");

/*
 * R10 steps.  Each multiplication waits for the one before it, so that a step
 * takes as long at one address as at another one.
 */
#define LOOP(name)               \
	".balign 64, 0x90\n"     \
	"guest_" name "_loop:\n" \
	"1:	imul	%rdx, %rdx\n"   \
	"	imul	%rdx, %rdx\n"     \
	"	imul	%rdx, %rdx\n"     \
	"	imul	%rdx, %rdx\n"     \
	"	imul	%rdx, %rdx\n"     \
	"	imul	%rdx, %rdx\n"     \
	"	imul	%rdx, %rdx\n"     \
	"	imul	%rdx, %rdx\n"     \
	"	dec	%r10\n"            \
	"	jnz	1b\n"              \
	"guest_" name "_loop_end:\n"

/* A loop of kernel mode, below one more function. */
#define KERNEL(name)                       \
	"guest_" name ":\n"                \
	"	call	guest_" name "1\n" \
	"guest_" name "_ret1:\n"           \
	"	ret\n"                           \
	"guest_" name "1:\n" LOOP(name) "	ret\n"

/* A function of user mode that calls the next one. */
#define USER(name, next)                  \
	"guest_" name ":\n"               \
	"	push	%rbp\n"                    \
	"	mov	%rsp, %rbp\n"               \
	"	call	guest_" next "\n" \
	"guest_" name "_ret:\n"           \
	"	pop	%rbp\n"                     \
	"	ret\n"

asm(".pushsection .rodata, \"a\"\n"
    ".balign 64\n"
    "guest_code_begin:\n"
    "guest_entry:\n"
    "1:	mov	0(%r15), %rax\n"
    "	mov	%rax, %cr3\n"
    "	mov	16(%r15), %r10\n"
    "	call	guest_a\n"
    "guest_a_ret0:\n"
    "	mov	8(%r15), %rax\n"
    "	mov	%rax, %cr3\n"
    "	mov	24(%r15), %r10\n"
    "	call	guest_b\n"
    "guest_b_ret0:\n"
    "	mov	32(%r15), %r10\n"
    "	mov	%rsp, 40(%r15)\n"
    "	mov	48(%r15), %rcx\n" /* RIP and RFLAGS of SYSRET */
    "	mov	$2, %r11d\n"
    "	mov	56(%r15), %rsp\n"
    "	xor	%ebp, %ebp\n" /* the outermost frame */
    "	sysretq\n"
    "guest_syscall:\n"
    "	mov	40(%r15), %rsp\n"
    "guest_exits:\n"
    "	mov	64(%r15), %esi\n"
    "2:	xor	%eax, %eax\n"
    "	cpuid\n"
    "	dec	%esi\n"
    "	jnz	2b\n"
    "	mov	72(%r15), %esi\n"
    "2:	out	%al, $0x80\n"
    "	dec	%esi\n"
    "	jnz	2b\n"
    "	mov	80(%r15), %esi\n"
    "2:	hlt\n"
    "	dec	%esi\n"
    "	jnz	2b\n"
    "guest_exits_end:\n"
    "	incq	88(%r15)\n"
    "	cmpl	$0, 96(%r15)\n"
    "	je	1b\n"
    "	out	%al, $0x81\n"
    "	jmp	1b\n" /* goes on when it is run again */
    "guest_halting:\n"
    "	xor	%edx, %edx\n"
    "	mov	$0x80f, %ecx\n" /* on, by the spurious interrupt's register */
    "	mov	$0x1ff, %eax\n"
    "	wrmsr\n"
    "	mov	$0x83e, %ecx\n" /* its timer counts undivided, */
    "	mov	$0xb, %eax\n"
    "	wrmsr\n"
    "	mov	$0x832, %ecx\n" /* once, and has this vector */
    "	mov	$0x20, %eax\n"
    "	wrmsr\n"
    "guest_next_halt:\n"
    "1:	rdtsc\n"
    "	shl	$32, %rdx\n"
    "	lea	(%rdx, %rax), %r8\n"
    "	xor	%edx, %edx\n"
    "	mov	$0x838, %ecx\n" /* from this on */
    "	mov	104(%r15), %eax\n"
    "	wrmsr\n"
    "	sti\n"
    "guest_hlt:\n"
    "	hlt\n"
    "	cli\n"
    "	rdtsc\n"
    "	shl	$32, %rdx\n"
    "	add	%rax, %rdx\n"
    "	sub	%r8, %rdx\n"
    "	add	%rdx, 120(%r15)\n"
    "	incq	112(%r15)\n"
    "	mov	16(%r15), %r10\n"
    "	call	guest_a\n"
    "	cmpl	$0, 96(%r15)\n"
    "	je	1b\n"
    "	out	%al, $0x81\n"
    "	jmp	1b\n"
    "guest_interrupt:\n"
    "	xor	%edx, %edx\n"
    "	mov	$0x80b, %ecx\n" /* its end */
    "	xor	%eax, %eax\n"
    "	wrmsr\n"
    "	lea	guest_hlt(%rip), %rax\n" /* Before it halted?  Once more. */
    "	cmp	%rax, (%rsp)\n"
    "	jne	1f\n"
    "	mov	24(%rsp), %rsp\n" /* with interrupts off, as there */
    "	jmp	guest_next_halt\n"
    "1:	iretq\n" KERNEL("a")
	    KERNEL("b") "guest_user:\n"
			"	call	guest_u0\n"
			"guest_user_ret:\n"
			"	syscall\n" USER("u0", "u1")
				USER("u1",
				     "u2") "guest_u2:\n"
					   "	push	%rbp\n"
					   "	mov	%rsp, %rbp\n" LOOP(
						   "u") "	pop	%rbp\n"
							"	ret\n"
							"guest_code_end:\n"
							".popsection\n");

extern const char guest_code_begin[], guest_code_end[], guest_entry[],
	guest_syscall[], guest_user[], guest_exits[], guest_exits_end[],
	guest_halting[], guest_interrupt[], guest_a_loop[], guest_a_loop_end[],
	guest_b_loop[], guest_b_loop_end[], guest_u_loop[], guest_u_loop_end[],
	guest_a_ret0[], guest_a_ret1[], guest_b_ret0[], guest_b_ret1[],
	guest_user_ret[], guest_u0_ret[], guest_u1_ret[];

static __u32 at(const char *label)
{
	return label - guest_code_begin;
}

void guest_code(struct guest_code *ret)
{
	*ret = (struct guest_code){
		.bytes = guest_code_begin,
		.size = guest_code_end - guest_code_begin,
		.entry = at(guest_entry),
		.syscall = at(guest_syscall),
		.user = at(guest_user),
		.halting = at(guest_halting),
		.interrupt = at(guest_interrupt),
		.loop = { { at(guest_a_loop), at(guest_a_loop_end) },
			  { at(guest_b_loop), at(guest_b_loop_end) },
			  { at(guest_u_loop), at(guest_u_loop_end) } },
		.exits = { at(guest_exits), at(guest_exits_end) },
		.nr_frames = { 2, 2, 3 },
		.frame = { { at(guest_a_ret1), at(guest_a_ret0) },
			   { at(guest_b_ret1), at(guest_b_ret0) },
			   { at(guest_u1_ret), at(guest_u0_ret),
			     at(guest_user_ret) } },
	};
}
