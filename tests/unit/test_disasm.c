// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/code/disasm.c: bytes as instructions, whatever bytes. */

#include "code/disasm.h"
#include "test.h"

static struct insn in[64];

/* How many lines @size bytes at 0x1000 are. */
static int lines(const void *bytes, size_t size, bool ia32, bool intel)
{
	struct disasm d;
	int n = 0;

	if (disasm_init(&d, bytes, size, 0x1000, ia32, intel))
		return -1;
	while (n < 64 && disasm_next(&d, &in[n]))
		n++;
	disasm_deinit(&d);
	return n;
}

TEST(instructions_are_written_in_two_ways)
{
	static const char add[] = "\x48\x01\xd8\xc3";

	TEST_EQ(lines(add, 4, false, false), 2);
	TEST_STR(in[0].text, "addq %rbx, %rax");
	TEST_EQ(in[0].addr, 0x1000);
	TEST_EQ(in[0].size, 3);
	TEST_EQ(in[1].addr, 0x1003);
	TEST_EQ(lines(add, 4, false, true), 2);
	TEST_STR(in[0].text, "add rax, rbx");
	TEST_STR(in[1].text, "ret");
	/* 48 is an instruction of its own in 32 bits */
	TEST_EQ(lines(add, 4, true, true), 3);
	TEST_STR(in[0].text, "dec eax");
	return 0;
}

TEST(where_the_cpu_goes_on_is_told)
{
	static const char code[] = "\x75\x02"	    /* jne 1004 */
				   "\xeb\xfc"	    /* jmp 1000 */
				   "\xe8\x10\0\0\0" /* call 1019 */
				   "\xff\xe0"	    /* jmp *%rax */
				   "\xff\xd0"	    /* call *%rax */
				   "\xf3\xa4"	    /* rep movsb */
				   "\x0f\x0b"	    /* ud2 */
				   "\xf3\xc3"	    /* rep ret */
				   "\xf3\x90"	    /* pause */
				   "\x48\xcf";	    /* iretq */
	static const __u8 flow[] = {
		FLOW_BRANCH, FLOW_AWAY, FLOW_CALL, FLOW_AWAY, FLOW_CALL,
		FLOW_NEXT,   FLOW_AWAY, FLOW_AWAY, FLOW_NEXT, FLOW_AWAY,
	};
	static const __u64 target[10] = { 0x1004, 0x1000, 0x1019 };
	int i;

	TEST_EQ(lines(code, sizeof(code) - 1, false, false), 10);
	for (i = 0; i < 10; i++) {
		TEST_EQ(in[i].flow, flow[i]);
		TEST_EQ(in[i].target, target[i]);
		TEST_EQ(in[i].repeats, i == 5);
	}
	return 0;
}

TEST(what_is_no_instruction_is_a_byte)
{
	/* push %es is none in 64 bits; the last one is cut */
	TEST_EQ(lines("\x06\x90\xe8\x00", 4, false, false), 4);
	TEST_STR(in[0].text, ".byte 0x06");
	TEST_OK(in[0].bad && !in[1].bad);
	TEST_STR(in[1].text, "nop");
	TEST_STR(in[2].text, ".byte 0xe8");
	TEST_EQ(in[3].addr, 0x1003);
	TEST_EQ(lines("", 0, false, false), 0);
	return 0;
}
