// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmmprof-guest --unwind: ORC tables out of a made-up kernel's memory, of its
 * own code and of the modules in its list.
 */

#include <fcntl.h>
#include <sys/mman.h>

#include "guest-mapper/emit.c"
#include "guest-mapper/kcore.c"
#include "guest-mapper/kernel.c"
#include "guest-mapper/kernel_symbols.c"
#include "guest-mapper/unwind.c"

#include "format/bundle.h"
#include "test.h"

#define BASE	0xffffffff81000000ull /* of the memory */
#define SIZE	0x20000
#define IPS	0x1000 /* offsets */
#define ENTRIES 0x3000
#define HEAD	0x5000
#define MODULE	0x6000 /* and every 0x1000 */
#define NR	100

/* birth.c itself needs libbpf: what kernel.c calls of it. */
int birth_peek(const __u64 *addrs, __u64 *values)
{
	(void)addrs;
	(void)values;
	return -EPERM;
}

static char told[512];

static void say(const char *text)
{
	snprintf(told, sizeof(told), "%s", text);
}

static __u8 *memory;
static struct kcore kcore;
static Elf64_Phdr segment = { .p_type = PT_LOAD,
			      .p_vaddr = BASE,
			      .p_memsz = SIZE };
static struct emit emit;
static int out;

static int begin(void)
{
	kcore.fd = memfd_create("kcore", 0);
	TEST_EQ(ftruncate(kcore.fd, SIZE), 0);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, kcore.fd,
		      0);
	TEST_OK(memory != MAP_FAILED);
	kcore.nr = 1;
	kcore.segments = &segment;
	out = memfd_create("bundle", 0);
	memset(&emit, 0, sizeof(emit));
	emit.say = say;
	*told = '\0';
	TEST_EQ(item_writer_begin(&emit.w, dup(out), VMMPROF_FILE_MAPS), 0);
	return 0;
}

static int end(struct bundle *b)
{
	struct problems problems = { 0 };

	TEST_EQ(item_writer_close(&emit.w, true), 0);
	TEST_EQ(lseek(out, 0, SEEK_SET), 0);
	TEST_EQ(bundle_init(b, out, "x", &problems), 0);
	problems_deinit(&problems);
	close(out);
	close(kcore.fd);
	munmap(memory, SIZE);
	return 0;
}

/* @nr entries of calls with CFAs of 8, 16, ..., for code at @text, 16 each. */
static void put_orc(size_t ips, size_t entries, size_t nr, __u64 text)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		__s32 ip = text + 16 * i - (BASE + ips + 4 * i);
		__u16 e[3] = { 8 + 8 * (i % 5), 0, 5 | 2 << 8 };

		memcpy(memory + ips + 4 * i, &ip, 4);
		memcpy(memory + entries + 6 * i, e, 6);
	}
}

/* struct module of ours: list, num_orcs, orc_unwind_ip, orc_unwind, place of code. */
static const struct unwind_module_at module_at = {
	.head = BASE + HEAD,
	.list = 8,
	.nr = 32,
	.ips = 40,
	.entries = 48,
	.text = 56,
	.text_size = 64,
};

static void make_module(size_t at, __u32 nr, __u64 text, __u32 size)
{
	__u64 ips = BASE + at + 0x100, entries = BASE + at + 0x400;

	memcpy(memory + at + 32, &nr, 4);
	memcpy(memory + at + 40, &ips, 8);
	memcpy(memory + at + 48, &entries, 8);
	memcpy(memory + at + 56, &text, 8);
	memcpy(memory + at + 64, &size, 4);
	put_orc(at + 0x100, at + 0x400, nr, text);
}

static void put_links(size_t at, size_t next, size_t before)
{
	const __u64 links[] = { BASE + next, BASE + before };

	memcpy(memory + at, links, sizeof(links));
}

static void link_two_modules(void)
{
	put_links(HEAD, MODULE + 8, MODULE + 0x1008);
	put_links(MODULE + 8, MODULE + 0x1008, HEAD);
	put_links(MODULE + 0x1008, HEAD, MODULE + 8);
}

static const struct unwind_kernel_at kernel_at = {
	.ips = BASE + IPS,
	.ips_end = BASE + IPS + 4 * NR,
	.entries = BASE + ENTRIES,
	.entries_end = BASE + ENTRIES + 6 * NR,
};

/* The CFA of the only table that has this address, -1: none. */
static int cfa_of(const struct bundle *b, __u64 addr)
{
	const struct vmmprof_unwind_rule *r;
	struct unwind_table t;
	const void *data;
	size_t size, i;
	int cfa = -1;

	for (i = 0; i < b->nr_unwinds; i++) {
		data = unwind_item_table(b->unwinds[i], &size);
		if (unwind_table_decode(data, size, &t))
			return -2;
		r = unwind_table_find(&t, addr);
		if (r)
			cfa = r->cfa;
		unwind_table_free(&t);
	}
	return cfa;
}

TEST(tables_of_kernel_and_modules_are_written)
{
	struct bundle b;

	TEST_EQ(begin(), 0);
	put_orc(IPS, ENTRIES, NR, BASE + 0x100000);
	make_module(MODULE, 20, 0xffffffffc0000000, 0x1000);
	make_module(MODULE + 0x1000, 0, 0, 0x1000); /* has none */
	make_module(MODULE + 0x2000, 30, 0xffffffffc0100000, 0x1000);
	put_links(HEAD, MODULE + 8, MODULE + 0x2008);
	put_links(MODULE + 8, MODULE + 0x1008, HEAD);
	put_links(MODULE + 0x1008, MODULE + 0x2008, MODULE + 8);
	put_links(MODULE + 0x2008, HEAD, MODULE + 0x1008);
	TEST_EQ(unwind_write_kernel(&emit, &kcore, &kernel_at), ORC_TYPES);
	TEST_EQ(unwind_write_modules(&emit, &kcore, &module_at, ORC_TYPES), 2);
	TEST_STR(told, "");
	TEST_EQ(end(&b), 0);
	TEST_EQ(b.nr_unwinds, 3);
	TEST_EQ(cfa_of(&b, BASE + 0x100000), 8);
	TEST_EQ(cfa_of(&b, BASE + 0x100000 + 16 * 98 + 15), 32);
	TEST_EQ(cfa_of(&b, 0xffffffffc0000000 + 16 * 7), 24);
	TEST_EQ(cfa_of(&b, 0xffffffffc0100000 + 16 * 9), 40);
	TEST_EQ(cfa_of(&b, 0xffffffffc0200000), -1);
	bundle_deinit(&b);
	return 0;
}

/* Behind its code a module has rules for what it began with. */
TEST(rules_of_code_that_is_gone_are_not_written)
{
	const __u64 text = 0xffffffffc0000000;
	struct bundle b;

	TEST_EQ(begin(), 0);
	make_module(MODULE, 20, text, 0x80);
	/* has no other code */
	make_module(MODULE + 0x1000, 20, text + 0x10000, 0);
	link_two_modules();
	TEST_EQ(unwind_write_modules(&emit, &kcore, &module_at, ORC_TYPES), 1);
	TEST_STR(told, "");
	TEST_EQ(end(&b), 0);
	TEST_EQ(b.nr_unwinds, 1);
	TEST_EQ(cfa_of(&b, text), 8);
	TEST_EQ(cfa_of(&b, text + 0x7f), 24);
	TEST_EQ(cfa_of(&b, text + 0x80), -1);
	TEST_EQ(cfa_of(&b, text + 16 * 19), -1);
	TEST_EQ(cfa_of(&b, text + 0x10000), -1);
	bundle_deinit(&b);
	return 0;
}

/* What is no table, and a list that leads astray, is told of. */
TEST(what_cannot_be_read_is_a_limitation)
{
	struct unwind_kernel_at wrong = kernel_at;
	struct bundle b;

	TEST_EQ(begin(), 0);
	TEST_EQ(unwind_write_kernel(&emit, &kcore, &kernel_at), ORC_UNKNOWN);
	TEST_OK(strstr(told, "unknown form"));
	wrong.entries_end -= 6;
	TEST_EQ(unwind_write_kernel(&emit, &kcore, &wrong), ORC_UNKNOWN);
	wrong = kernel_at;
	wrong.ips += SIZE;
	wrong.ips_end += SIZE;
	TEST_EQ(unwind_write_kernel(&emit, &kcore, &wrong), ORC_UNKNOWN);
	TEST_OK(strstr(told, "Bad address"));
	/* a module that lies about its size, and one behind it */
	make_module(MODULE, 20, 0xffffffffc0000000, 0x1000);
	make_module(MODULE + 0x1000, 20, 0xffffffffc0100000, 0x1000);
	memset(memory + MODULE + 32, 0xff, 4);
	link_two_modules();
	TEST_EQ(unwind_write_modules(&emit, &kcore, &module_at, ORC_TYPES), 1);
	TEST_OK(strstr(told, "1 modules"));
	/* a circle beside the head */
	put_links(MODULE + 0x1008, MODULE + 8, MODULE + 8);
	TEST_EQ(unwind_write_modules(&emit, &kcore, &module_at, ORC_TYPES), 1);
	TEST_OK(strstr(told, "modules: Resource temporarily unavailable"));
	TEST_EQ(end(&b), 0);
	bundle_deinit(&b);
	return 0;
}
