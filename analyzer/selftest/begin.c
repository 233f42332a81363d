// SPDX-License-Identifier: GPL-2.0-only
/* Before the first run: the module, the event, the VM and its speed. */

#include <cpuid.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "selftest/run.h"

#define KVM_DEVICE	 "/dev/kvm"
#define RING_SIZE	 (512u << 10) /* as record's */

/* Exits a round, and how much longer its loops take than they. */
#define CPUIDS		 40
#define OUTS		 20
#define HLTS		 20
#define LOOPS_NS	 5000000
#define LOOPS_PART	 10
#define TRY_STEPS	 2000
#define TRIES		 5

/* How long a halt is, so that three exits are a small part of it. */
#define HALT_NS		 2000000
#define HALT_PART	 2 /* of the exits of a round */

#define CPUID_HYPERVISOR 0x80000000u /* leaf 1, ECX */

/* The loops' shares of a round, in tenths. */
static const unsigned int tenths[GUEST_LOOPS] = { 5, 3, 2 };

int selftest_pin(unsigned int cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	int ret;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	ret = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return ret;
}

/* As record without -e: what the machine has of these. */
static int setup(struct selftest *t, struct device *dev, uint32_t flags,
		 struct error *e)
{
	struct rate rate = { 0 };
	struct setup_error where;
	char bad[EVENT_NAME];
	int i, ret = -ENOENT;

	if (t->events.nr) {
		ret = device_setup(dev, &t->events, &t->cpus, RING_SIZE, flags,
				   &where);
		if (ret)
			*e = where.error;
		return ret;
	}
	i = dev->info.features & VMMPROF_FEAT_MEDIATED ? EVENT_TIMER : 0;
	for (; event_default(i); i++) {
		events_parse(event_default(i), &t->events, bad);
		events_set_rate(&t->events, &rate, dev->info.tsc_khz);
		ret = device_setup(dev, &t->events, &t->cpus, RING_SIZE, flags,
				   &where);
		if (!ret || where.event == VMMPROF_NONE)
			break;
	}
	if (ret) {
		t->events.nr = 0;
		*e = where.error;
	}
	return ret;
}

int selftest_open(struct selftest *t, struct device *dev, uint32_t flags,
		  struct error *e)
{
	int ret = device_open(VMMPROF_DEVICE, dev, e);

	if (ret)
		return ret;
	dev->chain_flags = VMMPROF_CHAIN_F_GUEST;
	dev->chain_depth = 16;
	ret = setup(t, dev, flags, e);
	if (!ret) {
		ret = device_map(dev, &t->cpus, RING_SIZE);
		if (ret)
			error_set(e, ret, "cannot map the rings: %s",
				  strerror(-ret));
	}
	if (ret)
		device_close(dev);
	return ret;
}

/* Is this host a VM, whose time is not its own? */
static bool is_vm(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & CPUID_HYPERVISOR;
}

/*
 * Of one round, the shortest of some: where there is more to do than there are
 * CPUs, something else runs in many of them, and for longer than they.
 */
static int time_round(struct selftest *t, __u64 *ns, struct error *e)
{
	__u64 begin, took;
	int i, ret = 0;

	*ns = ~0ull;
	for (i = 0; !ret && i < TRIES; i++) {
		begin = clock_now();
		vm_stop(&t->vm);
		ret = vm_go(&t->vm, e);
		took = clock_now() - begin;
		if (took < *ns)
			*ns = took;
	}
	return ret;
}

/*
 * How long the loops have to be.  The first round also has KVM and the host map
 * what they need: it is not the shortest.
 */
static int measure(struct selftest *t, struct error *e)
{
	struct guest_params *p = t->vm.params;
	__u64 few, many, want, total;
	unsigned int i;
	double part;
	int ret;

	p->cpuids = CPUIDS;
	p->outs = OUTS;
	p->hlts = HLTS;
	for (i = 0; i < GUEST_LOOPS; i++)
		p->length[i] = 1;
	ret = time_round(t, &few, e);
	total = TRY_STEPS;
	/* Until it is long enough: then a quarter of that was not. */
	do {
		total *= 4;
		for (i = 0; i < GUEST_LOOPS; i++)
			p->length[i] = total * tenths[i] / 10;
		if (!ret)
			ret = time_round(t, &many, e);
	} while (!ret && many < LOOPS_PART * few && total < 1ull << 40);
	if (ret)
		return ret;
	want = few * LOOPS_PART;
	if (want < LOOPS_NS)
		want = LOOPS_NS;
	part = (double)want / (many - few);
	total = total * (part < 0.25 ? 0.25 : part) + 1;
	for (i = 0; i < GUEST_LOOPS; i++)
		p->length[i] = total * tenths[i] / 10 + 1;
	p = t->halting.params;
	p->timer = few / HALT_PART > HALT_NS ? few / HALT_PART : HALT_NS;
	p->length[GUEST_LOOP_A] = t->vm.params->length[GUEST_LOOP_A] / 10 + 1;
	return 0;
}

static int look_at_module(struct selftest *t, struct error *e)
{
	char text[192];
	struct device dev;
	int ret = device_open(VMMPROF_DEVICE, &dev, e);

	if (ret)
		return ret;
	t->info = dev.info;
	t->layout = kvm_layout_of_device(&dev, text, sizeof(text));
	device_close(&dev);
	if (!(t->info.features & VMMPROF_FEAT_GUEST)) {
		ret = error_set(e, -EOPNOTSUPP,
				"the module reads no guests on this host");
		error_hint(e, "`vmmprof doctor` says what is in the way.",
			   NULL);
	} else if (t->layout == LAYOUT_DIFFERS) {
		ret = error_set(
			e, -EOPNOTSUPP,
			"vmmprof.ko was built for another kvm than the one that runs: %s",
			text);
		error_hint(
			e,
			"Build it for this kernel: `make kmod`, rmmod vmmprof, insmod vmmprof.ko.",
			NULL);
	}
	return ret;
}

static int make_dir(struct selftest *t, struct error *e)
{
	const char *tmp = getenv("TMPDIR");
	int ret = 0;

	snprintf(t->dir, sizeof(t->dir), "%s/vmmprof-selftest-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(t->dir)) {
		ret = error_set(e, -errno, "cannot make %s: %s", t->dir,
				strerror(errno));
		error_hint(e, "Set TMPDIR to a directory that can be written.",
			   NULL);
		t->dir[0] = '\0';
	}
	return ret;
}

static void not_open(struct tiny_vm *vm)
{
	vm->kvm = -1;
	vm->vm = -1;
	vm->vcpu = -1;
}

int selftest_begin(struct selftest *t, struct error *e)
{
	int ret;

	not_open(&t->vm);
	not_open(&t->halting);
	cpus_add(&t->cpus, t->cpu);
	t->emulated = is_vm();
	/* KVM before the module's session: it has to be loaded. */
	ret = vm_open(&t->vm, KVM_DEVICE, false, e);
	if (!ret)
		ret = vm_open(&t->halting, KVM_DEVICE, true, e);
	if (!ret)
		ret = look_at_module(t, e);
	if (!ret)
		ret = measure(t, e);
	if (!ret)
		ret = make_dir(t, e);
	return ret;
}

void selftest_end(struct selftest *t)
{
	vm_close(&t->halting);
	vm_close(&t->vm);
	if (*t->dir)
		rmdir(t->dir);
	t->dir[0] = '\0';
}
