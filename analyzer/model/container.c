// SPDX-License-Identifier: GPL-2.0-only
/* Container names out of the paths of control groups. */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/container.h"
#include <vmmprof/record.h>

#define SHORT_ID    12 /* digits, as the runtimes' own listings */
#define MAX_PARENTS 64

/* One component of a path. */
struct part {
	const char *p;
	size_t len;
};

static bool begins(const struct part *part, const char *with)
{
	return part->len >= strlen(with) &&
	       !memcmp(part->p, with, strlen(with));
}

static bool ends(const struct part *part, const char *with)
{
	size_t len = strlen(with);

	return part->len >= len &&
	       !memcmp(part->p + part->len - len, with, len);
}

static bool is(const struct part *part, const char *what)
{
	return part->len == strlen(what) && begins(part, what);
}

static size_t hex_digits(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && isxdigit((unsigned char)p[n]))
		n++;
	return n;
}

/* PREFIXid[.scope], an id of 64 digits -> "WORD:shortid". */
static bool runtime_id(const struct part *part, char *buf, size_t size)
{
	static const struct {
		const char *prefix, *word;
	} runtimes[] = {
		{ "docker-", "docker" },
		{ "libpod-", "podman" },
		{ "cri-containerd-", "containerd" },
		{ "crio-", "crio" },
	};
	size_t i, skip;

	for (i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if (!begins(part, runtimes[i].prefix))
			continue;
		skip = strlen(runtimes[i].prefix);
		if (hex_digits(part->p + skip, part->len - skip) != 64)
			return false;
		snprintf(buf, size, "%s:%.*s", runtimes[i].word, SHORT_ID,
			 part->p + skip);
		return true;
	}
	return false;
}

/* Copy, with systemd's \x2d and the like undone. */
static void unescape(char *to, size_t size, const struct part *from)
{
	size_t i, n = 0;
	unsigned int v;

	for (i = 0; i < from->len && n + 1 < size; i++) {
		const char *p = from->p + i;

		if (from->len - i >= 4 && p[0] == '\\' && p[1] == 'x' &&
		    sscanf(p + 2, "%2x", &v) == 1 && v) {
			to[n++] = v;
			i += 3;
		} else {
			to[n++] = *p;
		}
	}
	to[n] = '\0';
}

/* WORD:NAME of what stands between a prefix and a suffix. */
static bool named(const struct part *part, const char *prefix,
		  const char *suffix, const char *word, char *buf, size_t size)
{
	struct part name = *part;
	size_t len;

	if (!begins(part, prefix) || !ends(part, suffix) ||
	    part->len <= strlen(prefix) + strlen(suffix))
		return false;
	name.p += strlen(prefix);
	name.len -= strlen(prefix) + strlen(suffix);
	/* Scopes of libvirt's virtual machines have the same form. */
	if (!strcmp(word, "nspawn") &&
	    (begins(&name, "qemu\\x2d") || begins(&name, "lxc\\x2d")))
		return false;
	len = snprintf(buf, size, "%s:", word);
	if (len < size)
		unescape(buf + len, size - len, &name);
	return true;
}

/*
 * The name in @part of the path, below @above; the pod only if no other part
 * has a name.
 */
static bool part_name(const struct part *above, const struct part *part,
		      bool known, char *buf, size_t size)
{
	struct part uid = *part;
	size_t i;

	if (runtime_id(part, buf, size) ||
	    named(part, "lxc.payload.", "", "lxc", buf, size) ||
	    named(part, "machine-", ".scope", "nspawn", buf, size) ||
	    named(part, "systemd-nspawn@", ".service", "nspawn", buf, size))
		return true;
	if (is(above, "lxc"))
		return named(part, "", "", "lxc", buf, size);
	if (is(above, "docker") && hex_digits(part->p, part->len) == 64) {
		snprintf(buf, size, "docker:%.*s", SHORT_ID, part->p);
		return true;
	}
	/* kubepods[-QOS]-podUID.slice, or podUID below kubepods */
	for (i = 0; i + 3 < part->len; i++)
		if (!memcmp(part->p + i, "pod", 3) &&
		    (!i || part->p[i - 1] == '-') &&
		    hex_digits(part->p + i + 3, part->len - i - 3) >= 8)
			break;
	if (known || i + 3 >= part->len)
		return false;
	uid.p += i;
	uid.len -= i;
	return named(&uid, "pod", ends(&uid, ".slice") ? ".slice" : "", "pod",
		     buf, size);
}

bool container_name(const char *cgroup, char *buf, size_t size)
{
	struct part above = { "", 0 }, part;
	bool known = false;

	while (*cgroup) {
		part.p = cgroup;
		part.len = strcspn(cgroup, "/");
		cgroup += part.len + !!cgroup[part.len];
		if (!part.len)
			continue;
		known |= part_name(&above, &part, known, buf, size);
		above = part;
	}
	return known;
}

bool unit_name(const char *cgroup, char *buf, size_t size)
{
	struct part part, unit = { NULL, 0 };

	while (*cgroup) {
		part.p = cgroup;
		part.len = strcspn(cgroup, "/");
		cgroup += part.len + !!cgroup[part.len];
		if (ends(&part, ".service") || ends(&part, ".scope"))
			unit = part;
	}
	if (unit.p)
		unescape(buf, size, &unit);
	return unit.p;
}

/* The part of a path up to the end of a VM's scope; its length is 0: none. */
static struct part scope_of(const char *cgroup)
{
	struct part scope = { cgroup, 0 }, part;
	const char *p = cgroup;

	while (*p) {
		part.p = p;
		part.len = strcspn(p, "/");
		p += part.len + !!p[part.len];
		if (!begins(&part, "machine-qemu\\x2d") ||
		    !ends(&part, ".scope"))
			continue;
		scope.len = part.p + part.len - cgroup;
		break;
	}
	return scope;
}

bool vm_scope(const char *cgroup)
{
	return scope_of(cgroup).len;
}

bool same_scope(const char *a, const char *b)
{
	struct part x = scope_of(a), y = scope_of(b);

	if (!x.len && !y.len)
		return !strcmp(a, b);
	return x.len == y.len && !memcmp(x.p, y.p, x.len);
}

/* Index of the image whose group this one has, if it has no item of its own. */
static void set_links(__u32 *link, const struct bundle *b,
		      const struct procs *ps)
{
	const struct image *im, *parent;
	size_t i;

	for (i = 0; i < ps->nr; i++) {
		link[i] = ps->images[i].parent;
		if (link[i] == VMMPROF_NONE && i &&
		    ps->images[i - 1].pid == ps->images[i].pid &&
		    ps->images[i - 1].end == ps->images[i].from)
			link[i] = i - 1;
	}
	for (i = 0; i < b->nr_procs; i++) {
		if (b->procs[i]->op != VMMPROF_OP_SNAP || !b->procs[i]->ppid)
			continue;
		im = procs_find(ps, b->procs[i]->pid, b->procs[i]->ns);
		parent = procs_find(ps, b->procs[i]->ppid, b->procs[i]->ns);
		if (im && parent && link[im - ps->images] == VMMPROF_NONE)
			link[im - ps->images] = parent - ps->images;
	}
}

int containers_init(struct containers *c, const struct bundle *b,
		    const struct procs *ps)
{
	const struct image *im;
	const char **own;
	__u32 *link;
	size_t i, k;
	int n;

	memset(c, 0, sizeof(*c));
	if (!b->nr_cgroups || !ps->nr)
		return 0;
	c->groups = calloc(ps->nr, sizeof(*c->groups));
	own = calloc(ps->nr, sizeof(*own));
	link = malloc(ps->nr * sizeof(*link));
	if (!c->groups || !own || !link) {
		containers_deinit(c);
		free(own);
		free(link);
		return -ENOMEM;
	}
	c->nr = ps->nr;
	for (i = 0; i < b->nr_cgroups; i++) {
		im = procs_find(ps, b->cgroups[i]->pid, b->cgroups[i]->ns);
		if (im)
			own[im - ps->images] = b->cgroups[i]->path;
	}
	set_links(link, b, ps);
	for (i = 0; i < ps->nr; i++) {
		for (k = i, n = 0;
		     k != VMMPROF_NONE && !own[k] && n < MAX_PARENTS; n++)
			k = link[k];
		if (k != VMMPROF_NONE)
			c->groups[i] = own[k];
	}
	free(own);
	free(link);
	return 0;
}

void containers_deinit(struct containers *c)
{
	free(c->groups);
	memset(c, 0, sizeof(*c));
}

bool container_of(const struct containers *c, size_t image, char *buf,
		  size_t size)
{
	return image < c->nr && c->groups[image] &&
	       container_name(c->groups[image], buf, size);
}
