/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of the device from user space: what the test files share. */
#ifndef KMOD_LAB_H
#define KMOD_LAB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <vmmprof/ioctl.h>
#include <vmmprof/record.h>

/* Print "ok - RULE" or "not ok - RULE [errno]" and count. */
void ok_(bool good, const char *rule, ...)
	__attribute__((format(printf, 2, 3)));
#define ok(good, ...)                                       \
	do {                                                \
		bool good_ = good; /* numbers come later */ \
		ok_(good_, __VA_ARGS__);                    \
	} while (0)

/* The call failed with this errno. */
#define fails(call, err) (errno = 0, (call) == -1 && errno == (err))

/* A rule that cannot be tried here, and why; not counted. */
void skip(const char *rule, const char *why);

/* Exit with status 1: the test itself cannot go on. */
void die(const char *what) __attribute__((noreturn));

/* An open device that must work. */
int dev_open(void);

/* SETUP_F_EXITS; 0 of a module that cannot count exits here (kCFI). */
uint32_t exits_flag(int fd);

/* A setup that is right: one cpu-clock event at 1 ms, all CPUs, 64 KiB. */
struct vmmprof_setup good_setup(void);

/* Bits of CPUs for setup.cpumask, one CPU. */
void only_cpu(struct vmmprof_setup *setup, unsigned int cpu);

/* How many of VMMPROF_MAX_EVENTS equal hardware events find a counter. */
int counters_free(void);

/* Cycles every @period, and whether there is a PMU that counts them. */
struct vmmprof_event cycles(uint64_t period);
bool have_pmu(void);

/* stat of @cpu; dies if there is none. */
struct vmmprof_cpu_stat stat_of(int fd, unsigned int cpu);

struct ring {
	const struct vmmprof_ring_head *head;
	const uint8_t *data;
	struct vmmprof_ring_tail *tail;
	size_t size;
};

/* Map @cpu's ring, or die. */
struct ring ring_map(int fd, unsigned int cpu, size_t size);
void ring_unmap(struct ring *r);

typedef void (*ring_fn)(const struct vmmprof_rec_hdr *hdr, void *arg);

/* Call @fn for each record, consume them.  -1: the ring is malformed. */
int ring_drain(struct ring *r, ring_fn fn, void *arg);

/* The same, leaving what lies beyond the first @most bytes. */
int ring_drain_some(struct ring *r, ring_fn fn, void *arg, size_t most);

/* Counts of what a ring held; its own fn for ring_drain(). */
struct tally {
	uint64_t samples, lost, lost_records, other, vcpus, throttles;
	uint64_t by_event[VMMPROF_MAX_EVENTS];
	uint64_t nmi, guest, with_vcpu, wrong;
	uint64_t wrong_cpu;
	uint32_t cpu;
	uint64_t last_tsc;
};
void tally(const struct vmmprof_rec_hdr *hdr, void *arg);

/* Sessions killed at arbitrary moments, CPU 1 going and coming. */
void kill_sessions(void);

/*
 * A child that runs @run, of which @ready is to be closed when its VM runs; @arg
 * need not live longer than the call.  Returns then.
 */
pid_t vm_fork(void (*run)(const void *arg, int ready), const void *arg);

/* A VM that runs this code in real mode until killed; its pid. */
pid_t vm_start(const uint8_t *code, size_t len);

uint64_t now_ms(clockid_t clock);
void busy_ms(unsigned int ms); /* burn CPU time */
void sleep_ms(unsigned int ms);
void pin_none(void);
void pin_cpu(unsigned int cpu); /* this process and its children */
int online_cpus(void);
int cpu_online(unsigned int cpu, bool on); /* 0, or -1 */
int read_int(const char *path);		   /* -1: no such file */
int write_int(const char *path, int value);
#define OWNER "/sys/class/misc/vmmprof/owner"

/* The test files */
void test_arguments(void);
void test_mappings(void);
void test_lifetime(void);
void test_sampling(void);
void test_chains(void);
void test_kvm(void);
void test_late_kvm(void);
void test_switches(void);
void test_fake(void);
void test_params(void);
void test_hotplug(void);
void test_crowd(void);
void test_exits(void);
void test_identity(void);
void test_faults(void);
void test_scale(void);

#endif /* KMOD_LAB_H */
