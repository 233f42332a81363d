// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unpacks CHAIN records.  Bytes may be missing, counts wrong and ids unknown:
 * what follows from that is zeros or an error, and never more than one record.
 */

#include <errno.h>
#include <stddef.h>

#include "format/chain_unpack.h"

struct bytes {
	const __u8 *at, *end;
	bool bad;
};

/* What the record has, and what it is told against. */
struct chain {
	struct bytes in;
	__u32 flags;
	__u32 nr_kernel, nr_user;
	__u64 member[CHAIN_MEMBERS];
	__u64 data[CHAIN_WORDS_MAX];
};

struct chain_unpack *chain_unpack_new(void)
{
	struct chain_unpack *u = calloc(1, sizeof(*u));

	if (u && chain_table_init(&u->table)) {
		free(u);
		return NULL;
	}
	return u;
}

void chain_unpack_free(struct chain_unpack *u)
{
	if (u)
		chain_table_deinit(&u->table);
	free(u);
}

static __u64 get_leb(struct bytes *in)
{
	unsigned int shift;
	__u64 v = 0;
	__u8 byte;

	for (shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		byte = *in->at++;
		v |= (__u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	in->bad = true;
	return 0;
}

static __u64 get_difference(struct bytes *in, __u64 from)
{
	return from + chain_unzigzag(get_leb(in));
}

/* A number below @end. */
static __u32 get_count(struct bytes *in, __u32 end)
{
	__u64 v = get_leb(in);

	if (v < end)
		return v;
	in->bad = true;
	return 0;
}

static __u64 get_raw(struct bytes *in)
{
	__u64 word = 0;

	if (in->end - in->at < (ptrdiff_t)sizeof(word)) {
		in->bad = true;
		return 0;
	}
	memcpy(&word, in->at, sizeof(word));
	in->at += sizeof(word);
	return word;
}

/* A word of a kernel's stack; *n is the one outside it, then this one. */
static __u64 get_word(struct bytes *in, struct chain_near *n)
{
	__u64 v = get_leb(in), less = v >> 2;

	if (v == VMMPROF_PACKED_RAW) {
		n->index = CHAIN_NO_INDEX;
		return get_raw(in);
	}
	if (!less || less > n->index || v & VMMPROF_PACKED_RAW) {
		in->bad = true;
		return 0;
	}
	n->index -= less;
	if ((v & 3) == VMMPROF_PACKED_STACK)
		return get_difference(in, 8ull * n->index) << 16 |
		       VMMPROF_WORD_STACK | n->index;
	n->address = get_difference(in, n->address);
	return n->address << 16 | n->index;
}

/* The words before number @i, of which those from there on are known. */
static void get_words(struct chain *c, __u32 i)
{
	bool words = c->flags & VMMPROF_C_WORDS;
	__u32 nr = c->nr_kernel + c->nr_user, first = i;
	struct chain_near n;
	__u64 user = 0;

	if (first < c->nr_kernel)
		first = c->nr_kernel;
	if (i < nr && first < nr)
		user = c->data[first];
	for (; i > c->nr_kernel && !c->in.bad; i--) {
		user = get_difference(&c->in, user);
		c->data[i - 1] = user;
	}
	n = chain_near_kernel(c->data, i, c->nr_kernel, words);
	for (; i > 0 && !c->in.bad; i--) {
		if (!words)
			n.address = get_difference(&c->in, n.address);
		c->data[i - 1] = words ? get_word(&c->in, &n) : n.address;
	}
}

/* The outermost words, which are those of @base. */
static void get_same(struct chain *c, const struct chain_kept *base, __u32 same)
{
	bool words = c->flags & VMMPROF_C_WORDS;
	__u32 nr = c->nr_kernel + c->nr_user, i = nr - same;
	__u32 n = base->nr_kernel + base->nr_user;
	__u64 shift;

	if (same)
		memcpy(c->data + i, base->data + n - same,
		       same * sizeof(*c->data));
	if (same <= c->nr_user)
		return;
	if (c->nr_user != base->nr_user || words != base->words) {
		c->in.bad = true;
		return;
	}
	shift = words ? chain_unzigzag(get_leb(&c->in)) : 0;
	for (; words && i < c->nr_kernel; i++)
		c->data[i] = chain_word_shift(c->data[i], shift);
}

/* The counts and the words. */
static void get_data(struct chain *c, const struct chain_kept *base)
{
	__u32 most = c->flags & VMMPROF_C_WORDS ? VMMPROF_CHAIN_WORDS :
						  VMMPROF_CHAIN_DEPTH;
	__u32 nr, n = base->nr_kernel + base->nr_user, same;

	c->nr_kernel = get_count(&c->in, most + 1);
	c->nr_user = get_count(&c->in, VMMPROF_CHAIN_DEPTH + 2);
	nr = c->nr_kernel + c->nr_user;
	same = get_count(&c->in, (nr < n ? nr : n) + 1);
	if (same > base->nr_user && same <= c->nr_user)
		c->in.bad = true;
	if (!c->in.bad)
		get_same(c, base, same);
	if (!c->in.bad)
		get_words(c, nr - same);
}

static int keep(struct chain_kept *k, const struct chain *c)
{
	__u32 nr = c->nr_kernel + c->nr_user;

	if (chain_kept_room(k, nr))
		return -ENOMEM;
	k->there = true;
	k->words = c->flags & VMMPROF_C_WORDS;
	k->nr_kernel = c->nr_kernel;
	k->nr_user = c->nr_user;
	if (nr)
		memcpy(k->data, c->data, nr * sizeof(*k->data));
	memcpy(k->member, c->member, sizeof(k->member));
	return 0;
}

/* What is behind the header, @k: of its id. */
static int get_chain(struct chain_unpack *u, struct chain *c,
		     struct chain_kept *k)
{
	__u8 has = chain_members(c->flags), changed = 0;
	const struct chain_kept *base = k;
	unsigned int i;
	__u32 from = 0;

	if (c->in.at < c->in.end) {
		changed = *c->in.at++;
		from = get_count(&c->in, VMMPROF_PACKED_IDS + 1);
	}
	if (from)
		base = &u->table.id[from - 1];
	c->in.bad |= changed & ~has;
	for (i = 0; i < CHAIN_MEMBERS; i++) {
		c->member[i] = !from || has & 1u << i ? base->member[i] : 0;
		if (changed & 1u << i)
			c->member[i] = get_difference(&c->in, base->member[i]);
	}
	if (from) {
		get_data(c, base);
		return c->in.bad ? -EBADMSG : 0;
	}
	c->nr_kernel = base->nr_kernel;
	c->nr_user = base->nr_user;
	if (c->nr_kernel + c->nr_user)
		memcpy(c->data, base->data,
		       (c->nr_kernel + c->nr_user) * sizeof(*c->data));
	/* data of the other kind: more words than such a record may have */
	c->in.bad |= base->there &&
		     base->words != !!(c->flags & VMMPROF_C_WORDS);
	return c->in.bad ? -EBADMSG : 0;
}

/* The record as the module wrote it, but without a reference. */
static void put_record(struct chain_unpack *u, const struct chain *c,
		       const struct vmmprof_rec_hdr *hdr)
{
	__u64 *at = u->rec.more;
	__u32 nr = c->nr_kernel + c->nr_user;

	if (c->flags & VMMPROF_C_REGS) {
		memcpy(at, c->member, sizeof(struct vmmprof_chain_regs));
		at += 4;
	}
	if (c->flags & VMMPROF_C_STATE) {
		memcpy(at, c->member + 4, sizeof(struct vmmprof_chain_state));
		at += 4;
	}
	memcpy(at, c->data, nr * sizeof(*at));
	at += nr;
	if (nr & 1)
		*at++ = 0;
	u->rec.head = (struct vmmprof_rec_chain){
		.hdr = { .type = VMMPROF_REC_CHAIN,
			 .size = (__u8 *)at - (__u8 *)&u->rec,
			 .flags = c->flags,
			 .tsc = hdr->tsc },
		.nr_kernel = c->nr_kernel,
		.nr_user = c->nr_user,
		.end_kernel = hdr->flags >> VMMPROF_PACKED_END_KERNEL & 15,
		.end_user = hdr->flags >> VMMPROF_PACKED_END_USER & 15,
	};
}

int chain_unpack(struct chain_unpack *u, const struct vmmprof_rec_hdr *hdr)
{
	__u32 id = hdr->flags >> VMMPROF_PACKED_ID;
	struct chain c;
	int err;

	c.in.at = (const __u8 *)(hdr + 1);
	c.in.end = (const __u8 *)hdr + hdr->size;
	c.in.bad = false;
	c.flags = hdr->flags & VMMPROF_PACKED_FLAGS;
	if (id >= VMMPROF_PACKED_IDS || c.flags & VMMPROF_C_REF)
		return -EBADMSG;
	err = get_chain(u, &c, &u->table.id[id]);
	if (err)
		return err;
	put_record(u, &c, hdr);
	return id ? keep(&u->table.id[id], &c) : 0;
}
