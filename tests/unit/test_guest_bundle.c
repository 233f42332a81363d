// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/introspect/bundle*.c: what is read of a guest, as a reader sees it. */

#include <vmmprof/record.h>

#include "format/bundle.h"
#include "introspect/bundle.h"
#include "introspect/bundle_files.h"
#include "sym/symbol.h"
#include "tests/gen/guest_kernel_make.h"
#include "guest_tree.h"
#include "test.h"

static struct made m;
static struct guest_kernel k;
static struct guest_bundle_stat stat;

static int begin(void)
{
	TEST_EQ(made_init(&m), 0);
	made_guest(&m, &k);
	strcpy(k.nodename, "na\nme");
	k.phys_mask = GUEST_CR3_ADDRESS;
	k.members.offset[GUEST_TASK_START] = 120;
	made_word(&m, TASK_1 + 120, 4711);
	guest_symbols_add(&k.symbols, 0xffffffff81000000, 'T', "code", 4);
	guest_symbols_add(&k.symbols, 0xffffffff81000000, 't', "__pfx_x", 7);
	guest_symbols_add(&k.symbols, 0xffffffff82000000, 'D', "data", 4);
	return 0;
}

static int last = -1; /* the bundle that add_reading() wrote */
static __u64 limit;   /* of its bytes */

/* Writes a bundle, with what is in the last one, and reads it. */
static int add_reading(struct bundle *ret)
{
	struct problems problems = { 0 };
	struct item_writer w;
	int fd = memfd_create("bundle", 0), copy = dup(fd), err;

	lseek(last, 0, SEEK_SET);
	err = item_writer_begin(&w, fd, VMMPROF_FILE_MAPS);
	w.limit = limit;
	err = err ?: guest_bundle_write(&k, last, false, &w, &stat);
	err = item_writer_close(&w, true) ?: err;
	lseek(copy, 0, SEEK_SET);
	if (!err)
		err = bundle_init(ret, copy, "bundle", &problems);
	if (last >= 0)
		close(last);
	last = copy;
	problems_deinit(&problems);
	return err;
}

/* Of this reading alone. */
static int bundle_of(struct bundle *ret)
{
	if (last >= 0)
		close(last);
	last = -1;
	return add_reading(ret);
}

static int end(struct bundle *b)
{
	guest_symbols_deinit(&k.symbols);
	return guest_tree_end(&m, b);
}

TEST(a_reader_finds_all_that_was_read)
{
	static const char symbols[] = "ffffffff81000000 T code\n"
				      "ffffffffc0001000 t first\t[test]\n"
				      "ffffffffc0001100 T second\t[test]\n";
	static const char modules[] = "test 16384 0 - Live 0xffffffffc0001000\n";
	struct bundle b;
	size_t i;

	TEST_EQ(begin(), 0);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(b.kallsyms.len, sizeof(symbols) - 1);
	TEST_OK(!memcmp(b.kallsyms.p, symbols, sizeof(symbols) - 1));
	TEST_EQ(b.modules.len, sizeof(modules) - 1);
	TEST_OK(!memcmp(b.modules.p, modules, sizeof(modules) - 1));
	TEST_EQ(b.nr_procs, 3);
	TEST_STR(b.procs[1]->cmdline, "one of x");
	/* The other process's are a list, of which a tree knows nothing. */
	TEST_EQ(b.nr_maps, 4);
	for (i = 0; i < 4; i++) {
		TEST_EQ(b.maps[i]->start, (i + 1) << 20);
		TEST_EQ(b.maps[i]->pid, 1);
		TEST_EQ(b.maps[i]->file, 0);
		TEST_EQ(b.maps[i]->ns, b.images[0]->ns);
	}
	TEST_EQ(b.nr_files, 1);
	TEST_STR(b.files[0].item->path, "/mnt/a/b c");
	TEST_EQ(b.nr_mms, 2);
	TEST_EQ(b.mms[0]->key, MADE_ROOT);
	TEST_EQ(b.nr_cgroups, 2);
	TEST_STR(b.cgroups[0]->path, "/x.slice/y");
	TEST_EQ(b.nr_images, 2);
	TEST_EQ(b.images[0]->pid, 1);
	TEST_EQ(b.images[0]->mm, D(MM_1));
	TEST_EQ(b.images[0]->start_ns, 4711);
	TEST_EQ(b.images[0]->until, b.images[0]->ns);
	TEST_EQ(b.nr_clocks, 1);
	TEST_EQ(b.nr_notes, 0);
	TEST_EQ(stat.processes, 3);
	TEST_EQ(stat.threads, 4);
	TEST_EQ(stat.mappings, 4);
	return end(&b);
}

TEST(what_is_missing_is_noted)
{
	struct bundle b;

	TEST_EQ(begin(), 0);
	/* a tree that leads astray, a list of tasks, modules */
	made_word(&m, NODES + 88, D(NODES) | 3 << 3 | 2);
	made_word(&m, TASK_2, D(TASK_1));
	made_word(&m, MODULES_HEAD, 0);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(b.nr_notes, 3);
	TEST_EQ(stat.torn, 1);
	TEST_OK(stat.tasks_torn);
	TEST_EQ(b.nr_procs, 3);
	TEST_EQ(b.nr_maps, 2);
	return end(&b);
}

TEST(a_guest_without_end_is_cut_and_noted)
{
	struct bundle b;

	TEST_EQ(begin(), 0);
	guest_memory_budget(&m.guest, 60, 1 << 20);
	TEST_EQ(bundle_of(&b), 0);
	TEST_OK(stat.out_of_budget);
	TEST_EQ(b.nr_notes, 1);
	TEST_OK(b.nr_maps < 4);
	return end(&b);
}

static bool has_function(const struct vmmprof_maps_symtab *t, const char *name)
{
	struct symbols s;
	bool found = false;
	__u32 i;

	if (!t || symbols_init(&s, t))
		return false;
	for (i = 0; i < s.nr_symbols && !found; i++)
		found = !strcmp(s.strings + s.symbols[i].name, name);
	symbols_deinit(&s);
	return found;
}

TEST(what_is_resident_of_a_file_is_in_it)
{
	struct bundle b;

	TEST_EQ(begin(), 0);
	TEST_EQ(guest_tree_load(&m), 0);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(b.nr_files, 1);
	TEST_EQ(b.files[0].item->flags, 0);
	TEST_EQ(b.files[0].item->build_id_size, 20);
	TEST_OK(has_function(b.files[0].symtab, "one"));
	TEST_OK(has_function(b.files[0].symtab, "three"));
	TEST_OK(b.files[0].unwind);
	TEST_EQ(stat.symtabs, 1);
	TEST_EQ(stat.not_resident, 0);
	return end(&b);
}

TEST(what_is_not_resident_of_a_file_is_said)
{
	struct bundle b;

	/* its second page has the section headers */
	TEST_EQ(begin(), 0);
	TEST_EQ(guest_tree_load(&m), 0);
	made_word(&m, XA_NODE + 16, 0);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(b.files[0].item->flags, VMMPROF_FILE_F_NOT_RESIDENT);
	TEST_OK(has_function(b.files[0].symtab, "two"));
	TEST_EQ(end(&b), 0);
	/* nothing of it; another file's page */
	TEST_EQ(begin(), 0);
	TEST_EQ(guest_tree_load(&m), 0);
	made_word(&m, PAGES + 24, D(MAPPING + 64));
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(b.files[0].item->flags, VMMPROF_FILE_F_NOT_RESIDENT);
	TEST_OK(!b.files[0].symtab);
	TEST_EQ(stat.not_resident, 1);
	TEST_EQ(end(&b), 0);
	/* no program */
	TEST_EQ(begin(), 0);
	TEST_EQ(guest_tree_load(&m), 0);
	m.mem[CONTENT] = 0;
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(b.files[0].item->flags, VMMPROF_FILE_F_UNREAD);
	return end(&b);
}

TEST(the_module_is_told_where_who_runs_is)
{
	struct vmmprof_guest_layout l;

	TEST_EQ(begin(), 0);
	TEST_EQ(guest_kernel_layout(&k, 7, &l), -EOPNOTSUPP);
	k.known[GUEST_SYM_CURRENT] = 0x1fb80;
	TEST_EQ(guest_kernel_layout(&k, 7, &l), 0);
	TEST_EQ(l.size, sizeof(l));
	TEST_EQ(l.pid, 7);
	TEST_EQ(l.current_task, 0x1fb80);
	TEST_EQ(l.task_pid, 88);
	TEST_EQ(l.task_tgid, 92);
	TEST_EQ(l.task_mm, 32);
	TEST_EQ(l.task_comm, 100);
	TEST_EQ(l.task_flags, 96);
	TEST_EQ(l.flags + l.reserved, 0);
	/* 6.2 to 6.14 */
	k.known[GUEST_SYM_CURRENT] = 0;
	k.known[GUEST_SYM_PCPU_HOT] = 0x34000;
	k.members.offset[GUEST_PCPU_HOT_TASK] = 8;
	TEST_EQ(guest_kernel_layout(&k, 7, &l), 0);
	TEST_EQ(l.current_task, 0x34008);
	k.members.offset[GUEST_TASK_START] = -1;
	TEST_EQ(guest_kernel_layout(&k, 7, &l), 0);
	TEST_EQ(l.task_start, VMMPROF_NONE);
	k.members.lacks[GUEST_PROCESSES] = GUEST_TASK_PID;
	TEST_EQ(guest_kernel_layout(&k, 7, &l), -EOPNOTSUPP);
	guest_symbols_deinit(&k.symbols);
	made_deinit(&m);
	return 0;
}

TEST(what_is_found_again_is_written_once)
{
	struct bundle b;
	__u64 first;

	TEST_EQ(begin(), 0);
	TEST_EQ(guest_tree_load(&m), 0);
	TEST_EQ(bundle_of(&b), 0);
	first = b.images[0]->ns;
	bundle_deinit(&b);
	/* what the file has is not looked for again */
	made_word(&m, XA_NODE + 8, 0);
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_procs, 3);
	TEST_EQ(b.nr_images, 2);
	TEST_EQ(b.images[0]->ns, first);
	TEST_OK(b.images[0]->until > first);
	TEST_EQ(b.nr_maps, 4);
	TEST_EQ(b.maps[0]->ns, first);
	TEST_EQ(b.nr_cgroups, 2);
	TEST_EQ(b.nr_clocks, 2);
	TEST_EQ(b.nr_files, 1);
	TEST_OK(has_function(b.files[0].symtab, "one"));
	TEST_OK(b.files[0].unwind);
	TEST_EQ(b.files[0].item->build_id_size, 20);
	TEST_EQ(b.nr_notes, 0);
	return end(&b);
}

TEST(processes_that_ended_are_kept)
{
	struct bundle b;

	TEST_EQ(begin(), 0);
	TEST_EQ(bundle_of(&b), 0);
	bundle_deinit(&b);
	/* Only process 2 is there, which has another memory now. */
	made_node(&m, INIT_TASK, TASK_2, TASK_2);
	made_node(&m, TASK_2, INIT_TASK, INIT_TASK);
	made_word(&m, TASK_2 + 32, D(MM_1));
	made_word(&m, TASK_3 + 32, D(MM_1));
	strcpy((char *)m.mem + TASK_2 + 100, "new");
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_images, 3);
	TEST_EQ(b.images[0]->pid, 1);
	TEST_EQ(b.images[0]->until, b.images[0]->ns);
	TEST_EQ(b.images[1]->mm, D(MM_2));
	TEST_EQ(b.images[2]->pid, 2);
	TEST_EQ(b.images[2]->mm, D(MM_1));
	TEST_OK(b.images[2]->ns > b.images[1]->ns);
	TEST_EQ(b.nr_procs, 4);
	TEST_EQ(b.procs[3]->op, VMMPROF_OP_EXEC);
	TEST_STR(b.procs[3]->comm, "new");
	TEST_EQ(b.nr_maps, 8);
	TEST_EQ(b.maps[4]->ns, b.images[2]->ns);
	TEST_EQ(b.maps[4]->file, b.maps[0]->file);
	TEST_EQ(b.nr_files, 1);
	/* and once more: it is the newest that is compared with */
	bundle_deinit(&b);
	strcpy((char *)m.mem + TASK_2 + 100, "name");
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_images, 3);
	TEST_EQ(b.nr_maps, 8);
	TEST_EQ(b.nr_procs, 5);
	TEST_EQ(b.procs[4]->op, VMMPROF_OP_RENAME);
	TEST_OK(b.images[2]->until > b.images[2]->ns);
	return end(&b);
}

TEST(mappings_have_the_time_in_which_they_were_found)
{
	struct bundle b;
	int i;

	TEST_EQ(begin(), 0);
	TEST_EQ(bundle_of(&b), 0);
	bundle_deinit(&b);
	/* The third is of no file now, the last one not executable. */
	made_word(&m, VMAS + 2 * 128 + 56, 0);
	made_word(&m, VMAS + 3 * 128 + 24, 1);
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_maps, 6);
	for (i = 0; i < 4; i++)
		TEST_EQ(b.maps[i]->file, 0);
	TEST_EQ(b.maps[4]->start, 3 << 20);
	TEST_EQ(b.maps[4]->file, VMMPROF_NONE);
	TEST_EQ(b.maps[5]->start, 4 << 20);
	TEST_EQ(b.maps[5]->file, VMMPROF_MAP_GONE);
	TEST_OK(b.maps[5]->ns > b.maps[3]->ns);
	/* What is gone stays gone, and may come back. */
	bundle_deinit(&b);
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_maps, 6);
	bundle_deinit(&b);
	made_word(&m, VMAS + 3 * 128 + 24, GUEST_VM_EXEC | 1);
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_maps, 7);
	TEST_EQ(b.maps[6]->start, 4 << 20);
	TEST_EQ(b.maps[6]->file, 0);
	/* A reading that did not get all says of none that it is gone. */
	bundle_deinit(&b);
	made_word(&m, NODES + 88, D(NODES) | 3 << 3 | 2);
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_maps, 7);
	return end(&b);
}

TEST(a_kernel_thread_in_place_of_a_process_is_written_once)
{
	const __u32 flags = 0x00200000; /* PF_KTHREAD */
	struct bundle b;
	int i;

	TEST_EQ(begin(), 0);
	TEST_EQ(bundle_of(&b), 0);
	made_word(&m, TASK_1 + 32, 0);
	memcpy(m.mem + TASK_1 + 96, &flags, sizeof(flags));
	strcpy((char *)m.mem + TASK_1 + 100, "kworker");
	for (i = 0; i < 3; i++) {
		bundle_deinit(&b);
		TEST_EQ(add_reading(&b), 0);
		TEST_EQ(b.nr_procs, 4);
		TEST_EQ(b.nr_images, 2);
		TEST_EQ(b.procs[3]->op, VMMPROF_OP_EXEC);
		TEST_EQ(b.procs[3]->flags, VMMPROF_PROC_F_KTHREAD);
	}
	return end(&b);
}

TEST(another_boot_is_another_guest)
{
	struct bundle b;

	TEST_EQ(begin(), 0);
	memset(k.boot_id, 1, 16);
	TEST_EQ(bundle_of(&b), 0);
	bundle_deinit(&b);
	memset(k.boot_id, 2, 16);
	made_node(&m, INIT_TASK, TASK_2, TASK_2);
	made_node(&m, TASK_2, INIT_TASK, INIT_TASK);
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_images, 1);
	TEST_EQ(b.nr_notes, 1);
	TEST_OK(strstr(b.notes[0], "started again"));
	/* one that has not made its id yet, then one of the same boot that has */
	bundle_deinit(&b);
	memset(k.boot_id, 0, 16);
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_notes, 1);
	TEST_OK(strstr(b.notes[0], "started again"));
	bundle_deinit(&b);
	memset(k.boot_id, 3, 16);
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_notes, 0);
	/* no bundle at all */
	bundle_deinit(&b);
	TEST_EQ(ftruncate(last, 40), 0);
	TEST_EQ(add_reading(&b), 0);
	TEST_EQ(b.nr_images, 1);
	TEST_EQ(b.nr_notes, 1);
	TEST_OK(strstr(b.notes[0], "cannot be read"));
	return end(&b);
}

TEST(another_file_of_the_same_name_has_another_id)
{
	struct bundle b;
	__u8 id[20] = { 1 };
	struct bundle_files f = { 0 };
	struct bundle_file_seen seen = { .path = (char[]){ "/mnt/a/b c" } };
	bool first;
	__u32 n;

	TEST_EQ(begin(), 0);
	TEST_EQ(guest_tree_load(&m), 0);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(bundle_files_init(&f, &b), 0);
	seen.file.dev = b.files[0].item->dev;
	seen.file.ino = b.files[0].item->ino;
	TEST_EQ(bundle_files_id(&f, &k, &seen, &n, &first), 0);
	TEST_EQ(n, 0);
	TEST_OK(first);
	TEST_EQ(bundle_files_build_id(&f, &k, &seen, &n, id, 20), 0);
	TEST_EQ(n, 1);
	TEST_EQ(bundle_files_id(&f, &k, &seen, &n, &first), 0);
	TEST_EQ(n, 1);
	TEST_OK(!first);
	bundle_files_deinit(&f);
	return end(&b);
}

TEST(what_is_beyond_the_limit_is_told)
{
	struct bundle b;

	TEST_EQ(begin(), 0);
	TEST_EQ(bundle_of(&b), 0);
	TEST_EQ(b.lost, 0);
	TEST_EQ(b.nr_notes, 0);
	bundle_deinit(&b);
	limit = 1;
	TEST_EQ(bundle_of(&b), 0);
	limit = 0;
	TEST_EQ(b.nr_procs, 0);
	TEST_OK(b.lost > 0);
	TEST_EQ(b.nr_notes, 1);
	TEST_OK(strstr(b.notes[0],
		       "are left out: the file would be too large"));
	return end(&b);
}

TEST(a_file_that_was_replaced_in_place_has_its_own_functions)
{
	struct bundle_files f = { 0 };
	struct problems problems = { 0 };
	struct bundle_file_seen seen = {
		.path = (char[]){ "/mnt/a/b c" },
		.addr = D(FILE_1),
	};
	int fd = memfd_create("bundle", 0), copy = dup(fd);
	struct item_writer w;
	struct bundle b, now;
	__u8 id[20], *at;
	bool first;
	__u32 n;

	TEST_EQ(begin(), 0);
	TEST_EQ(guest_tree_load(&m), 0);
	TEST_EQ(bundle_of(&b), 0);
	/* nothing of the old one is missing */
	TEST_EQ(b.files[0].item->flags, 0);
	memcpy(id, b.files[0].item->build_id, 20);
	at = memmem(m.mem + CONTENT, GUEST_PAGE, id, 20);
	TEST_OK(at);
	*at ^= 0xff;
	id[0] ^= 0xff;
	TEST_EQ(bundle_files_init(&f, &b), 0);
	seen.file.dev = b.files[0].item->dev;
	seen.file.ino = b.files[0].item->ino;
	TEST_EQ(bundle_files_id(&f, &k, &seen, &n, &first), 0);
	TEST_EQ(bundle_files_build_id(&f, &k, &seen, &n, id, 20), 0);
	TEST_EQ(n, 1);
	TEST_EQ(item_writer_begin(&w, fd, VMMPROF_FILE_MAPS), 0);
	TEST_EQ(bundle_files_write(&f, &k, &w, &stat), 0);
	TEST_EQ(item_writer_close(&w, true), 0);
	lseek(copy, 0, SEEK_SET);
	TEST_EQ(bundle_init(&now, copy, "bundle", &problems), 0);
	TEST_EQ(now.nr_files, 2);
	TEST_EQ(now.files[1].item->flags, 0);
	TEST_OK(!memcmp(now.files[1].item->build_id, id, 20));
	TEST_OK(has_function(now.files[0].symtab, "one"));
	TEST_OK(has_function(now.files[1].symtab, "one"));
	bundle_deinit(&now);
	close(copy);
	bundle_files_deinit(&f);
	return end(&b);
}
