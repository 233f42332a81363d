// SPDX-License-Identifier: GPL-2.0-only
/* The name of a thief as a frame of its own, with its owner. */

#include <string.h>

#include "view/export_thief.h"
#include "view/owner_name.h"
#include "view/timeline.h"

void export_thief(const struct timeline *tl, __u32 thief, char *buf,
		  size_t size)
{
	const struct thief *t = &tl->thieves.thieves[thief];
	const struct slice s = { .thief = thief };
	size_t len;

	slice_thief(tl, &s, buf, size);
	/* a vCPU has its VM's name already */
	if (t->kind == BY_VCPU)
		return;
	switch (tl->thieves.owners.owners[t->owner].kind) {
	case OF_VM:
	case OF_CONTAINER:
	case OF_UNIT:
		len = strlen(buf);
		if (len + 5 >= size)
			return;
		memcpy(buf + len, " of ", 5);
		owner_name(tl, t->owner, buf + len + 4, size - len - 4);
	}
}
