// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfdata SAMPLES MACHINES PROCESSES FUNCTIONS CPUS PREFIX FILE: write a
 * perf.data, as `perf record -a` of that many samples would: by the same
 * random numbers as bigsession.c.  Machine i's processes have mapped
 * the program PREFIX-i, which has 2 * FUNCTIONS functions from 0x401000 on
 * (offset 0x1000): what is a kernel's in the session is the first half here.
 *
 * The format: tools/perf/Documentation/perf.data-file-format.txt of Linux,
 * records: include/uapi/linux/perf_event.h.
 */
#include <err.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

#define TEXT	       0x401000ull
#define PERIOD	       1000000ull /* ns and events */
#define FINISHED_ROUND 68	  /* PERF_RECORD_FINISHED_ROUND */
#define SAMPLE_TYPE                                            \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

struct section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

/* What follows other records, by sample_id_all. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

struct sample {
	struct perf_event_header hdr;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period;
};

static struct draw rnd;
static unsigned int machines, procs, funcs, cpus;
static const char *prefix;

static void put(FILE *f, const void *data, size_t size)
{
	if (fwrite(data, size, 1, f) != 1)
		err(1, "cannot write");
}

static uint32_t pid_of(unsigned int machine, unsigned int proc)
{
	return 1000 + machine * procs + proc;
}

static void put_process(FILE *f, unsigned int machine, unsigned int proc)
{
	uint32_t pid = pid_of(machine, proc);
	struct sample_id id = { .pid = pid, .tid = pid };
	struct {
		struct perf_event_header hdr;
		uint32_t pid, tid;
		char comm[16];
	} comm = { .pid = pid, .tid = pid };
	struct {
		struct perf_event_header hdr;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint32_t maj, min;
		uint64_t ino, generation;
		uint32_t prot, flags;
		char name[256];
	} map = { .pid = pid, .tid = pid, .addr = TEXT, .pgoff = 0x1000 };

	comm.hdr.type = PERF_RECORD_COMM;
	comm.hdr.size = sizeof(comm) + sizeof(id);
	snprintf(comm.comm, sizeof(comm.comm), "m%.4up%.5u", machine, proc);
	put(f, &comm, sizeof(comm));
	put(f, &id, sizeof(id));
	map.hdr.type = PERF_RECORD_MMAP2;
	map.hdr.misc = PERF_RECORD_MISC_USER;
	map.hdr.size = sizeof(map) + sizeof(id);
	map.len = (2 * funcs * DRAW_FUNC_SIZE + 0xfff) & ~0xfffull;
	map.ino = 1000 + machine;
	map.prot = 5;
	map.flags = 2;
	snprintf(map.name, sizeof(map.name), "%s-%u", prefix, machine);
	put(f, &map, sizeof(map));
	put(f, &id, sizeof(id));
}

static void put_sample(FILE *f, uint32_t machine, uint32_t proc, uint32_t cpu,
		       uint64_t time)
{
	struct sample s = { .time = time, .cpu = cpu, .period = PERIOD };

	s.hdr.type = PERF_RECORD_SAMPLE;
	s.hdr.misc = PERF_RECORD_MISC_USER;
	s.hdr.size = sizeof(s);
	s.pid = pid_of(machine, proc);
	s.tid = s.pid;
	if (draw_below(&rnd, 100) < DRAW_KERNEL_PART)
		s.ip = TEXT + draw_pc(&rnd, 0);
	else
		s.ip = TEXT + funcs * DRAW_FUNC_SIZE + draw_pc(&rnd, proc);
	put(f, &s, sizeof(s));
}

static void put_samples(FILE *f, unsigned long nr)
{
	struct perf_event_header round = { .type = FINISHED_ROUND };
	uint32_t *machine = calloc(cpus, 4), *proc = calloc(cpus, 4), cpu = 0;
	uint64_t time = 1000000000ull;
	unsigned long i;

	if (!machine || !proc)
		err(1, "CPUs");
	round.size = sizeof(round);
	for (i = 0; i < nr; i++) {
		if (!draw_below(&rnd, DRAW_STAY)) {
			machine[cpu] = draw_below(&rnd, machines);
			proc[cpu] = draw_proc(&rnd);
		}
		put_sample(f, machine[cpu], proc[cpu], cpu, time + cpu * 100);
		cpu = (cpu + 1) % cpus;
		if (!cpu)
			time += PERIOD;
		if (i % 8192 == 8191)
			put(f, &round, sizeof(round));
	}
	free(machine);
	free(proc);
}

static void put_head(FILE *f, uint64_t data_size)
{
	struct file_header h = { .magic = "PERFILE2", .size = sizeof(h) };
	struct file_attr a = { .attr.size = sizeof(a.attr) };

	a.attr.type = PERF_TYPE_HARDWARE;
	a.attr.config = PERF_COUNT_HW_CPU_CYCLES;
	a.attr.sample_period = PERIOD;
	a.attr.sample_type = SAMPLE_TYPE;
	a.attr.sample_id_all = 1;
	a.attr.mmap = 1;
	a.attr.mmap2 = 1;
	a.attr.comm = 1;
	h.attr_size = sizeof(a);
	h.attrs.offset = sizeof(h);
	h.attrs.size = sizeof(a);
	h.data.offset = sizeof(h) + sizeof(a);
	h.data.size = data_size;
	put(f, &h, sizeof(h));
	put(f, &a, sizeof(a));
}

int main(int argc, char **argv)
{
	unsigned int m, p;
	FILE *f;
	long end;

	if (argc != 8)
		errx(2, "perfdata: see the head of the source");
	machines = strtoul(argv[2], NULL, 10);
	procs = strtoul(argv[3], NULL, 10);
	funcs = strtoul(argv[4], NULL, 10);
	cpus = strtoul(argv[5], NULL, 10);
	prefix = argv[6];
	draw_init(&rnd, 1, funcs, procs);
	f = fopen(argv[7], "w");
	if (!f)
		err(1, "%s", argv[7]);
	put_head(f, 0);
	for (m = 0; m < machines; m++)
		for (p = 0; p < procs; p++)
			put_process(f, m, p);
	put_samples(f, strtoul(argv[1], NULL, 10));
	end = ftell(f);
	rewind(f);
	put_head(f,
		 end - sizeof(struct file_header) - sizeof(struct file_attr));
	if (fclose(f))
		err(1, "%s", argv[7]);
	return 0;
}
