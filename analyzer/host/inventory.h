/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The VMs of a host and their vCPU threads, merged from several looks at them:
 * /proc before and after sampling, and the records in between.
 */
#ifndef HOST_INVENTORY_H
#define HOST_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define VM_NAME	     96 /* with the NUL */
#define VMMPROF_COMM 16 /* a thread's name, NUL-padded */
#define VCPU_MAX     4096

struct vm_vcpu {
	uint32_t vcpu_id;
	uint32_t tid; /* 0: not known */
	char comm[VMMPROF_COMM];
	bool changed; /* not yet written to the session */
};

struct vm {
	uint32_t pid;
	uint32_t nr_vcpus;
	struct vm_vcpu *vcpus; /* by vcpu_id */
	uint64_t seen_tsc;     /* when it was found */
	char name[VM_NAME];    /* unique, fit for a file name */
	bool named;	       /* the name is more than pid-N */
	bool changed;
	bool gone; /* its process has ended: inventory_gone() */
};

struct inventory {
	unsigned int nr;
	size_t cap;
	struct hash pids;     /* pid -> index in vms */
	struct hash names;    /* hash of a name -> index in vms */
	struct hash suffixes; /* hash of a name -> its last suffix */
	struct vm *vms;	      /* in the order they were found */
};

void inventory_init(struct inventory *inv);
void inventory_deinit(struct inventory *inv);

/* The VM of a pid, or NULL.  Pointers hold until the next _add_vm(). */
struct vm *inventory_find(const struct inventory *inv, uint32_t pid);

/* The VM of that name, or of that pid in decimal; NULL if there is none. */
struct vm *inventory_find_name(const struct inventory *inv, const char *name);

/*
 * Adds the VM of a pid if it is not there, and names it if it had no name but
 * pid-N.  name: any bytes, or NULL; what a terminal or a file name could not
 * stand is replaced, and a suffix makes it unique.  NULL: out of memory.
 */
struct vm *inventory_add_vm(struct inventory *inv, uint32_t pid,
			    const char *name, uint64_t tsc);

/*
 * Adds a vCPU or completes what is known of it.  tid 0, comm "" or NULL: not
 * known, keeps what was.  0, -ENOMEM, or -ERANGE for an absurd vcpu_id.
 */
int inventory_add_vcpu(struct vm *vm, uint32_t vcpu_id, uint32_t tid,
		       const char *comm);

/*
 * The VM's process has ended.  It keeps its place and its name, which a VM that
 * comes may have, too, as one may its pid; its vCPUs are forgotten.
 */
void inventory_gone(struct vm *vm);

#endif /* HOST_INVENTORY_H */
