/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The VMs of a host and their vCPU threads, merged from several looks at them:
 * /proc before and after sampling, and the records in between.
 */
#ifndef VMMPROF_INVENTORY_H
#define VMMPROF_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define VMMPROF_VM_NAME	 96 /* with the NUL */
#define VMMPROF_COMM	 16 /* a thread's name, NUL-padded */
#define VMMPROF_VCPU_MAX 4096

struct vmmprof_vm_vcpu {
	uint32_t vcpu_id;
	uint32_t tid; /* 0: not known */
	char comm[VMMPROF_COMM];
	bool changed; /* not yet written to the session */
};

struct vmmprof_vm {
	uint32_t pid;
	uint32_t nr_vcpus;
	struct vmmprof_vm_vcpu *vcpus; /* by vcpu_id */
	uint64_t seen_tsc;	       /* when it was found */
	char name[VMMPROF_VM_NAME];    /* unique, fit for a file name */
	bool named;		       /* the name is more than pid-N */
	bool changed;
};

struct vmmprof_inventory {
	unsigned int nr;
	size_t cap;
	struct vmmprof_hash pids;     /* pid -> index in vms */
	struct vmmprof_hash names;    /* hash of a name -> index in vms */
	struct vmmprof_hash suffixes; /* hash of a name -> its last suffix */
	struct vmmprof_vm *vms;	      /* in the order they were found */
};

void vmmprof_inventory_init(struct vmmprof_inventory *inv);
void vmmprof_inventory_deinit(struct vmmprof_inventory *inv);

/* The VM of a pid, or NULL.  Pointers hold until the next _add_vm(). */
struct vmmprof_vm *vmmprof_inventory_find(const struct vmmprof_inventory *inv,
					  uint32_t pid);

/* The VM of that name, or of that pid in decimal; NULL if there is none. */
struct vmmprof_vm *
vmmprof_inventory_find_name(const struct vmmprof_inventory *inv,
			    const char *name);

/*
 * Adds the VM of a pid if it is not there, and names it if it had no name but
 * pid-N.  name: any bytes, or NULL; what a terminal or a file name could not
 * stand is replaced, and a suffix makes it unique.  NULL: out of memory.
 */
struct vmmprof_vm *vmmprof_inventory_add_vm(struct vmmprof_inventory *inv,
					    uint32_t pid, const char *name,
					    uint64_t tsc);

/*
 * Adds a vCPU or completes what is known of it.  tid 0, comm "" or NULL: not
 * known, keeps what was.  0, -ENOMEM, or -ERANGE for an absurd vcpu_id.
 */
int vmmprof_inventory_add_vcpu(struct vmmprof_vm *vm, uint32_t vcpu_id,
			       uint32_t tid, const char *comm);

#endif /* VMMPROF_INVENTORY_H */
