// SPDX-License-Identifier: GPL-2.0-only
/* Looks up guests and events by their names. */

#include <stdio.h>
#include <string.h>

#include "cmd/choose.h"
#include "view/safe.h"

static bool no_such(const char *verb, const char *what, const char *name)
{
	char text[256];

	safe_text(text, sizeof(text), name);
	fprintf(stderr, "vmmprof %s: the session has no %s '%s'\n", verb, what,
		text);
	return false;
}

const struct option_spec choose_options[] = {
	{ 0, "guest", "NAME", "this guest only", OPTION_TEXT,
	  .at = offsetof(struct chosen, guest), .value = VALUE_GUEST },
	{ 'e', "event", "EVENT",
	  "samples of this event (default: the first one)", OPTION_TEXT,
	  .at = offsetof(struct chosen, event), .value = VALUE_EVENT },
	{ 0 },
};

static bool choose_guest(const char *verb, const struct analysis *a,
			 const char *name, __u32 *ret)
{
	__u32 i;

	if (!name)
		return true;
	i = guests_by_name(&a->resolver.guests, name);
	if (i == VMMPROF_NONE)
		return no_such(verb, "guest", name);
	*ret = 1 + i;
	return true;
}

bool choose_session_event(const char *verb, const struct analysis *a,
			  const char *name, __u32 *ret)
{
	const struct session *s = &a->session;
	__u32 i;

	if (!name)
		return true;
	for (i = 0; i < VMMPROF_MAX_EVENTS; i++) {
		if ((s->events[i] || a->counts.per_event[i]) &&
		    !strcmp(session_event_name(s, i), name)) {
			*ret = i;
			return true;
		}
	}
	return no_such(verb, "event", name);
}

bool choose(const char *verb, const struct analysis *a, const struct chosen *c,
	    struct report *r)
{
	return choose_guest(verb, a, c->guest, &r->guest) &&
	       choose_session_event(verb, a, c->event, &r->event);
}
