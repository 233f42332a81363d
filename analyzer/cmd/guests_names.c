// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof guests`: from where the names of each guest come, or could come. */

#include <stdio.h>

#include "cmd/guests_names.h"
#include "transport/ways.h"
#include "view/safe.h"

static const struct vmmprof_info_reach *find(const struct vmmprof_session *s,
					     __u32 pid)
{
	size_t i;

	for (i = 0; i < s->nr_reach; i++)
		if (s->reach[i]->pid == pid)
			return s->reach[i];
	return NULL;
}

void guests_names_json(struct vmmprof_json *j, const struct vmmprof_vm *vm,
		       const struct vmmprof_session *s)
{
	const struct vmmprof_info_reach *r = s ? find(s, vm->pid) : NULL;
	uint32_t ways, i;

	if (!s) {
		ways = vmmprof_ways_of("", vm->pid);
		vmmprof_json_array(j, "ways");
		for (i = 0; i < 32; i++)
			if (ways & 1u << i)
				vmmprof_json_string(j, NULL,
						    vmmprof_way_name(i));
		vmmprof_json_array_end(j);
	} else if (r) {
		vmmprof_json_object(j, "bundle");
		vmmprof_json_string(j, "way", vmmprof_way_name(r->how));
		vmmprof_json_string(j, "error", r->error ? r->text : "");
		vmmprof_json_u64(j, "begin_ns", r->begin_ns);
		vmmprof_json_u64(j, "end_ns", r->end_ns);
		vmmprof_json_u64(j, "sent", r->sent);
		vmmprof_json_u64(j, "received", r->received);
		vmmprof_json_object_end(j);
	}
}

static void print_ways(uint32_t pid)
{
	uint32_t ways = vmmprof_ways_of("", pid), i;
	const char *comma = "";

	for (i = 0; i < 32; i++) {
		if (!(ways & 1u << i))
			continue;
		printf("%s%s", comma, vmmprof_way_name(i));
		comma = ", ";
	}
	puts(ways ? "" : "no way but --ssh or --guest-bundle");
}

void guests_names_text(const struct vmmprof_vm *vm,
		       const struct vmmprof_session *s)
{
	const struct vmmprof_info_reach *r = s ? find(s, vm->pid) : NULL;
	char name[4 * VMMPROF_VM_NAME], text[1024];

	vmmprof_safe(name, sizeof(name), vm->name);
	printf("%-24s  ", name);
	if (!s) {
		print_ways(vm->pid);
	} else if (!r) {
		puts("no bundle: --guest-bundle of report");
	} else if (r->error) {
		vmmprof_safe(text, sizeof(text), r->text);
		printf("no bundle: %s\n", text);
	} else if (r->how == VMMPROF_REACH_FILE) {
		puts("file");
	} else {
		printf("%s, watching after %.2f s, fetched in %.2f s, ",
		       vmmprof_way_name(r->how), r->begin_ns / 1e9,
		       r->end_ns / 1e9);
		printf("%llu bytes sent, %llu received\n", r->sent,
		       r->received);
	}
}
