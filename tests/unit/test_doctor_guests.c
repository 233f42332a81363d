// SPDX-License-Identifier: GPL-2.0-only
/* What `vmmprof doctor` says of many VMs, in made-up /proc trees. */

#include <unistd.h>

#include "test.h"
#include "tree.h"
#include "cmd/doctor_guests.h"

static char root[64];
static struct doctor d;

/* A VM with one vCPU, whose thread is @comm. */
static void put_vm(unsigned int pid, const char *name, const char *more,
		   const char *comm)
{
	char path[128], text[256];
	int n = snprintf(text, sizeof(text),
			 "qemu-system-x86_64%c-name%c%s%c%s%c64", 0, 0, name, 0,
			 more, 0);

	snprintf(path, sizeof(path), "proc/%u/cmdline", pid);
	tree_put_bytes(root, path, text, n + 1);
	snprintf(path, sizeof(path), "proc/%u/task/%u/comm", pid, pid + 1);
	tree_put(root, path, comm);
	snprintf(path, sizeof(path), "proc/%u/task/%u/syscall", pid, pid + 1);
	tree_put(root, path, "running\n");
	snprintf(path, sizeof(path), "proc/%u/fd/x", pid);
	tree_put(root, path, "");
	snprintf(path, sizeof(path), "%s/proc/%u/fd/9", root, pid);
	if (symlink("anon_inode:kvm-vm", path))
		abort();
	snprintf(path, sizeof(path), "%s/proc/%u/fd/10", root, pid);
	if (symlink("anon_inode:kvm-vcpu:0", path))
		abort();
}

static void examine(void)
{
	doctor_deinit(&d);
	d = (struct doctor){ .root = root };
	doctor_guests(&d);
}

static void begin(void)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	size_t i;

	strcpy(root, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(root))
		abort();
	for (i = 0; i < 5; i++)
		put_vm(100 + 10 * i, names[i], "-m", "CPU 0/KVM\n");
	put_vm(200, "plain", "-m", "qemu-system-x86\n");
}

static int end(void)
{
	char command[128];

	doctor_deinit(&d);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* Does the first finding end so? */
static bool ends(const char *with)
{
	size_t len = strlen(d.list[0].text), n = strlen(with);

	return len > n && !strcmp(d.list[0].text + len - n, with);
}

TEST(vms_that_are_alike_have_one_line)
{
	begin();
	examine();
	TEST_EQ(d.nr, 2);
	TEST_EQ(d.list[0].verdict, VMMPROF_FINE);
	TEST_OK(!strncmp(d.list[0].text, "6 VMs (", 7));
	TEST_OK(ends(" ...): read from memory, nothing is needed there"));
	TEST_STR(d.list[0].remedy, "");
	TEST_EQ(d.list[1].verdict, VMMPROF_WARN);
	TEST_STR(
		d.list[1].text,
		"1 VM (plain): the threads of 1 vCPUs are not known before they are sampled");
	return end();
}

TEST(what_the_operator_forbids_is_said)
{
	begin();
	tree_put(root, "etc/vmmprof/no-guest-memory", "");
	examine();
	TEST_EQ(d.list[0].verdict, VMMPROF_WARN);
	TEST_OK(ends(
		"no way in, and /etc/vmmprof/no-guest-memory forbids to read memory"));
	TEST_OK(d.list[0].remedy[0]);
	return end();
}

TEST(each_set_of_ways_has_a_line)
{
	static const char line[] = "qemu\0-name\0vsock\0-device\0"
				   "vhost-vsock-pci,guest-cid=5";
	int first; /* in which order /proc is read is not said */

	begin();
	put_vm(90, "vsock", "-device", "CPU 0/KVM\n");
	tree_put_bytes(root, "proc/90/cmdline", line, sizeof(line));
	examine();
	TEST_EQ(d.nr, 3);
	first = !strncmp(d.list[1].text, "1 VM", 4);
	TEST_STR(d.list[first].text, "1 VM (vsock): can be reached by vsock");
	TEST_OK(!strncmp(d.list[!first].text, "6 VMs (", 7));
	return end();
}

TEST(without_a_vm)
{
	strcpy(root, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(root))
		abort();
	tree_put(root, "proc/1/cmdline", "init");
	examine();
	TEST_STR(d.list[0].text, "no VM runs");
	return end();
}
