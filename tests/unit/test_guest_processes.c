// SPDX-License-Identifier: GPL-2.0-only
/*
 * analyzer/introspect/: tasks, mappings, files and modules of a guest, and what a
 * guest may do to those who read them.
 */

#include "tests/gen/guest_kernel_make.h"
#include "test.h"

static struct made m;
static struct guest_kernel k;

static int begin(void)
{
	TEST_EQ(made_init(&m), 0);
	made_guest(&m, &k);
	guest_memory_budget(&m.guest, 100000, 100u << 20);
	return 0;
}

TEST(tasks_are_read_with_their_threads)
{
	struct guest_tasks t;
	char buf[64];

	TEST_EQ(begin(), 0);
	TEST_EQ(guest_tasks_read(&k, &t), 0);
	TEST_EQ(t.nr, 4);
	TEST_OK(!t.torn && t.task[0].kthread && !t.task[0].mm);
	TEST_STR(t.task[0].comm, "swapper");
	TEST_STR(t.task[1].comm, "one");
	TEST_EQ(t.task[1].root, MADE_ROOT);
	TEST_EQ(t.task[3].tgid, 2);
	TEST_EQ(t.task[3].pid, 3);
	TEST_EQ(t.task[3].mm, D(MM_2));
	guest_task_cmdline(&k, &t.task[1], buf, sizeof(buf));
	TEST_STR(buf, "one of x");
	guest_task_cmdline(&k, &t.task[1], buf, 5);
	TEST_STR(buf, "one");
	guest_task_cmdline(&k, &t.task[2], buf, sizeof(buf));
	TEST_STR(buf, "");
	TEST_EQ(guest_task_cgroup(&k, &t.task[1], buf, sizeof(buf)), 10);
	TEST_STR(buf, "/x.slice/y");
	guest_tasks_deinit(&t);
	return 0;
}

/* With a word changed: what guest_tasks_read() returns, and how many it finds. */
static int tasks_with(__u64 at, __u64 value, size_t *nr, bool *torn)
{
	struct guest_tasks t;
	__u64 was;
	int err;

	memcpy(&was, m.mem + at, 8);
	made_word(&m, at, value);
	guest_memory_budget(&m.guest, 100000, 100u << 20);
	err = guest_tasks_read(&k, &t);
	*nr = err ? 0 : t.nr;
	*torn = !err && t.torn;
	if (!err)
		guest_tasks_deinit(&t);
	made_word(&m, at, was);
	return err;
}

TEST(lists_of_tasks_that_lead_astray_are_torn)
{
	size_t nr;
	bool torn;

	TEST_EQ(begin(), 0);
	/* a circle, itself, nowhere, outside of the slots, user memory */
	TEST_EQ(tasks_with(TASK_2, D(TASK_1), &nr, &torn), 0);
	TEST_OK(torn && nr == 4);
	TEST_EQ(tasks_with(TASK_1, D(TASK_1), &nr, &torn), 0);
	TEST_OK(torn && nr == 2);
	TEST_EQ(tasks_with(TASK_1, 0, &nr, &torn), 0);
	TEST_OK(torn);
	TEST_EQ(tasks_with(TASK_1, D(MADE_SIZE), &nr, &torn), 0);
	TEST_OK(torn);
	TEST_EQ(tasks_with(TASK_1, -1ull, &nr, &torn), 0);
	TEST_OK(torn);
	/* threads: a circle without the head, one of another process */
	TEST_EQ(tasks_with(TASK_3 + 16, D(TASK_2 + 16), &nr, &torn), -EDQUOT);
	TEST_EQ(tasks_with(TASK_2 + 16, D(TASK_1 + 16), &nr, &torn), 0);
	TEST_OK(torn);
	/* numbers that are none of a task */
	TEST_EQ(tasks_with(TASK_1 + 88, 0, &nr, &torn), 0);
	TEST_OK(torn);
	TEST_EQ(tasks_with(TASK_1 + 88, -1ull, &nr, &torn), 0);
	TEST_OK(torn);
	/* the first one is none at all */
	TEST_EQ(tasks_with(INIT_TASK + 88, 7, &nr, &torn), -ESTALE);
	/* a page table that cannot be one costs its address only */
	TEST_EQ(tasks_with(MM_1, D(MADE_ROOT) + 8, &nr, &torn), 0);
	TEST_OK(!torn && nr == 4);
	made_deinit(&m);
	return 0;
}

TEST(mappings_are_read_from_a_tree_and_a_list)
{
	struct guest_vmas v;
	int i, tree;

	TEST_EQ(begin(), 0);
	for (tree = 1; tree >= 0; tree--) {
		k.members.lacks[GUEST_VMA_TREE] = tree ? -1 : GUEST_MM_MT;
		TEST_EQ(guest_vmas_read(&k, tree ? D(MM_1) : D(MM_2), &v), 0);
		TEST_EQ(v.nr, 4);
		TEST_OK(!v.torn);
		for (i = 0; i < 4; i++) {
			const int n = tree ? i : i + 4;

			TEST_EQ(v.vma[i].start, (n + 1) << 20);
			TEST_EQ(v.vma[i].end, ((n + 1) << 20) + 0x10000);
			TEST_EQ(v.vma[i].pgoff, n * 4096);
			TEST_EQ(v.vma[i].file, D(FILE_1));
		}
		guest_vmas_deinit(&v);
	}
	k.members.lacks[GUEST_VMA_LIST] = GUEST_MM_MMAP;
	TEST_EQ(guest_vmas_read(&k, D(MM_1), &v), -EOPNOTSUPP);
	made_deinit(&m);
	return 0;
}

/* With a word changed: how many mappings are read; -errno. */
static int vmas_with(__u64 mm, __u64 at, __u64 value, bool *torn)
{
	struct guest_vmas v;
	__u64 was;
	int err;

	memcpy(&was, m.mem + at, 8);
	made_word(&m, at, value);
	k.members.lacks[GUEST_VMA_TREE] = mm == MM_1 ? -1 : GUEST_MM_MT;
	guest_memory_budget(&m.guest, 100000, 100u << 20);
	err = guest_vmas_read(&k, D(mm), &v);
	*torn = !err && v.torn;
	if (!err) {
		err = v.nr;
		guest_vmas_deinit(&v);
	}
	made_word(&m, at, was);
	return err;
}

TEST(lists_of_mappings_that_lead_astray_end)
{
	const __u64 second = VMAS + 5 * 128;
	bool torn;

	TEST_EQ(begin(), 0);
	/* back to the first, to itself, outside, of another process */
	TEST_EQ(vmas_with(MM_2, second + 64, D(VMAS + 4 * 128), &torn), 2);
	TEST_OK(torn);
	TEST_EQ(vmas_with(MM_2, second + 64, D(second), &torn), 2);
	TEST_OK(torn);
	TEST_EQ(vmas_with(MM_2, second + 64, D(MADE_SIZE - 8), &torn), 2);
	TEST_OK(torn);
	TEST_EQ(vmas_with(MM_2, second + 64, D(VMAS), &torn), 2);
	TEST_OK(torn);
	/* it ends before it begins, in the kernel, between pages */
	TEST_EQ(vmas_with(MM_2, second + 8, 0x1000, &torn), 1);
	TEST_OK(torn);
	TEST_EQ(vmas_with(MM_2, second + 8, -4096ull, &torn), 1);
	TEST_OK(torn);
	TEST_EQ(vmas_with(MM_2, second, (6ull << 20) + 1, &torn), 1);
	TEST_OK(torn);
	made_deinit(&m);
	return 0;
}

TEST(trees_of_mappings_that_lead_astray_end)
{
	const __u64 root = D(NODES) | 3 << 3 | 2;
	bool torn;

	TEST_EQ(begin(), 0);
	TEST_EQ(vmas_with(MM_1, MM_1 + 16, 0, &torn), 0);
	TEST_OK(!torn);
	/* a root that is one entry, of a type that is none, outside */
	TEST_EQ(vmas_with(MM_1, MM_1 + 16, D(VMAS), &torn), 0);
	TEST_OK(torn);
	TEST_EQ(vmas_with(MM_1, MM_1 + 16, D(NODES) | 9 << 3 | 2, &torn), 0);
	TEST_OK(torn);
	TEST_EQ(vmas_with(MM_1, MM_1 + 16, D(MADE_SIZE) | 3 << 3 | 2, &torn),
		0);
	TEST_OK(torn);
	/* a node that is its own child: in its first slot, in its second */
	TEST_EQ(vmas_with(MM_1, NODES + 80, root, &torn), 0);
	TEST_OK(torn);
	TEST_EQ(vmas_with(MM_1, NODES + 88, root, &torn), 2);
	TEST_OK(torn);
	/* a leaf twice: what it has is not behind what was there */
	TEST_EQ(vmas_with(MM_1, NODES + 88, D(NODES + 256) | 1 << 3 | 2, &torn),
		2);
	TEST_OK(torn);
	/* pivots out of order, beyond the node's */
	TEST_OK(vmas_with(MM_1, NODES + 256 + 16, 5, &torn) <= 4);
	TEST_OK(vmas_with(MM_1, NODES + 8, -1ull, &torn) <= 4);
	/* values where pointers would be */
	TEST_EQ(vmas_with(MM_1, NODES + 80, 0xffff000000000001ull, &torn), 2);
	TEST_EQ(vmas_with(MM_1, NODES + 256 + 128 + 8, 1030, &torn), 3);
	made_deinit(&m);
	return 0;
}

/* The path of the file; "" with *err. */
static const char *path_now(int *err)
{
	const struct guest_task task = { .addr = D(TASK_1) };
	static struct path_text path;
	struct guest_file file;

	guest_memory_budget(&m.guest, 100000, 100u << 20);
	*err = guest_file_read(&k, D(FILE_1), &file);
	if (!*err)
		*err = guest_file_path(&k, &task, &file, &path);
	return *err ? "" : path.buf + path.at;
}

TEST(paths_go_through_mounts)
{
	struct guest_file file;
	int err;

	TEST_EQ(begin(), 0);
	TEST_STR(path_now(&err), "/mnt/a/b c");
	TEST_EQ(guest_file_read(&k, D(FILE_1), &file), 0);
	TEST_EQ(file.ino, 1234);
	TEST_EQ(file.dev, 8 << 8 | 3);
	/* the process's root is what is mounted there; a directory in it */
	made_word(&m, FS, D(MOUNTS + 48));
	made_word(&m, FS + 8, D(DENTRIES + 2 * 64));
	TEST_STR(path_now(&err), "/a/b c");
	made_word(&m, FS + 8, D(DENTRIES + 3 * 64));
	TEST_STR(path_now(&err), "/b c");
	/* deleted; of no directory, as memfd's */
	made_word(&m, DENTRIES + 4 * 64 + 32, 0);
	TEST_STR(path_now(&err), "/b c (deleted)");
	made_word(&m, DENTRIES + 4 * 64 + 40, D(OPS));
	made_word(&m, OPS, 0x5151);
	TEST_STR(path_now(&err), "/b c (deleted)");
	made_word(&m, OPS, 0x5152);
	TEST_STR(path_now(&err), "");
	TEST_EQ(err, -EOPNOTSUPP);
	made_deinit(&m);
	return 0;
}

TEST(paths_that_lead_in_circles_end)
{
	const __u64 a = DENTRIES + 3 * 64;
	int err;

	TEST_EQ(begin(), 0);
	/* two directories in each other; mounts on each other */
	made_word(&m, a, D(DENTRIES + 4 * 64));
	TEST_STR(path_now(&err), "");
	TEST_OK(err == -ENAMETOOLONG || err == -ESTALE);
	made_word(&m, a, D(DENTRIES + 2 * 64));
	made_word(&m, MOUNTS + 40, D(DENTRIES + 2 * 64));
	made_word(&m, MOUNTS + 32, D(MOUNTS + 32 - 0));
	TEST_STR(path_now(&err), "/a/b c");
	made_word(&m, MOUNTS + 32, D(MOUNTS));
	made_word(&m, MOUNTS, D(MOUNTS + 32));
	made_word(&m, MOUNTS + 16, D(DENTRIES + 2 * 64));
	made_word(&m, MOUNTS + 8, D(DENTRIES + 2 * 64));
	TEST_STR(path_now(&err), "");
	TEST_EQ(err, -ESTALE);
	/* names: of no bytes, too long, with a slash, outside */
	made_guest(&m, &k);
	m.mem[a + 12] = 0;
	TEST_STR(path_now(&err), "");
	TEST_EQ(err, -ESTALE);
	memset(m.mem + a + 12, 0xff, 4);
	TEST_STR(path_now(&err), "");
	TEST_EQ(err, -ESTALE);
	made_guest(&m, &k);
	m.mem[NAMES + 3 * 32] = '/';
	TEST_STR(path_now(&err), "");
	TEST_EQ(err, -ESTALE);
	made_guest(&m, &k);
	made_word(&m, a + 16, D(MADE_SIZE));
	TEST_STR(path_now(&err), "");
	TEST_EQ(err, -EFAULT);
	made_deinit(&m);
	return 0;
}

TEST(control_groups_that_lead_in_circles_end)
{
	const struct guest_task task = { .addr = D(TASK_1) };
	char buf[64];

	TEST_EQ(begin(), 0);
	made_word(&m, KN + 24, D(KN + 32));
	TEST_EQ(guest_task_cgroup(&k, &task, buf, sizeof(buf)), -ESTALE);
	made_word(&m, KN + 24, D(KN));
	TEST_EQ(guest_task_cgroup(&k, &task, buf, 10), -ENAMETOOLONG);
	made_word(&m, CGROUP, D(KN));
	TEST_EQ(guest_task_cgroup(&k, &task, buf, sizeof(buf)), 1);
	TEST_STR(buf, "/");
	made_deinit(&m);
	return 0;
}

TEST(modules_are_read_with_their_symbols)
{
	struct guest_modules mods;

	TEST_EQ(begin(), 0);
	TEST_EQ(guest_modules_read(&k, true, &mods), 0);
	TEST_EQ(mods.nr, 1);
	TEST_EQ(mods.damaged, 0);
	TEST_STR(mods.module[0].name, "test");
	TEST_EQ(mods.module[0].size, 0x4000);
	TEST_EQ(mods.module[0].nr, 2);
	TEST_EQ(guest_symbols_find(&mods.symbols, "second"),
		(__s64)0xffffffffc0001100);
	guest_modules_deinit(&mods);
	made_deinit(&m);
	return 0;
}

/* The symbols of all modules with a word changed; -errno. */
static int modules_with(__u64 at, __u64 value, size_t *damaged)
{
	struct guest_modules mods;
	__u64 was;
	int err;

	memcpy(&was, m.mem + at, 8);
	made_word(&m, at, value);
	err = guest_modules_read(&k, true, &mods);
	*damaged = err ? 0 : mods.damaged;
	if (!err) {
		err = mods.symbols.nr;
		guest_modules_deinit(&mods);
	}
	made_word(&m, at, was);
	return err;
}

TEST(modules_that_lead_astray_are_damaged)
{
	size_t damaged;

	TEST_EQ(begin(), 0);
	/* circles, nowhere */
	TEST_EQ(modules_with(MODULE, D(MODULE), &damaged), -ESTALE);
	TEST_EQ(modules_with(MODULES_HEAD, 0, &damaged), -ESTALE);
	TEST_EQ(modules_with(MODULE + 8, 0, &damaged), -ESTALE);
	/* too many symbols, tables outside, a name beyond its table */
	TEST_EQ(modules_with(MOD_KALLSYMS + 8, 0xffffffff, &damaged), 0);
	TEST_EQ(damaged, 1);
	TEST_EQ(modules_with(MOD_KALLSYMS + 8, 100000, &damaged), 0);
	TEST_EQ(damaged, 1);
	TEST_EQ(modules_with(MOD_KALLSYMS, D(MADE_SIZE), &damaged), 0);
	TEST_EQ(damaged, 1);
	TEST_EQ(modules_with(SYMTAB + 24, 0xffffffff, &damaged), 0);
	TEST_EQ(damaged, 1);
	TEST_EQ(modules_with(MODULE + 88, 0, &damaged), 0);
	TEST_EQ(damaged, 0); /* it has none */
	/* one that is not formed yet */
	TEST_EQ(modules_with(MODULE + 80, 3, &damaged), 0);
	TEST_EQ(damaged, 0);
	made_deinit(&m);
	return 0;
}

/* Link i of hierarchies of version 1, whose group is x.slice or its root. */
static void link_group(int i, int next, bool slice, const char *hierarchy)
{
	const __u64 at = CONTENT + i * 256;

	made_word(&m, at, D(at + 64));
	made_word(&m, at + 8,
		  D(next < 0 ? CSS_SET + 8 : CONTENT + next * 256 + 8));
	made_word(&m, at + 64, D(slice ? KN + 16 : KN));
	made_word(&m, at + 72, D(at + 96));
	strcpy((char *)m.mem + at + 96, hierarchy);
}

TEST(a_control_group_of_version_1)
{
	struct guest_task task = { .addr = D(TASK_1) };
	char buf[64];

	TEST_EQ(begin(), 0);
	k.members.offset[GUEST_SET_LINKS] = 8;
	k.members.offset[GUEST_LINK_NODE] = 8;
	k.members.offset[GUEST_CGROUP_ROOT] = 8;
	/* of version 2 it is the root */
	made_word(&m, CGROUP, D(KN));
	made_word(&m, CSS_SET + 8, D(CONTENT + 8));
	link_group(0, 1, false, "");
	link_group(1, 2, true, "other");
	link_group(2, -1, true, "systemd");
	TEST_EQ(guest_task_cgroup(&k, &task, buf, sizeof(buf)), 8);
	TEST_STR(buf, "/x.slice");
	/* systemd's goes first, wherever it is */
	made_word(&m, CONTENT + 2 * 256 + 64, D(KN + 32));
	TEST_EQ(guest_task_cgroup(&k, &task, buf, sizeof(buf)), 10);
	TEST_STR(buf, "/x.slice/y");
	strcpy((char *)m.mem + CONTENT + 2 * 256 + 96, "systemdx");
	TEST_EQ(guest_task_cgroup(&k, &task, buf, sizeof(buf)), 8);
	/* a list without end */
	link_group(2, 0, false, "");
	link_group(1, 2, false, "");
	TEST_EQ(guest_task_cgroup(&k, &task, buf, sizeof(buf)), 1);
	TEST_STR(buf, "/");
	/* a kernel without */
	link_group(0, -1, true, "");
	TEST_EQ(guest_task_cgroup(&k, &task, buf, sizeof(buf)), 8);
	k.members.lacks[GUEST_CGROUPS_1] = GUEST_SET_LINKS;
	TEST_EQ(guest_task_cgroup(&k, &task, buf, sizeof(buf)), 1);
	made_deinit(&m);
	return 0;
}
