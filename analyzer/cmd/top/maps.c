// SPDX-License-Identifier: GPL-2.0-only
/* Takes guests' maps as they arrive, in the reader of `vmmprof top`. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "cmd/analysis_open.h"
#include "cmd/top/maps.h"
#include "cmd/top/protocol.h"
#include "base/vec.h"
#include "transport/ways.h"
#include "tui/wire.h"
#include "view/safe.h"

#define NOTES_AT_ONCE 64
#define ALL_MAX	      (1024ull << 20) /* bytes of all guests' bundles */

void top_maps_init(struct top_maps *m, struct analysis *a,
		   const struct top_options *o)
{
	memset(m, 0, sizeof(*m));
	m->a = a;
	m->load = &o->load;
	m->notes = o->notes;
	m->asks = o->record.transports || o->record.nr_rules;
}

void top_maps_deinit(struct top_maps *m)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		io_close(&m->maps[i].fd);
	free(m->maps);
	memset(m, 0, sizeof(*m));
}

/* Of the guest of a VMM process; NULL without memory. */
static struct top_map *map_of(struct top_maps *m, __u32 pid, __u32 *guest)
{
	if (guests_get(&m->a->resolver.guests, pid, guest))
		return NULL;
	while (m->nr <= *guest) {
		if (vec_grow(&m->maps, &m->cap, m->nr, sizeof(*m->maps)))
			return NULL;
		m->maps[m->nr++] = (struct top_map){ .fd = -1 };
	}
	return &m->maps[*guest];
}

static int fail(struct top_map *map, const char *why)
{
	map->failed = true;
	snprintf(map->note.text, sizeof(map->note.text), "%s", why);
	return 0;
}

/* Bytes of the bundles in use, but for one guest's. */
static __u64 size_of_others(const struct top_maps *m, __u32 guest)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < m->nr; i++)
		sum += i == guest ? 0 : m->maps[i].size;
	return sum;
}

static int use(struct top_maps *m, __u32 guest)
{
	struct top_map *map = &m->maps[guest];
	int fd = map->fd, ret;
	struct stat st;

	map->fd = -1;
	if (fstat(fd, &st) || size_of_others(m, guest) + st.st_size > ALL_MAX) {
		close(fd);
		return fail(map, "the guests' bundles are larger than 1 GiB");
	}
	ret = analysis_guest(m->a, guest, fd);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return fail(map, "its bundle cannot be read");
	map->asked_ns = map->next.asked_ns;
	map->serial = map->next.serial;
	map->size = st.st_size;
	return 0;
}

static int take_note(struct top_maps *m, const struct refresh_note *n, int fd)
{
	struct top_map *map;
	__u32 guest;

	map = map_of(m, n->pid, &guest);
	if (!map) {
		io_close(&fd);
		return -ENOMEM;
	}
	/* A guest that answers says more, and one that does not is read. */
	if (map->asked_ns && !map->note.error &&
	    (n->how == VMMPROF_REACH_MEMORY ?
		     map->note.how != VMMPROF_REACH_MEMORY :
		     n->error && map->note.how == VMMPROF_REACH_MEMORY)) {
		io_close(&fd);
		return 0;
	}
	map->note = *n;
	map->failed = n->error;
	if (fd < 0)
		return 0;
	io_close(&map->fd);
	map->fd = fd;
	map->next.asked_ns = n->asked_ns;
	map->next.serial = n->serial;
	return 0;
}

int top_maps_take(struct top_maps *m, bool hold)
{
	struct refresh_note n;
	int i, fd, ret = 0;
	size_t g;

	for (i = 0; i < NOTES_AT_ONCE && m->notes >= 0 && !ret; i++) {
		ret = refresh_take(m->notes, &n, &fd);
		if (ret <= 0)
			break;
		if (n.pid)
			ret = take_note(m, &n, fd);
		else
			m->unasked = true;
	}
	m->nobody |= ret == -EPIPE;
	if (ret != -ENOMEM)
		ret = 0; /* a wrong message is ignored */
	for (g = 0; g < m->nr && !hold && !ret; g++)
		if (m->maps[g].fd >= 0)
			ret = use(m, g);
	return ret;
}

/* Could newer maps of the guest name this sample? */
static bool is_unknown(const struct bucket_key *key)
{
	switch (key->cause) {
	case CAUSE_NO_BUNDLE:
	case CAUSE_CR3_UNKNOWN:
	case CAUSE_CR3_NOT_THEN:
	case CAUSE_CR3_SEVERAL:
	case CAUSE_NO_PROCESS:
	case CAUSE_NOT_MAPPED:
		return true;
	}
	return key->who == WHO_UNKNOWN;
}

int top_maps_wants(struct top_maps *m, int fd, bool hold)
{
	const struct guests *gs = &m->a->resolver.guests;
	const struct profile *p = &m->a->profile;
	struct top_wants head = { .nr = hold ? 0 : gs->nr };
	struct top_want *wants;
	size_t i;
	int ret;

	if (head.nr > TOP_MAX_WANTS)
		head.nr = TOP_MAX_WANTS;
	wants = calloc(head.nr + 1, sizeof(*wants));
	if (!wants)
		return -ENOMEM;
	for (i = 0; i < head.nr; i++)
		wants[i].pid = gs->guests[i].pid;
	for (i = 0; i < p->nr; i++) {
		const struct bucket *c = &p->buckets[i];

		if (!c->key.guest || c->key.guest > head.nr)
			continue;
		wants[c->key.guest - 1].samples += c->samples;
		if (is_unknown(&c->key))
			wants[c->key.guest - 1].unknown += c->samples;
	}
	ret = io_send(fd, &head, sizeof(head));
	if (!ret && head.nr)
		ret = io_send(fd, wants, head.nr * sizeof(*wants));
	free(wants);
	return ret;
}

const struct top_map *top_maps_of(const struct top_maps *m, __u32 machine)
{
	return machine && machine <= m->nr ? &m->maps[machine - 1] : NULL;
}

const char *top_maps_never(const struct top_maps *m, __u32 machine)
{
	const struct guests *gs = &m->a->resolver.guests;

	if (load_has_bundle(m->load, gs->guests[machine - 1].name))
		return "its maps were given by --guest-bundle";
	if (m->notes < 0 || !m->asks)
		return "--transport none";
	if (m->nobody || m->unasked)
		return "vmmprof-guest is not there to be sent: --guest-program";
	return NULL;
}

const char *top_maps_about(void *arg, __u32 machine)
{
	const struct guests *gs;
	const struct top_map *map;
	struct top_maps *m = arg;
	char why[512] = "";
	const char *never;

	gs = &m->a->resolver.guests;
	if (!machine || machine > gs->nr)
		return NULL;
	if (load_has_bundle(m->load, gs->guests[machine - 1].name))
		return "maps: as given by --guest-bundle";
	never = top_maps_never(m, machine);
	map = top_maps_of(m, machine);
	if (never && (m->notes < 0 || m->nobody)) {
		snprintf(m->text, sizeof(m->text), "no maps: %s", never);
		return m->text;
	}
	if (!map || (!map->asked_ns && !map->failed))
		return never ? "maps: its memory is being read" :
			       "maps: it is being asked";
	safe_text(why, sizeof(why), map->note.text);
	if (!map->asked_ns) {
		snprintf(m->text, sizeof(m->text), "no maps: %s", why);
		return m->text;
	}
	snprintf(m->text, sizeof(m->text), "maps of %llu s ago, %s%s%s",
		 (clock_now() - map->asked_ns) / 1000000000ull,
		 way_name(map->note.how), map->failed ? "; not since: " : "",
		 map->failed ? why : "");
	return m->text;
}
