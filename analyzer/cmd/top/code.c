// SPDX-License-Identifier: GPL-2.0-only
/* The functions whose code is wanted, and the state of fetching it. */

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "cmd/top/code.h"
#include "cmd/top/protocol.h"
#include "code/select.h"
#include "tui/wire.h"
#include "view/safe.h"

/* What was looked at since then stays in the list. */
#define KEEP_NS 10000000000ull

/* Moves its entry to the front, or makes one; NULL: there are too many. */
static struct top_code *find(struct top_codes *c,
			     const struct refresh_code *want)
{
	__u64 now = clock_now();
	struct top_code code;
	size_t i;

	for (i = 0; i < c->nr; i++)
		if (c->codes[i].want.pid == want->pid &&
		    !memcmp(&c->codes[i].want.what, &want->what,
			    sizeof(want->what)))
			break;
	if (i < c->nr) {
		code = c->codes[i];
	} else {
		if (i == TOP_MAX_CODES &&
		    now - c->codes[--i].looked_ns < KEEP_NS)
			return NULL;
		c->nr = i + 1;
		code = (struct top_code){ .want = *want, .asked_ns = now };
		code.want.serial = ++c->serial;
	}
	memmove(&c->codes[1], &c->codes[0], i * sizeof(code));
	code.looked_ns = now;
	c->codes[0] = code;
	return &c->codes[0];
}

static const char *say(struct top_codes *c, const char *what, const char *why)
{
	char safe[160];

	safe_text(safe, sizeof(safe), why);
	snprintf(c->text, sizeof(c->text), "%s%s", what, safe);
	return c->text;
}

static const char *state(struct top_codes *c, const struct top_code *code,
			 const struct top_map *map)
{
	__u32 serial = code->want.serial;

	if (map && serial <= map->serial)
		return say(
			c, "the guest was asked for it and gave none: ",
			*map->note.code_text ?
				map->note.code_text :
				"its file is not mapped there any more, or cannot be read");
	if (map && map->fd >= 0 && serial <= map->next.serial)
		return "it is here, and shown when the screen goes on (p)";
	if (map && map->failed && serial <= map->note.serial)
		return say(c,
			   "the guest was asked for it, and is again later: ",
			   map->note.text);
	snprintf(
		c->text, sizeof(c->text),
		"instructions are being fetched from the guest, for %llu s now",
		(clock_now() - code->asked_ns) / 1000000000ull);
	return c->text;
}

const char *top_codes_look(void *codes, const struct hot_place *p, bool here)
{
	struct top_codes *c = codes;
	const struct resolver *r = &c->maps->a->resolver;
	const struct machine *m = r->machines[p->key.guest];
	struct refresh_code want = { 0 };
	struct code_want at;
	struct top_code *code;
	const char *never;

	never = top_maps_never(c->maps, p->key.guest);
	if (never)
		return here ? NULL : say(c, "not fetched: ", never);
	if (!code_select_place(m, p, &at) ||
	    !code_identity_init(&want.what, &m->bundle, &at))
		return NULL;
	want.pid = r->guests.guests[p->key.guest - 1].pid;
	code = find(c, &want);
	if (here)
		return NULL;
	if (!code)
		return "these are too many functions at once: choose one process";
	return state(c, code, top_maps_of(c->maps, p->key.guest));
}

int top_codes_send(const struct top_codes *c, int fd)
{
	struct top_wants head = { .nr = c->nr };
	size_t i;
	int ret;

	ret = io_send(fd, &head, sizeof(head));
	for (i = 0; i < c->nr && !ret; i++)
		ret = io_send(fd, &c->codes[i].want, sizeof(c->codes[i].want));
	return ret;
}
