// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packs CHAIN records.  A chain that the module refers to by its id is told by
 * its registers alone.  A new one is told against the last one with the same
 * outermost frames: of a process that is one with the same way into it, or of a
 * kernel's stack one of the same task.
 */

#include <errno.h>

#include "format/chain_pack.h"
#include "format/reader.h"

#define OUTERMOST  4 /* words: by them a chain to tell against is looked for */
#define END_MAX	   15
#define LEB_MAX	   10 /* bytes of a u64 */
#define PACKED_MAX (64 + (CHAIN_MEMBERS + CHAIN_WORDS_MAX) * (LEB_MAX + 3))

_Static_assert(PACKED_MAX < 65536, "a record's size");

/* A CHAIN record, taken apart. */
struct chain {
	const struct vmmprof_rec_chain *head;
	bool words;
	__u32 nr;
	__u64 member[CHAIN_MEMBERS]; /* 0: the record has it not */
	const __u64 *data;
};

struct chain_pack *chain_pack_new(void)
{
	struct chain_pack *p = calloc(1, sizeof(*p));

	if (p && chain_table_init(&p->table)) {
		free(p);
		return NULL;
	}
	return p;
}

void chain_pack_free(struct chain_pack *p)
{
	if (p)
		chain_table_deinit(&p->table);
	free(p);
}

/* These return the place behind what they put. */
static inline __u8 *put_leb(__u8 *at, __u64 v)
{
	for (; v > 0x7f; v >>= 7)
		*at++ = v | 0x80;
	*at++ = v;
	return at;
}

static inline __u8 *put_difference(__u8 *at, __u64 v, __u64 from)
{
	return put_leb(at, chain_zigzag(v - from));
}

static void take_apart(const struct vmmprof_rec_chain *head, struct chain *c)
{
	const __u8 *at = (const __u8 *)(head + 1);

	memset(c, 0, sizeof(*c));
	c->head = head;
	c->words = head->hdr.flags & VMMPROF_C_WORDS;
	c->nr = head->nr_kernel + head->nr_user;
	if (head->hdr.flags & VMMPROF_C_REGS) {
		memcpy(c->member, at, sizeof(struct vmmprof_chain_regs));
		at += sizeof(struct vmmprof_chain_regs);
	}
	if (head->hdr.flags & VMMPROF_C_STATE) {
		memcpy(c->member + 4, at, sizeof(struct vmmprof_chain_state));
		at += sizeof(struct vmmprof_chain_state);
	}
	c->data = (const __u64 *)at;
}

/* Where in by_tail chains with the same outermost frames are. */
static __u32 tail_of(const struct chain *c)
{
	__u64 h = c->head->hdr.flags & (VMMPROF_C_GUEST | VMMPROF_C_WORDS), w;
	__u32 i = c->nr > OUTERMOST ? c->nr - OUTERMOST : 0;

	for (; i < c->nr; i++) {
		w = c->data[i];
		if (c->words && i < c->head->nr_kernel)
			w = w & VMMPROF_WORD_STACK ? 1 : w >> 16;
		h = (h ^ w) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	return h * 0x9e3779b97f4a7c15ull >> 52;
}

/*
 * How many of the outermost words are the base's; *shift: by how many words
 * those of a stack are further from the stack pointer here.
 */
static __u32 same_tail(const struct chain *c, const struct chain_kept *base,
		       __u64 *shift)
{
	__u32 n = base->nr_kernel + base->nr_user, same = 0;
	__u32 most = c->nr < n ? c->nr : n, user = most;
	const __u64 *a, *b; /* what is behind number same */

	*shift = 0;
	if (!most)
		return 0;
	if (user > c->head->nr_user)
		user = c->head->nr_user;
	if (user > base->nr_user)
		user = base->nr_user;
	if (c->words != base->words || c->head->nr_user != base->nr_user)
		most = user;
	a = c->data + c->nr;
	b = base->data + n;
	for (; same < (c->words ? user : most) && a[-1] == b[-1]; same++) {
		a--;
		b--;
	}
	if (!c->words || same < user || same == most)
		return same;
	*shift = (a[-1] & VMMPROF_WORD_INDEX) - (b[-1] & VMMPROF_WORD_INDEX);
	for (; same < most && a[-1] == chain_word_shift(b[-1], *shift);
	     same++) {
		a--;
		b--;
	}
	return same;
}

/* A word of a kernel's stack; *n is the one outside it, then this one. */
static inline __u8 *put_word(__u8 *at, __u64 word, struct chain_near *n)
{
	__u32 index = word & VMMPROF_WORD_INDEX, less = n->index - index;
	__u64 address = chain_word_address(word);

	if (index >= n->index) {
		at = put_leb(at, VMMPROF_PACKED_RAW);
		memcpy(at, &word, sizeof(word));
		n->index = CHAIN_NO_INDEX;
		return at + sizeof(word);
	}
	n->index = index;
	if (word & VMMPROF_WORD_STACK) {
		at = put_leb(at, less << 2 | VMMPROF_PACKED_STACK);
		return put_difference(at, (__s64)word >> 16, 8ull * index);
	}
	at = put_leb(at, less << 2 | VMMPROF_PACKED_ADDRESS);
	at = put_difference(at, address, n->address);
	n->address = address;
	return at;
}

/* The words that are not the base's, the outermost first. */
static __u8 *put_words(__u8 *at, const struct chain *c, __u32 same)
{
	__u32 i = c->nr - same, nr_kernel = c->head->nr_kernel;
	const __u64 *data = c->data;
	struct chain_near n;
	__u64 user = 0;

	if (same && c->nr > nr_kernel)
		user = data[i > nr_kernel ? i : nr_kernel];
	for (; i > nr_kernel; i--) {
		at = put_difference(at, data[i - 1], user);
		user = data[i - 1];
	}
	n = chain_near_kernel(data, i, nr_kernel, c->words);
	for (; i > 0 && c->words; i--)
		at = put_word(at, data[i - 1], &n);
	for (; i > 0; i--) {
		at = put_difference(at, data[i - 1], n.address);
		n.address = data[i - 1];
	}
	return at;
}

static __u8 *put_data(__u8 *at, const struct chain *c,
		      const struct chain_kept *base)
{
	__u64 shift;
	__u32 same = same_tail(c, base, &shift);

	at = put_leb(at, c->head->nr_kernel);
	at = put_leb(at, c->head->nr_user);
	at = put_leb(at, same);
	if (c->words && same > c->head->nr_user)
		at = put_leb(at, chain_zigzag(shift));
	return put_words(at, c, same);
}

/* The chain is told against @base; @is: it has the same data. */
static size_t put_record(const struct chain *c, const struct chain_kept *base,
			 bool is, __u32 base_id, __u8 *to)
{
	const struct vmmprof_rec_chain *head = c->head;
	__u8 has = chain_members(head->hdr.flags), changed = 0;
	struct vmmprof_rec_hdr hdr = {
		.type = VMMPROF_REC_PACKED,
		.flags = (head->hdr.flags & VMMPROF_PACKED_FLAGS &
			  ~(__u32)VMMPROF_C_REF) |
			 (__u32)head->end_kernel << VMMPROF_PACKED_END_KERNEL |
			 (__u32)head->end_user << VMMPROF_PACKED_END_USER |
			 head->id << VMMPROF_PACKED_ID,
		.tsc = head->hdr.tsc,
	};
	__u8 *at = to + sizeof(hdr);
	unsigned int i;

	for (i = 0; has >> i; i++)
		changed |= (c->member[i] != base->member[i]) << i;
	changed &= has;
	if (changed || !is) {
		*at++ = changed;
		at = put_leb(at, is ? 0 : 1 + base_id);
		for (i = 0; changed >> i; i++)
			if (changed & 1u << i)
				at = put_difference(at, c->member[i],
						    base->member[i]);
		if (!is)
			at = put_data(at, c, base);
	}
	memset(at, 0, VMMPROF_REC_ALIGN);
	hdr.size = (at - to + VMMPROF_REC_ALIGN - 1) & -VMMPROF_REC_ALIGN;
	memcpy(to, &hdr, sizeof(hdr));
	return hdr.size;
}

static void keep(struct chain_kept *k, const struct chain *c, bool is)
{
	__u8 has = chain_members(c->head->hdr.flags);
	unsigned int i;

	for (i = 0; i < CHAIN_MEMBERS; i++)
		if (!is || has & 1u << i)
			k->member[i] = c->member[i];
	if (is)
		return;
	k->there = true;
	k->words = c->words;
	k->nr_kernel = c->head->nr_kernel;
	k->nr_user = c->head->nr_user;
	memcpy(k->data, c->data, c->nr * sizeof(*k->data));
}

/* The record has only what a packed one can say. */
static bool can_pack(const struct vmmprof_rec_chain *head)
{
	bool ref = head->hdr.flags & VMMPROF_C_REF;

	return !head->stack_size && head->id < VMMPROF_PACKED_IDS &&
	       head->end_kernel <= END_MAX && head->end_user <= END_MAX &&
	       !head->reserved && !(head->hdr.flags & ~VMMPROF_PACKED_FLAGS) &&
	       !head->id == !(head->nr_kernel + head->nr_user) &&
	       (!ref || head->id);
}

/* A record with new data; 0: it cannot be packed. */
static size_t pack_new(struct chain_pack *p, const struct chain *c, __u8 *to)
{
	struct chain_kept *k = &p->table.id[c->head->id];
	uint16_t *tail = &p->by_tail[tail_of(c)], base;
	size_t size;

	if (chain_kept_room(k, c->nr))
		return 0;
	base = p->table.id[*tail].there ? *tail : 0;
	size = put_record(c, &p->table.id[base], false, base, to);
	keep(k, c, false);
	*tail = c->head->id;
	return size;
}

/* The packed record's size; 0: it stays as it is. */
static size_t pack(struct chain_pack *p, const struct vmmprof_rec_chain *head,
		   __u8 *to)
{
	static const struct chain_kept none;
	struct chain_kept *k;
	struct chain c;
	size_t size = 0;

	k = head->id < VMMPROF_PACKED_IDS ? &p->table.id[head->id] : NULL;
	if (can_pack(head)) {
		take_apart(head, &c);
		if (!head->id)
			return put_record(&c, &none, true, 0, to);
		if (!(head->hdr.flags & VMMPROF_C_REF)) {
			size = pack_new(p, &c, to);
		} else if (k->there && k->words == c.words &&
			   k->nr_kernel == head->nr_kernel &&
			   k->nr_user == head->nr_user) {
			size = put_record(&c, k, true, 0, to);
			keep(k, &c, true);
		}
	}
	/* what refers to it has to stay as it is, too */
	if (!size && k && head->id)
		*k = (struct chain_kept){ .data = k->data, .cap = k->cap };
	return size;
}

int chain_pack_take(struct chain_pack *p, const void *from, size_t len)
{
	const struct vmmprof_rec_hdr *hdr;
	size_t size;

	p->used = 0;
	for (p->taken = 0; len - p->taken >= sizeof(*hdr);
	     p->taken += hdr->size) {
		hdr = (const void *)((const __u8 *)from + p->taken);
		if (hdr->size > len - p->taken)
			break;
		if (hdr->size < sizeof(*hdr) || hdr->size % VMMPROF_REC_ALIGN ||
		    (hdr->type == VMMPROF_REC_CHAIN &&
		     hdr->size < reader_chain_size((const void *)hdr)))
			return -EBADMSG;
		if (hdr->type == VMMPROF_REC_PAD)
			continue;
		if (sizeof(p->buf) - p->used < PACKED_MAX ||
		    sizeof(p->buf) - p->used < hdr->size)
			break;
		size = hdr->type == VMMPROF_REC_CHAIN ?
			       pack(p, (const void *)hdr, p->buf + p->used) :
			       0;
		if (!size) {
			size = hdr->size;
			memcpy(p->buf + p->used, hdr, size);
		}
		p->used += size;
	}
	return 0;
}
