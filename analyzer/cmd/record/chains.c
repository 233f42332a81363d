// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof record -g`: whose call chains the module takes. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "cmd/record/messages.h"
#include "cmd/record/recording.h"
#include "host/memory_policy.h"

#define DWARF_STACK 8192 /* as perf */
#define HOST	    (VMMPROF_CHAIN_F_HOST_KERNEL | VMMPROF_CHAIN_F_HOST_USER)

static const struct {
	const char *name;
	uint32_t flags;
} modes[] = {
	{ "fp", HOST | VMMPROF_CHAIN_F_GUEST | VMMPROF_CHAIN_F_OUT },
	{ "host", HOST | VMMPROF_CHAIN_F_OUT },
	{ "guest", VMMPROF_CHAIN_F_GUEST | VMMPROF_CHAIN_F_OUT },
};

/* "dwarf" or "dwarf,SIZE" */
static bool take_dwarf(struct record_options *opts, const char *verb,
		       const char *arg)
{
	unsigned long size = DWARF_STACK;
	char *end = "";

	if (arg[5])
		size = strtoul(arg + 6, &end, 10);
	if (*end || !size || size > VMMPROF_CHAIN_STACK)
		return option_wrong(
			verb,
			"--call-graph=dwarf,SIZE wants 1 to %d bytes of the stack, not '%s'",
			VMMPROF_CHAIN_STACK, arg + 6);
	opts->call_graph = modes[0].flags;
	opts->chain_stack = (size + 7) & ~7ul;
	return true;
}

bool record_take_call_graph(void *to, const char *verb, char *arg)
{
	struct record_options *opts = to;
	unsigned int i;

	opts->chain_stack = 0;
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(arg, modes[i].name)) {
			opts->call_graph = modes[i].flags;
			return true;
		}
	}
	if (!strncmp(arg, "dwarf", 5) && (!arg[5] || arg[5] == ','))
		return take_dwarf(opts, verb, arg);
	if (!strcmp(arg, "lbr"))
		return option_wrong(
			verb,
			"--call-graph=lbr: the CPU's branch records are not read; use fp or dwarf");
	return option_wrong(
		verb, "--call-graph wants fp, dwarf, host or guest, not '%s'",
		arg);
}

uint32_t record_chain_flags(const struct record_options *opts)
{
	if (opts->call_graph)
		return opts->call_graph;
	return opts->graph ? modes[0].flags : 0;
}

int record_check_chains(struct recording *r)
{
	uint32_t flags = record_chain_flags(r->opts);
	const char *by = memory_forbidden(r->opts->no_guest_memory, "");

	if (by && flags & VMMPROF_CHAIN_F_GUEST) {
		flags &= ~VMMPROF_CHAIN_F_GUEST;
		if (!(flags & HOST)) {
			record_say("no call chains of guests: %s forbids it",
				   by);
			return -EPERM;
		}
	}
	if (r->layout == LAYOUT_DIFFERS)
		flags &= ~VMMPROF_CHAIN_F_GUEST;
	r->dev.chain_flags = flags;
	r->dev.chain_depth = r->opts->max_stack;
	r->dev.chain_stack = r->opts->chain_stack;
	if (!flags || r->dev.info.features & VMMPROF_FEAT_CHAINS)
		return 0;
	record_say_no_chains();
	return -EOPNOTSUPP;
}

void record_put_chains(struct recording *r)
{
	static const char *const names[] = { "host-kernel", "host-user",
					     "guest", "out" };
	uint32_t flags = r->dev.chain_flags;
	char text[64] = "";
	unsigned int i;

	if (!flags)
		return;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(flags & 1u << i))
			continue;
		if (*text)
			strcat(text, ",");
		strcat(text, names[i]);
	}
	item_text(&r->out.info, "chains", "%s", text);
	item_text(&r->out.info, "chain_depth", "%u", r->dev.chain_depth);
	if (r->dev.chain_stack)
		item_text(&r->out.info, "chain_stack", "%u",
			  r->dev.chain_stack);
}
