// SPDX-License-Identifier: GPL-2.0-only
/* Opens the kernel of a guest. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "introspect/elf_note.h"
#include "introspect/kernel.h"
#include "introspect/kernel_image.h"

#define BTF_MAX	    (64u << 20)
#define NOTES_MAX   4096
#define STACK_MAX   0x100000
#define FEATURE_PTI (7 * 32 + 11) /* X86_FEATURE_PTI, arch/x86 cpufeatures.h */

static const char *const names[NR_GUEST_KNOWN] = {
	[GUEST_SYM_TEXT] = "_text",
	[GUEST_SYM_BANNER] = "linux_banner",
	[GUEST_SYM_NOTES] = "__start_notes",
	[GUEST_SYM_NOTES_END] = "__stop_notes",
	[GUEST_SYM_BTF] = "__start_BTF",
	[GUEST_SYM_BTF_END] = "__stop_BTF",
	[GUEST_SYM_INIT_TASK] = "init_task",
	[GUEST_SYM_MODULES] = "modules",
	[GUEST_SYM_CURRENT] = "current_task",
	[GUEST_SYM_PCPU_HOT] = "pcpu_hot",
	[GUEST_SYM_UTS] = "init_uts_ns",
	[GUEST_SYM_CPU] = "boot_cpu_data",
	[GUEST_SYM_SME] = "sme_me_mask",
	[GUEST_SYM_PGT] = "init_top_pgt",
	[GUEST_SYM_SIMPLE_DNAME] = "simple_dname",
	[GUEST_SYM_SPECIAL_VMOPS] = "special_mapping_vmops",
	[GUEST_SYM_BOOT_ID] = "sysctl_bootid",
	[GUEST_SYM_VMEMMAP] = "vmemmap_base",
	[GUEST_SYM_VDSO_64] = "vdso_image_64",
	[GUEST_SYM_VDSO_32] = "vdso_image_32",
	[GUEST_SYM_VDSO64] = "vdso64_image",
	[GUEST_SYM_VDSO32] = "vdso32_image",
	[GUEST_SYM_ORC_IP] = "__start_orc_unwind_ip",
	[GUEST_SYM_ORC_IP_END] = "__stop_orc_unwind_ip",
	[GUEST_SYM_ORC] = "__start_orc_unwind",
};

static void find_known(struct guest_kernel *k)
{
	size_t i;
	int n;

	for (i = 0; i < k->symbols.nr; i++) {
		const char *name = guest_symbol_name(&k->symbols,
						     &k->symbols.syms[i]);

		for (n = 0; n < NR_GUEST_KNOWN; n++)
			if (!k->known[n] && !strcmp(name, names[n]))
				k->known[n] = k->symbols.syms[i].addr;
	}
}

/* Bytes from one symbol to another, which are freed by the caller. */
static int read_between(const struct guest_kernel *k, enum guest_known from,
			enum guest_known to, size_t max, void **ret,
			size_t *size)
{
	int err;

	if (!k->known[from] || k->known[to] <= k->known[from])
		return -ENOENT;
	*size = k->known[to] - k->known[from];
	if (*size > max)
		return -E2BIG;
	*ret = malloc(*size);
	if (!*ret)
		return -ENOMEM;
	err = guest_space_read(&k->space, k->known[from], *ret, *size);
	if (err)
		free(*ret);
	return err;
}

static int read_btf(struct guest_kernel *k)
{
	size_t size;
	void *blob;
	long stack;
	int err = read_between(k, GUEST_SYM_BTF, GUEST_SYM_BTF_END, BTF_MAX,
			       &blob, &size);

	if (err)
		return err;
	err = btf_parse(blob, size, NULL, &k->btf);
	free(blob);
	if (err)
		return err;
	guest_members_read(&k->btf, &k->members);
	stack = btf_union_size(&k->btf, "thread_union");
	if (stack > 0 && stack <= STACK_MAX)
		k->stack_size = stack;
	return 0;
}

/* What is not found stays 0 or "". */
static void read_identity(struct guest_kernel *k)
{
	const struct guest_members *m = &k->members;
	__u64 uts = k->known[GUEST_SYM_UTS] + m->offset[GUEST_UTS_NAME];
	size_t size;
	void *notes;

	if (!read_between(k, GUEST_SYM_NOTES, GUEST_SYM_NOTES_END, NOTES_MAX,
			  &notes, &size)) {
		k->build_id_size = elf_note_build_id(notes, size, k->build_id);
		free(notes);
	}
	if (!k->known[GUEST_SYM_BANNER] ||
	    guest_space_string(&k->space, k->known[GUEST_SYM_BANNER], k->banner,
			       sizeof(k->banner)) < 0)
		k->banner[0] = '\0';
	if (k->known[GUEST_SYM_BOOT_ID] &&
	    guest_space_read(&k->space, k->known[GUEST_SYM_BOOT_ID], k->boot_id,
			     sizeof(k->boot_id)))
		memset(k->boot_id, 0, sizeof(k->boot_id));
	if (!k->known[GUEST_SYM_UTS] || !guest_members_have(m, GUEST_IDENTITY))
		return;
	if (guest_space_string(&k->space, uts + m->offset[GUEST_UTS_NODENAME],
			       k->nodename, sizeof(k->nodename)) < 0)
		k->nodename[0] = '\0';
	if (guest_space_string(&k->space, uts + m->offset[GUEST_UTS_RELEASE],
			       k->release, sizeof(k->release)) < 0)
		k->release[0] = '\0';
}

/* Which bits of a CR3 tell address spaces apart. */
static void read_cr3_rule(struct guest_kernel *k)
{
	struct guest_page page;
	__u32 word = 0;
	__u64 sme = 0;

	if (k->known[GUEST_SYM_CPU] &&
	    guest_members_have(&k->members, GUEST_IDENTITY) &&
	    !guest_space_u32(&k->space,
			     guest_at(k, k->known[GUEST_SYM_CPU],
				      GUEST_CPU_CAPABILITY) +
				     FEATURE_PTI / 32 * 4,
			     &word))
		k->pti = word >> FEATURE_PTI % 32 & 1;
	if (k->known[GUEST_SYM_SME] &&
	    guest_space_u64(&k->space, k->known[GUEST_SYM_SME], &sme))
		sme = 0;
	k->phys_mask = GUEST_CR3_ADDRESS & ~sme;
	if (k->pti)
		k->phys_mask &= ~GUEST_CR3_USER;
	if (k->known[GUEST_SYM_PGT] &&
	    !guest_space_page(&k->space, k->known[GUEST_SYM_PGT], &page, NULL))
		k->init_key = page.gpa & k->phys_mask;
}

/*
 * The page table that was sampled may be of a process that ends now; the kernel's
 * own stays.  It is taken if it has the kernel where the other one had it.
 */
static void use_own_table(struct guest_kernel *k)
{
	struct guest_space own = k->space;
	struct guest_page a, b;

	own.root = k->init_key;
	if (k->init_key && k->known[GUEST_SYM_INIT_TASK] &&
	    !guest_space_page(&k->space, k->known[GUEST_SYM_INIT_TASK], &a,
			      NULL) &&
	    !guest_space_page(&own, k->known[GUEST_SYM_INIT_TASK], &b, NULL) &&
	    a.gpa == b.gpa)
		k->space.root = own.root;
}

static int no_symbols(int err, struct error *e)
{
	switch (err) {
	case -ENOENT:
	case -EBADMSG:
	case -E2BIG:
		error_set(
			e, -EOPNOTSUPP,
			"the guest's kernel has no symbol tables of a known form in its memory");
		error_hint(
			e,
			"it needs CONFIG_KALLSYMS, and CONFIG_KALLSYMS_ALL for its processes; or let vmmprof-guest run in the guest",
			NULL);
		return -EOPNOTSUPP;
	default:
		return error_set(e, err,
				 "the guest's kernel cannot be read: %s",
				 strerror(-err));
	}
}

/* The kernel with this form of page tables. */
static int find(struct guest_kernel *k, __u64 rip, struct error *e)
{
	struct kernel_image *image = malloc(sizeof(*image));
	int err;

	if (!image)
		return error_set(e, -ENOMEM, "%s", strerror(ENOMEM));
	err = kernel_image_find(&k->space, rip, image);
	if (err == -ENOENT || err == -EFAULT) {
		err = error_set(
			e, -ENOENT,
			"no Linux kernel is mapped in the guest where one would be");
	} else if (err) {
		err = no_symbols(err, e);
	} else {
		k->text = image->text->start;
		k->text_end = image->text->end;
		err = kernel_image_symbols(&k->space, image, &k->symbols);
		if (err)
			err = no_symbols(err, e);
	}
	free(image);
	return err;
}

static int read_rest(struct guest_kernel *k, struct error *e)
{
	int err;

	find_known(k);
	if (k->known[GUEST_SYM_TEXT])
		k->slide = k->known[GUEST_SYM_TEXT] - GUEST_KERNEL_TEXT;
	err = read_btf(k);
	if (err == -ENOENT || err == -EBADMSG || err == -E2BIG) {
		err = error_set(
			e, -EOPNOTSUPP,
			"the guest's kernel has no type information (BTF) in its memory: its processes cannot be read");
		error_hint(
			e,
			"it needs CONFIG_DEBUG_INFO_BTF; or let vmmprof-guest run in the guest",
			NULL);
	} else if (err) {
		error_set(e, err, "the guest's kernel cannot be read: %s",
			  strerror(-err));
	} else {
		read_identity(k);
		read_cr3_rule(k);
		use_own_table(k);
	}
	return err;
}

int guest_kernel_open(struct guest_memory *mem, __u64 cr3, __u64 rip,
		      struct guest_kernel *ret, struct error *e)
{
	struct error first = { 0 };
	int err, fifth;

	memset(ret, 0, sizeof(*ret));
	/* At CPL 0 the CR3 is of the kernel's half, whether PTI runs or not. */
	ret->space.mem = mem;
	ret->space.root = cr3 & GUEST_CR3_ADDRESS;
	err = find(ret, rip, &first);
	if (err == -ENOENT || err == -EOPNOTSUPP) {
		/* CR4 is not known.  What says more than "none there" stays. */
		ret->space.la57 = true;
		fifth = find(ret, rip, e);
		if (fifth != -ENOENT || err == -ENOENT)
			first.code = 0;
		err = first.code ? err : fifth;
	}
	if (first.code && e)
		*e = first;
	if (!err)
		err = read_rest(ret, e);
	if (err)
		guest_kernel_close(ret);
	return err;
}

void guest_kernel_close(struct guest_kernel *k)
{
	guest_symbols_deinit(&k->symbols);
	btf_free(&k->btf);
	memset(k, 0, sizeof(*k));
}

void guest_kernel_keep(const struct guest_kernel *k, struct guest_kernel *ret)
{
	*ret = *k;
	ret->space.mem = NULL;
	memset(&ret->symbols, 0, sizeof(ret->symbols));
	memset(&ret->btf, 0, sizeof(ret->btf));
	ret->kept = true;
}

int guest_kernel_again(struct guest_memory *mem,
		       const struct guest_kernel *kept,
		       struct guest_kernel *ret)
{
	guest_kernel_keep(kept, ret);
	ret->space.mem = mem;
	ret->build_id_size = 0;
	memset(ret->boot_id, 0, sizeof(ret->boot_id));
	memset(ret->banner, 0, sizeof(ret->banner));
	read_identity(ret);
	if (!ret->banner[0] ||
	    strncmp(ret->banner, kept->banner, sizeof(ret->banner)) != 0 ||
	    ret->build_id_size != kept->build_id_size ||
	    memcmp(ret->build_id, kept->build_id, ret->build_id_size) != 0 ||
	    memcmp(ret->boot_id, kept->boot_id, sizeof(ret->boot_id)) != 0)
		return -ESTALE;
	return 0;
}

int guest_kernel_symbols(struct guest_kernel *k)
{
	struct error e;
	int err = find(k, k->text, &e);

	if (!err)
		k->kept = false;
	return err;
}

int guest_kernel_current(const struct guest_kernel *k, __u64 *ret)
{
	if (k->known[GUEST_SYM_CURRENT]) {
		*ret = k->known[GUEST_SYM_CURRENT];
		return 0;
	}
	if (!k->known[GUEST_SYM_PCPU_HOT] ||
	    !guest_members_have(&k->members, GUEST_PCPU_HOT))
		return -EOPNOTSUPP;
	*ret = guest_at(k, k->known[GUEST_SYM_PCPU_HOT], GUEST_PCPU_HOT_TASK);
	return 0;
}
