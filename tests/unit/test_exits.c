// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exit reasons of both vendors: numbers, names, places; and the check of the
 * decision "guest or host" by SVM's rule.
 */

#include <string.h>

#include "model/exit_check.h"
#include "sym/exits.h"
#include "test.h"

TEST(exit_reason_of_vmx_is_its_basic_number)
{
	char buf[EXIT_TEXT];

	TEST_EQ(exit_reason(false, 0x8000001e), 30);
	TEST_EQ(exit_number(30), 30);
	TEST_STR(exit_number_text(30, buf), "30");
	TEST_STR(exit_name(30), "IO_INSTRUCTION");
	TEST_OK(!exit_name(35) && !exit_name(200));
	TEST_OK(exit_is_hlt(12) && !exit_is_hlt(0x78));
	return 0;
}

TEST(exit_reason_of_svm_has_amds_name_and_number)
{
	static const struct {
		__u32 code;
		const char *name, *number;
	} codes[] = {
		{ 0x000, "READ_CR0", "0" },
		{ 0x04e, "EXCP_PF", "0x4e" },
		{ 0x060, "INTR", "0x60" },
		{ 0x061, "NMI", "0x61" },
		{ 0x078, "HLT", "0x78" },
		{ 0x07b, "IOIO", "0x7b" },
		{ 0x081, "VMMCALL", "0x81" },
		{ 0x400, "NPF", "0x400" },
		{ 0x402, "AVIC_NOACCEL", "0x402" },
		{ 0x403, "VMGEXIT", "0x403" },
		{ 0xffffffff, "ERR", "0xffff" },
	};
	char buf[EXIT_TEXT];
	unsigned int i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		__u16 r = exit_reason(true, codes[i].code);

		TEST_STR(exit_name(r), codes[i].name);
		TEST_STR(exit_number_text(r, buf), codes[i].number);
		TEST_EQ(exit_number(r), codes[i].code & 0xffff);
	}
	TEST_OK(!exit_name(exit_reason(true, 0x9f)));
	TEST_OK(!exit_name(exit_reason(true, 0x404)));
	TEST_OK(!exit_name(exit_reason(true, 0x7000)));
	TEST_OK(exit_is_hlt(exit_reason(true, 0x78)));
	TEST_OK(!exit_is_hlt(exit_reason(true, 12)));
	return 0;
}

/* None of the 65536 is that of another one, or of none (0xffff, 0xfffe). */
TEST(exit_reasons_of_svm_have_places)
{
	unsigned int code, place, own = 0;
	__u16 r;

	for (code = 0; code <= 0xffff; code++) {
		r = exit_reason(true, code);
		TEST_OK(r >= EXIT_SVM && r <= EXIT_SVM_ERR);
		place = exit_place(r);
		TEST_OK(place < EXIT_REASONS);
		if (place == EXIT_REASONS - 1)
			continue;
		TEST_EQ(exit_at_place(true, place), r);
		own += !!exit_name(r);
	}
	TEST_OK(own > 100);
	for (code = 0; code < EXIT_REASONS - 1; code++)
		TEST_EQ(exit_at_place(false, exit_place(code)), code);
	TEST_EQ(exit_place(EXIT_REASONS + 5), EXIT_REASONS - 1);
	return 0;
}

TEST(exit_names_fit_their_column)
{
	size_t longest = 0;
	unsigned int r;

	for (r = 0; r <= 0xffff; r++)
		if (exit_name(r) && strlen(exit_name(r)) > longest)
			longest = strlen(exit_name(r));
	TEST_EQ(longest, EXIT_NAME_COLUMNS);
	return 0;
}

static struct vmmprof_rec_sample nmi(void)
{
	return (struct vmmprof_rec_sample){
		.hdr.flags = VMMPROF_S_NMI | VMMPROF_S_VCPU | VMMPROF_S_VMCS |
			     VMMPROF_S_STATE | VMMPROF_S_OWN | VMMPROF_S_GUEST |
			     VMMPROF_S_HANDLING,
		.handling = 2,
		.exit_reason = 0x61,
		.preempt = 0x110000,
	};
}

static struct vmmprof_rec_sample timer(void)
{
	struct vmmprof_rec_sample s = nmi();

	s.hdr.flags ^= VMMPROF_S_NMI | VMMPROF_S_IF;
	s.handling = 1;
	s.exit_reason = 0x60;
	s.preempt = 0x10001;
	return s;
}

TEST(exit_check_of_svm_takes_guests_samples)
{
	struct vmmprof_rec_sample s = nmi();

	TEST_EQ(exit_check_sample(&s, PC_KNOWN, true), CONTRA_NONE);
	/* by VMX's rule it is none */
	TEST_EQ(exit_check_sample(&s, PC_KNOWN, false), CONTRA_REASON);
	s = timer();
	TEST_EQ(exit_check_sample(&s, PC_KNOWN, true), CONTRA_NONE);
	s.preempt = 0;
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_NONE);
	return 0;
}

TEST(exit_check_of_svm_finds_what_is_wrong)
{
	struct vmmprof_rec_sample s = nmi();

	s.exit_reason = 0x60;
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_REASON);
	s = nmi();
	s.handling = 1;
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_HANDLING);
	s = nmi();
	s.hdr.flags &= ~VMMPROF_S_HANDLING;
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_HANDLING);
	s = nmi();
	s.hdr.flags |= VMMPROF_S_USER;
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_USER);
	s = timer();
	s.hdr.flags &= ~VMMPROF_S_IF;
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_NO_IF);
	s = timer();
	s.preempt = 0x10101; /* a softirq */
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_NESTED_IRQ);
	s.preempt = 0x20001; /* a hardirq */
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_NESTED_IRQ);
	s = timer();
	s.hdr.flags &= ~VMMPROF_S_GUEST;
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_MISSED);
	s.exit_reason = 0x400;
	TEST_EQ(exit_check_sample(&s, 0, true), CONTRA_NONE);
	return 0;
}
