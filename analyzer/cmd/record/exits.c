// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof record --exits`: what the module counted of VM exits. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "host/exit_counts.h"
#include "cmd/record/messages.h"
#include "cmd/record/recording.h"

int record_check_exits(const struct recording *r)
{
	const char *why;

	if (!r->opts->exits)
		return 0;
	if (r->layout == LAYOUT_DIFFERS)
		why = "vmmprof.ko was built for another kvm than the one that runs";
	else if (!(r->dev.info.features & VMMPROF_FEAT_EXITS))
		why = "the loaded module is older, or its kernel checks types of functions (kCFI)";
	else
		return 0;
	record_say_no_exits(why);
	return -EOPNOTSUPP;
}

void record_put_exits(struct recording *r)
{
	__u64 missed;
	int ret;

	if (!r->opts->exits)
		return;
	ret = exit_counts_put(&r->dev, &r->out, &missed);
	if (ret)
		record_say("cannot read the counts of VM exits: %s",
			   strerror(-ret));
	if (missed)
		record_say(
			"warning: %" PRIu64
			" VM exits were not counted: `vmmprof exits` tells why",
			(uint64_t)missed);
}
