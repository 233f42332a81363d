// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof guests`: how each guest's bundle was fetched, or the ways to it. */

#include <stdio.h>

#include "cmd/guests_names.h"
#include "transport/ways.h"
#include "view/safe.h"

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
		json_out_array_end(j);
	} else if (r) {
		json_out_object(j, "bundle");
		json_out_string(j, "way", way_name(r->how));
		json_out_string(j, "error", r->error ? r->text : "");
		json_out_u64(j, "begin_ns", r->begin_ns);
		json_out_u64(j, "end_ns", r->end_ns);
		json_out_u64(j, "sent", r->sent);
		json_out_u64(j, "received", r->received);
		json_out_object_end(j);
	}
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
	puts(ways ? "" : "no way but --ssh or --guest-bundle");
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
	} else if (!r) {
		puts("no bundle: --guest-bundle of report");
	} else if (r->error) {
		safe_text(text, sizeof(text), r->text);
		printf("no bundle: %s\n", text);
	} else if (r->how == VMMPROF_REACH_FILE) {
		puts("file");
	} else {
		printf("%s, watching after %.2f s, fetched in %.2f s, ",
		       way_name(r->how), r->begin_ns / 1e9, r->end_ns / 1e9);
		printf("%llu bytes sent, %llu received\n", r->sent,
		       r->received);
	}
}
