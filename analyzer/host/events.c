// SPDX-License-Identifier: GPL-2.0-only
/* Events by perf's names, and the period of each that is about 1 ms. */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "host/events.h"

#define DEFAULT_US   997	   /* 1 ms would lock to a guest's 1 kHz tick */
#define DEFAULT_FREQ 1003	   /* 1 / 997 us */
#define NS_PER_SEC   1000000000ull /* cpu-clock counts ns */

static const struct known {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool clocked; /* counts about as fast as the TSC while code runs */
} known[] = {
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
	  true },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	  true },
	{ "cache-references", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CACHE_REFERENCES, false },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
	  false },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  false },
	{ "branch-instructions", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  false },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, false },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, false },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND, false },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false },
};

#define NR_KNOWN (sizeof(known) / sizeof(known[0]))

static const struct known *find_known(const char *name)
{
	size_t i;

	for (i = 0; i < NR_KNOWN; i++)
		if (!strcmp(name, known[i].name))
			return &known[i];
	return NULL;
}

/* rNNN: NNN is the hardware's event number in hexadecimal, as in perf. */
static int parse_raw(const char *name, struct vmmprof_event *event)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if (!digits || name[1 + digits])
		return -ENOENT;
	if (digits > 16)
		return -EINVAL;
	event->type = PERF_TYPE_RAW;
	event->config = strtoull(name + 1, NULL, 16);
	return 0;
}

/*
 * perf's modifiers of where an event counts: of user and kernel mode, and of
 * guests and host, the one that is not given is left out if the other one is.
 */
static int parse_modifiers(const char *text, uint32_t *flags)
{
	static const struct {
		char letter;
		uint32_t with;
	} modifiers[] = {
		{ 'u', VMMPROF_EVENT_F_NO_USER },
		{ 'k', VMMPROF_EVENT_F_NO_KERNEL },
		{ 'G', VMMPROF_EVENT_F_NO_GUEST },
		{ 'H', VMMPROF_EVENT_F_NO_HOST },
	};
	const uint32_t cpl = VMMPROF_EVENT_F_NO_USER |
			     VMMPROF_EVENT_F_NO_KERNEL;
	uint32_t given = 0;
	size_t i;

	if (!*text)
		return -EPROTO;
	for (; *text; text++) {
		for (i = 0; i < 4 && modifiers[i].letter != *text; i++)
			;
		if (i == 4)
			return -EPROTO;
		given |= modifiers[i].with;
	}
	if (given & cpl)
		*flags |= ~given & cpl;
	if (given & ~cpl)
		*flags |= ~given & VMMPROF_EVENT_F_MODES & ~cpl;
	return 0;
}

static int parse_event(const char *name, struct vmmprof_event *event)
{
	const struct known *k = find_known(name);

	memset(event, 0, sizeof(*event));
	if (!*name)
		return -EINVAL;
	if (k) {
		event->type = k->type;
		event->config = k->config;
		return 0;
	}
	return *name == 'r' ? parse_raw(name, event) : -ENOENT;
}

static int parse_name(const char *text, struct vmmprof_event *event)
{
	const char *colon = strchr(text, ':');
	char name[EVENT_NAME];
	int ret;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
	ret = parse_event(name, event);
	if (ret || !colon)
		return ret;
	if (!event_is_hardware(event))
		return -EOPNOTSUPP;
	return parse_modifiers(colon + 1, &event->flags);
}

static bool is_listed(const struct event_list *list,
		      const struct vmmprof_event *event)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (list->choice[i].event.type == event->type &&
		    list->choice[i].event.config == event->config &&
		    list->choice[i].event.flags == event->flags)
			return true;
	return false;
}

int events_parse(const char *text, struct event_list *list, char *bad)
{
	memset(list, 0, sizeof(*list));
	for (;;) {
		size_t len = strcspn(text, ",");
		size_t kept = len < EVENT_NAME ? len : EVENT_NAME - 1;
		struct vmmprof_event event;
		int ret;

		memcpy(bad, text, kept);
		bad[kept] = '\0';
		if (len != kept)
			return -ENOENT;
		ret = parse_name(bad, &event);
		if (ret)
			return ret;
		if (is_listed(list, &event))
			return -EEXIST;
		if (list->nr == VMMPROF_MAX_EVENTS)
			return -E2BIG;
		strcpy(list->choice[list->nr].name, bad);
		list->choice[list->nr++].event = event;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

bool event_is_hardware(const struct vmmprof_event *event)
{
	return event->type != PERF_TYPE_SOFTWARE;
}

/* The first name of an event; NULL: it has none. */
static const struct known *find_event(const struct vmmprof_event *event)
{
	size_t i;

	for (i = 0; i < NR_KNOWN; i++)
		if (known[i].type == event->type &&
		    known[i].config == event->config)
			return &known[i];
	return NULL;
}

static void set_default_rate(struct event_choice *choice, uint32_t tsc_khz)
{
	const struct known *k = find_event(&choice->event);
	struct vmmprof_event *event = &choice->event;

	if (!event_is_hardware(event)) {
		event->period = DEFAULT_US * 1000;
	} else if (k && k->clocked && tsc_khz) {
		event->period = (uint64_t)tsc_khz * DEFAULT_US / 1000;
	} else {
		/* its rate is not known, so perf adapts the period */
		event->period = DEFAULT_FREQ;
		event->flags |= VMMPROF_EVENT_F_FREQ;
	}
}

void events_set_rate(struct event_list *list, const struct rate *rate,
		     uint32_t tsc_khz)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		struct vmmprof_event *event = &list->choice[i].event;

		event->flags &= ~VMMPROF_EVENT_F_FREQ;
		if (rate->period) {
			event->period = rate->period;
		} else if (!rate->freq) {
			set_default_rate(&list->choice[i], tsc_khz);
		} else if (event_is_hardware(event)) {
			event->period = rate->freq;
			event->flags |= VMMPROF_EVENT_F_FREQ;
		} else {
			event->period = NS_PER_SEC / rate->freq;
		}
	}
}

const char *event_default(unsigned int i)
{
	static const char *const names[] = {
		"ref-cycles", "cycles", [EVENT_TIMER] = "cpu-clock"
	};

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

const char *event_name(int i)
{
	return i < (int)NR_KNOWN ? known[i].name : NULL;
}

void events_print_known(FILE *out, const char *indent)
{
	size_t column = 0;
	size_t i;

	for (i = 0; i <= NR_KNOWN; i++) {
		const char *name = i < NR_KNOWN ? known[i].name :
						  "rNNN (raw, hex)";

		if (!column)
			column = fprintf(out, "%s%s", indent, name);
		else if (column + strlen(name) + 3 > 78)
			column = fprintf(out, ",\n%s%s", indent, name) - 2;
		else
			column += fprintf(out, ", %s", name);
	}
	fputs("\n", out);
}
