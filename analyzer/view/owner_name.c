// SPDX-License-Identifier: GPL-2.0-only
/* Names of thieves' owners. */

#include <stdio.h>

#include "view/foreign_names.h"
#include "view/owner_name.h"

/* Words of ours, by kind; a foreign name that is one of them is escaped. */
static const char *const headings[] = { "unknown",
					"other VMs",
					"other containers",
					"other units",
					"other processes",
					"kernel",
					"interrupts",
					"quota",
					"nobody",
					"host",
					NULL };

static const char *const phrases[NR_OF] = {
	"a thief that is not known", "other VMs",
	"other containers",	     "other units",
	"other processes",	     "the host's kernel",
	"the host's interrupts",     "the quota of its cgroup",
	"nobody: its CPUs idled"
};

/* Has no name of its own: its kind is all there is to say. */
static bool nameless(const struct owner *o)
{
	return o->id == VMMPROF_NONE || o->kind == OF_UNKNOWN ||
	       o->kind >= OF_KERNEL;
}

void owner_name(const struct timeline *tl, __u32 owner, char *buf, size_t size)
{
	const struct owners *os = &tl->thieves.owners;
	const struct owner *o;

	if (owner == VMMPROF_NONE) {
		snprintf(buf, size, "host");
		return;
	}
	o = &os->owners[owner];
	if (nameless(o))
		snprintf(buf, size, "%s", headings[o->kind]);
	else if (o->kind == OF_VM)
		foreign(buf, size, tl->a->resolver.guests.guests[o->id].name,
			headings);
	else
		foreign(buf, size, strings_get(&os->names, o->id), headings);
}

void owner_phrase(const struct timeline *tl, __u32 owner, __u32 victim,
		  char *buf, size_t size)
{
	const struct owner *o;
	char name[256];

	if (owner == VMMPROF_NONE) {
		snprintf(buf, size, "programs of the host");
		return;
	}
	o = &tl->thieves.owners.owners[owner];
	owner_name(tl, owner, name, sizeof(name));
	if (nameless(o))
		snprintf(buf, size, "%s", phrases[o->kind]);
	else if (o->kind == OF_VM && o->id == victim)
		snprintf(buf, size, "its own threads");
	else
		snprintf(buf, size, "%s%s",
			 o->kind == OF_PROCESS ? "process " : "", name);
}
