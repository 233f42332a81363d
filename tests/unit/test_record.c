// SPDX-License-Identifier: GPL-2.0-only
/* The recorder's parts: CPU lists, the command, new VMs, reading back. */

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vmmprof/file.h>
#include <vmmprof/record.h>

#include "test.h"
#include "tree.h"
#include "base/clock.h"
#include "os/cpu_list.h"
#include "cmd/record/overhead.h"
#include "host/discover.h"
#include "host/record_scan.h"
#include "host/vm_watch.h"
#include "host/workload.h"

static struct cpus cpus, other;

static const char *formatted(const char *text)
{
	static char out[64];

	if (cpus_parse(text, &cpus))
		return "error";
	cpus_format(&cpus, out, sizeof(out));
	return out;
}

TEST(cpulist_parses_and_prints)
{
	TEST_STR(formatted("0"), "0");
	TEST_STR(formatted("3,1,2,8-10"), "1-3,8-10");
	TEST_EQ(cpus_count(&cpus), 6);
	TEST_OK(cpus_has(&cpus, 9) && !cpus_has(&cpus, 7));
	TEST_STR(formatted("8191"), "8191");
	TEST_EQ(cpus_parse("8192", &cpus), -ERANGE);
	TEST_EQ(cpus_parse("1-99999999999999999999", &cpus), -ERANGE);
	TEST_EQ(cpus_parse("", &cpus), -EINVAL);
	TEST_EQ(cpus_parse("1,", &cpus), -EINVAL);
	TEST_EQ(cpus_parse("2-1", &cpus), -EINVAL);
	TEST_EQ(cpus_parse("1 2", &cpus), -EINVAL);
	return 0;
}

TEST(cpulist_is_cut_at_the_buffers_end)
{
	char out[6];

	TEST_EQ(cpus_parse("1,3,5,7,9,11,13", &cpus), 0);
	cpus_format(&cpus, out, sizeof(out));
	TEST_EQ(strlen(out), 5);
	TEST_EQ(cpus_parse("0-12", &other), 0);
	TEST_EQ(cpus_first_outside(&cpus, &other), 13);
	TEST_EQ(cpus_first_outside(&cpus, &cpus), -1);
	return 0;
}

static void pause_ms(int ms)
{
	usleep(ms * 1000);
}

TEST(workload_waits_until_let_go)
{
	char *argv[] = { "sh", "-c", "exit 7", NULL };
	struct workload w;
	int i;

	TEST_EQ(workload_prepare(argv, &w), 0);
	pause_ms(50);
	TEST_OK(!workload_poll(&w));
	TEST_EQ(workload_start(&w), 0);
	for (i = 0; i < 500 && !workload_poll(&w); i++)
		pause_ms(10);
	TEST_OK(w.ended && WIFEXITED(w.status));
	TEST_EQ(WEXITSTATUS(w.status), 7);
	TEST_OK(workload_end(&w));
	return 0;
}

TEST(workload_dies_of_its_own_file_limit)
{
	char *argv[] = { "sh", "-c", "kill -XFSZ $$; exit 3", NULL };
	struct workload w;
	int i;

	signal(SIGXFSZ, SIG_IGN); /* as in main.c */
	TEST_EQ(workload_prepare(argv, &w), 0);
	TEST_EQ(workload_start(&w), 0);
	for (i = 0; i < 500 && !workload_poll(&w); i++)
		pause_ms(10);
	TEST_OK(w.ended && WIFSIGNALED(w.status));
	TEST_EQ(WTERMSIG(w.status), SIGXFSZ);
	return 0;
}

TEST(workload_that_is_not_there_is_told)
{
	char *argv[] = { "/nowhere/program", NULL };
	struct workload w;

	TEST_EQ(workload_prepare(argv, &w), 0);
	TEST_EQ(workload_start(&w), -ENOENT);
	TEST_OK(w.ended);
	return 0;
}

TEST(workload_never_let_go_does_not_run)
{
	char *argv[] = { "touch", "/tmp/vmmprof-test-ran", NULL };
	struct workload w;

	unlink(argv[1]);
	TEST_EQ(workload_prepare(argv, &w), 0);
	TEST_OK(workload_end(&w));
	TEST_EQ(access(argv[1], F_OK), -1);
	return 0;
}

TEST(workload_is_ended_by_sigterm)
{
	char *argv[] = { "sleep", "60", NULL };
	struct workload w;

	TEST_EQ(workload_prepare(argv, &w), 0);
	TEST_EQ(workload_start(&w), 0);
	TEST_OK(workload_end(&w));
	TEST_EQ(WTERMSIG(w.status), SIGTERM);
	return 0;
}

static void make_proc(const char *root, unsigned int pid, bool vm)
{
	char path[128];

	snprintf(path, sizeof(path), "mkdir -p %s/proc/%u/fd %s/proc/%u/task",
		 root, pid, root, pid);
	if (system(path))
		abort();
	snprintf(path, sizeof(path), "%s/proc/%u/fd/5", root, pid);
	if (vm && symlink("anon_inode:kvm-vm", path))
		abort();
}

TEST(vmwatch_finds_vm_opened_after_its_process)
{
	char root[] = "/tmp/vmmprof-test-XXXXXX", command[64];
	const uint64_t s = 1000000000;
	struct inventory inv;
	struct vm_watch w;

	TEST_OK(mkdtemp(root));
	make_proc(root, 1, false);
	inventory_init(&inv);
	TEST_EQ(vm_watch_init(&w, root), 0);
	make_proc(root, 20, false);
	make_proc(root, 30, true);
	/* nothing started: nothing is looked at */
	TEST_EQ(vm_watch_run(&w, 10 * s, 0, &inv), 0);
	TEST_EQ(inv.nr, 0);
	vm_watch_poke(&w, 10 * s);
	TEST_EQ(vm_watch_run(&w, 10 * s + s / 4, 0, &inv), 0);
	TEST_EQ(inv.nr, 0);
	TEST_EQ(vm_watch_run(&w, 10 * s + s / 2, 0, &inv), 0);
	TEST_EQ(inv.nr, 1);
	snprintf(command, sizeof(command),
		 "ln -s anon_inode:kvm-vm %s/proc/20/fd/5", root);
	TEST_EQ(system(command), 0);
	TEST_EQ(vm_watch_run(&w, 11 * s + s / 2, 0, &inv), 0);
	TEST_EQ(inv.nr, 2);
	/* one that was there before the beginning was looked at then */
	make_proc(root, 1, true);
	TEST_EQ(vm_watch_run(&w, 13 * s, 0, &inv), 0);
	TEST_EQ(vm_watch_run(&w, 15 * s, 0, &inv), 0);
	TEST_EQ(inv.nr, 2);
	/* four seconds after the last start it rests */
	TEST_EQ(w.next_ns, 0);
	vm_watch_deinit(&w);
	inventory_deinit(&inv);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	TEST_EQ(system(command), 0);
	return 0;
}

static void make_vcpu(const char *root, unsigned int pid, unsigned int tid,
		      unsigned int vcpu)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), "proc/%u/task/%u/comm", pid, tid);
	snprintf(text, sizeof(text), "CPU %u/KVM\n", vcpu);
	tree_put(root, path, text);
}

/* A vCPU that is plugged in; a VM of a process that is old, when it is sampled. */
TEST(vmwatch_finds_late_vcpus_and_vms)
{
	char root[] = "/tmp/vmmprof-test-XXXXXX", command[64];
	const uint32_t vmms[] = { 20, 30, 77 };
	const uint64_t s = 1000000000;
	struct inventory inv;
	struct vm_watch w;

	TEST_OK(mkdtemp(root));
	make_proc(root, 10, true);
	make_proc(root, 20, false);
	make_proc(root, 30, false);
	make_proc(root, 40, true);
	inventory_init(&inv);
	TEST_OK(inventory_add_vm(&inv, 40, "ended", 0));
	inventory_gone(&inv.vms[0]);
	TEST_EQ(discover_pid(root, 10, 0, &inv), 1);
	TEST_EQ(vm_watch_init(&w, root), 0);
	TEST_OK(!vm_watch_is_due(&w, 10 * s));
	TEST_OK(!vm_watch_is_due(&w, 39 * s));
	TEST_OK(vm_watch_is_due(&w, 41 * s));
	TEST_OK(!vm_watch_is_due(&w, 42 * s));
	TEST_OK(vm_watch_is_due(&w, 72 * s));
	TEST_EQ(vm_watch_again(&w, vmms, 3, 5, &inv), 0);
	TEST_EQ(inv.nr, 2);
	TEST_EQ(inventory_find(&inv, 10)->nr_vcpus, 0);
	make_vcpu(root, 10, 11, 3);
	make_proc(root, 20, true);
	make_vcpu(root, 20, 21, 0);
	TEST_EQ(vm_watch_again(&w, vmms, 3, 6, &inv), 0);
	TEST_EQ(inv.nr, 3);
	TEST_EQ(inventory_find(&inv, 10)->nr_vcpus, 1);
	TEST_EQ(inventory_find(&inv, 10)->vcpus[0].tid, 11);
	TEST_EQ(inventory_find(&inv, 20)->vcpus[0].tid, 21);
	/* one that was not sampled is not looked at */
	make_proc(root, 30, true);
	TEST_EQ(vm_watch_again(&w, vmms, 1, 7, &inv), 0);
	TEST_EQ(inv.nr, 3);
	vm_watch_deinit(&w);
	inventory_deinit(&inv);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	TEST_EQ(system(command), 0);
	return 0;
}

static void make_began(const char *root, unsigned int pid, uint64_t ns)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "proc/%u/stat", pid);
	snprintf(text, sizeof(text),
		 "%u (a) b) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %llu 0 0\n",
		 pid,
		 (unsigned long long)ns / (1000000000 / sysconf(_SC_CLK_TCK)));
	tree_put(root, path, text);
}

/* The host has just been started, and with it vmmprof and VMs. */
TEST(vmwatch_finds_vm_opened_after_the_beginning)
{
	char root[] = "/tmp/vmmprof-test-XXXXXX", command[64];
	const uint64_t s = 1000000000, boot = clock_ns(CLOCK_BOOTTIME);
	struct inventory inv;
	struct vm_watch w;

	TEST_OK(mkdtemp(root));
	make_proc(root, 1, false);
	make_began(root, 1, boot > 60 * s ? boot - 60 * s : 0);
	make_proc(root, 20, false);
	make_began(root, 20, boot - s);
	inventory_init(&inv);
	TEST_EQ(vm_watch_init(&w, root), 0);
	make_proc(root, 1, true);
	make_proc(root, 20, true);
	TEST_EQ(vm_watch_run(&w, clock_now() + s, 0, &inv), 0);
	TEST_EQ(inv.nr, 1);
	TEST_EQ(inv.vms[0].pid, 20);
	vm_watch_deinit(&w);
	inventory_deinit(&inv);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	TEST_EQ(system(command), 0);
	return 0;
}

static int record_file(void)
{
	const struct vmmprof_file_hdr hdr = {
		.magic = VMMPROF_MAGIC,
		.kind = VMMPROF_FILE_RECORDS,
		.version = VMMPROF_FILE_VERSION,
		.min_version = VMMPROF_FILE_VERSION,
		.hdr_size = sizeof(hdr),
	};
	char path[] = "/tmp/vmmprof-test-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	if (write(fd, &hdr, sizeof(hdr)) != sizeof(hdr))
		abort();
	return fd;
}

static void put_sample(int fd, uint32_t flags, uint32_t pid, uint32_t tid,
		       uint32_t vcpu_id)
{
	const struct vmmprof_rec_sample s = {
		.hdr = { VMMPROF_REC_SAMPLE, sizeof(s), flags, 77 },
		.pid = pid,
		.tid = tid,
		.vcpu_id = vcpu_id,
	};

	if (write(fd, &s, sizeof(s)) != sizeof(s))
		abort();
}

TEST(recordscan_counts_and_finds_vcpus)
{
	const struct vmmprof_rec_lost lost = {
		.hdr = { VMMPROF_REC_LOST, sizeof(lost), 0, 0 },
		.lost = 9,
	};
	struct record_scan scan = { 0 };
	struct inventory inv;
	int fd = record_file();

	put_sample(fd, 0, 4, 4, VMMPROF_NONE);
	put_sample(fd, VMMPROF_S_VCPU, 50, 52, 1);
	put_sample(fd, VMMPROF_S_VCPU, 50, 51, 0);
	put_sample(fd, VMMPROF_S_VCPU, 50, 51, 0);
	put_sample(fd, VMMPROF_S_VCPU, 60, 61, 5000);
	TEST_EQ(write(fd, &lost, sizeof(lost)), sizeof(lost));
	inventory_init(&inv);
	TEST_EQ(record_scan(fd, &inv, &scan), 0);
	TEST_EQ(scan.samples, 5);
	TEST_EQ(scan.switches, 0);
	TEST_EQ(scan.lost, 9);
	TEST_EQ(inv.nr, 2);
	TEST_STR(inv.vms[0].name, "pid-50");
	TEST_EQ(inv.vms[0].seen_tsc, 77);
	TEST_EQ(inv.vms[0].nr_vcpus, 2);
	TEST_EQ(inv.vms[0].vcpus[1].tid, 52);
	TEST_EQ(inv.vms[1].nr_vcpus, 0);
	inventory_deinit(&inv);
	close(fd);
	return 0;
}

TEST(recordscan_counts_switches_and_finds_their_vcpus)
{
	const struct vmmprof_rec_switch out = {
		.hdr = { VMMPROF_REC_OUT, sizeof(out), VMMPROF_W_VCPU, 5 },
		.pid = 50,
		.tid = 51,
		.vcpu_id = 3,
	};
	const struct vmmprof_rec_switch other = {
		.hdr = { VMMPROF_REC_SWITCH, sizeof(other), 0, 6 },
		.pid = 7,
		.tid = 7,
		.vcpu_id = VMMPROF_NONE,
	};
	const struct vmmprof_rec_wake wake = {
		.hdr = { VMMPROF_REC_WAKE, sizeof(wake), VMMPROF_W_VCPU, 7 },
		.pid = 50,
		.tid = 52,
		.vcpu_id = 4,
	};
	struct record_scan scan = { 0 };
	struct inventory inv;
	int fd = record_file();

	TEST_EQ(write(fd, &out, sizeof(out)), sizeof(out));
	TEST_EQ(write(fd, &other, sizeof(other)), sizeof(other));
	TEST_EQ(write(fd, &wake, sizeof(wake)), sizeof(wake));
	inventory_init(&inv);
	TEST_EQ(record_scan(fd, &inv, &scan), 0);
	TEST_EQ(scan.switches, 3);
	TEST_EQ(scan.samples, 0);
	TEST_EQ(inv.nr, 1);
	TEST_EQ(inv.vms[0].nr_vcpus, 2);
	TEST_EQ(inv.vms[0].vcpus[0].vcpu_id, 3);
	TEST_EQ(inv.vms[0].vcpus[0].tid, 51);
	TEST_EQ(inv.vms[0].vcpus[1].tid, 52);
	inventory_deinit(&inv);
	close(fd);
	return 0;
}

TEST(overhead_is_what_was_measured_and_what_each_sample_takes_beside)
{
	const struct overhead_cpu before = { .spent = 1000, .samples = 7 };
	struct overhead_cpu now = { .spent = 1001000, .samples = 1007 };

	/* a second of 1 GHz: 1 ms in callbacks, 3 us beside each of 1,000 */
	TEST_EQ(overhead_share(&now, &before, 1000000000, 1000000), 4000);
	/* half a second */
	TEST_EQ(overhead_share(&now, &before, 500000000, 1000000), 8000);
	/* three times as many ticks are as long */
	now.spent = 3001000;
	TEST_EQ(overhead_share(&now, &before, 3000000000ull, 3000000), 4000);
	TEST_EQ(overhead_share(&before, &before, 1000, 1000000), 0);
	TEST_EQ(overhead_share(&now, &before, 0, 1000000), 0);
	/* more than all of the time is not possible */
	TEST_EQ(overhead_share(&now, &before, 10, 1000000), OVERHEAD_MILLION);
	return 0;
}

TEST(samples_become_as_rare_as_the_limit_asks)
{
	TEST_EQ(overhead_factor(10000, 10000, 1000), 1);
	TEST_EQ(overhead_factor(10001, 10000, 1000), 2);
	TEST_EQ(overhead_factor(25000, 10000, 1000), 3);
	TEST_EQ(overhead_factor(30000, 10000, 1000), 3);
	/* ten a second are left */
	TEST_EQ(overhead_factor(OVERHEAD_MILLION, 100, 1000), 100);
	TEST_EQ(overhead_factor(OVERHEAD_MILLION, 100, 19), 1);
	TEST_EQ(overhead_factor(OVERHEAD_MILLION, 0, 1000), 1);
	return 0;
}
