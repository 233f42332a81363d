// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof guests`: how each guest's bundle was fetched, or the ways to it. */

#include <stdio.h>

#include "cmd/guests_names.h"
#include "host/memory_policy.h"
#include "transport/ways.h"
#include "view/safe.h"

/* The last one that went well, or else the last; *nr: of those that did. */
static const struct vmmprof_info_memory *
last_memory(const struct session *s, uint32_t pid, unsigned int *nr)
{
	const struct vmmprof_info_memory *last = NULL;
	size_t i;

	*nr = 0;
	for (i = 0; i < s->nr_memory; i++) {
		const struct vmmprof_info_memory *m = s->memory[i];

		if (m->pid != pid)
			continue;
		if (!last || !m->error || last->error)
			last = m;
		*nr += !m->error;
	}
	return last;
}

/* Seconds from when it was read to the end of sampling; below 0: after it. */
static double age(const struct session *s, const struct vmmprof_info_memory *m)
{
	double rate = session_tsc_khz(s) * 1e3;

	return s->stop && rate > 0 ?
		       ((double)s->stop->stop_tsc - (double)m->tsc) / rate :
		       0;
}

static void memory_json(struct json_out *j, const struct session *s,
			uint32_t pid)
{
	unsigned int nr;
	const struct vmmprof_info_memory *m = last_memory(s, pid, &nr);

	if (!m)
		return;
	json_out_object(j, "memory");
	json_out_u64(j, "readings", nr);
	json_out_string(j, "error", m->error ? m->text : "");
	json_out_u64(j, "tsc", m->tsc);
	json_out_u64(j, "took_ns", m->took_ns);
	json_out_u64(j, "reads", m->reads);
	json_out_u64(j, "bytes", m->bytes);
	json_out_u64(j, "processes", m->processes);
	json_out_u64(j, "threads", m->threads);
	json_out_u64(j, "mappings", m->mappings);
	json_out_u64(j, "files", m->files);
	json_out_u64(j, "modules", m->modules);
	json_out_object_end(j);
}

static void memory_text(const struct session *s, uint32_t pid)
{
	unsigned int nr;
	const struct vmmprof_info_memory *m = last_memory(s, pid, &nr);
	char text[1024];

	if (!m)
		return;
	printf("%-24s  ", "");
	if (!nr) {
		safe_text(text, sizeof(text), m->text);
		printf("its memory was not read: %s\n", text);
		return;
	}
	if (m->flags & VMMPROF_MEMORY_F_FIRST)
		printf("memory read, first %.2f s before the end: ", age(s, m));
	else
		printf("memory read %u times, last %.2f s before the end: ", nr,
		       age(s, m));
	printf("kernel, %u modules, %u processes, %u mappings of %u files; ",
	       m->modules, m->processes, m->mappings, m->files);
	printf("%llu reads, %llu bytes\n", m->reads, m->bytes);
}

void guests_names_json(struct json_out *j, const struct vm *vm,
		       const struct session *s)
{
	const struct vmmprof_info_reach *r = s ? session_reach(s, vm->pid) :
						 NULL;
	uint32_t ways, i;

	if (!s) {
		ways = ways_of("", vm->pid);
		json_out_array(j, "ways");
		for (i = 0; i < 32; i++)
			if (ways & 1u << i)
				json_out_string(j, NULL, way_name(i));
		if (!memory_forbidden(false, ""))
			json_out_string(j, NULL,
					way_name(VMMPROF_REACH_MEMORY));
		json_out_array_end(j);
		return;
	}
	if (r) {
		json_out_object(j, "bundle");
		json_out_string(j, "way", way_name(r->how));
		json_out_string(j, "error", r->error ? r->text : "");
		json_out_u64(j, "begin_ns", r->begin_ns);
		json_out_u64(j, "end_ns", r->end_ns);
		json_out_u64(j, "sent", r->sent);
		json_out_u64(j, "received", r->received);
		json_out_object_end(j);
	}
	memory_json(j, s, vm->pid);
}

static void print_ways(uint32_t pid)
{
	uint32_t ways = ways_of("", pid), i;
	const char *comma = "";

	for (i = 0; i < 32; i++) {
		if (!(ways & 1u << i))
			continue;
		printf("%s%s", comma, way_name(i));
		comma = ", ";
	}
	fputs(ways ? "" : "no way but --ssh or --guest-bundle", stdout);
	puts(memory_forbidden(false, "") ? "; memory: forbidden" : "; memory");
}

void guests_names_text(const struct vm *vm, const struct session *s)
{
	const struct vmmprof_info_reach *r = s ? session_reach(s, vm->pid) :
						 NULL;
	char name[4 * VM_NAME], text[1024];

	safe_text(name, sizeof(name), vm->name);
	printf("%-24s  ", name);
	if (!s) {
		print_ways(vm->pid);
		return;
	}
	if (!r) {
		puts("no bundle: --guest-bundle of report");
	} else if (r->error) {
		safe_text(text, sizeof(text), r->text);
		printf("no bundle: %s\n", text);
	} else if (r->how == VMMPROF_REACH_FILE) {
		puts("file");
	} else if (r->how == VMMPROF_REACH_MEMORY) {
		puts("memory: nothing in the guest was asked");
	} else {
		printf("%s, watching after %.2f s, fetched in %.2f s, ",
		       way_name(r->how), r->begin_ns / 1e9, r->end_ns / 1e9);
		printf("%llu bytes sent, %llu received\n", r->sent,
		       r->received);
	}
	memory_text(s, vm->pid);
}
