// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof record -g`: whose call chains the module takes. */

#include <errno.h>
#include <string.h>

#include <vmmprof/record.h>

#include "cmd/record/messages.h"
#include "cmd/record/recording.h"

#define HOST (VMMPROF_CHAIN_F_HOST_KERNEL | VMMPROF_CHAIN_F_HOST_USER)

static const struct {
	const char *name;
	uint32_t flags;
} modes[] = {
	{ "fp", HOST | VMMPROF_CHAIN_F_GUEST | VMMPROF_CHAIN_F_OUT },
	{ "host", HOST | VMMPROF_CHAIN_F_OUT },
	{ "guest", VMMPROF_CHAIN_F_GUEST | VMMPROF_CHAIN_F_OUT },
};

bool record_take_call_graph(void *to, const char *verb, char *arg)
{
	uint32_t *flags = to;
	unsigned int i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(arg, modes[i].name)) {
			*flags = modes[i].flags;
			return true;
		}
	}
	if (!strncmp(arg, "dwarf", 5) && (!arg[5] || arg[5] == ','))
		return option_wrong(
			verb,
			"--call-graph=%s: the module copies no stacks, so chains of user mode need frame pointers: fp",
			arg);
	if (!strcmp(arg, "lbr"))
		return option_wrong(
			verb,
			"--call-graph=lbr: the CPU's branch records are not read; use fp");
	return option_wrong(
		verb, "--call-graph wants fp, host or guest, not '%s'", arg);
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

	if (r->layout == LAYOUT_DIFFERS)
		flags &= ~VMMPROF_CHAIN_F_GUEST;
	r->dev.chain_flags = flags;
	r->dev.chain_depth = r->opts->max_stack;
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
}
