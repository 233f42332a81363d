// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMs of a host and their vCPU threads, merged from several looks at them:
 * /proc before and after sampling, and the records in between.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "base/vec.h"
#include "host/inventory.h"

#define SUFFIX_MAX 12 /* "-" and a number */

void inventory_init(struct inventory *inv)
{
	memset(inv, 0, sizeof(*inv));
}

void inventory_deinit(struct inventory *inv)
{
	unsigned int i;

	for (i = 0; i < inv->nr; i++)
		free(inv->vms[i].vcpus);
	free(inv->vms);
	hash_deinit(&inv->pids);
	hash_deinit(&inv->names);
	hash_deinit(&inv->suffixes);
	inventory_init(inv);
}

struct vm *inventory_find(const struct inventory *inv, uint32_t pid)
{
	__u32 i = hash_get(&inv->pids, pid);

	return i == VMMPROF_NONE || inv->vms[i].gone ? NULL : &inv->vms[i];
}

void inventory_gone(struct vm *vm)
{
	free(vm->vcpus);
	vm->vcpus = NULL;
	vm->nr_vcpus = 0;
	vm->gone = true;
}

static __u64 name_key(const char *name)
{
	return hash_bytes(name, strlen(name));
}

static struct vm *find_exact(const struct inventory *inv, const char *name)
{
	__u32 i = hash_get(&inv->names, name_key(name));

	/* The VM that had the name may be gone, or have got another one. */
	if (i == VMMPROF_NONE || inv->vms[i].gone ||
	    strcmp(inv->vms[i].name, name))
		return NULL;
	return &inv->vms[i];
}

struct vm *inventory_find_name(const struct inventory *inv, const char *name)
{
	struct vm *vm = find_exact(inv, name);
	unsigned long pid;
	char *end;

	if (vm)
		return vm;
	pid = strtoul(name, &end, 10);
	if (*end || !pid || pid > UINT32_MAX)
		return NULL;
	return inventory_find(inv, pid);
}

/*
 * Length of the printable UTF-8 character at s, 0 if there is none: no
 * overlong forms, no C0 and C1 controls, nothing above U+10FFFF.
 */
static size_t utf8_len(const unsigned char *s)
{
	if (s[0] >= 0x20 && s[0] < 0x7f)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0 && (s[1] & 0xc0) == 0x80)
		return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : 2;
	if ((s[0] & 0xf0) == 0xe0 && (s[1] & 0xc0) == 0x80 &&
	    (s[2] & 0xc0) == 0x80)
		return s[0] == 0xe0 && s[1] < 0xa0 ? 0 : 3;
	if (s[0] >= 0xf0 && s[0] < 0xf5 && (s[1] & 0xc0) == 0x80 &&
	    (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80) {
		if (s[0] == 0xf0 && s[1] < 0x90)
			return 0;
		return s[0] == 0xf4 && s[1] > 0x8f ? 0 : 4;
	}
	return 0;
}

/* Copies a name; the result is neither empty nor "." nor hides a file. */
static void clean_name(const char *name, char *out, size_t size)
{
	size_t used = 0;

	while (*name) {
		size_t len = utf8_len((const unsigned char *)name);

		if (used + (len ? len : 1) >= size)
			break;
		if (!len || *name == '/' || (*name == '.' && !used)) {
			out[used++] = '_';
			name++;
			continue;
		}
		memcpy(out + used, name, len);
		used += len;
		name += len;
	}
	out[used] = '\0';
}

/* 0 or -ENOMEM. */
static int give_name(struct inventory *inv, struct vm *vm, const char *name)
{
	char base[VM_NAME - SUFFIX_MAX];
	char unique[VM_NAME];
	const struct vm *other;
	__u32 suffix;
	__u64 key;

	clean_name(name, base, sizeof(base));
	strcpy(unique, base);
	key = name_key(base);
	/* Not from the first suffix on again: many VMs may have one name. */
	suffix = hash_get(&inv->suffixes, key);
	if (suffix == VMMPROF_NONE)
		suffix = 1;
	while ((other = find_exact(inv, unique)) && other != vm)
		snprintf(unique, sizeof(unique), "%s-%u", base, ++suffix);
	strcpy(vm->name, unique);
	if (suffix > 1 && hash_set(&inv->suffixes, key, suffix))
		return -ENOMEM;
	return hash_set(&inv->names, name_key(unique), vm - inv->vms);
}

struct vm *inventory_add_vm(struct inventory *inv, uint32_t pid,
			    const char *name, uint64_t tsc)
{
	struct vm *vm = inventory_find(inv, pid);
	bool has_name = name && *name;
	char number[24];

	if (vm && (vm->named || !has_name))
		return vm;
	if (!vm) {
		if (vec_grow(&inv->vms, &inv->cap, inv->nr, sizeof(*vm)) ||
		    hash_set(&inv->pids, pid, inv->nr))
			return NULL;
		vm = memset(&inv->vms[inv->nr++], 0, sizeof(*vm));
		vm->pid = pid;
		vm->seen_tsc = tsc;
	}
	snprintf(number, sizeof(number), "pid-%u", pid);
	if (give_name(inv, vm, has_name ? name : number))
		return NULL;
	vm->named = has_name;
	vm->changed = true;
	return vm;
}

static struct vm_vcpu *insert_vcpu(struct vm *vm, uint32_t vcpu_id)
{
	struct vm_vcpu *vcpus;
	unsigned int i;

	for (i = 0; i < vm->nr_vcpus && vm->vcpus[i].vcpu_id < vcpu_id; i++)
		;
	if (i < vm->nr_vcpus && vm->vcpus[i].vcpu_id == vcpu_id)
		return &vm->vcpus[i];
	vcpus = realloc(vm->vcpus, (vm->nr_vcpus + 1) * sizeof(*vcpus));
	if (!vcpus)
		return NULL;
	vm->vcpus = vcpus;
	memmove(&vcpus[i + 1], &vcpus[i], (vm->nr_vcpus - i) * sizeof(*vcpus));
	memset(&vcpus[i], 0, sizeof(*vcpus));
	vcpus[i].vcpu_id = vcpu_id;
	vcpus[i].changed = true;
	vm->nr_vcpus++;
	vm->changed = true;
	return &vcpus[i];
}

int inventory_add_vcpu(struct vm *vm, uint32_t vcpu_id, uint32_t tid,
		       const char *comm)
{
	struct vm_vcpu *vcpu;

	if (vcpu_id >= VCPU_MAX)
		return -ERANGE;
	vcpu = insert_vcpu(vm, vcpu_id);
	if (!vcpu)
		return -ENOMEM;
	if (tid && tid != vcpu->tid) {
		vcpu->tid = tid;
		vcpu->changed = true;
	}
	if (comm && *comm && strncmp(vcpu->comm, comm, sizeof(vcpu->comm))) {
		memset(vcpu->comm, 0, sizeof(vcpu->comm));
		memcpy(vcpu->comm, comm, strnlen(comm, sizeof(vcpu->comm) - 1));
		vcpu->changed = true;
	}
	return 0;
}
