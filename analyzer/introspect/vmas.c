// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads mappings of a guest's process.  They are in the order of their addresses
 * and do not overlap: so neither a list nor a tree can lead in a circle.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "introspect/vmas.h"

#define SPAN_MAX     1024		   /* bytes of vm_area_struct */
#define USER_END     0x0100000000000000ull /* five levels: 56 bits */
#define HEIGHT_MAX   16			   /* of a tree: of 10 slots a node */
#define NODES_MAX    0x20000
#define NODE_BYTES   256
#define NODE_MASK    255ull /* MAPLE_NODE_MASK */
#define RANGE_SLOTS  16	    /* MAPLE_RANGE64_SLOTS */
#define ARANGE_SLOTS 10	    /* MAPLE_ARANGE64_SLOTS */

/* enum maple_type: bits 6:3 of an encoded node */
enum { DENSE, LEAF_64, RANGE_64, ARANGE_64 };

struct reading {
	const struct guest_kernel *k;
	__u64 mm;
	struct guest_vmas *to;
	unsigned int first, span; /* bytes of vm_area_struct that are read */
};

static const enum guest_member members[] = {
	GUEST_VMA_START, GUEST_VMA_END,	    GUEST_VMA_MM,    GUEST_VMA_FLAGS,
	GUEST_VMA_OPS,	 GUEST_VMA_PRIVATE, GUEST_VMA_PGOFF, GUEST_VMA_FILE,
};

#define NR_MEMBERS (sizeof(members) / sizeof(members[0]))

static int find_span(struct reading *r)
{
	unsigned int last = 0, i;

	r->first = -1;
	for (i = 0; i < NR_MEMBERS; i++) {
		unsigned int at = r->k->members.offset[members[i]];

		r->first = at < r->first ? at : r->first;
		last = at + 8 > last ? at + 8 : last;
	}
	r->span = last - r->first;
	return r->span > SPAN_MAX ? -EOPNOTSUPP : 0;
}

/* Append the one at @addr.  -ESTALE: it is none, or not behind the last one. */
static int add(struct reading *r, __u64 addr)
{
	struct guest_vmas *to = r->to;
	__u64 word[NR_MEMBERS], after;
	char buf[SPAN_MAX];
	unsigned int i;
	int err = guest_space_read(&r->k->space, addr + r->first, buf, r->span);

	if (err)
		return err;
	for (i = 0; i < NR_MEMBERS; i++)
		memcpy(&word[i],
		       buf + r->k->members.offset[members[i]] - r->first, 8);
	after = to->nr ? to->vma[to->nr - 1].end : 0;
	if (word[2] != r->mm || word[0] < after || word[1] <= word[0] ||
	    word[1] > USER_END || (word[0] | word[1]) % GUEST_PAGE)
		return -ESTALE;
	if (to->nr >= GUEST_VMAS_MAX)
		return -EDQUOT;
	if (vec_grow(&to->vma, &to->cap, to->nr, sizeof(*to->vma)))
		return -ENOMEM;
	to->vma[to->nr++] = (struct guest_vma){
		.start = word[0],
		.end = word[1],
		.flags = word[3],
		.ops = word[4],
		.private_data = word[5],
		.pgoff = word[6] * GUEST_PAGE,
		.file = word[7],
	};
	return 0;
}

static int read_list(struct reading *r)
{
	__u64 addr;
	int err = guest_get(r->k, r->mm, GUEST_MM_MMAP, &addr);

	while (!err && addr) {
		err = add(r, addr);
		err = err ?: guest_get(r->k, addr, GUEST_VMA_NEXT, &addr);
	}
	return err;
}

/* A node of the tree whose slots are looked at. */
struct level {
	__u64 pivot[RANGE_SLOTS], slot[RANGE_SLOTS];
	__u64 min, max; /* the addresses of its range, both inclusive */
	int next, nr;	/* slots */
	bool leaf;
};

/* What a slot holds: a pointer (to a node: with its type), not a value. */
static bool is_pointer(__u64 entry)
{
	return entry >= GUEST_PAGE && !(entry & 1);
}

static int read_node(struct reading *r, __u64 entry, struct level *l)
{
	const struct guest_members *m = &r->k->members;
	const int type = entry >> 3 & 0xf;
	const bool gaps = type == ARANGE_64;
	const int slots = gaps ? ARANGE_SLOTS : RANGE_SLOTS;
	const int pivots =
		m->offset[gaps ? GUEST_ARANGE_PIVOT : GUEST_RANGE_PIVOT];
	const int slot = m->offset[gaps ? GUEST_ARANGE_SLOT : GUEST_RANGE_SLOT];
	char node[NODE_BYTES];
	int err;

	if (type != LEAF_64 && type != RANGE_64 && type != ARANGE_64)
		return -ESTALE;
	if (pivots + (slots - 1) * 8 > NODE_BYTES ||
	    slot + slots * 8 > NODE_BYTES)
		return -EOPNOTSUPP;
	err = guest_space_read(&r->k->space, entry & ~NODE_MASK, node,
			       sizeof(node));
	if (err)
		return err;
	memcpy(l->pivot, node + pivots, (slots - 1) * 8);
	memcpy(l->slot, node + slot, slots * 8);
	l->nr = slots;
	l->next = 0;
	l->leaf = type == LEAF_64;
	return 0;
}

/*
 * The next slot of @l, with the range that it is for.  1; 0: there is none;
 * -ESTALE.  A pivot is the last address of its slot; the last slot that is used
 * has none, or 0, or the node's own last one.
 */
static int next_slot(struct level *l, __u64 *entry, __u64 *min, __u64 *max)
{
	const int i = l->next;

	if (i >= l->nr)
		return 0;
	*entry = l->slot[i];
	*min = l->min;
	*max = i == l->nr - 1 || (i && !l->pivot[i]) ? l->max : l->pivot[i];
	if (*max < *min || *max > l->max)
		return -ESTALE;
	l->min = *max + 1;
	l->next = *max == l->max ? l->nr : i + 1;
	return 1;
}

static int walk_tree(struct reading *r, __u64 root)
{
	struct level level[HEIGHT_MAX];
	int top = 0, nodes = 0;
	int err;

	level[0].min = 0;
	level[0].max = -1;
	err = read_node(r, root, &level[0]);
	while (!err && top >= 0) {
		__u64 entry, min, max;

		err = next_slot(&level[top], &entry, &min, &max);
		if (err <= 0) {
			top--;
			continue;
		}
		err = 0;
		if (!is_pointer(entry))
			continue;
		if (level[top].leaf) {
			err = add(r, entry);
			continue;
		}
		if (++top == HEIGHT_MAX || ++nodes > NODES_MAX)
			return -ESTALE;
		level[top].min = min;
		level[top].max = max;
		err = read_node(r, entry, &level[top]);
	}
	return err;
}

static int read_tree(struct reading *r)
{
	__u64 root;
	int err = guest_get(r->k, guest_at(r->k, r->mm, GUEST_MM_MT),
			    GUEST_MAPLE_ROOT, &root);

	if (err || !is_pointer(root))
		return err;
	/* xa_is_node(): other roots are a single entry of address 0. */
	return (root & 3) == 2 ? walk_tree(r, root) : -ESTALE;
}

int guest_vmas_read(const struct guest_kernel *k, __u64 mm,
		    struct guest_vmas *ret)
{
	struct reading r = { .k = k, .mm = mm, .to = ret };
	int err = -EOPNOTSUPP;

	memset(ret, 0, sizeof(*ret));
	if (!guest_members_have(&k->members, GUEST_MAPPINGS) || find_span(&r))
		return err;
	if (guest_members_have(&k->members, GUEST_VMA_TREE))
		err = read_tree(&r);
	else if (guest_members_have(&k->members, GUEST_VMA_LIST))
		err = read_list(&r);
	switch (err) {
	case 0:
		return 0;
	case -EOPNOTSUPP:
	case -ENOMEM:
		guest_vmas_deinit(ret);
		return err;
	case -EDQUOT:
		ret->many = true;
		return 0;
	default:
		ret->torn = true;
		return 0;
	}
}

void guest_vmas_deinit(struct guest_vmas *v)
{
	free(v->vma);
	memset(v, 0, sizeof(*v));
}

int guest_vma_name(const struct guest_kernel *k, const struct guest_vma *vma,
		   char *buf, size_t size)
{
	__u64 name;
	int len;

	if (!vma->ops || vma->ops != k->known[GUEST_SYM_SPECIAL_VMOPS] ||
	    guest_get(k, vma->private_data, GUEST_SPECIAL_NAME, &name))
		return 0;
	len = guest_space_string(&k->space, name, buf, size);
	return len > 0 ? len : 0;
}
