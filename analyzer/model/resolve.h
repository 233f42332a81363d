/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a sample to machine, vCPU, process and function: the join of the
 * records with the host's map file and the guests' bundles.
 */
#ifndef MODEL_RESOLVE_H
#define MODEL_RESOLVE_H

#include <stdbool.h>

#include "model/exit_check.h"
#include "model/guests.h"
#include "model/identities.h"
#include "model/machine.h"

/* A process as tables show it: same machine, pid and name. */
struct process {
	__u32 machine; /* 0: host, else 1 + index of the guest */
	__u32 pid;     /* VMMPROF_NONE: not known */
	__u32 name;    /* string id */
	__u32 next;    /* same machine and pid, other name */
	__u32 image;   /* that its guest's memory found it in; VMMPROF_NONE */
	bool unnamed;  /* the name is made up, in brackets */
};

struct resolver {
	struct strings strings;
	struct guests guests;
	struct identities identities;
	struct machine **machines; /* NULL: nothing known of it */
	size_t nr_machines, cap_machines;
	struct process *processes;
	size_t nr_processes, cap_processes;
	struct hash pids;		 /* machine << 32 | pid -> process */
	struct resolve_slot *cache;	 /* of addresses */
	struct code_places *places;	 /* of functions */
	struct function_slot *functions; /* of all machines' files */
	struct context *contexts;	 /* of samples */
	size_t nr_contexts, cap_contexts;
	struct hash by_words; /* hash of a context's words -> context */
	struct recent_context *recent;
	__u32 recent_from; /* .kind of those in use, at least */
	/* a sample had the number of a task of which no record came yet */
	bool task_missed;
	bool by_cpu;  /* samples of two CPUs have two contexts */
	bool bare;    /* nobody asks for .key and .guest_ns of what is found */
	__u32 clocks; /* changes with the clock of a vCPU; not 0 */
	__u32 notes;  /* the same, and with what samples' members mean; not 0 */
	__u64 looked_up;	  /* addresses that were not remembered */
	struct debug_names debug; /* off, until somebody sets .on */
	bool svm;		  /* the host's CPU has SVM, else VMX */
	__u32 not_in_guests; /* events that do not count there: a bit each */
};

struct resolved {
	/* addr, file filled in as well; with .bare by resolved_key() */
	struct bucket_key key;
	enum contradiction contradiction;
	__u64 guest_ns; /* TIME_UNKNOWN; guests only, not with .bare */
	__u64 ip;	/* that was looked up */
	/* until the next call; the address's is NULL without a function */
	struct context *context;
	struct resolve_slot *slot;
};

/* 0 or -ENOMEM; deinit is due in either case. */
int resolver_init(struct resolver *r, const struct session *s);
void resolver_deinit(struct resolver *r);

/*
 * Give machine number i (0: host, 1 + guest) what its MAPS file says.  Takes
 * the bundle (*b is empty afterwards).  0 or -ENOMEM.
 */
int resolver_set(struct resolver *r, __u32 i, struct bundle *b, __u64 tsc_khz);

/*
 * Users of the model number what they find by other members from now on; @by_cpu:
 * the CPU is one of them.
 */
void resolver_renumber(struct resolver *r, bool by_cpu);

/* Take note of a VCPU record.  0 or -ENOMEM. */
int resolver_vcpu(struct resolver *r, const struct vmmprof_rec_vcpu *rec);

/* Take note of an IDENTITY record of @cpu.  0 or -ENOMEM. */
int resolver_identity(struct resolver *r, __u32 cpu,
		      const struct vmmprof_rec_identity *rec);

/* What resolve_look_ahead() says of a sample: model/resolve_recent.h. */
struct resolve_ahead {
	struct resolve_slot *slot;
	struct recent_context *recent;
	unsigned int kind;
};

/*
 * Find machine, vCPU, process and function of a sample.  One in a guest, of an
 * event that does not count there, is the host's: CAUSE_NEAR_GUEST.  @at: what
 * resolve_look_ahead() said of it, or NULL, which changes no result.  0 or
 * -ENOMEM.
 */
int resolve_sample(struct resolver *r, const struct vmmprof_rec_sample *s,
		   const struct resolve_ahead *at, struct resolved *ret);

/*
 * The same of a sample that was taken while a VM exit was handled, but of the
 * guest's instruction that the exit came from.  @s has VMMPROF_S_VCPU, _STATE
 * and _OWN, and not _GUEST.  0 or -ENOMEM.
 */
int resolve_exit(struct resolver *r, const struct vmmprof_rec_sample *s,
		 struct resolved *ret);

/* Fill in .key of a sample, until the next one is resolved. */
void resolved_key(const struct vmmprof_rec_sample *s, struct resolved *w);

/*
 * 1 + the thread of a sample that was resolved, 0: not known.  Of a guest's in
 * kernel mode by the stack; in user mode if its process has one thread only.
 */
__u32 resolve_thread(struct resolver *r, const struct bucket_key *key);

/*
 * Where the other addresses of a sample's stacks are looked up: the host's, or
 * its guest's as @where has it, which is of resolve_sample() or resolve_exit().
 */
struct resolve_space {
	__u32 machine;
	__u64 ns;
	__u64 owner;	  /* of user addresses, for the cache */
	struct image *im; /* NULL: the process is not known */
	__u8 cause;	  /* and why */
	/*
	 * The CR3, by which its memory was read, is another process's, or its
	 * own; neither: one of the two is not known.
	 */
	bool other, same;
};

void resolve_space(struct resolver *r, const struct vmmprof_rec_sample *s,
		   const struct resolved *where, struct resolve_space *ret);

/* The function at a kernel's or a user's address of it.  0 or -ENOMEM. */
int resolve_in(struct resolver *r, const struct resolve_space *in, bool user,
	       __u64 ip, struct symbol_ref *ret);

/*
 * How code of it is unwound, by the file and link address that resolve_in() found;
 * NULL: not known.
 */
const struct vmmprof_unwind_rule *resolve_rule(struct resolver *r,
					       const struct resolve_space *in,
					       __u32 file, __u64 link);

/* The symbol of an address of the machine's kernel; NULL: none. */
const struct ksym *resolve_ksym(struct resolver *r, __u32 machine, __u64 addr);

/* Is there a table of the kernel of that machine? */
bool resolve_kernel_rules(struct resolver *r, __u32 machine);

/*
 * The function of a host kernel address, for a listing: string id or
 * VMMPROF_NONE.  0 or -ENOMEM.
 */
int resolve_host_ip(struct resolver *r, __u64 ip, struct symbol_ref *ret);

#endif /* MODEL_RESOLVE_H */
