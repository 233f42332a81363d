// SPDX-License-Identifier: GPL-2.0-only
/* Helpers of the device's tests: verdicts, device, rings, CPUs. */
#include <errno.h>
#include <linux/perf_event.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lab.h"

static unsigned int passed, failed;

void ok_(bool good, const char *rule, ...)
{
	int err = errno;
	va_list ap;

	if (good)
		passed++;
	else
		failed++;
	printf("%s - ", good ? "ok" : "not ok");
	va_start(ap, rule);
	vprintf(rule, ap);
	va_end(ap);
	if (!good)
		printf(" [last error: %s]", strerror(err));
	printf("\n");
	fflush(stdout);
}

void skip(const char *rule, const char *why)
{
	printf("# not tried: %s (%s)\n", rule, why);
}

void die(const char *what)
{
	printf("not ok - %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(1);
}

int dev_open(void)
{
	int fd = open(VMMPROF_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die("open " VMMPROF_DEVICE);
	return fd;
}

uint32_t exits_flag(int fd)
{
	struct vmmprof_info info = { .size = sizeof(info) };

	if (ioctl(fd, VMMPROF_IOC_INFO, &info))
		die("INFO");
	return info.features & VMMPROF_FEAT_EXITS ? VMMPROF_SETUP_F_EXITS : 0;
}

struct vmmprof_setup good_setup(void)
{
	return (struct vmmprof_setup){
		.size = sizeof(struct vmmprof_setup),
		.ring_size = 64 << 10,
		.nr_events = 1,
		.events = { { .type = 1, .period = 1000000 } },
	};
}

void only_cpu(struct vmmprof_setup *setup, unsigned int cpu)
{
	static uint8_t mask[128];

	memset(mask, 0, sizeof(mask));
	mask[cpu / 8] = 1 << cpu % 8;
	setup->cpumask = (uintptr_t)mask;
	setup->cpumask_size = cpu / 8 + 1;
}

struct vmmprof_event cycles(uint64_t period)
{
	return (struct vmmprof_event){ .type = PERF_TYPE_HARDWARE,
				       .config = PERF_COUNT_HW_CPU_CYCLES,
				       .period = period };
}

int counters_free(void)
{
	struct vmmprof_setup s = good_setup();
	int fd = dev_open(), errors = 0;

	s.nr_events = VMMPROF_MAX_EVENTS;
	for (int i = 0; i < VMMPROF_MAX_EVENTS; i++)
		s.events[i] = cycles(1000000 + i);
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s)) {
		close(fd);
		return 0;
	}
	if (ioctl(fd, VMMPROF_IOC_START, 0)) {
		struct vmmprof_cpu_stat st = stat_of(fd, 0);

		for (int i = 0; i < VMMPROF_MAX_EVENTS; i++)
			errors += st.events[i].state == VMMPROF_EV_ERROR;
	}
	close(fd);
	return VMMPROF_MAX_EVENTS - errors;
}

bool have_pmu(void)
{
	return counters_free() > 0;
}

struct vmmprof_cpu_stat stat_of(int fd, unsigned int cpu)
{
	struct vmmprof_cpu_stat st = { .size = sizeof(st), .cpu = cpu };

	if (ioctl(fd, VMMPROF_IOC_CPU_STAT, &st))
		die("CPU_STAT");
	return st;
}

struct ring ring_map(int fd, unsigned int cpu, size_t size)
{
	struct ring r = { .size = size };
	void *p;

	p = mmap(NULL, 4096 + size, PROT_READ, MAP_SHARED, fd,
		 VMMPROF_OFF_RING(cpu));
	if (p == MAP_FAILED)
		die("mmap of a ring");
	r.head = p;
	r.data = (const uint8_t *)p + 4096;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 VMMPROF_OFF_TAIL(cpu));
	if (p == MAP_FAILED)
		die("mmap of a tail");
	r.tail = p;
	return r;
}

void ring_unmap(struct ring *r)
{
	munmap((void *)(r->data - 4096), 4096 + r->size);
	munmap(r->tail, 4096);
}

int ring_drain(struct ring *r, ring_fn fn, void *arg)
{
	return ring_drain_some(r, fn, arg, r->size);
}

int ring_drain_some(struct ring *r, ring_fn fn, void *arg, size_t most)
{
	uint64_t head = __atomic_load_n(&r->head->head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->tail->tail; /* ours alone */

	if (head - tail > r->size)
		return -1;
	while (tail != head && tail - r->tail->tail < most) {
		const struct vmmprof_rec_hdr *hdr;
		size_t pos = tail & (r->size - 1);

		hdr = (const void *)(r->data + pos);
		if (hdr->size < sizeof(*hdr) || hdr->size % VMMPROF_REC_ALIGN ||
		    hdr->size > head - tail || hdr->size > r->size - pos)
			return -1;
		if (hdr->type == VMMPROF_REC_PAD && pos + hdr->size != r->size)
			return -1;
		fn(hdr, arg);
		tail += hdr->size;
	}
	__atomic_store_n(&r->tail->tail, tail, __ATOMIC_RELEASE);
	return 0;
}

static void tally_sample(const struct vmmprof_rec_sample *s, struct tally *t)
{
	t->samples++;
	if (s->event < VMMPROF_MAX_EVENTS)
		t->by_event[s->event]++;
	t->nmi += s->hdr.flags & VMMPROF_S_NMI;
	t->guest += !!(s->hdr.flags & VMMPROF_S_GUEST);
	t->with_vcpu += !!(s->hdr.flags & VMMPROF_S_VCPU);
	if (s->cpu != t->cpu)
		t->wrong_cpu++;
	/* What is not valid is zero; a vCPU is known or it is not. */
	if (s->hdr.size != sizeof(*s) || !s->period || !s->ip ||
	    (s->hdr.flags & VMMPROF_S_VCPU ? 0 : s->vcpu_id != VMMPROF_NONE) ||
	    (s->hdr.flags & VMMPROF_S_STATE ?
		     0 :
		     s->guest_ip || s->guest_cr3 || s->guest_ss_ar ||
			     s->exit_intr_info) ||
	    (s->hdr.flags & VMMPROF_S_VMCS ? 0 : s->vpid || s->exit_reason) ||
	    (s->hdr.flags & VMMPROF_S_USER && s->ip >> 47) ||
	    (!(s->hdr.flags & VMMPROF_S_USER) && !(s->ip >> 47)))
		t->wrong++;
}

void tally(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_lost *lost = (const void *)hdr;
	struct tally *t = arg;

	switch (hdr->type) {
	case VMMPROF_REC_PAD:
		return;
	case VMMPROF_REC_SAMPLE:
		tally_sample((const void *)hdr, t);
		break;
	case VMMPROF_REC_LOST:
		t->lost_records++;
		t->lost += lost->lost;
		if (lost->lost &&
		    (lost->first_tsc > lost->last_tsc ||
		     lost->last_tsc > hdr->tsc || !lost->first_tsc))
			t->wrong++;
		break;
	case VMMPROF_REC_THROTTLE:
		t->throttles++;
		break;
	case VMMPROF_REC_VCPU:
		t->vcpus++;
		break;
	default:
		t->other++;
		break;
	}
	t->last_tsc = hdr->tsc;
}

uint64_t now_ms(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

void busy_ms(unsigned int ms)
{
	uint64_t end = now_ms(CLOCK_MONOTONIC) + ms;

	while (now_ms(CLOCK_MONOTONIC) < end)
		;
}

void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

void pin_none(void)
{
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	sched_setaffinity(0, sizeof(set), &set);
}

void pin_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int online_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

int read_int(const char *path)
{
	FILE *f = fopen(path, "r");
	int v = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%d", &v) != 1)
		v = -1;
	fclose(f);
	return v;
}

int write_int(const char *path, int value)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f, "%d\n", value);
	return fclose(f);
}

int cpu_online(unsigned int cpu, bool on)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online",
		 cpu);
	return write_int(path, on);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "arguments", test_arguments }, { "mappings", test_mappings },
	{ "lifetime", test_lifetime },	 { "sampling", test_sampling },
	{ "chains", test_chains },	 { "kvm", test_kvm },
	{ "late-kvm", test_late_kvm },	 { "switches", test_switches },
	{ "fake", test_fake },		 { "params", test_params },
	{ "hotplug", test_hotplug },	 { "crowd", test_crowd },
	{ "exits", test_exits },	 { "identity", test_identity },
	{ "faults", test_faults },	 { "scale", test_scale },
};

/* ioctl-test [TEST...]: all of them, or those. */
int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		bool wanted = argc < 2;

		for (int k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], tests[i].name);
		if (wanted)
			tests[i].run();
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
