// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions at addresses, remembered: what was found at an address is the same
 * at all of that function's in the same 64 bytes, and for some time.
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "model/resolve.h"
#include "model/resolve_parts.h"

#define CACHE_SLOTS  131072	  /* 2 to the power of ADDRESS_BITS */
#define SPACE_KERNEL VMMPROF_NONE /* instead of an image's number */

_Static_assert(sizeof(struct resolve_slot) == 64,
	       "one line of the CPU's cache");

int addresses_init(struct resolver *r)
{
	/* Zero without being touched: a short session uses little of it. */
	r->cache = mmap(NULL, CACHE_SLOTS * sizeof(*r->cache),
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	if (r->cache != MAP_FAILED)
		return 0;
	r->cache = NULL;
	return -ENOMEM;
}

void addresses_deinit(struct resolver *r)
{
	if (r->cache)
		munmap(r->cache, CACHE_SLOTS * sizeof(*r->cache));
}

void addresses_forget(struct resolver *r, __u32 machine)
{
	size_t i;

	for (i = 0; i < CACHE_SLOTS; i++)
		if (r->cache[i].machine == machine + 1)
			r->cache[i].machine = 0;
}

void addresses_forget_places(struct resolver *r)
{
	size_t i;

	for (i = 0; i < CACHE_SLOTS; i++)
		if (r->cache[i].machine)
			r->cache[i].place = VMMPROF_NONE;
}

/*
 * Is the remembered answer valid at ns?  Without a time: only if it is always
 * valid.
 */
static bool slot_holds(const struct resolve_slot *slot, __u32 machine,
		       __u32 space, __u64 ns, __u64 ip)
{
	const struct symbol_ref *p = &slot->ref;

	if (ip - slot->ip >= slot->size || slot->machine != machine + 1 ||
	    slot->space != space)
		return false;
	if (ns == TIME_UNKNOWN)
		return !p->from && p->end == TIME_UNKNOWN;
	return ns >= p->from && ns < p->end;
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
	slot->machine = machine + 1;
	slot->space = space;
	slot->place = VMMPROF_NONE;
}

int resolver_kernel_slot(struct resolver *r, __u32 i, __u64 owner, __u64 ns,
			 __u64 ip, struct resolve_slot **ret)
{
	struct resolve_slot *slot = address_slot(r, owner, ip);
	struct symbols_range same;
	int err;

	*ret = slot;
	if (slot_holds(slot, i, SPACE_KERNEL, ns, ip))
		return 0;
	slot->machine = 0;
	r->looked_up++;
	err = machine_kernel(resolver_machine(r, i), &r->strings, ns, ip,
			     &slot->ref, &same);
	if (!err)
		remember(slot, i, SPACE_KERNEL, ip, same);
	return err;
}

int resolver_user_slot(struct resolver *r, __u32 i, __u64 owner,
		       const struct image *im, __u64 ns, __u64 ip,
		       struct resolve_slot **ret)
{
	struct machine *m = resolver_machine(r, i);
	__u32 space = im - m->procs.images;
	struct resolve_slot *slot = address_slot(r, owner, ip);
	struct symbols_range same;
	int err;

	*ret = slot;
	if (ip - slot->ip < slot->size && slot->machine == i + 1 &&
	    slot->space == space && ns >= slot->ref.from && ns < slot->ref.end)
		return 0;
	slot->machine = 0;
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
	struct resolve_slot *slot;
	int err = resolver_kernel_slot(r, i, owner, ns, ip, &slot);

	if (!err)
		take(slot, ip, ret);
	return err;
}

int resolver_user_ref(struct resolver *r, __u32 i, __u64 owner,
		      const struct image *im, __u64 ns, __u64 ip,
		      struct symbol_ref *ret)
{
	struct resolve_slot *slot;
	int err = resolver_user_slot(r, i, owner, im, ns, ip, &slot);

	if (!err)
		take(slot, ip, ret);
	return err;
}
