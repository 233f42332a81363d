// SPDX-License-Identifier: GPL-2.0-only
/* guest-mapper: CR3 arithmetic, snapshots, the core file's headers. */

#include <fcntl.h>

#include "guest-mapper/emit.c"
#include "guest-mapper/kcore.c"
#include "guest-mapper/kernel.c"
#include "guest-mapper/kernel_symbols.c"

#include "format/items.h"
#include "test.h"

#define PAGE_OFFSET 0xffff9c8000000000ULL

/* birth.c itself needs libbpf: what kernel.c calls of it. */
int birth_peek(const __u64 *addrs, __u64 *values)
{
	(void)addrs;
	(void)values;
	return -EPERM;
}

static char said[512];

static void say(const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
}

/* An emitter into a file that exists only by its descriptor *fd. */
static int open_emit(struct emit *e, int *fd)
{
	char dir[] = "/tmp/vmmprof-XXXXXX", path[64];
	int err;

	memset(e, 0, sizeof(*e));
	e->say = say;
	e->rule.page_offset = PAGE_OFFSET;
	e->rule.phys_mask = 0xfffffffffe000;
	if (!mkdtemp(dir))
		return -errno;
	snprintf(path, sizeof(path), "%s/bundle", dir);
	err = item_writer_open(&e->w, AT_FDCWD, path, VMMPROF_FILE_MAPS);
	*fd = err ? -1 : open(path, O_RDONLY);
	unlink(path);
	rmdir(dir);
	return err;
}

/* The items of @type and @size bytes in the file; returns their number. */
static int read_items(int fd, __u32 type, void *ret, size_t size, int max)
{
	const struct vmmprof_item_hdr *hdr;
	struct items it;
	int n = 0;

	if (items_init(&it, fd, VMMPROF_FILE_MAPS))
		return -1;
	while (items_next(&it, &hdr) == 1)
		if (hdr->type == type && n < max)
			memcpy((char *)ret + n++ * size, hdr, size);
	items_deinit(&it);
	return n;
}

static int read_mms(int fd, struct vmmprof_maps_mm *ret, int max)
{
	int n = read_items(fd, VMMPROF_MAPS_MM, ret, sizeof(*ret), max);

	close(fd);
	return n;
}

TEST(emit_key_is_the_physical_address)
{
	struct birth_event ev = {
		.ns = 5,
		.pgd = PAGE_OFFSET + 0x1a18000,
		.op = VMMPROF_OP_FORK,
		.pid = 7,
		.tid = 8,
		.comm = "hello",
	};
	struct vmmprof_maps_mm mm[2];
	struct emit e;
	int fd;

	TEST_EQ(open_emit(&e, &fd), 0);
	TEST_EQ(emit_mm(&e, &ev), 0);
	ev.pgd = PAGE_OFFSET - 0x1000;
	TEST_EQ(emit_mm(&e, &ev), -ERANGE);
	e.rule.page_offset = 0;
	TEST_EQ(emit_mm(&e, &ev), -ERANGE);
	TEST_EQ(item_writer_close(&e.w, true), 0);
	TEST_EQ(read_mms(fd, mm, 2), 1);
	TEST_EQ(mm[0].key, 0x1a18000);
	TEST_EQ(mm[0].pid, 7);
	TEST_EQ(mm[0].tid, 8);
	TEST_EQ(mm[0].op, VMMPROF_OP_FORK);
	TEST_STR(mm[0].comm, "hello");
	return 0;
}

/* Kernel threads have a stack and no page table, zombies neither. */
TEST(emit_snapshot_tells_the_stack_of_each_task)
{
	struct birth_event evs[] = {
		{ .pgd = PAGE_OFFSET + 0x2000,
		  .pid = 20,
		  .tid = 21,
		  .stack = 0xffffc90000010000,
		  .op = VMMPROF_OP_SNAP },
		{ .pgd = PAGE_OFFSET + 0x2000,
		  .pid = 20,
		  .tid = 20,
		  .stack = 0xffffc90000020000,
		  .op = VMMPROF_OP_SNAP },
		{ .pid = 2,
		  .tid = 2,
		  .stack = 0xffffc90000030000,
		  .op = VMMPROF_OP_SNAP,
		  .flags = VMMPROF_PROC_F_KTHREAD,
		  .ns = 7,
		  .comm = "kthreadd" },
		{ .pid = 30, .tid = 30 },
	};
	struct vmmprof_maps_task task[5];
	struct vmmprof_maps_mm mm[4];
	struct emit e;
	int fd;

	TEST_EQ(open_emit(&e, &fd), 0);
	TEST_EQ(emit_snapshot(&e, evs, 4), 1);
	TEST_EQ(item_writer_close(&e.w, true), 0);
	TEST_EQ(read_items(fd, VMMPROF_MAPS_TASK, task, sizeof(*task), 5), 3);
	TEST_EQ(lseek(fd, 0, SEEK_SET), 0);
	TEST_EQ(read_mms(fd, mm, 4), 1);
	TEST_EQ(mm[0].tid, 20);
	TEST_EQ(task[0].tid, 2);
	TEST_EQ(task[0].ns, 7);
	TEST_EQ(task[0].flags, VMMPROF_PROC_F_KTHREAD);
	TEST_STR(task[0].comm, "kthreadd");
	TEST_EQ(task[1].tid, 20);
	TEST_EQ(task[1].stack, 0xffffc90000020000);
	TEST_EQ(task[2].tid, 21);
	TEST_EQ(task[2].op, VMMPROF_OP_SNAP);
	return 0;
}

TEST(emit_snapshot_names_one_owner_a_page_table)
{
	struct birth_event evs[] = {
		{ .pgd = PAGE_OFFSET + 0x4000, .pid = 30, .tid = 30 },
		{ .pgd = PAGE_OFFSET + 0x2000, .pid = 20, .tid = 21 },
		{ .pgd = PAGE_OFFSET + 0x2000, .pid = 20, .tid = 20 },
		/* The child of a vfork by 20 */
		{ .pgd = PAGE_OFFSET + 0x2000, .pid = 40, .tid = 40 },
	};
	struct vmmprof_maps_mm mm[4];
	struct emit e;
	int fd;

	TEST_EQ(open_emit(&e, &fd), 0);
	TEST_EQ(emit_snapshot(&e, evs, 4), 2);
	TEST_EQ(emit_snapshot(&e, NULL, 0), 0);
	TEST_EQ(item_writer_close(&e.w, true), 0);
	TEST_EQ(read_mms(fd, mm, 4), 2);
	TEST_EQ(mm[0].key, 0x2000);
	TEST_EQ(mm[0].pid, 20);
	TEST_EQ(mm[0].tid, 20);
	TEST_EQ(mm[1].key, 0x4000);
	return 0;
}

TEST(emit_losses_are_written_and_said)
{
	struct emit e;
	int fd;

	TEST_EQ(open_emit(&e, &fd), 0);
	said[0] = '\0';
	TEST_EQ(emit_lost_mms(&e, 0), 0);
	TEST_EQ(e.w.items, 0);
	TEST_STR(said, "");
	TEST_EQ(emit_lost_mms(&e, 3), 0);
	TEST_EQ(e.w.items, 2);
	TEST_OK(strstr(said, "3 address space events lost"));
	item_writer_close(&e.w, true);
	close(fd);
	return 0;
}

/* What /proc/kcore of a small machine has. */
static Elf64_Phdr segments[] = {
	{ .p_type = PT_NOTE },
	{ .p_type = PT_LOAD,
	  .p_vaddr = 0xffffffffa0000000,
	  .p_paddr = 0x2f000000,
	  .p_memsz = 0x2000000 },
	{ .p_type = PT_LOAD,
	  .p_vaddr = 0xffffb00000000000,
	  .p_paddr = -1,
	  .p_memsz = 1ULL << 45 },
	{ .p_type = PT_LOAD,
	  .p_vaddr = PAGE_OFFSET + 0x1000,
	  .p_paddr = 0x1000,
	  .p_memsz = 0x9e000 },
	{ .p_type = PT_LOAD,
	  .p_vaddr = PAGE_OFFSET + 0x100000,
	  .p_paddr = 0x100000,
	  .p_memsz = 0x3ff00000 },
};

TEST(kcore_headers_tell_the_direct_map_and_the_image)
{
	const struct kcore k = { -1, 5, segments, "" };
	__u64 v = 0;

	TEST_EQ(kcore_page_offset(&k, &v), 0);
	TEST_OK(v == PAGE_OFFSET);
	TEST_EQ(kcore_phys(&k, 0xffffffffa0001234, &v), 0);
	TEST_EQ(v, 0x2f001234);
	TEST_EQ(kcore_phys(&k, 0xffffb00000001000, &v), -EFAULT);
	TEST_EQ(kcore_phys(&k, 0xffffffffa2000000, &v), -EFAULT);
	return 0;
}

TEST(kcore_info_reads_both_bases)
{
	char info[] = "OSRELEASE=6.1\nNUMBER(phys_base)=-16777216\n"
		      "SYMBOL(init_top_pgt)=ffffffffa0a10000\n";
	const struct kcore k = { -1, 0, NULL, info };
	__u64 v;

	TEST_EQ(kcore_info(&k, "NUMBER(phys_base)=", &v), 0);
	TEST_EQ((__s64)v, -16777216);
	TEST_EQ(kcore_info(&k, "SYMBOL(init_top_pgt)=", &v), 0);
	TEST_OK(v == 0xffffffffa0a10000);
	TEST_EQ(kcore_info(&k, "SYMBOL(none)=", &v), -ENOENT);
	return 0;
}

TEST(kernel_flags_are_whole_words)
{
	const char info[] = "processor: 0\nflags\t\t: fpu ptix xpti la57\n"
			    "bugs\t\t: pti\n";

	TEST_OK(kernel_has_flag(info, "fpu"));
	TEST_OK(kernel_has_flag(info, "la57"));
	TEST_OK(!kernel_has_flag(info, "pti"));
	TEST_OK(!kernel_has_flag("nothing", "pti"));
	return 0;
}

static void find_in(const char *text, struct kernel_symbol *syms, size_t n)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");

	kernel_symbols_find(f, syms, n);
	fclose(f);
}

TEST(symbols_are_the_kernels_own_and_the_first_of_their_names)
{
	struct kernel_symbol syms[] = { { "modules", 1 },
					{ "phys_base", 1 },
					{ "_text", 1 },
					{ "hidden", 1 },
					{ "none", 1 } };
	char text[4096], *at = text;

	at += sprintf(at, "ffffffff81000000 T _text\n"
			  "ffffffffc0000000 d modules\t[zram]\n"
			  "ffffffff82000010 d modules_disabled\n"
			  "ffffffff82000020 d modules\n"
			  "ffffffff82000030 d modules\n"
			  "0000000000000000 d hidden\n"
			  "ffffffff82000040\n\n  z\nz\n"
			  "ffffffff82000050 ");
	/* of a line that is too long, the rest is no line */
	at += sprintf(at, "t %01014d", 0);
	at += sprintf(at, "ffffffff82000060 d none\n");
	sprintf(at, "ffffffff82000070 D phys_base");
	find_in(text, syms, 5);
	TEST_EQ(syms[0].addr, 0xffffffff82000020);
	TEST_EQ(syms[1].addr, 0xffffffff82000070);
	TEST_EQ(syms[2].addr, 0xffffffff81000000);
	TEST_EQ(syms[3].addr, 0);
	TEST_EQ(syms[4].addr, 0);
	return 0;
}

TEST(symbols_of_this_kernel_are_the_same_each_time)
{
	struct kernel_symbol syms[] = { { "_text", 1 }, { "do_exit", 2 } },
			     again[] = { { "do_exit", 3 }, { "_text", 4 } };

	TEST_EQ(kernel_symbols(syms, 2), 0);
	TEST_EQ(kernel_symbols(again, 2), 0);
	TEST_EQ(syms[0].addr, again[1].addr);
	TEST_EQ(syms[1].addr, again[0].addr);
	return 0;
}
