// SPDX-License-Identifier: GPL-2.0-only
/*
 * owners BUNDLE: for each line "CR3 TSC RIP" (hex) on standard input, what
 * the analyzer's model makes of a user-mode sample: "PID FUNCTION", "-" for
 * what it does not know.  owners BUNDLE stacks: for each line "RSP TSC", the
 * PID of the task in the kernel.  Shows that bundle and model fit together.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "model/address_space.h"
#include "model/clock.h"
#include "model/processes.h"
#include "model/tasks.h"
#include "sym/symbol.h"

struct model {
	struct bundle bundle;
	struct address_space spaces;
	struct procs procs;
	struct tasks tasks;
	struct clock clock;
};

static int load(struct model *m, const char *path)
{
	struct problems problems = { 0 };
	int err = bundle_init(&m->bundle, open(path, O_RDONLY), path,
			      &problems);
	size_t i;

	for (i = 0; i < problems.nr; i++)
		fprintf(stderr, "%s\n", problems.line[i]);
	if (err || problems.nr)
		return 1;
	clock_init(&m->clock, m->bundle.clocks, m->bundle.nr_clocks, 0);
	return procs_init(&m->procs, &m->bundle) ||
	       tasks_init(&m->tasks, &m->bundle, true) ||
	       address_space_init(
		       &m->spaces, m->bundle.mms, m->bundle.nr_mms,
		       text_number(&m->bundle.text, "phys_mask", 16, 0), true);
}

static void function(const struct model *m, __u32 pid, __u64 ns, __u64 ip,
		     char *ret, size_t size)
{
	struct image *image = procs_find(&m->procs, pid, ns);
	const struct bundle_file *file;
	const struct vmmprof_maps_map *map;
	struct symbols symbols;
	const char *name = NULL;
	__u64 from, end, link;

	map = image ? procs_find_map(&m->procs, image, ns, ip, &from, &end) :
		      NULL;
	file = map ? bundle_find_file(&m->bundle, map->file) : NULL;
	if (!file || !file->symtab || symbols_init(&symbols, file->symtab))
		return;
	if (symbols_link_addr(&symbols, ip - map->start + map->pgoff, &link))
		name = symbols_find(&symbols, link);
	if (name)
		snprintf(ret, size, "%s", *name ? name : "(no name)");
	symbols_deinit(&symbols);
}

static void put_stacks(const struct model *m)
{
	unsigned long long rsp, tsc;
	const struct task *t;

	while (scanf("%llx %llx", &rsp, &tsc) == 2) {
		t = tasks_find(&m->tasks, rsp, clock_to_ns(&m->clock, tsc));
		if (t)
			printf("%u\n", t->pid);
		else
			puts("-");
	}
}

static void put_owners(const struct model *m)
{
	unsigned long long cr3, tsc, ip;

	while (scanf("%llx %llx %llx", &cr3, &tsc, &ip) == 3) {
		__u64 ns = clock_to_ns(&m->clock, tsc);
		struct space *space;
		char name[64] = "-";

		address_space_find(&m->spaces, cr3, ns, &space);
		if (!space) {
			puts("- -");
			continue;
		}
		function(m, space->pid, ns, ip, name, sizeof(name));
		printf("%u %s\n", space->pid, name);
	}
}

int main(int argc, char **argv)
{
	static struct model m;

	if (argc < 2 || load(&m, argv[1]))
		return 1;
	if (argc > 2)
		put_stacks(&m);
	else
		put_owners(&m);
	tasks_deinit(&m.tasks);
	address_space_deinit(&m.spaces);
	procs_deinit(&m.procs);
	bundle_deinit(&m.bundle);
	return 0;
}
