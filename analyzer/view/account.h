/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The account of a session: every sample that was taken is in exactly one line,
 * and the sum is compared with what was read and with what the module says
 * it wrote.
 */
#ifndef VIEW_ACCOUNT_H
#define VIEW_ACCOUNT_H

#include "model/analysis.h"

struct account_line {
	__u32 machine; /* 0: host, else 1 + guest */
	__u8 mode;     /* enum mode */
	__u8 cause;    /* enum cause; 0: resolved */
	__u64 samples;
};

struct account_guest {
	__u64 samples, resolved;
	__u64 kernel, kernel_gap;      /* in kernel mode; outside its kernel */
	__u64 how[OWNER_NOT_READ + 1]; /* where the CR3 tells */
	__u64 who[NR_WHOS]; /* in kernel mode; from WHO_MEMORY on in both */
};

struct account {
	/* resolved ones first, each part by machine, mode, cause */
	struct account_line *lines;
	size_t nr_lines, cap_lines;
	struct account_guest *guests; /* by guest */
	__u64 sum;		      /* of the lines */
	bool adds_up;		      /* the sum is what was read */
	bool complete; /* and what the module wrote, as far as known */
};

/* From a finished pass.  0 or -ENOMEM; deinit is due in either case. */
int account_init(struct account *acc, const struct analysis *a);
void account_deinit(struct account *acc);

const char *cpu_mode_text(unsigned int mode);

/*
 * Each boot of a guest has other kernel addresses: if most of the samples lie
 * outside the bundle's kernel, the bundle is of another boot or guest.
 */
static inline bool account_wrong_bundle(const struct account_guest *g)
{
	return g->kernel_gap > 10 && 2 * g->kernel_gap > g->kernel;
}

#endif /* VIEW_ACCOUNT_H */
