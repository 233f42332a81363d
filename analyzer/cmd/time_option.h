/* SPDX-License-Identifier: GPL-2.0-only */
/* --time of all verbs that read a session. */
#ifndef CMD_TIME_OPTION_H
#define CMD_TIME_OPTION_H

#include "cmd/options.h"
#include "model/analysis.h"
#include "model/time_spec.h"

struct time_option {
	struct time_spec spec;
	struct time_ranges ranges; /* of the session */
};

/* Of a struct time_option. */
extern const struct option_spec time_options[];

#define TIME_OPTION_ARG "FROM,TO"
#define TIME_OPTION_HELP \
	"only of this time: seconds from the beginning of the recording, HH:MM:SS, or 10%-20%, 10%/2; several: '1,2 5,6', 10%/1,10%/3"

/* .take of such an option. */
bool time_option_take(void *to, const char *verb, char *arg);

/*
 * Before the pass over a session just loaded: count only what @t says.  It must
 * stay until the analysis is closed.  False, with a message: there is nothing
 * in that time, or the session does not know it.
 */
bool time_option_apply(struct time_option *t, const char *verb,
		       struct analysis *a);

#endif /* CMD_TIME_OPTION_H */
