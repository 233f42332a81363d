// SPDX-License-Identifier: GPL-2.0-only
/* VMs found in made-up /proc trees, their names and their vCPU threads. */

#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "tree.h"
#include "host/discover.h"
#include "host/device.h"
#include "host/vm_name.h"

static char root[64];

static void put_file(const char *text, size_t len, const char *path)
{
	tree_put_bytes(root, path, text, len);
}

static void put_text(const char *path, const char *text)
{
	put_file(text, strlen(text), path);
}

static void put_fd(unsigned int pid, unsigned int fd, const char *target)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/%u/fd/%u", root, pid, fd);
	if (symlink(target, path))
		abort();
}

static void put_process(unsigned int pid, const char *cmdline, size_t len)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%u/cmdline", pid);
	put_file(cmdline, len, path);
	snprintf(path, sizeof(path), "proc/%u/fd/x", pid);
	put_text(path, "");
	put_fd(pid, 0, "/dev/null");
}

static void put_thread(unsigned int pid, unsigned int tid, const char *comm,
		       const char *syscall)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%u/task/%u/comm", pid, tid);
	put_text(path, comm);
	snprintf(path, sizeof(path), "proc/%u/task/%u/syscall", pid, tid);
	put_text(path, syscall);
}

static void begin(void)
{
	strcpy(root, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(root))
		abort();
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command))
		abort();
}

#define QEMU(name)                                  \
	"qemu-system-x86_64\0-name\0" name "\0-m\0" \
	"64"

static void put_qemu(unsigned int pid, const char *cmdline, size_t len)
{
	put_process(pid, cmdline, len);
	put_fd(pid, 9, "anon_inode:kvm-vm");
	put_fd(pid, 10, "anon_inode:kvm-vcpu:0");
	put_fd(pid, 11, "anon_inode:kvm-vcpu:1");
	put_thread(pid, pid, "qemu-system-x86\n", "271 0x1 0x2\n");
}

TEST(discover_finds_vm_with_named_threads)
{
	struct discover_result r;
	struct inventory inv;
	struct vm *vm;

	begin();
	put_qemu(100, QEMU("guest=web,debug-threads=on"),
		 sizeof(QEMU("guest=web,debug-threads=on")));
	put_thread(100, 102, "CPU 0/KVM\n", "running\n");
	put_thread(100, 103, "CPU 1/KVM\n", "running\n");
	put_thread(100, 104, "CPU 1/KVM x\n", "running\n");
	put_process(200, "bash", 5);
	inventory_init(&inv);
	TEST_EQ(discover(root, 7, &inv, &r), 0);
	TEST_EQ(r.looked, 2);
	TEST_EQ(r.denied, 0);
	TEST_EQ(inv.nr, 1);
	vm = &inv.vms[0];
	TEST_STR(vm->name, "web");
	TEST_EQ(vm->seen_tsc, 7);
	TEST_EQ(vm->nr_vcpus, 2);
	TEST_EQ(vm->vcpus[0].tid, 102);
	TEST_STR(vm->vcpus[1].comm, "CPU 1/KVM");
	TEST_EQ(vm->vcpus[1].tid, 103);
	inventory_deinit(&inv);
	end();
	return 0;
}

TEST(discover_knows_thread_by_its_kvm_run)
{
	struct discover_result r;
	struct inventory inv;

	begin();
	put_qemu(100, QEMU("db"), sizeof(QEMU("db")));
	put_thread(100, 102, "qemu-system-x86\n", "running\n");
	put_thread(100, 103, "qemu-system-x86\n", "16 0xb 0xae80 0x0 0x1\n");
	put_thread(100, 104, "qemu-system-x86\n", "16 0xa 0x5401 0x0 0x1\n");
	inventory_init(&inv);
	TEST_EQ(discover(root, 0, &inv, &r), 0);
	TEST_EQ(inv.vms[0].nr_vcpus, 2);
	TEST_EQ(inv.vms[0].vcpus[0].tid, 0);
	TEST_EQ(inv.vms[0].vcpus[1].tid, 103);
	inventory_deinit(&inv);
	end();
	return 0;
}

TEST(discover_is_not_misled_by_workers_of_kvm)
{
	struct discover_result r;
	struct inventory inv;

	begin();
	put_qemu(100, QEMU("db"), sizeof(QEMU("db")));
	put_thread(100, 102, "kvm-nx-lpage-re\n", "16 0xa 0xae80 0x0 0x1\n");
	/* known by name; a copy of it in the same call is not it */
	put_thread(100, 103, "CPU 1/KVM\n", "running\n");
	inventory_init(&inv);
	TEST_EQ(discover(root, 0, &inv, &r), 0);
	put_thread(100, 104, "worker\n", "16 0xb 0xae80 0x0 0x1\n");
	TEST_EQ(discover(root, 0, &inv, &r), 0);
	TEST_EQ(inv.vms[0].vcpus[0].tid, 0);
	TEST_EQ(inv.vms[0].vcpus[1].tid, 103);
	inventory_deinit(&inv);
	end();
	return 0;
}

TEST(discover_makes_equal_names_unique)
{
	struct discover_result r;
	struct inventory inv;

	begin();
	put_qemu(100, QEMU("a"), sizeof(QEMU("a")));
	put_qemu(101, QEMU("a"), sizeof(QEMU("a")));
	put_qemu(102, "kvmthing", 9);
	inventory_init(&inv);
	TEST_EQ(discover(root, 0, &inv, &r), 0);
	/* a second look changes nothing */
	TEST_EQ(discover(root, 0, &inv, &r), 0);
	TEST_EQ(inv.nr, 3);
	TEST_OK(inventory_find_name(&inv, "a"));
	TEST_OK(inventory_find_name(&inv, "a-2"));
	TEST_OK(inventory_find_name(&inv, "102") ==
		inventory_find_name(&inv, "pid-102"));
	TEST_OK(!inventory_find_name(&inv, "b"));
	inventory_deinit(&inv);
	end();
	return 0;
}

TEST(discover_gives_name_and_pid_of_a_vm_that_ended_to_another)
{
	struct discover_result r;
	struct inventory inv;

	begin();
	put_qemu(100, QEMU("a"), sizeof(QEMU("a")));
	put_qemu(101, QEMU("b"), sizeof(QEMU("b")));
	inventory_init(&inv);
	TEST_EQ(discover(root, 0, &inv, &r), 0);
	inventory_gone(inventory_find(&inv, 100));
	inventory_gone(inventory_find(&inv, 101));
	TEST_OK(!inventory_find(&inv, 100) && !inventory_find_name(&inv, "a"));
	/* a starts again as 102, and c has the number of b */
	TEST_OK(inventory_add_vm(&inv, 102, "a", 0));
	TEST_OK(inventory_add_vm(&inv, 101, "c", 0));
	TEST_EQ(inv.nr, 4);
	TEST_OK(inventory_find_name(&inv, "a") == inventory_find(&inv, 102));
	TEST_OK(inventory_find_name(&inv, "c") == inventory_find(&inv, 101));
	TEST_OK(!inventory_find_name(&inv, "a-2"));
	/* not by what was known of the other one's */
	TEST_OK(!inventory_find_name(&inv, "b"));
	inventory_deinit(&inv);
	end();
	return 0;
}

TEST(discover_no_proc_is_an_error)
{
	struct discover_result r;
	struct inventory inv;

	inventory_init(&inv);
	TEST_EQ(discover("/nowhere", 0, &inv, &r), -ENOENT);
	return 0;
}

#define NAME_OF(literal) \
	(vm_name_cmdline(literal, sizeof(literal), name, sizeof(name)))

TEST(vmname_reads_command_lines)
{
	char name[32];

	TEST_EQ(NAME_OF("qemu\0-name\0guest=db,,1,debug-threads=on"), 0);
	TEST_STR(name, "db,1");
	TEST_EQ(NAME_OF("qemu\0-name\0debug-threads=on,guest=x"), 0);
	TEST_STR(name, "x");
	TEST_EQ(NAME_OF("kvm\0-id\000100\0-name\0shop,debug-threads=on"), 0);
	TEST_STR(name, "shop");
	TEST_EQ(NAME_OF("kvm\0-id\000100"), 0);
	TEST_STR(name, "100");
	TEST_EQ(NAME_OF("firecracker\0--id=fc1"), 0);
	TEST_STR(name, "fc1");
	TEST_EQ(NAME_OF("firecracker\0--id\0fc2"), 0);
	TEST_STR(name, "fc2");
	TEST_EQ(NAME_OF("lkvm\0--name\0k"), 0);
	TEST_STR(name, "k");
	return 0;
}

TEST(vmname_without_name_is_enoent)
{
	char name[32];

	TEST_EQ(NAME_OF("qemu\0-m\00064"), -ENOENT);
	TEST_EQ(NAME_OF("qemu\0-name\0debug-threads=on"), -ENOENT);
	TEST_EQ(NAME_OF("qemu\0-name\0"), -ENOENT);
	TEST_EQ(vm_name_cmdline("-name", 5, name, 32), -ENOENT);
	TEST_EQ(vm_name_cmdline("", 0, name, 32), -ENOENT);
	/* the last argument, so without a value */
	TEST_EQ(NAME_OF("qemu\0-name"), -ENOENT);
	return 0;
}

TEST(vmname_reads_libvirt_scope)
{
	char name[32];

	TEST_EQ(vm_name_cgroup(
			"0::/machine.slice/machine-qemu\\x2d12\\x2dmy\\x2dvm.scope/libvirt/vcpu0\n",
			name, sizeof(name)),
		0);
	TEST_STR(name, "my-vm");
	/* systemd writes small digits; others are the name's own */
	TEST_EQ(vm_name_cgroup("machine-qemu\\x2d1\\x2da\\x5Bb.scope", name,
			       32),
		0);
	TEST_STR(name, "a\\x5Bb");
	TEST_EQ(vm_name_cgroup("0::/user.slice\n", name, 32), -ENOENT);
	TEST_EQ(vm_name_cgroup("machine-qemu\\x2d1\\x2d.scope", name, 32),
		-ENOENT);
	TEST_EQ(vm_name_cgroup("machine-qemu\\x2d1\\x2da\nb.scope", name, 32),
		-ENOENT);
	return 0;
}

static const char *cleaned(const char *name)
{
	static struct inventory inv;

	inventory_deinit(&inv);
	return inventory_add_vm(&inv, 1, name, 0)->name;
}

TEST(inventory_names_are_fit_for_files_and_terminals)
{
	char lng[300];

	TEST_STR(cleaned("../../etc/x"), "_._.._etc_x");
	TEST_STR(cleaned("a\033[31mb\nc"), "a_[31mb_c");
	TEST_STR(cleaned("gro\xc3\x9fmut"), "gro\xc3\x9fmut");
	TEST_STR(cleaned("x\xc2\x9by\xff"), "x__y_");
	TEST_STR(cleaned("\xe0\x80\xaf"), "___");
	TEST_STR(cleaned(""), "pid-1");
	memset(lng, 'n', sizeof(lng));
	lng[299] = '\0';
	TEST_OK(strlen(cleaned(lng)) < VM_NAME);
	cleaned(NULL);
	return 0;
}

TEST(inventory_merges_what_becomes_known_later)
{
	struct inventory inv;
	struct vm *vm;

	inventory_init(&inv);
	vm = inventory_add_vm(&inv, 5, NULL, 1);
	TEST_STR(vm->name, "pid-5");
	TEST_EQ(inventory_add_vcpu(vm, 1, 51, "CPU 1/KVM"), 0);
	TEST_EQ(inventory_add_vcpu(vm, 0, 0, NULL), 0);
	TEST_EQ(inventory_add_vcpu(vm, 1, 0, ""), 0);
	TEST_EQ(vm->nr_vcpus, 2);
	TEST_EQ(vm->vcpus[0].vcpu_id, 0);
	TEST_EQ(vm->vcpus[1].tid, 51);
	TEST_STR(vm->vcpus[1].comm, "CPU 1/KVM");
	TEST_EQ(inventory_add_vcpu(vm, VCPU_MAX, 1, ""), -ERANGE);
	vm->changed = false;
	vm->vcpus[0].changed = false;
	TEST_EQ(inventory_add_vcpu(vm, 0, 50, "x"), 0);
	TEST_OK(vm->vcpus[0].changed && !vm->changed);
	vm = inventory_add_vm(&inv, 5, "late", 2);
	TEST_STR(vm->name, "late");
	TEST_EQ(vm->seen_tsc, 1);
	TEST_OK(vm->changed);
	inventory_deinit(&inv);
	return 0;
}

TEST(device_owner_has_pid_and_name)
{
	char comm[32];
	int pid;

	begin();
	put_text("sys/class/misc/vmmprof/owner", "4711\n");
	put_text("proc/4711/comm", "vmmprof\n");
	TEST_EQ(device_owner(root, &pid, comm, sizeof(comm)), 0);
	TEST_EQ(pid, 4711);
	TEST_STR(comm, "vmmprof");
	put_text("sys/class/misc/vmmprof/owner", "0\n");
	TEST_EQ(device_owner(root, &pid, comm, sizeof(comm)), -ENOENT);
	TEST_EQ(device_owner("/nowhere", &pid, comm, sizeof(comm)), -ENOENT);
	end();
	return 0;
}
