// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof record` up to the first sample.  The order keeps sessions readable
 * whenever it fails: the module accepts the events before an old session is
 * replaced, and the host's maps and the VMs are written before sampling begins.
 */

#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <x86intrin.h>

#include <vmmprof/record.h>

#include "format/session_dir.h"
#include "host/discover.h"
#include "host/memory_policy.h"
#include "host/ring_size.h"
#include "cmd/record/recording.h"
#include "cmd/record/messages.h"
#include <vmmprof/version.h>

#define PRESENT_CPUS "/sys/devices/system/cpu/present"
#define ONLINE_CPUS  "/sys/devices/system/cpu/online"

/* *cpu: a chosen CPU that is not in the file's list, or -1.  0 or -errno. */
static int first_cpu_not_in(const struct recording *r, const char *file,
			    int *cpu)
{
	struct cpus there;
	int ret = cpus_read(file, &there);

	if (ret)
		record_say("cannot read %s: %s", file, strerror(-ret));
	else
		*cpu = cpus_first_outside(&r->cpus, &there);
	return ret;
}

static int choose_cpus(struct recording *r)
{
	int ret, cpu = -1;

	if (!r->opts->have_cpus) {
		/* also CPUs that are offline: they may come online */
		ret = cpus_read(PRESENT_CPUS, &r->cpus);
		if (ret)
			record_say("cannot read " PRESENT_CPUS ": %s",
				   strerror(-ret));
		return ret;
	}
	r->cpus = r->opts->cpus;
	ret = first_cpu_not_in(r, PRESENT_CPUS, &cpu);
	if (!ret && cpu >= 0) {
		record_say("there is no CPU %d on this machine", cpu);
		return -EINVAL;
	}
	if (!ret)
		ret = first_cpu_not_in(r, ONLINE_CPUS, &cpu);
	if (!ret && cpu >= 0)
		record_say(
			"warning: CPU %d is offline; it is sampled once it comes",
			cpu);
	return ret;
}

static int open_device(struct recording *r)
{
	struct error e;
	int ret = device_open(VMMPROF_DEVICE, &r->dev, &e);

	if (ret) {
		record_say_error(&e);
		return ret;
	}
	if (device_kvm_loads(&r->dev, &r->kvm_loads))
		r->kvm_loads = 0;
	r->layout = kvm_layout_of_device(&r->dev, r->layout_text,
					 sizeof(r->layout_text));
	record_say_layout(r->opts, r->layout, r->layout_text);
	record_say_guests(&r->dev.info);
	return 0;
}

/*
 * As record_options.ring_size says, or so that some seconds of samples fit.  Without
 * memory for that: what there is memory for.
 */
static int setup_rings(struct recording *r, uint32_t flags,
		       struct setup_error *where)
{
	struct ring_need need = {
		.events = &r->events,
		.tsc_khz = r->dev.info.tsc_khz,
		.switches = flags & VMMPROF_SETUP_F_SWITCHES,
		.chains = flags & VMMPROF_SETUP_F_CHAINS,
		.chain_stack = r->dev.chain_stack,
		.nr_cpus = cpus_count(&r->cpus),
	};
	uint32_t wanted;
	int ret;

	ring_machine("", &need);
	wanted = r->opts->ring_size ? r->opts->ring_size : ring_size(&need);
	for (r->ring_size = wanted;; r->ring_size /= 2) {
		ret = device_setup(&r->dev, &r->events, &r->cpus, r->ring_size,
				   flags, where);
		if (ret != -ENOMEM || where->event != VMMPROF_NONE ||
		    r->opts->ring_size || r->ring_size <= RING_LEAST)
			break;
	}
	if (!ret && r->ring_size < wanted)
		record_say(
			"warning: rings of %u KiB, as there is no memory for %u KiB: a stall loses samples sooner",
			r->ring_size >> 10, wanted >> 10);
	return ret;
}

/*
 * Sets up with switch records if possible; r->switches_err: why they are not.
 */
static int setup(struct recording *r, struct setup_error *where)
{
	uint32_t flags = r->opts->force_pmu ? VMMPROF_SETUP_F_FORCE : 0;
	bool no_guest = r->layout == LAYOUT_DIFFERS;
	int ret;

	if (no_guest)
		flags |= VMMPROF_SETUP_F_NO_GUEST;
	if (r->opts->exits)
		flags |= VMMPROF_SETUP_F_EXITS;
	if (r->opts->max_overhead)
		flags |= VMMPROF_SETUP_F_SPENT;
	if (r->dev.chain_flags)
		flags |= VMMPROF_SETUP_F_CHAINS;
	if (record_wants_identity(r))
		flags |= VMMPROF_SETUP_F_IDENTITY;

	events_set_rate(&r->events, &r->opts->rate, r->dev.info.tsc_khz);
	r->switches_err = 0;
	if (!r->opts->no_switches && !no_guest) {
		ret = setup_rings(r, flags | VMMPROF_SETUP_F_SWITCHES, where);
		if (!ret || where->event != VMMPROF_NONE)
			return ret;
		r->switches_err = ret; /* unless it fails without them, too */
	}
	return setup_rings(r, flags, where);
}

static void warn_cpu_clock(const struct recording *r)
{
	if (r->dev.info.features & VMMPROF_FEAT_MEDIATED)
		record_say(
			"warning: KVM's mediated vPMU is on and owns the counters; sampling by timer (cpu-clock)");
	else
		record_say(
			"warning: no performance counter is available; sampling by timer (cpu-clock)");
	record_say(
		"warning: a timer is not an NMI: code that runs with interrupts off is charged to where they are turned on again");
}

/* Without -e: chooses the best trigger that the machine has. */
static int setup_default(struct recording *r, struct setup_error *where)
{
	bool mediated = r->dev.info.features & VMMPROF_FEAT_MEDIATED &&
			!r->opts->force_pmu;
	char bad[EVENT_NAME];
	unsigned int i;
	int ret = -ENOENT;

	for (i = mediated ? EVENT_TIMER : 0; event_default(i); i++) {
		events_parse(event_default(i), &r->events, bad);
		if (i == EVENT_TIMER)
			warn_cpu_clock(r);
		ret = setup(r, where);
		if (!ret || where->event == VMMPROF_NONE)
			break;
	}
	if (!ret && i == 1 && !r->opts->quiet)
		record_say(
			"this CPU does not count ref-cycles: the event is cycles, of which a fast clock has more");
	return ret;
}

static int setup_events(struct recording *r)
{
	struct setup_error where;
	int ret;

	if (r->opts->have_events) {
		r->events = r->opts->events;
		ret = setup(r, &where);
	} else {
		ret = setup_default(r, &where);
	}
	if (ret)
		record_say_error(&where.error);
	else if (r->switches_err)
		record_say_no_switches(r->switches_err);
	return ret;
}

static void put_command(struct recording *r)
{
	char text[1000];
	size_t used = 0;
	int i;

	for (i = 0; i < r->argc && used < sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - used, "%s%s",
				 i ? " " : "", r->argv[i]);
	item_text(&r->out.info, "command", "%s", text);
}

/* What runs on this CPU is a VM itself (CPUID 1, ECX bit 31). */
static bool in_vm(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx >> 31;
}

static void put_header(struct recording *r)
{
	static const char *const vendors[] = { "none", "vmx", "svm" };
	struct item_writer *w = &r->out.info;
	uint32_t vendor = r->dev.info.vendor;
	struct utsname uts;
	const char *by;
	char text[512];
	unsigned int i;

	item_text(w, "tool", "vmmprof %s", VMMPROF_VERSION);
	item_text(w, "module", "%s", r->dev.info.version);
	if (!uname(&uts)) {
		item_text(w, "hostname", "%s", uts.nodename);
		item_text(w, "release", "%s", uts.release);
		item_text(w, "arch", "%s", uts.machine);
	}
	item_text(w, "vendor", "%s", vendor < 3 ? vendors[vendor] : "unknown");
	if (in_vm())
		item_text(w, "virtual", "yes");
	item_text(w, "tsc_khz", "%u", r->dev.info.tsc_khz);
	cpus_format(&r->cpus, text, sizeof(text));
	item_text(w, "cpus", "%s", text);
	item_text(w, "ring_size", "%u", r->ring_size);
	if (r->layout != LAYOUT_SAME)
		item_note(
			w, "%s: %s",
			r->layout == LAYOUT_DIFFERS ?
				"no guests: the module was built for another kvm" :
				"the layout of KVM was not verified",
			r->layout_text);
	record_trigger_text(&r->events, text, sizeof(text));
	item_text(w, "trigger", "%s", text);
	record_put_chains(r);
	if (record_wants_identity(r))
		item_text(w, "identity", "memory");
	by = memory_forbidden(r->opts->no_guest_memory, "");
	if (by)
		item_text(w, "guest_memory", "forbidden by %s", by);
	put_command(r);
	session_writer_switches(&r->out,
				!r->opts->no_switches && !r->switches_err &&
					r->layout != LAYOUT_DIFFERS,
				-r->switches_err);
	for (i = 0; i < r->events.nr; i++)
		session_writer_event(&r->out, i, r->events.choice[i].name,
				     &r->events.choice[i].event);
	item_writer_clock(w);
}

static int open_session(struct recording *r)
{
	struct error e;
	int ret = session_writer_create(r->opts->dir, r->opts->force, &r->out,
					&e);

	if (ret) {
		record_say_error(&e);
		return ret;
	}
	r->out_open = true;
	put_header(r);
	r->files = calloc(r->dev.nr_rings, sizeof(*r->files));
	r->stats = calloc(r->dev.nr_rings, sizeof(*r->stats));
	if (!r->files || !r->stats)
		ret = -ENOMEM;
	while (!ret && r->nr_files < r->dev.nr_rings) {
		ret = session_writer_records(&r->out,
					     r->dev.rings[r->nr_files].cpu,
					     &r->files[r->nr_files]);
		r->nr_files += !ret;
	}
	if (ret)
		record_say_unwritten(r->opts->dir, ret);
	return ret;
}

void record_put_inventory(struct recording *r)
{
	unsigned int i, j;

	for (i = 0; i < r->inv.nr; i++) {
		struct vm *vm = &r->inv.vms[i];

		if (vm->changed)
			session_writer_vm(&r->out, vm->pid, vm->nr_vcpus,
					  vm->seen_tsc, vm->name);
		vm->changed = false;
		for (j = 0; j < vm->nr_vcpus; j++) {
			struct vm_vcpu *vcpu = &vm->vcpus[j];

			if (vcpu->changed)
				session_writer_vcpu(&r->out, vm->pid, vcpu->tid,
						    vcpu->vcpu_id, vcpu->comm);
			vcpu->changed = false;
		}
	}
}

static int begin_inventory(struct recording *r)
{
	struct discover_result found;
	int ret = discover("", __rdtsc(), &r->inv, &found);

	if (!ret)
		ret = vm_watch_init(&r->watch, "");
	if (ret) {
		record_say("cannot look for VMs in /proc: %s", strerror(-ret));
		return ret;
	}
	if (found.denied) {
		record_say(
			"warning: %u processes cannot be inspected: VMs among them have no name",
			found.denied);
		item_note(&r->out.info,
			  "%u processes could not be searched for VMs",
			  found.denied);
	}
	record_put_inventory(r);
	return 0;
}

static int begin_host(struct recording *r)
{
	/* vmmprof top shows what has just begun */
	unsigned int how = r->live ? 0 : HOST_MAPS_SPARING;
	int ret;

	if (r->dev.chain_flags & VMMPROF_CHAIN_F_HOST_USER)
		how |= HOST_MAPS_UNWIND;
	ret = host_maps_begin(&r->host, r->out.dirfd, how);
	if (ret) {
		record_say("cannot write the host's maps: %s", strerror(-ret));
		return ret;
	}
	r->host_open = true;
	if (r->host.kernel_err)
		record_say(
			"warning: the kernel hides its symbols (kernel.kptr_restrict): its functions will have no names");
	if (r->host.sideband_err)
		record_say(
			"warning: processes that start or end meanwhile will have no names: %s",
			strerror(-r->host.sideband_err));
	return 0;
}

static int block_signals(struct recording *r)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signals < 0 ? -errno : 0;
}

/* Each CPU needs two open files, for its records and its side-band events. */
static void allow_files(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int prepare(struct recording *r)
{
	int ret = choose_cpus(r);
	struct error e;

	if (ret)
		return ret;
	ret = session_dir_check(r->opts->dir, r->opts->force, &e);
	if (ret) {
		record_say_error(&e);
		return ret;
	}
	if (r->opts->command) {
		ret = workload_prepare(r->opts->command, &r->child);
		if (ret) {
			record_say("cannot start a process: %s",
				   strerror(-ret));
			return ret;
		}
	}
	allow_files(); /* after the fork: the command keeps its own limit */
	ret = open_device(r);
	if (!ret)
		ret = record_check_exits(r);
	if (!ret)
		ret = record_check_chains(r);
	if (!ret)
		ret = record_check_overhead(r);
	if (!ret)
		ret = setup_events(r);
	if (ret)
		return ret;
	ret = device_map(&r->dev, &r->cpus, r->ring_size);
	if (ret)
		record_say("cannot map the rings: %s", strerror(-ret));
	return ret;
}

int record_begin(struct recording *r)
{
	int ret = prepare(r);

	if (!ret)
		ret = block_signals(r);
	if (!ret)
		ret = open_session(r);
	if (!ret)
		ret = begin_host(r);
	if (!ret)
		ret = begin_inventory(r);
	if (!ret)
		record_begin_identity(r);
	if (!ret && !r->live)
		record_begin_guests(r);
	if (!ret)
		ret = session_writer_flush(&r->out);
	return ret;
}
