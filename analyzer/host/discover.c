// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the VMs of this host from /proc alone: processes that hold a KVM VM,
 * their vCPUs and, where they tell, which thread runs which vCPU.
 *
 * A vCPU's thread is known by its name (QEMU with debug-threads=on, libvirt,
 * Firecracker and others name it), or, while it sleeps inside KVM_RUN, by the
 * file it called ioctl() on (/proc/PID/task/TID/syscall).
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/discover.h"
#include "os/proc_file.h"
#include "host/vm_name.h"

#define VM_LINK	    "anon_inode:kvm-vm"
#define VCPU_LINK   "anon_inode:kvm-vcpu:"
#define CMDLINE_MAX 65536

/*
 * Newer kernels (seen: 6.12) run KVM's workers as threads of the VMM.  They are
 * forked from the vCPU that needed them first, and /proc shows them in that
 * vCPU's ioctl(KVM_RUN).
 */
#define KVM_WORKER  "kvm-"

/* A process being looked at. */
struct look {
	const char *root;
	uint32_t pid;
	struct vm *vm;
	bool holds_vm;
};

static bool is_number(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0' && strlen(s) <= 10;
}

/* The vCPU whose file fd N of the process is, or -1. */
static long vcpu_of_fd(const struct look *look, const char *fd)
{
	char path[PATH_MAX], link[64];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/%u/fd/%s", look->root, look->pid,
		 fd);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return -1;
	link[n] = '\0';
	if (strncmp(link, VCPU_LINK, strlen(VCPU_LINK)) ||
	    !is_number(link + strlen(VCPU_LINK)))
		return -1;
	return strtol(link + strlen(VCPU_LINK), NULL, 10);
}

/* Called for one entry of a directory in /proc/PID; not 0 ends the walk. */
typedef int entry_fn(struct look *look, DIR *dir, const char *name);

/* Calls fn for every entry of /proc/PID/what that is a number. */
static int walk_entries(struct look *look, const char *what, entry_fn *fn)
{
	char path[PATH_MAX];
	struct dirent *e;
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc/%u/%s", look->root, look->pid,
		 what);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!ret && (e = readdir(dir)))
		if (is_number(e->d_name))
			ret = fn(look, dir, e->d_name);
	closedir(dir);
	return ret;
}

static int check_vm_fd(struct look *look, DIR *dir, const char *name)
{
	char link[sizeof(VM_LINK)];
	ssize_t n = readlinkat(dirfd(dir), name, link, sizeof(link));

	look->holds_vm |= n == sizeof(VM_LINK) - 1 &&
			  !memcmp(link, VM_LINK, sizeof(VM_LINK) - 1);
	return 0;
}

static int add_vcpu_fd(struct look *look, DIR *dir, const char *name)
{
	long id = vcpu_of_fd(look, name);
	int ret;

	(void)dir;
	if (id < 0)
		return 0;
	ret = inventory_add_vcpu(look->vm, id, 0, NULL);
	return ret == -ERANGE ? 0 : ret;
}

/* The vCPU in a thread's name: "CPU 3/KVM" and so on; -1: no vCPU's name. */
static long vcpu_of_comm(const char *comm)
{
	static const char *const forms[] = {
		"CPU %u/KVM%n",	 /* QEMU, debug-threads=on */
		"fc_vcpu %u%n",	 /* Firecracker */
		"kvm-vcpu-%u%n", /* kvmtool */
		"vcpu%u%n",	 /* Cloud Hypervisor */
		"crosvm_vcpu%u%n",
	};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		unsigned int id;
		int end = 0;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (sscanf(comm, forms[i], &id, &end) == 1 && end && !comm[end])
			return id;
#pragma GCC diagnostic pop
	}
	return -1;
}

/* The vCPU that a thread sleeping in ioctl(fd, KVM_RUN) runs, or -1. */
static long vcpu_of_syscall(const struct look *look, const char *tid)
{
	unsigned long nr, fd, request;
	char path[PATH_MAX], text[256], number[24];

	snprintf(path, sizeof(path), "%s/proc/%u/task/%s/syscall", look->root,
		 look->pid, tid);
	if (proc_file_line(path, text, sizeof(text)) < 0 ||
	    sscanf(text, "%lu 0x%lx 0x%lx", &nr, &fd, &request) != 3 ||
	    nr != SYS_ioctl || request != KVM_RUN)
		return -1;
	snprintf(number, sizeof(number), "%lu", fd);
	return vcpu_of_fd(look, number);
}

int discover_comm(const char *root, uint32_t pid, uint32_t tid, char *comm)
{
	char path[PATH_MAX], text[64];

	snprintf(path, sizeof(path), "%s/proc/%u/task/%u/comm", root, pid, tid);
	if (proc_file_line(path, text, sizeof(text)) < 0)
		return -ENOENT;
	memset(comm, 0, VMMPROF_COMM);
	memcpy(comm, text, strnlen(text, VMMPROF_COMM - 1));
	return 0;
}

static bool knows_thread(const struct vm *vm, uint32_t vcpu_id)
{
	uint32_t i;

	for (i = 0; i < vm->nr_vcpus; i++)
		if (vm->vcpus[i].vcpu_id == vcpu_id)
			return vm->vcpus[i].tid;
	return false;
}

static int add_vcpu_thread(struct look *look, DIR *dir, const char *name)
{
	uint32_t tid = strtoul(name, NULL, 10);
	char comm[VMMPROF_COMM];
	long id;
	int ret;

	(void)dir;
	if (discover_comm(look->root, look->pid, tid, comm))
		return 0; /* just ended */
	id = vcpu_of_comm(comm);
	if (id < 0 && strncmp(comm, KVM_WORKER, strlen(KVM_WORKER))) {
		id = vcpu_of_syscall(look, name);
		if (id >= 0 && knows_thread(look->vm, id))
			return 0; /* its name or samples tell it reliably */
	}
	if (id < 0)
		return 0;
	ret = inventory_add_vcpu(look->vm, id, tid, comm);
	return ret == -ERANGE ? 0 : ret;
}

/* Finds the VM's name; out: "" if there is none. */
static void find_name(const struct look *look, char *out, size_t size)
{
	char *text = malloc(CMDLINE_MAX);
	char path[PATH_MAX];
	ssize_t n;

	*out = '\0';
	if (!text)
		return;
	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", look->root,
		 look->pid);
	n = proc_file_read(path, text, CMDLINE_MAX);
	if (n > 0 && !vm_name_cmdline(text, n, out, size))
		goto out_free;
	snprintf(path, sizeof(path), "%s/proc/%u/cgroup", look->root,
		 look->pid);
	if (proc_file_read(path, text, CMDLINE_MAX) < 0 ||
	    vm_name_cgroup(text, out, size))
		*out = '\0';
out_free:
	free(text);
}

int discover_pid(const char *root, uint32_t pid, uint64_t tsc,
		 struct inventory *inv)
{
	struct look look = { .root = root, .pid = pid };
	char name[VM_NAME];
	int ret;

	ret = walk_entries(&look, "fd", check_vm_fd);
	if (ret || !look.holds_vm)
		return ret;
	find_name(&look, name, sizeof(name));
	look.vm = inventory_add_vm(inv, pid, name, tsc);
	if (!look.vm)
		return -ENOMEM;
	ret = walk_entries(&look, "fd", add_vcpu_fd);
	if (!ret || ret == -ENOENT)
		ret = walk_entries(&look, "task", add_vcpu_thread);
	return ret && ret != -ENOENT ? ret : 1;
}

int discover(const char *root, uint64_t tsc, struct inventory *inv,
	     struct discover_result *result)
{
	char path[PATH_MAX];
	struct dirent *e;
	int ret = 0;
	DIR *proc;

	memset(result, 0, sizeof(*result));
	snprintf(path, sizeof(path), "%s/proc", root);
	proc = opendir(path);
	if (!proc)
		return -errno;
	while (ret != -ENOMEM && (e = readdir(proc))) {
		if (!is_number(e->d_name))
			continue;
		ret = discover_pid(root, strtoul(e->d_name, NULL, 10), tsc,
				   inv);
		if (ret == -EACCES || ret == -EPERM)
			result->denied++;
		else if (ret >= 0)
			result->looked++;
	}
	closedir(proc);
	return ret == -ENOMEM ? ret : 0;
}
