// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads ORC tables: arch/x86/include/asm/orc_types.h of 5.10, 6.1, 6.12 and
 * 7.3; what the members mean: unwind_next_frame() of
 * arch/x86/kernel/unwind_orc.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/orc.h"

struct entry {
	__s16 sp_offset;
	__s16 bp_offset;
	__u16 bits; /* sp_reg:4, bp_reg:4, then by the layout */
};

/* What a register of one of the layouts is. */
enum reg { NONE, PREV_SP, SP, BP, SP_INDIRECT, BP_INDIRECT, OTHER };

static const __u8 regs_before[16] = {
	[0] = NONE,	   [1] = PREV_SP,     [2] = OTHER,  [3] = OTHER,
	[4] = BP,	   [5] = SP,	      [6] = OTHER,  [7] = OTHER,
	[8] = BP_INDIRECT, [9] = SP_INDIRECT, [10] = OTHER, [11] = OTHER,
	[12] = OTHER,	   [13] = OTHER,      [14] = OTHER, [15] = OTHER,
};

static const __u8 regs_now[16] = {
	[0] = NONE,    [1] = OTHER,	  [2] = OTHER,	      [3] = SP,
	[4] = BP,      [5] = OTHER,	  [6] = OTHER,	      [7] = OTHER,
	[8] = PREV_SP, [9] = SP_INDIRECT, [10] = BP_INDIRECT, [11] = OTHER,
	[12] = OTHER,  [13] = OTHER,	  [14] = OTHER,	      [15] = OTHER,
};

static const __u8 kinds_before[4] = {
	VMMPROF_UNWIND_CALL,
	VMMPROF_UNWIND_REGS,
	VMMPROF_UNWIND_IRET,
	VMMPROF_UNWIND_UNKNOWN,
};

static const __u8 kinds_now[8] = {
	VMMPROF_UNWIND_UNKNOWN, VMMPROF_UNWIND_END,	VMMPROF_UNWIND_CALL,
	VMMPROF_UNWIND_REGS,	VMMPROF_UNWIND_IRET,	VMMPROF_UNWIND_UNKNOWN,
	VMMPROF_UNWIND_UNKNOWN, VMMPROF_UNWIND_UNKNOWN,
};

static struct entry get_entry(const void *entries, size_t i)
{
	struct entry e;

	memcpy(&e, (const char *)entries + i * ORC_ENTRY, sizeof(e));
	return e;
}

_Static_assert(sizeof(struct entry) == ORC_ENTRY, "as the kernel's");

enum orc_layout orc_find_layout(const void *entries, size_t nr)
{
	size_t count[16][16] = { 0 }, i, signals = 0;
	struct entry e;

	for (i = 0; i < nr; i++) {
		e = get_entry(entries, i);
		count[e.bits & 15][e.bits >> 8 & 15]++;
		/* ends have no stack pointer: this can only be "signal" */
		signals += (e.bits & 15) == 5 && (e.bits >> 10 & 1);
	}
	if (count[5][0] > nr / 2)
		return signals ? ORC_SIGNAL : ORC_END;
	if (count[5][2] > nr / 2)
		return ORC_TYPES;
	if (count[3][2] > nr / 2)
		return ORC_REGS;
	return ORC_UNKNOWN;
}

/* Kind and flags; the members of older layouts in the terms of the new one. */
static void decode_kind(enum orc_layout layout, const struct entry *e,
			struct vmmprof_unwind_rule *r)
{
	unsigned int bits = e->bits >> 8;
	bool signal, end;

	if (layout >= ORC_TYPES) {
		r->kind = kinds_now[bits & 7];
		signal = bits & 8;
	} else {
		r->kind = kinds_before[bits & 3];
		signal = r->kind != VMMPROF_UNWIND_CALL;
		end = layout == ORC_END ? bits & 4 : bits & 8;
		if (layout == ORC_SIGNAL)
			signal = bits & 4;
		if (!(e->bits & 15))
			r->kind = end ? VMMPROF_UNWIND_END :
					VMMPROF_UNWIND_UNKNOWN;
	}
	if (signal)
		r->flags = VMMPROF_UNWIND_F_SIGNAL;
}

static struct vmmprof_unwind_rule decode(enum orc_layout layout,
					 const struct entry *e)
{
	const __u8 *regs = layout == ORC_REGS ? regs_now : regs_before;
	struct vmmprof_unwind_rule r = { .cfa = e->sp_offset };
	static const struct vmmprof_unwind_rule unknown;

	decode_kind(layout, e, &r);
	if (r.kind == VMMPROF_UNWIND_UNKNOWN || r.kind == VMMPROF_UNWIND_END)
		return (struct vmmprof_unwind_rule){ .kind = r.kind };
	switch (regs[e->bits & 15]) {
	case SP:
		r.cfa_from = VMMPROF_CFA_SP;
		break;
	case BP:
		r.cfa_from = VMMPROF_CFA_BP;
		break;
	case SP_INDIRECT:
		r.cfa_from = VMMPROF_CFA_SP_WORD;
		break;
	case BP_INDIRECT:
		r.cfa_from = VMMPROF_CFA_BP_WORD;
		break;
	case OTHER:
		return (struct vmmprof_unwind_rule){
			.kind = VMMPROF_UNWIND_REGISTER,
		};
	default:
		return unknown;
	}
	switch (regs[e->bits >> 4 & 15]) {
	case NONE:
		return r;
	case PREV_SP:
		r.bp_from = VMMPROF_BP_CFA;
		break;
	case BP:
		r.bp_from = VMMPROF_BP_BP;
		break;
	default:
		return unknown;
	}
	r.bp = e->bp_offset;
	return r;
}

int orc_raw_init(struct orc_raw *raw, __u64 ips_addr, size_t nr)
{
	*raw = (struct orc_raw){
		.ips = malloc(nr * sizeof(__s32)),
		.ips_addr = ips_addr,
		.entries = malloc(nr * ORC_ENTRY),
		.nr = nr,
		.to = ~0ull,
	};
	if (raw->ips && raw->entries)
		return 0;
	orc_raw_deinit(raw);
	return -ENOMEM;
}

void orc_raw_deinit(struct orc_raw *raw)
{
	free(raw->ips);
	free(raw->entries);
}

static __u64 ip_of(const struct orc_raw *raw, size_t i)
{
	__s32 ip;

	memcpy(&ip, (const char *)raw->ips + i * sizeof(ip), sizeof(ip));
	return raw->ips_addr + i * sizeof(ip) + ip;
}

/* Add rules of the code that is asked for; *last: the last entry's address. */
static int add_all(enum orc_layout layout, const struct orc_raw *raw,
		   struct unwind_builder *b, __u64 *last)
{
	struct vmmprof_unwind_rule r;
	struct entry e;
	__u64 addr;
	int err = 0;
	size_t i;

	for (i = 0; i < raw->nr && !err; i++, *last = addr) {
		addr = ip_of(raw, i);
		if (addr < *last)
			return -EINVAL;
		if (addr < raw->from || addr >= raw->to)
			continue;
		e = get_entry(raw->entries, i);
		r = decode(layout, &e);
		err = unwind_builder_add(b, addr, &r);
	}
	return err;
}

int orc_table(enum orc_layout layout, const struct orc_raw *raw,
	      struct unwind_table *ret)
{
	struct unwind_builder b = { 0 };
	__u64 last = 0;
	int err;

	memset(ret, 0, sizeof(*ret));
	if (layout == ORC_UNKNOWN)
		return -EINVAL;
	err = add_all(layout, raw, &b, &last);
	/* each section of code ends with an entry that knows nothing */
	if (!err)
		return unwind_builder_end(
			&b, last < raw->to ? last + 1 : raw->to, ret);
	unwind_builder_free(&b);
	return err == -EINVAL ? -EBADMSG : err;
}
