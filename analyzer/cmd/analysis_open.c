// SPDX-License-Identifier: GPL-2.0-only
/* Opens a session: its records, the host's map file, the guests' bundles. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path_walk.h"
#include "cmd/analysis_open.h"

static void warn_left(const struct machine *m, const char *name,
		      struct problems *problems)
{
	if (m->kallsyms.left)
		problem(problems,
			"%s: its kernel has more than %u functions: %zu are left out",
			name, KALLSYMS_MAX, m->kallsyms.left);
}

/* A bundle that is taken as it is; fd is closed.  name is for messages. */
static int load_maps(struct analysis *a, __u32 machine, int fd,
		     const char *name)
{
	struct problems *problems = &a->session.problems;
	__u64 khz = session_tsc_khz(&a->session);
	struct bundle b;
	const char *why;
	int ret;

	ret = bundle_init(&b, fd, name, problems);
	close(fd);
	if (!ret) {
		ret = resolver_set(&a->resolver, machine, &b, khz);
		if (!ret)
			warn_left(a->resolver.machines[machine], name,
				  problems);
		return ret;
	}
	why = file_strerror(ret);
	problem(problems, "%s: %s", name, why ? why : strerror(-ret));
	return ret;
}

int analysis_host(struct analysis *a)
{
	struct session *s = &a->session;
	int fd, ret;

	fd = open_regular(s->dirfd, "host", O_NOFOLLOW);
	if (fd >= 0) {
		ret = load_maps(a, 0, fd, "host");
		return ret == -ENOMEM ? ret : 0;
	}
	problem(&s->problems,
		"host: %s: the host's functions and processes stay unknown",
		fd == -EINVAL ? "not a regular file" : path_walk_strerror(fd));
	return 0;
}

int analysis_guest(struct analysis *a, __u32 guest, int fd)
{
	char what[320];

	snprintf(what, sizeof(what), "guests/%s.bundle",
		 a->resolver.guests.guests[guest].name);
	return load_maps(a, 1 + guest, fd, what);
}

/*
 * A name's bundle is read once: many items of one guest, or many VMs of one
 * name, would have it read, and kept, as often.
 */
static bool first_time(struct hash *read, const char *name)
{
	__u64 key = hash_bytes(name, strlen(name));

	return hash_get(read, key) == VMMPROF_NONE && !hash_set(read, key, 0);
}

static int load_guests(struct analysis *a, struct hash *read)
{
	struct session *s = &a->session;
	const char *name;
	char what[320];
	size_t i;
	__u32 g;
	int ret;

	for (i = 0; i < s->nr_guests; i++) {
		name = s->guests[i]->name;
		if (!first_time(read, name))
			continue;
		snprintf(what, sizeof(what), "guests/%s.bundle", name);
		ret = session_open_bundle(s, name);
		if (ret < 0) {
			problem(&s->problems, "%s: %s", what,
				ret == -EINVAL ? "no usable file name" :
						 path_walk_strerror(ret));
			continue;
		}
		g = guests_by_name(&a->resolver.guests, name);
		if (g == VMMPROF_NONE &&
		    guests_get(&a->resolver.guests, s->guests[i]->pid, &g)) {
			close(ret);
			return -ENOMEM;
		}
		ret = load_maps(a, 1 + g, ret, what);
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

/* Bundles that lie there although info, cut off early, does not tell. */
static int load_untold(struct analysis *a, struct hash *read)
{
	struct guests *gs = &a->resolver.guests;
	char what[320];
	size_t i;
	int fd;

	for (i = 0; i < gs->nr; i++) {
		if (i + 1 < a->resolver.nr_machines &&
		    a->resolver.machines[i + 1])
			continue;
		if (!first_time(read, gs->guests[i].name))
			continue;
		fd = session_open_bundle(&a->session, gs->guests[i].name);
		if (fd < 0)
			continue;
		snprintf(what, sizeof(what), "guests/%s.bundle",
			 gs->guests[i].name);
		if (load_maps(a, 1 + i, fd, what) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static int load_bundles(struct analysis *a)
{
	struct hash read = { 0 };
	int ret = load_guests(a, &read);

	if (!ret)
		ret = load_untold(a, &read);
	hash_deinit(&read);
	return ret;
}

static int load_option(struct analysis *a, const struct bundle_option *o)
{
	struct problems *problems = &a->session.problems;
	__u32 g = guests_by_name(&a->resolver.guests, o->name);
	int fd;

	if (g == VMMPROF_NONE) {
		problem(problems, "%s: the session has no guest of that name",
			o->name);
		return -ESRCH;
	}
	fd = open_regular(AT_FDCWD, o->file, 0);
	if (fd < 0) {
		problem(problems, "%s: %s", o->file,
			fd == -EINVAL ? "not a regular file" : strerror(-fd));
		return fd;
	}
	return load_maps(a, 1 + g, fd, o->file);
}

int analysis_open(struct analysis *a, const char *dir,
		  const struct bundle_option *options, size_t nr_options)
{
	const struct hash none = { 0 };

	return analysis_open_later(a, dir, options, nr_options, &none);
}

int analysis_open_later(struct analysis *a, const char *dir,
			const struct bundle_option *options, size_t nr_options,
			const struct hash *ended)
{
	size_t i;
	int ret;

	memset(a, 0, sizeof(*a));
	ret = session_open(&a->session, dir);
	if (!ret && ended->nr)
		ret = session_forget(&a->session, ended);
	if (!ret)
		ret = resolver_init(&a->resolver, &a->session);
	if (!ret)
		ret = analysis_host(a);
	if (!ret)
		ret = load_bundles(a);
	for (i = 0; i < nr_options && !ret; i++)
		ret = load_option(a, &options[i]);
	return ret;
}
