/* SPDX-License-Identifier: GPL-2.0-only */
/* Names on the command line -> numbers of the session. */
#ifndef CMD_CHOOSE_H
#define CMD_CHOOSE_H

#include "cmd/options.h"
#include "os/cpu_list.h"
#include "view/report.h"

struct chosen {
	const char *guest, *event; /* NULL: any */
};

struct chosen_cpus {
	bool given;
	struct cpus cpus;
};

/* -C, of that. */
extern const struct option_spec choose_cpu_options[];

/* The set, or NULL: all. */
static inline const struct cpus *chosen_cpus(const struct chosen_cpus *c)
{
	return c->given ? &c->cpus : NULL;
}

/* --guest and -e, of that. */
extern const struct option_spec choose_options[];

/*
 * Their numbers, of an event that is known or sampled, into @r, where none is
 * named it stays.  False, with a message, if the session has none of the name.
 */
bool choose(const char *verb, const struct analysis *a, const struct chosen *c,
	    struct report *r);
/* NULL: all.  The same if the session has none of them. */
bool choose_session_cpus(const char *verb, const struct session *s,
			 const struct cpus *cpus);
bool choose_session_event(const char *verb, const struct analysis *a,
			  const char *name, __u32 *ret);

#endif /* CMD_CHOOSE_H */
