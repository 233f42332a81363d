// SPDX-License-Identifier: GPL-2.0-only
/* The account adds up, and contradictions are found. */

#include "build.h"
#include "test.h"
#include "model/exit_check.h"
#include "view/account.h"

static struct analysis a;
static struct account acc;

static void add(__u32 guest, __u8 mode, __u8 cause, __u64 n)
{
	struct bucket_key key = { .guest = guest,
				  .mode = mode,
				  .cause = cause };

	assert(!profile_add(&a.profile, &key, n));
	a.counts.samples += n;
}

static __u64 line(__u32 guest, __u8 mode, __u8 cause)
{
	const struct account_line *l;
	size_t i;

	for (i = 0; i < acc.nr_lines; i++) {
		l = &acc.lines[i];
		if (l->machine == guest && l->mode == mode && l->cause == cause)
			return l->samples;
	}
	return -1;
}

TEST(account_has_each_sample_in_one_line)
{
	struct cpu_counts cpu = { .samples = 116,
				  .written = 116,
				  .has_stat = true };

	a.resolver.guests.nr = 2;
	a.counts.cpus = &cpu;
	a.counts.nr_cpus = 1;
	a.counts.has_stat = true;
	a.counts.written = 116;
	add(0, MODE_KERNEL, 0, 10);
	add(1, MODE_USER, 0, 100);
	add(1, MODE_USER, CAUSE_GAP, 5);
	add(2, MODE_UNKNOWN, CAUSE_L2, 1);
	TEST_EQ(account_init(&acc, &a), 0);
	TEST_EQ(line(0, MODE_KERNEL, 0), 10);
	TEST_EQ(line(0, MODE_USER, 0), 0);
	TEST_EQ(line(1, MODE_USER, 0), 100);
	TEST_EQ(line(1, MODE_USER, CAUSE_GAP), 5);
	TEST_EQ(line(2, MODE_UNKNOWN, CAUSE_L2), 1);
	TEST_EQ(acc.sum, 116);
	TEST_OK(acc.adds_up && acc.complete);
	TEST_EQ(acc.guests[0].samples, 105);
	TEST_EQ(acc.guests[0].resolved, 100);
	/* what is resolved comes first */
	TEST_EQ(acc.lines[acc.nr_lines - 1].cause, CAUSE_L2);
	account_deinit(&acc);
	return 0;
}

TEST(account_notices_what_is_missing)
{
	struct cpu_counts cpus[2] = {
		{ .samples = 9, .written = 10, .has_stat = true },
		{ .samples = 11, .written = 10, .has_stat = true },
	};

	add(0, MODE_KERNEL, 0, 20);
	a.counts.cpus = cpus;
	a.counts.nr_cpus = 2;
	a.counts.has_stat = true;
	a.counts.written = 20;
	TEST_EQ(account_init(&acc, &a), 0);
	TEST_OK(acc.adds_up);
	TEST_OK(!acc.complete);
	account_deinit(&acc);
	a.counts.samples++;
	TEST_EQ(account_init(&acc, &a), 0);
	TEST_OK(!acc.adds_up);
	account_deinit(&acc);
	return 0;
}

static struct vmmprof_rec_sample guest_nmi(void)
{
	struct vmmprof_rec_sample s = {
		.hdr.flags = VMMPROF_S_NMI | VMMPROF_S_VCPU | VMMPROF_S_VMCS |
			     VMMPROF_S_STATE | VMMPROF_S_OWN | VMMPROF_S_GUEST |
			     VMMPROF_S_HANDLING,
		.handling = 2,
		.exit_intr_info = 0x80000202,
	};

	return s;
}

#define PC (PC_KNOWN | PC_NMI | PC_IRQ)

TEST(check_accepts_guest_samples_of_nmi_and_timer)
{
	struct vmmprof_rec_sample s = guest_nmi();

	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NONE);
	TEST_EQ(exit_check_sample(&s, 0, false), CONTRA_NONE);
	s.hdr.flags &= ~(__u32)VMMPROF_S_NMI;
	s.handling = 1;
	s.exit_reason = 1;
	s.exit_intr_info = 0x800000ec;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NONE);
	s.hdr.flags |= VMMPROF_S_IF;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_IF);
	return 0;
}

TEST(check_finds_each_ingredient_that_does_not_fit)
{
	struct vmmprof_rec_sample s = guest_nmi();

	s.hdr.flags &= ~(__u32)VMMPROF_S_VCPU;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NO_VCPU);
	s = guest_nmi();
	s.hdr.flags &= ~(__u32)VMMPROF_S_VMCS;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NO_STATE);
	s = guest_nmi();
	s.hdr.flags &= ~(__u32)VMMPROF_S_OWN;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NOT_OWN);
	s.hdr.flags |= VMMPROF_S_L2;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NONE);
	s = guest_nmi();
	s.hdr.flags |= VMMPROF_S_USER;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_USER);
	s = guest_nmi();
	s.handling = 1;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_HANDLING);
	s = guest_nmi();
	s.exit_reason = 1;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_REASON);
	s = guest_nmi();
	s.exit_intr_info = 0x202;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_INTR_INFO);
	s = guest_nmi();
	TEST_EQ(exit_check_sample(&s, PC_KNOWN, false), CONTRA_PC);
	return 0;
}

/* Of protected state no VMCS is read: what the host itself knows must fit. */
TEST(check_accepts_guests_of_protected_state)
{
	struct vmmprof_rec_sample s = guest_nmi();

	s.hdr.flags &= ~(__u32)(VMMPROF_S_VMCS | VMMPROF_S_STATE |
				VMMPROF_S_OWN);
	s.hdr.flags |= VMMPROF_S_PROTECTED;
	s.exit_reason = 0;
	s.exit_intr_info = 0;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NONE);
	s.hdr.flags &= ~(__u32)VMMPROF_S_NMI;
	s.handling = 1;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NONE);
	s.handling = 2;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_HANDLING);
	s.handling = 1;
	TEST_EQ(exit_check_sample(&s, PC_KNOWN, false), CONTRA_PC);
	s.hdr.flags |= VMMPROF_S_USER;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_USER);
	s.hdr.flags &= ~(__u32)VMMPROF_S_VCPU;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NO_VCPU);
	return 0;
}

/* An NMI inside the host's handler of a forwarded interrupt is host time. */
TEST(check_accepts_host_samples_around_forwarding)
{
	struct vmmprof_rec_sample s = guest_nmi();

	s.hdr.flags &= ~(__u32)VMMPROF_S_GUEST;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_MISSED);
	TEST_EQ(exit_check_sample(&s, PC_KNOWN, false), CONTRA_NONE);
	s.handling = 1;
	TEST_EQ(exit_check_sample(&s, PC, false), CONTRA_NONE);
	return 0;
}

TEST(check_knows_where_kvm_forwards)
{
	TEST_EQ(pc_of_symbol("vmx_do_nmi_irqoff"), PC_NMI);
	TEST_EQ(pc_of_symbol("idt_do_interrupt_irqoff"), PC_IRQ);
	TEST_EQ(pc_of_symbol("vmx_vcpu_run"), 0);
	return 0;
}
