// SPDX-License-Identifier: GPL-2.0-only
/* Entries of thieves' owners. */

#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "model/owner.h"
#include "base/vec.h"

void owners_deinit(struct owners *os)
{
	free(os->owners);
	hash_deinit(&os->by_key);
	hash_deinit(&os->by_image);
	strings_deinit(&os->names);
	memset(os, 0, sizeof(*os));
}

void owners_forget(struct owners *os)
{
	hash_deinit(&os->by_image);
	memset(&os->by_image, 0, sizeof(os->by_image));
}

static int add(struct owners *os, unsigned int kind, __u32 id, __u32 *ret)
{
	int err;

	err = vec_grow(&os->owners, &os->cap, os->nr, sizeof(*os->owners));
	if (!err)
		err = hash_set(&os->by_key, (__u64)kind << 32 | id, os->nr);
	if (err)
		return err;
	*ret = os->nr++;
	os->owners[*ret] = (struct owner){ .kind = kind, .id = id };
	return 0;
}

int owner_get(struct owners *os, unsigned int kind, __u32 id, __u32 *ret)
{
	int err = 0;

	if (!os->nr)
		err = add(os, OF_UNKNOWN, 0, ret);
	*ret = hash_get(&os->by_key, (__u64)kind << 32 | id);
	if (err || *ret != VMMPROF_NONE)
		return err;
	if (os->nr < OWNERS_MAX)
		return add(os, kind, id, ret);
	/* Names are a process's to choose, so their number is bounded. */
	*ret = hash_get(&os->by_key, (__u64)kind << 32 | VMMPROF_NONE);
	return *ret != VMMPROF_NONE ? 0 : add(os, kind, VMMPROF_NONE, ret);
}

int owner_named(struct owners *os, unsigned int kind, const char *name,
		__u32 *ret)
{
	__u32 id = VMMPROF_NONE;
	int err = 0;

	if (os->nr < OWNERS_MAX)
		err = strings_add(&os->names, name, strlen(name), &id);
	return err ? err : owner_get(os, kind, id, ret);
}

const char *owner_key(unsigned int kind)
{
	static const char *const key[NR_OF] = {
		"unknown", "vm",	 "container", "unit",	"process",
		"kernel",  "interrupts", "quota",     "nobody",
	};

	return kind < NR_OF ? key[kind] : "?";
}
