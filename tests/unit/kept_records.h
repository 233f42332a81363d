/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent's newest records, of a session that is read while it is written. */
#ifndef VMMPROF_TEST_KEPT_RECORDS
#define VMMPROF_TEST_KEPT_RECORDS

#include "live_session.h"
#include "cmd/agent/kept.h"

struct tried {
	struct recorded s;
	struct kept kept;
	char dir[80], session[80];
	int files[NR_FILES];
};

/* Those of the beginning are all that is known. */
static inline void states(void *arg, struct session_writer *w)
{
	const struct tried *k = arg;
	const struct session *s = &k->s.l.a.session;
	size_t i;

	for (i = 0; i < s->nr_states && k->kept.from == 100 * MS; i++)
		session_writer_vcpu_state(w, s->states[i]);
}

static inline int begin_tried(struct tried *k, __u64 bytes, __u64 ticks)
{
	int i, ret = begin(&k->s);

	snprintf(k->dir, sizeof(k->dir), "%s/kept", k->s.dir);
	snprintf(k->session, sizeof(k->session), "%s/s", k->s.dir);
	for (i = 0; i < NR_FILES; i++)
		k->files[i] = k->s.file[i].fd;
	if (!ret)
		ret = kept_open(&k->kept, k->dir, k->session, NR_FILES);
	k->kept.states = states;
	k->kept.states_arg = k;
	k->kept.max_bytes = bytes;
	k->kept.max_ticks = ticks;
	return ret;
}

static inline void end_tried(struct tried *k)
{
	kept_close(&k->kept);
	end(&k->s);
}

/* The records until then are there, those of the first CPU for some longer. */
static inline int tick(struct tried *k, __u64 until, __u64 late)
{
	static const __u32 cpus[NR_FILES] = { 0, 1 };

	return drain(&k->s.file[0], until + late)  ?:
		       drain(&k->s.file[1], until) ?:
		       kept_add(&k->kept, k->files, cpus, until, until + late) ?:
		       live_more(&k->s.l, until);
}

#endif /* VMMPROF_TEST_KEPT_RECORDS */
