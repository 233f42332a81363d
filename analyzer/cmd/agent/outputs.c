// SPDX-License-Identifier: GPL-2.0-only

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/agent/outputs.h"
#include "cmd/record/messages.h"

int outputs_spool(struct spool *s, const struct agent_options *o)
{
	const struct group *g = o->spool_group ? getgrnam(o->spool_group) :
						 NULL;
	int ret;

	if (o->spool_group && !g) {
		record_say("--spool-group: there is no group %s",
			   o->spool_group);
		return -ENOENT;
	}
	ret = spool_open(s, o->spool_dir, g ? (int)g->gr_gid : -1);
	if (ret == -EINVAL)
		record_say("%s/agent.book: it is no book of an agent",
			   o->spool_dir);
	else if (ret)
		record_say("%s: %s", o->spool_dir, strerror(-ret));
	s->max_bytes = (__u64)o->spool_size << 20;
	s->max_age_ns = o->spool_age_ns;
	return ret;
}

int outputs_frozen(struct frozen *f, const struct agent_options *o)
{
	int ret = o->freeze.percent ? frozen_open(o->freeze_dir) : 0;

	if (ret)
		record_say("%s: %s", o->freeze_dir,
			   ret == -EPERM ?
				   "others than its owner may write there" :
				   strerror(-ret));
	f->records = o->records_dir;
	f->dir = o->freeze_dir;
	f->keep = o->freeze_keep;
	f->turn.again_ns = o->records_ns;
	return ret;
}

int outputs_listen(struct listen *l, const struct agent_options *o)
{
	struct error e = { 0 };
	int ret;

	if (!o->metrics_listen)
		return 0;
	ret = listen_open(l, o->metrics_listen, &e);
	if (ret)
		record_say("--metrics-listen %s: %s", o->metrics_listen,
			   e.text);
	return ret;
}
