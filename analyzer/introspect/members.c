// SPDX-License-Identifier: GPL-2.0-only
/* Looks up members of a guest kernel's structures. */

#include <stdio.h>
#include <string.h>

#include "introspect/members.h"

#define OFFSET_MAX 0xffffu /* of structures that are not damaged */

static const struct {
	const char *type, *member, *other;
	enum guest_group group;
} members[] = {
#define GUEST_MEMBER_ROW(id, in, name, needed, second) \
	{ .type = in,                                  \
	  .member = name,                              \
	  .other = second,                             \
	  .group = GUEST_##needed },
	GUEST_MEMBERS(GUEST_MEMBER_ROW)
};

static __s32 look_up(const struct btf *btf, int i)
{
	__u32 offset, size;
	int err = btf_find_member(btf, members[i].type, members[i].member,
				  &offset, &size);

	if (err && members[i].other)
		err = btf_find_member(btf, members[i].type, members[i].other,
				      &offset, &size);
	return err || offset > OFFSET_MAX ? -1 : (__s32)offset;
}

/* What is beside offsets needed for the page cache. */
static void read_page(const struct btf *btf, struct guest_members *ret)
{
	long size = btf_struct_size(btf, "page");
	__u32 offset, bytes;

	ret->page = size > 0 && size <= 256 ? size : 0;
	if (btf_enum_value(btf, "pageflags", "PG_uptodate", &ret->uptodate) ||
	    ret->uptodate >= 32)
		ret->page = 0;
	if (btf_find_member(btf, "xa_node", "slots", &offset, &bytes))
		bytes = 0;
	ret->xa_slots = bytes / 8;
}

void guest_members_read(const struct btf *btf, struct guest_members *ret)
{
	long size = btf_struct_size(btf, "module_memory");
	int i;

	memset(ret->lacks, 0xff, sizeof(ret->lacks));
	for (i = 0; i < NR_GUEST_MEMBERS; i++) {
		ret->offset[i] = look_up(btf, i);
		if (ret->offset[i] < 0 && ret->lacks[members[i].group] < 0)
			ret->lacks[members[i].group] = i;
	}
	ret->module_memory = size > 0 && size < 4096 ? size : 0;
	read_page(btf, ret);
}

void guest_members_missing(const struct guest_members *m,
			   enum guest_group group, char *buf, size_t size)
{
	__s32 i = m->lacks[group];

	if (i < 0)
		snprintf(buf, size, "%s", "");
	else
		snprintf(buf, size, "struct %s.%s", members[i].type,
			 members[i].member);
}
