// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions at addresses, remembered: what was found at an address is the same
 * at all of that function's in the same 64 bytes, and for some time.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
#include "base/zero_table.h"
#include "model/code_places.h"
#include "model/resolve.h"
#include "model/resolve_parts.h"

#define CACHE_SLOTS 131072 /* 2 to the power of ADDRESS_BITS */

_Static_assert(sizeof(struct resolve_slot) == 64,
	       "one line of the CPU's cache");

#define FUNCTION_SLOTS 16384 /* 2 to the power of FUNCTION_BITS */

int addresses_init(struct resolver *r)
{
	r->functions = zero_table(FUNCTION_SLOTS * sizeof(*r->functions));
	r->cache = zero_table(CACHE_SLOTS * sizeof(*r->cache));
	if (!r->functions || !r->cache)
		return -ENOMEM;
	huge_pages(r->cache, CACHE_SLOTS * sizeof(*r->cache));
	r->places = calloc(1, sizeof(*r->places));
	return r->places ? code_places_init(r->places) : -ENOMEM;
}

void addresses_deinit(struct resolver *r)
{
	zero_table_free(r->functions, FUNCTION_SLOTS * sizeof(*r->functions));
	zero_table_free(r->cache, CACHE_SLOTS * sizeof(*r->cache));
	if (r->places)
		code_places_deinit(r->places);
	free(r->places);
}

void addresses_forget(struct resolver *r, __u32 machine)
{
	size_t i;

	for (i = 0; i < CACHE_SLOTS; i++)
		if ((__u32)r->cache[i].whose == machine + 1)
			r->cache[i].whose = 0;
	memset(r->functions, 0, FUNCTION_SLOTS * sizeof(*r->functions));
	code_places_forget(r->places);
}

void addresses_forget_places(struct resolver *r)
{
	size_t i;

	for (i = 0; i < CACHE_SLOTS; i++)
		if (r->cache[i].whose)
			r->cache[i].place = VMMPROF_NONE;
	code_places_forget(r->places);
}

/* What was found at @ip goes for the part of @same in its 64 bytes. */
static void remember(struct resolve_slot *slot, __u32 machine, __u32 space,
		     __u64 ip, struct symbols_range same)
{
	const __u64 from = ip >> ADDRESS_LINE << ADDRESS_LINE;

	if (same.from < from)
		same.from = from;
	if (same.to - from > 1 << ADDRESS_LINE)
		same.to = from + (1 << ADDRESS_LINE);
	slot->ref.link -= ip - same.from;
	slot->ip = same.from;
	slot->size = same.to - same.from;
	slot->whose = slot_whose(machine, space);
	slot->plain = !slot->ref.from && slot->ref.end == TIME_UNKNOWN &&
		      !(slot->ref.pc & ~PC_KNOWN);
	slot->place = VMMPROF_NONE;
}

int resolver_kernel_look(struct resolver *r, __u32 i, __u64 ns, __u64 ip,
			 struct resolve_slot *slot)
{
	struct symbols_range same;
	int err;

	slot->whose = 0;
	r->looked_up++;
	err = machine_kernel(resolver_machine(r, i), &r->strings, ns, ip,
			     &slot->ref, &same);
	if (!err)
		remember(slot, i, SPACE_KERNEL, ip, same);
	return err;
}

int resolver_user_look(struct resolver *r, __u32 i, const struct image *im,
		       __u64 ns, __u64 ip, struct resolve_slot *slot)
{
	struct machine *m = resolver_machine(r, i);
	__u32 space = im - m->procs.images;
	struct symbols_range same;
	int err;

	slot->whose = 0;
	r->looked_up++;
	err = machine_user(m, &r->strings, im, ns, ip, &slot->ref, &same);
	if (!err)
		remember(slot, i, space, ip, same);
	return err;
}

static void take(const struct resolve_slot *slot, __u64 ip,
		 struct symbol_ref *ret)
{
	*ret = slot->ref;
	ret->link += ip - slot->ip;
}

int resolver_kernel_ref(struct resolver *r, __u32 i, __u64 owner, __u64 ns,
			__u64 ip, struct symbol_ref *ret)
{
	struct resolve_slot *slot = address_slot(r, owner, ip);
	int err = resolver_kernel_at(r, i, ns, ip, slot);

	if (!err)
		take(slot, ip, ret);
	return err;
}

int resolver_user_ref(struct resolver *r, __u32 i, __u64 owner,
		      const struct image *im, __u64 ns, __u64 ip,
		      struct symbol_ref *ret)
{
	struct resolve_slot *slot = address_slot(r, owner, ip);
	int err = resolver_user_at(r, i, im, ns, ip, slot);

	if (!err)
		take(slot, ip, ret);
	return err;
}
