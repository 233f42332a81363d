// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof record --exits`: what the module counted of VM exits. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

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
	struct vmmprof_exit exits[VMMPROF_EXITS_MAX];
	__u32 from = 0, nr = 0, i;
	__u64 missed = 0;
	int ret;

	if (!r->opts->exits)
		return;
	do {
		from += nr;
		nr = VMMPROF_EXITS_MAX;
		ret = device_exits(&r->dev, from, exits, &nr, &missed);
		for (i = 0; !ret && i < nr; i++)
			session_writer_exit(&r->out, &exits[i]);
	} while (!ret && nr);
	session_writer_exits(&r->out, !ret, -ret, missed);
	if (ret)
		record_say("cannot read the counts of VM exits: %s",
			   strerror(-ret));
	if (missed)
		record_say(
			"warning: %" PRIu64
			" VM exits were not counted: `vmmprof exits` tells why",
			(uint64_t)missed);
}
