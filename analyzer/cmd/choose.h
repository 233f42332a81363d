/* SPDX-License-Identifier: GPL-2.0-only */
/* Names on the command line -> numbers of the session. */
#ifndef CMD_CHOOSE_H
#define CMD_CHOOSE_H

#include "model/analysis.h"

/*
 * The machine number (1 + index) of a guest; the number of an event, known or
 * sampled.  False, with a message, if the session has none of that name; a
 * @name of NULL leaves *ret.
 */
bool choose_guest(const char *verb, const struct analysis *a, const char *name,
		  __u32 *ret);
bool choose_session_event(const char *verb, const struct analysis *a,
			  const char *name, __u32 *ret);

#endif /* CMD_CHOOSE_H */
