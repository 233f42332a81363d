/* SPDX-License-Identifier: GPL-2.0-only */
/* What resolve.c has for resolve_frame.c: machines, and remembered addresses. */
#ifndef MODEL_RESOLVE_INTERNAL_H
#define MODEL_RESOLVE_INTERNAL_H

#include <linux/types.h>

struct image;
struct machine;
struct resolver;
struct symbol_ref;
struct vmmprof_rec_sample;

/* Number i (0: host, 1 + guest); NULL: nothing is known of it. */
struct machine *resolver_machine(struct resolver *r, __u32 i);

/*
 * Whose address it is, of guest code in @mode: a number that spreads remembered
 * addresses, and need not be the only one of its kind.
 */
__u64 resolver_guest_owner(const struct vmmprof_rec_sample *s, __u8 mode);

/*
 * The function of a kernel's address of machine @i at @ns (TIME_UNKNOWN: at
 * any time), or of a process's, which is @im's.  *ret: until the next call.
 * 0 or -ENOMEM.
 */
int resolver_kernel_ref(struct resolver *r, __u32 i, __u64 owner, __u64 ns,
			__u64 ip, const struct symbol_ref **ret);
int resolver_user_ref(struct resolver *r, __u32 i, __u64 owner,
		      const struct image *im, __u64 ns, __u64 ip,
		      const struct symbol_ref **ret);

#endif /* MODEL_RESOLVE_INTERNAL_H */
