// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of analyzer/introspect/.  The first byte chooses: 0 a kernel's
 * read-only data with symbol tables; of the others the rest is memory of a
 * guest, from guest-physical address 64 KiB on: 1 an ELF file as a process has
 * it mapped, 2 a page table, 3 a kernel's tasks with mappings, files and control
 * groups, and its modules, with mappings in a list, 4 in a tree.
 */

#include <errno.h>
#include <stdlib.h>

#include "format/bundle.h"
#include "introspect/bundle.h"
#include "introspect/elf_image.h"
#include "introspect/elf_note.h"
#include "introspect/kallsyms_tables.h"
#include "sym/eh_frame_rows.h"
#include "sym/elf.h"
#include "tests/gen/guest_kernel_make.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

static struct made made;

static void kallsyms(const __u8 *data, size_t size)
{
	struct guest_symbols s;
	size_t i;

	if (kallsyms_tables_read(data, size, 0xffffffff91800000ull, &s))
		return;
	for (i = 0; i < s.nr; i++)
		if (memchr(guest_symbol_name(&s, &s.syms[i]), '\n',
			   strlen(guest_symbol_name(&s, &s.syms[i]))))
			abort();
	guest_symbols_deinit(&s);
}

static void elf(void)
{
	__u8 id[20];

	if (elf_note_read(&made.space, MADE_DIRECT + MADE_FREE, id) > 20)
		abort();
}

static void paging(void)
{
	struct guest_space space = { .mem = &made.guest, .root = MADE_FREE };
	__u64 va = 0, span, steps = 0;
	struct guest_kernel k;
	struct error e;

	for (; steps < 4096; steps++, va += span) {
		struct guest_page page;
		char buf[64];

		guest_space_string(&space, va, buf, sizeof(buf));
		if (guest_space_page(&space, va, &page, &span) == -EFAULT)
			break;
	}
	guest_memory_budget(&made.guest, 100000, 4u << 20);
	if (!guest_kernel_open(&made.guest, MADE_FREE, 0, &k, &e))
		guest_kernel_close(&k);
}

static void mapping(const struct guest_kernel *k, const struct guest_task *t,
		    const struct guest_vma *v)
{
	static struct path_text path;
	struct guest_file file;
	char name[GUEST_VMA_TEXT];

	if (guest_vma_name(k, v, name, sizeof(name)) >= GUEST_VMA_TEXT)
		abort();
	if (v->file && !guest_file_read(k, v->file, &file) &&
	    !guest_file_path(k, t, &file, &path) &&
	    strlen(path.buf + path.at) >= sizeof(path.buf))
		abort();
}

static void process(const struct guest_kernel *k, const struct guest_task *t)
{
	struct guest_vmas v;
	char buf[256];
	size_t i;

	guest_task_cmdline(k, t, buf, sizeof(buf));
	if (guest_task_cgroup(k, t, buf, sizeof(buf)) >= (int)sizeof(buf))
		abort();
	if (!t->mm || guest_vmas_read(k, t->mm, &v))
		return;
	for (i = 0; i < v.nr; i++) {
		if (v.vma[i].end <= v.vma[i].start ||
		    (i && v.vma[i].start < v.vma[i - 1].end))
			abort();
		if (i < 8)
			mapping(k, t, &v.vma[i]);
	}
	guest_vmas_deinit(&v);
}

/* A reader must find nothing damaged in it. */
static int bundle(struct guest_kernel *k, int before)
{
	struct problems problems = { 0 };
	struct guest_bundle_stat stat;
	struct item_writer w;
	struct bundle b;
	int fd = memfd_create("bundle", 0), copy = dup(fd);

	if (item_writer_begin(&w, fd, VMMPROF_FILE_MAPS))
		abort();
	if (before >= 0 && lseek(before, 0, SEEK_SET))
		abort();
	guest_bundle_write(k, before, true, &w, &stat);
	if (item_writer_close(&w, true) || lseek(copy, 0, SEEK_SET) ||
	    bundle_init(&b, copy, "bundle", &problems) || b.bad)
		abort();
	bundle_deinit(&b);
	problems_deinit(&problems);
	return copy;
}

/* The second one is added to the first, of a guest that has changed. */
static void bundles(struct guest_kernel *k)
{
	int first = bundle(k, -1), second;
	struct guest_kernel again;

	made_word(&made, TASK_1 + 32, D(MM_2));
	made_word(&made, VMAS + 56, 0);
	second = bundle(k, first);
	/* ... and to that, of a kernel that was kept */
	guest_kernel_again(&made.guest, k, &again);
	close(first);
	first = bundle(&again, second);
	guest_kernel_close(&again);
	close(first);
	close(second);
}

static void kernel(bool tree)
{
	static struct guest_kernel k;
	struct guest_modules mods;
	struct guest_tasks tasks;
	size_t i;

	k.space = made.space;
	made_known(&k);
	k.members.lacks[GUEST_VMA_TREE] = tree ? -1 : GUEST_MM_MT;
	if (!guest_tasks_read(&k, &tasks)) {
		for (i = 0; i < tasks.nr && i < 8; i++)
			process(&k, &tasks.task[i]);
		guest_tasks_deinit(&tasks);
	}
	if (!guest_modules_read(&k, true, &mods))
		guest_modules_deinit(&mods);
	bundles(&k);
}

struct file {
	const __u8 *bytes;
	size_t size;
	__u8 lacks; /* pages, by the three lowest bits of their numbers */
};

static int read_file(void *arg, __u64 offset, void *buf, size_t size)
{
	const struct file *f = arg;

	if (!size || offset % 4096 + size > 4096 || offset + size > f->size)
		abort();
	if (f->lacks >> (offset / 4096 % 8) & 1)
		return -ENOENT;
	memcpy(buf, f->bytes + offset, size);
	return 0;
}

static void image(const __u8 *data, size_t size)
{
	struct file file = { data + 1, size - 1, data[0] };
	const struct elf_bytes b = { read_file, &file, file.size, 0 };
	struct elf_section s;
	struct unwind_table t;
	struct elf_image im;
	struct elffile elf;

	if (elf_image_make(&b, &im))
		return;
	if (!elffile_read_memory(im.bytes, im.size, &elf))
		elffile_free(&elf);
	if (!elffile_section_memory(im.bytes, im.size, ".eh_frame", &s)) {
		struct eh_frame f = { s.bytes, s.size, s.addr, s.ia32 };

		if (!eh_frame_table(&f, &t))
			unwind_table_free(&t);
		free(s.bytes);
	}
	elf_image_deinit(&im);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	static size_t used;

	if (!made.mem && made_init(&made))
		abort();
	if (!size--)
		return 0;
	if (*data == 0) {
		kallsyms(data + 1, size);
		return 0;
	}
	if (*data == 5) {
		if (size)
			image(data + 1, size);
		return 0;
	}
	if (size > MADE_SIZE - MADE_FREE)
		size = MADE_SIZE - MADE_FREE;
	memset(made.mem + MADE_FREE, 0, used);
	memcpy(made.mem + MADE_FREE, data + 1, size);
	used = size;
	guest_memory_forget(&made.guest);
	guest_memory_budget(&made.guest, 100000, 100u << 20);
	switch (*data) {
	case 1:
		elf();
		break;
	case 2:
		paging();
		break;
	case 3:
	case 4:
		kernel(*data == 4);
		break;
	}
	return 0;
}
