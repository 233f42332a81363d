// SPDX-License-Identifier: GPL-2.0-only
/*
 * bigsession [OPTIONS] DIR: write a session of many samples, the same bytes for
 * the same options: guests whose vCPUs share CPUs with each other and with
 * programs of the host, as a sampler with switch records sees them.
 *   -n samples (1000000)   -c CPUs (16)   -g guests (8)   -v vCPUs each (4)
 *   -p processes in each guest and on the host (30)
 *   -f functions of each kernel, and of the programs of each machine (2000)
 *   -l length of their names (24)   -x guests' names hold escapes   -s seed (1)
 *   -r samples a second (1000)
 *   -w times between two samples at which one in five switches (1)
 * Prints one line: how many samples are of guest code.
 */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vmmprof/maps.h>
#include <vmmprof/record.h>
#include <vmmprof/session.h>

#include "format/item_writer.h"
#include "draw.h"

#define START  DRAW_START
#define KHZ    DRAW_KHZ
#define PERIOD (KHZ * 1000 / hz)
#define KERNEL 0xffffffff81000000ull
#define KVM    0xffffffffc0001000ull
#define TEXT   0x401000ull
#define STACKS 0xffffc90000000000ull
#define TASKS  1000u /* pid of the first process of a machine */

static unsigned long samples = 1000000;
static unsigned int cpus = 16, guests = 8, vcpus = 4, procs = 30, funcs = 2000;
static unsigned int name_length = 24, seed = 1, hz = 1000, switches = 1;
static bool escapes;
static struct draw rnd;
static unsigned long guest_samples;

/* A thread that runs on one CPU: a vCPU's, or of the host; pid 0: idle. */
struct task {
	__u32 pid, tid, guest, vcpu; /* vcpu: VMMPROF_NONE of the others */
	__u32 proc;		     /* in the guest, at this time */
	bool runs, waits, known;
};

static struct task *vcpu_tasks; /* guests * vcpus */

static __u64 guest_offset(unsigned int g)
{
	return (g + 1) * 1000000000ull;
}

static void put(struct item_writer *w, __u32 type, const void *item,
		size_t size, const void *tail, size_t tail_size)
{
	if (item_put(w, type, item, size, tail, tail_size))
		errx(1, "cannot write an item");
}

static void put_clock(struct item_writer *w, __u64 offset, __u64 tsc)
{
	struct vmmprof_item_clock c = { .tsc = tsc + offset };

	c.mono_ns = tsc * 1000000 / KHZ;
	c.real_ns = c.mono_ns + 1700000000000000000ull;
	put(w, VMMPROF_ITEM_CLOCK, &c, sizeof(c), NULL, 0);
}

static __u64 end_tsc(void)
{
	return START + (samples / cpus + 3) * PERIOD;
}

static void put_kernel(struct item_writer *w, bool host)
{
	struct vmmprof_item_hdr h;
	char *text, name[4096];
	unsigned int i;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "%llx T _text\n", KERNEL);
	for (i = 0; i < funcs; i++) {
		draw_name(name, sizeof(name), 'k', i, name_length);
		fprintf(f, "%llx T %s\n", KERNEL + i * DRAW_FUNC_SIZE, name);
	}
	fprintf(f, "%llx T default_idle\n", KERNEL + i * DRAW_FUNC_SIZE);
	i++;
	fprintf(f, "%llx T _etext\n", KERNEL + i * DRAW_FUNC_SIZE);
	if (host)
		fprintf(f,
			"%llx t vmx_do_nmi_irqoff\t[kvm_intel]\n"
			"%llx t vmx_vcpu_run\t[kvm_intel]\n",
			KVM, KVM + 0x100);
	if (fclose(f))
		err(1, "kallsyms");
	put(w, VMMPROF_MAPS_KALLSYMS, &h, sizeof(h), text, size);
	free(text);
}

/* The one program of a machine, which all its processes execute. */
static void put_program(struct item_writer *w)
{
	struct vmmprof_maps_symtab *t;
	struct vmmprof_maps_file file = { .id = 1 };
	struct vmmprof_segment seg = { .offset = 0x1000, .vaddr = TEXT };
	struct vmmprof_symbol *sym;
	size_t max = (size_t)funcs * (name_length + 32), used = 1;
	unsigned int i;
	char *strings;

	put(w, VMMPROF_MAPS_FILE, &file, sizeof(file), "/usr/bin/program", 17);
	t = calloc(1, sizeof(*t) + sizeof(seg) + funcs * sizeof(*sym) + max);
	if (!t)
		err(1, "symbols");
	seg.filesz = funcs * DRAW_FUNC_SIZE;
	t->file = 1;
	t->nr_segments = 1;
	t->nr_symbols = funcs;
	memcpy(t + 1, &seg, sizeof(seg));
	sym = (void *)((char *)(t + 1) + sizeof(seg));
	strings = (char *)(sym + funcs);
	for (i = 0; i < funcs; i++) {
		sym[i].addr = TEXT + i * DRAW_FUNC_SIZE;
		sym[i].size = DRAW_FUNC_SIZE;
		sym[i].name = used;
		draw_name(strings + used, max - used, 'u', i, name_length);
		used += strlen(strings + used) + 1;
	}
	t->strings_size = used;
	put(w, VMMPROF_MAPS_SYMTAB, t, strings + used - (char *)t, NULL, 0);
	free(t);
}

static __u64 proc_cr3(unsigned int p)
{
	return (p + 16ull) << 12;
}

static __u64 proc_stack(unsigned int p)
{
	return STACKS + p * 0x10000ull;
}

/* A process with its mapping, and in guests its page table and stack. */
static void put_process(struct item_writer *w, __u32 pid, const char *comm,
			unsigned int p, bool guest)
{
	struct vmmprof_maps_proc proc = { .op = VMMPROF_OP_SNAP, .pid = pid };
	struct vmmprof_maps_map map = { .start = TEXT, .pid = pid, .file = 1 };
	struct vmmprof_maps_mm mm = { .op = VMMPROF_OP_SNAP, .pid = pid };
	struct vmmprof_maps_task task = { .op = VMMPROF_OP_SNAP, .pid = pid };

	memcpy(proc.comm, comm, strnlen(comm, sizeof(proc.comm)));
	put(w, VMMPROF_MAPS_PROC, &proc, sizeof(proc), "", 1);
	map.pgoff = 0x1000;
	map.end = (TEXT + funcs * DRAW_FUNC_SIZE + 0xfff) & ~0xfffull;
	put(w, VMMPROF_MAPS_MAP, &map, sizeof(map), NULL, 0);
	if (!guest)
		return;
	mm.key = proc_cr3(p);
	mm.tid = pid;
	memcpy(mm.comm, proc.comm, sizeof(mm.comm));
	put(w, VMMPROF_MAPS_MM, &mm, sizeof(mm), NULL, 0);
	task.stack = proc_stack(p);
	task.tid = pid;
	memcpy(task.comm, proc.comm, sizeof(task.comm));
	put(w, VMMPROF_MAPS_TASK, &task, sizeof(task), NULL, 0);
}

/* Machine 0 is the host. */
static void put_machine(int dirfd, const char *path, unsigned int machine)
{
	__u64 offset = machine ? guest_offset(machine - 1) : 0;
	struct item_writer w;
	char comm[32];
	unsigned int p;

	if (item_writer_open(&w, dirfd, path, VMMPROF_FILE_MAPS))
		errx(1, "cannot create %s", path);
	item_text(&w, "from", machine ? "watch" : "record");
	item_text(&w, "phys_mask", "0xffffffffff000");
	item_text(&w, "stack_size", "16384");
	item_text(&w, "pti", "0");
	put_clock(&w, offset, START - PERIOD);
	put_clock(&w, offset, end_tsc());
	put_kernel(&w, !machine);
	put_program(&w);
	for (p = 0; p < procs; p++) {
		snprintf(comm, sizeof(comm), "m%up%u", machine, p);
		put_process(&w, TASKS + p, comm, p, machine);
	}
	for (p = 0; !machine && p < guests; p++)
		put_process(&w, DRAW_VM_PID(p), "qemu-system-x86", 0, 0);
	if (item_writer_close(&w, true))
		errx(1, "cannot write %s", path);
}

static void guest_name(char *buf, size_t size, unsigned int g)
{
	snprintf(buf, size, escapes ? "vm\033[2J\a%u\xff" : "vm%u", g);
}

static void put_states(struct item_writer *w, const struct task *t)
{
	struct vmmprof_info_vcpu_state s = { .pid = t->pid, .tid = t->tid };

	s.tsc = START;
	s.state = VMMPROF_VCPU_HALTED;
	put(w, VMMPROF_INFO_VCPU_STATE, &s, sizeof(s), NULL, 0);
	s.tsc = end_tsc();
	s.when = VMMPROF_WHEN_STOP;
	if (t->runs || t->waits)
		s.state = VMMPROF_VCPU_RUNNABLE;
	put(w, VMMPROF_INFO_VCPU_STATE, &s, sizeof(s), NULL, 0);
}

static void put_guest(struct item_writer *w, int dirfd, unsigned int g)
{
	__u32 pid = DRAW_VM_PID(g);
	struct vmmprof_info_vm vm = { .pid = pid, .nr_vcpus = vcpus };
	struct vmmprof_info_guest guest = { .pid = pid };
	struct vmmprof_info_vcpu vcpu = { .pid = pid };
	char name[64], path[128];
	unsigned int v;

	guest_name(name, sizeof(name), g);
	put(w, VMMPROF_INFO_VM, &vm, sizeof(vm), name, strlen(name) + 1);
	put(w, VMMPROF_INFO_GUEST, &guest, sizeof(guest), name,
	    strlen(name) + 1);
	for (v = 0; v < vcpus; v++) {
		vcpu.tid = pid + 1 + v;
		vcpu.vcpu_id = v;
		snprintf(vcpu.comm, sizeof(vcpu.comm), "CPU %u/KVM", v % 10000);
		put(w, VMMPROF_INFO_VCPU, &vcpu, sizeof(vcpu), NULL, 0);
		put_states(w, &vcpu_tasks[g * vcpus + v]);
	}
	snprintf(path, sizeof(path), "guests/%s.bundle", name);
	put_machine(dirfd, path, 1 + g);
}

static unsigned long samples_of(unsigned int cpu)
{
	return samples / cpus + (cpu < samples % cpus);
}

static void put_info(int dirfd)
{
	struct vmmprof_info_event event = { .config = 9, .period = PERIOD };
	struct vmmprof_info_stop stop = { .start_tsc = START };
	struct vmmprof_info_switches switches = { .on = 1 };
	struct vmmprof_info_cpu cpu = { .stat.size = sizeof(cpu.stat) };
	struct item_writer w;
	unsigned int i;

	if (item_writer_open(&w, dirfd, "info", VMMPROF_FILE_INFO))
		errx(1, "cannot create info");
	put_clock(&w, 0, START);
	item_text(&w, "hostname", "big");
	item_text(&w, "tsc_khz", "%llu", KHZ);
	item_text(&w, "trigger", "ref-cycles");
	put(&w, VMMPROF_INFO_EVENT, &event, sizeof(event), "ref-cycles", 11);
	put(&w, VMMPROF_INFO_SWITCHES, &switches, sizeof(switches), NULL, 0);
	for (i = 0; i < guests; i++)
		put_guest(&w, dirfd, i);
	for (i = 0; i < cpus; i++) {
		cpu.stat.cpu = i;
		cpu.stat.samples = samples_of(i);
		cpu.stat.online = 1;
		cpu.stat.nr_events = 1;
		put(&w, VMMPROF_INFO_CPU, &cpu, sizeof(cpu), NULL, 0);
	}
	stop.stop_tsc = end_tsc();
	stop.reason = VMMPROF_STOP_DURATION;
	put(&w, VMMPROF_INFO_STOP, &stop, sizeof(stop), NULL, 0);
	if (item_writer_close(&w, true))
		errx(1, "cannot write info");
}

/* One physical CPU and whoever may run on it. */
struct cpu {
	FILE *out;
	__u32 nr;
	struct task **tasks; /* vCPUs first, two of the host, idle last */
	unsigned int nr_tasks, nr_vcpus, now;
	struct task own[3];
};

static void put_record(struct cpu *c, void *rec, __u16 type, size_t size,
		       __u64 tsc)
{
	struct vmmprof_rec_hdr *h = rec;

	h->type = type;
	h->size = size;
	h->tsc = tsc;
	fwrite(rec, size, 1, c->out);
}

static void put_comm(char comm[16], const struct task *t)
{
	if (t->vcpu != VMMPROF_NONE)
		snprintf(comm, 16, "CPU %u/KVM", t->vcpu % 10000);
	else if (t->pid)
		snprintf(comm, 16, "m0p%u", t->pid - TASKS);
	else
		strcpy(comm, "swapper");
}

static void put_switch(struct cpu *c, __u16 type, const struct task *t,
		       const struct task *other, __u32 flags, __u64 tsc)
{
	struct vmmprof_rec_switch s = { .hdr.flags = flags };

	if (t->vcpu != VMMPROF_NONE)
		s.hdr.flags |= VMMPROF_W_VCPU;
	s.pid = t->pid;
	s.tid = t->tid;
	s.vcpu_id = t->vcpu;
	s.cpu = c->nr;
	if (t->vcpu != VMMPROF_NONE && !flags && type == VMMPROF_REC_OUT)
		s.mp_state = 3; /* KVM_MP_STATE_HALTED */
	s.other_pid = other->pid;
	s.other_tid = other->tid;
	put_comm(s.comm, t);
	put_comm(s.other_comm, other);
	put_record(c, &s, type, sizeof(s), tsc);
}

static void put_wake(struct cpu *c, const struct task *t, __u64 tsc)
{
	struct vmmprof_rec_wake w = { .hdr.flags = VMMPROF_W_IRQ };

	w.pid = t->pid;
	w.tid = t->tid;
	w.hdr.flags |= VMMPROF_W_VCPU;
	w.vcpu_id = t->vcpu;
	w.cpu = c->nr;
	w.from_cpu = c->nr;
	put_record(c, &w, VMMPROF_REC_WAKE, sizeof(w), tsc);
}

static void put_vcpu(struct cpu *c, struct task *t, __u64 tsc)
{
	struct vmmprof_rec_vcpu v = { .hdr.flags = VMMPROF_V_EPT };

	if (t->known)
		return;
	t->known = true;
	v.pid = t->pid;
	v.tid = t->tid;
	v.vcpu_id = t->vcpu;
	v.vpid = 1 + t->guest * vcpus + t->vcpu;
	v.tsc_offset = guest_offset(t->guest);
	v.tsc_frac_bits = 48;
	v.cpu = c->nr;
	put_record(c, &v, VMMPROF_REC_VCPU, sizeof(v), tsc);
}

/* Who comes next: nobody idles while a vCPU waits for this CPU. */
static unsigned int choose(const struct cpu *c)
{
	unsigned int next = draw_below(&rnd, c->nr_tasks), i;

	for (i = 0; next == c->nr_tasks - 1 && i < c->nr_vcpus; i++)
		if (c->tasks[i]->waits || (i == c->now && draw_below(&rnd, 2)))
			next = i;
	return next;
}

static void switch_tasks(struct cpu *c, __u64 tsc)
{
	unsigned int next = choose(c), i;
	struct task *from = c->tasks[c->now], *to = c->tasks[next];
	bool waiting = false, preempted;

	if (next == c->now)
		return;
	for (i = 0; i < c->nr_vcpus; i++)
		waiting |= c->tasks[i]->waits;
	if (to->vcpu != VMMPROF_NONE && !to->waits)
		put_wake(c, to, tsc - 20000 - draw_below(&rnd, 100000));
	preempted = to->pid && draw_below(&rnd, 2);
	if (from->vcpu != VMMPROF_NONE)
		put_switch(c, VMMPROF_REC_OUT, from, to,
			   preempted ? VMMPROF_W_RUNNABLE : 0, tsc);
	else if (to->vcpu == VMMPROF_NONE && waiting)
		put_switch(c, VMMPROF_REC_SWITCH, from, to, 0, tsc);
	from->runs = false;
	from->waits = from->vcpu != VMMPROF_NONE && preempted;
	to->runs = true;
	to->waits = false;
	c->now = next;
	if (to->vcpu != VMMPROF_NONE) {
		put_switch(c, VMMPROF_REC_IN, to, from, 0, tsc);
		put_vcpu(c, to, tsc + 1000);
	}
}

/* In a guest's code. */
static void sample_guest(struct vmmprof_rec_sample *s, const struct task *t)
{
	s->hdr.flags |= VMMPROF_S_GUEST | VMMPROF_S_STATE;
	s->handling = 2;
	s->exit_reason = 0;
	s->exit_intr_info = 0x80000202;
	s->ip = KVM + 0x10;
	s->guest_cr3 = proc_cr3(t->proc);
	s->guest_rsp = 0x7ffc00000000;
	s->guest_ss_ar = 3 << 5;
	if (draw_below(&rnd, 100) < DRAW_KERNEL_PART) {
		s->guest_ss_ar = 0;
		s->guest_rsp = proc_stack(t->proc) + 0x3e00;
		s->guest_ip = KERNEL + draw_pc(&rnd, 0);
	} else {
		s->guest_ip = TEXT + draw_pc(&rnd, t->proc);
	}
	guest_samples++;
}

static void sample_vcpu(struct vmmprof_rec_sample *s, struct task *t)
{
	unsigned int what = draw_below(&rnd, 100);

	if (what >= 95) { /* its thread in QEMU */
		s->hdr.flags |= VMMPROF_S_USER;
		s->ip = TEXT + draw_pc(&rnd, t->guest);
		return;
	}
	if (!draw_below(&rnd, DRAW_STAY))
		t->proc = draw_proc(&rnd);
	s->hdr.flags |= VMMPROF_S_VCPU | VMMPROF_S_VMCS | VMMPROF_S_OWN |
			VMMPROF_S_HANDLING;
	s->vcpu_id = t->vcpu;
	s->vpid = 1 + t->guest * vcpus + t->vcpu;
	s->exit_reason = 48;
	s->ip = KERNEL + draw_pc(&rnd, 0);
	if (what < 75)
		sample_guest(s, t);
}

static void sample(struct cpu *c, __u64 tsc)
{
	struct task *t = c->tasks[c->now];
	struct vmmprof_rec_sample s = { .hdr.flags = VMMPROF_S_NMI };

	s.pid = t->pid;
	s.tid = t->tid;
	s.period = PERIOD;
	s.vcpu_id = VMMPROF_NONE;
	s.cpu = c->nr;
	if (t->vcpu != VMMPROF_NONE) {
		sample_vcpu(&s, t);
	} else if (!t->pid) {
		s.hdr.flags |= VMMPROF_S_IF;
		s.ip = KERNEL + funcs * DRAW_FUNC_SIZE + 8;
	} else if (draw_below(&rnd, 100) < DRAW_KERNEL_PART) {
		s.ip = KERNEL + draw_pc(&rnd, 0);
	} else {
		s.hdr.flags |= VMMPROF_S_USER;
		s.ip = TEXT + draw_pc(&rnd, t->pid - TASKS);
	}
	put_record(c, &s, VMMPROF_REC_SAMPLE, sizeof(s), tsc);
}

static void cpu_open(struct cpu *c, int dirfd, __u32 nr)
{
	struct vmmprof_file_hdr hdr = { .magic = VMMPROF_MAGIC, .cpu = nr };
	unsigned int i;
	char path[32];
	int fd;

	memset(c, 0, sizeof(*c));
	c->nr = nr;
	c->tasks = calloc(guests * vcpus + 3, sizeof(*c->tasks));
	for (i = nr; i < guests * vcpus; i += cpus)
		c->tasks[c->nr_vcpus++] = &vcpu_tasks[i];
	c->nr_tasks = c->nr_vcpus;
	for (i = 0; i < 3; i++) {
		c->own[i].vcpu = VMMPROF_NONE;
		if (i < 2)
			c->own[i].pid = TASKS + (nr * 2 + i) % procs;
		c->own[i].tid = c->own[i].pid;
		c->tasks[c->nr_tasks++] = &c->own[i];
	}
	c->now = c->nr_tasks - 1;
	snprintf(path, sizeof(path), "cpu-%u.rec", nr);
	fd = openat(dirfd, path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	c->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!c->out || !c->tasks)
		err(1, "%s", path);
	setvbuf(c->out, NULL, _IOFBF, 1 << 20);
	hdr.kind = VMMPROF_FILE_RECORDS;
	hdr.version = VMMPROF_FILE_VERSION;
	hdr.min_version = VMMPROF_FILE_OLDEST;
	hdr.hdr_size = sizeof(hdr);
	fwrite(&hdr, sizeof(hdr), 1, c->out);
}

static void put_cpu(int dirfd, __u32 nr)
{
	unsigned long i, n = samples_of(nr);
	struct cpu c;
	unsigned int k;
	__u64 tsc;

	cpu_open(&c, dirfd, nr);
	for (i = 0; i < n; i++) {
		tsc = START + (i + 1) * PERIOD + draw_below(&rnd, PERIOD / 8);
		/* in its middle; or all over the second half */
		for (k = switches; k; k--)
			if (!draw_below(&rnd, 5))
				switch_tasks(&c,
					     tsc - PERIOD / 2 / switches * k);
		sample(&c, tsc);
	}
	free(c.tasks);
	if (fclose(c.out))
		err(1, "cpu-%u.rec", nr);
}

static void options(int argc, char **argv)
{
	static const struct {
		char letter;
		unsigned int *value;
	} numbers[] = {
		{ 'c', &cpus },	       { 'g', &guests }, { 'v', &vcpus },
		{ 'p', &procs },       { 'f', &funcs },	 { 'r', &hz },
		{ 'l', &name_length }, { 's', &seed },	 { 'w', &switches },
	};
	unsigned int i;
	int o;

	while ((o = getopt(argc, argv, "n:c:g:v:p:f:l:s:r:w:x")) >= 0) {
		unsigned long n = optarg ? strtoul(optarg, NULL, 10) : 0;

		if (o == '?')
			exit(2);
		if (o == 'n')
			samples = n;
		if (o == 'x')
			escapes = true;
		for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
			if (o == numbers[i].letter)
				*numbers[i].value = n;
	}
	if (optind + 1 != argc || !cpus || !procs || !funcs || !hz ||
	    !switches || vcpus > 9999)
		errx(2, "bigsession [OPTIONS] DIR: see the head of the source");
}

int main(int argc, char **argv)
{
	unsigned int i;
	int dirfd;

	options(argc, argv);
	draw_init(&rnd, seed, funcs, procs);
	vcpu_tasks = calloc(guests * vcpus + 1, sizeof(*vcpu_tasks));
	if (!vcpu_tasks || mkdir(argv[optind], 0700))
		err(1, "%s", argv[optind]);
	dirfd = open(argv[optind], O_DIRECTORY | O_RDONLY);
	if (dirfd < 0 || mkdirat(dirfd, "guests", 0700))
		err(1, "%s", argv[optind]);
	for (i = 0; i < guests * vcpus; i++) {
		vcpu_tasks[i].guest = i / vcpus;
		vcpu_tasks[i].vcpu = i % vcpus;
		vcpu_tasks[i].pid = DRAW_VM_PID(i / vcpus);
		vcpu_tasks[i].tid = vcpu_tasks[i].pid + 1 + i % vcpus;
		vcpu_tasks[i].proc = i % procs;
	}
	for (i = 0; i < cpus; i++)
		put_cpu(dirfd, i);
	put_machine(dirfd, "host", 0);
	put_info(dirfd);
	printf("%lu of %lu samples in guests\n", guest_samples, samples);
	return 0;
}
