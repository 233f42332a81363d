// SPDX-License-Identifier: GPL-2.0-only
/*
 * CR3 arithmetic of the running kernel:
 *
 *	key = (mm->pgd - page_offset_base)	of a process
 *	key = physical address of init_top_pgt	of the kernel itself
 *	key = CR3 & phys_mask			of a sample
 *
 * phys_mask drops the PCID (11:0), no-flush and LAM bits (63:52); bit 12 with
 * page table isolation (the two halves of a page table are neighbours);
 * and the encryption bit of an SEV guest.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "birth.h"
#include "os/proc_file.h"
#include "kcore.h"
#include "kernel.h"
#include "kernel_symbols.h"

#define PHYS_MASK      0x000ffffffffff000ULL
#define PTI_USER_PGD   0x1000ULL
#define KERNEL_IMAGE   0xffffffff80000000ULL /* __START_KERNEL_map */
#define UNMOVED_TEXT   0xffffffff81000000ULL /* _text without KASLR */
/* Of the direct map without KASLR: Documentation/x86/x86_64/mm.rst */
#define L4_PAGE_OFFSET 0xffff888000000000ULL
#define L5_PAGE_OFFSET 0xff11000000000000ULL
#define L4_FIRST_ADDR  0xffff800000000000ULL /* of the kernel, 4 levels */

bool kernel_has_flag(const char *cpuinfo, const char *flag)
{
	const char *line = strstr(cpuinfo, "\nflags");
	size_t len = strlen(flag);
	const char *end;

	if (!line)
		return false;
	end = strchrnul(++line, '\n');
	while ((line = strstr(line, flag)) && line < end) {
		if (line[-1] == ' ' && (line[len] == ' ' || line + len == end))
			return true;
		line += len;
	}
	return false;
}

const char *kernel_kcore_advice(int err)
{
	switch (err) {
	case -EPERM:
		return "not allowed (needs CAP_SYS_RAWIO, no lockdown=confidentiality)";
	case -ENOENT:
		return "the kernel has no /proc/kcore (CONFIG_PROC_KCORE)";
	default:
		return "/proc/kcore cannot be read";
	}
}

/* If the VMCOREINFO note has the symbol, kptr_restrict=2 does not hide it. */
static __u64 init_key(const struct kcore *k)
{
	struct kernel_symbol sym = { .name = "init_top_pgt" };
	__u64 phys;

	if (kcore_info(k, "SYMBOL(init_top_pgt)=", &sym.addr) &&
	    kcore_info(k, "SYMBOL(swapper_pg_dir)=", &sym.addr))
		kernel_symbols(&sym, 1);
	if (!sym.addr || kcore_phys(k, sym.addr, &phys))
		return 0;
	return phys;
}

static int from_kcore(struct cr3_rule *rule)
{
	struct kcore k;
	__u64 sme_mask = 0;
	int err = kcore_open(&k);

	if (err)
		return err;
	err = kcore_page_offset(&k, &rule->page_offset);
	if (!kcore_info(&k, "NUMBER(sme_mask)=", &sme_mask))
		rule->phys_mask &= ~sme_mask;
	rule->init_key = init_key(&k);
	kcore_close(&k);
	return err;
}

/* The same from the kernel's variables, which a BPF program reads. */
static int from_bpf(struct cr3_rule *rule)
{
	enum { PAGE_OFFSET, PHYS_BASE, SME_MASK, NR_VARS, INIT_PGT = NR_VARS };
	struct kernel_symbol syms[] = {
		[PAGE_OFFSET] = { "page_offset_base", 0 },
		[PHYS_BASE] = { "phys_base", 0 },
		[SME_MASK] = { "sme_me_mask", 0 },
		[INIT_PGT] = { "init_top_pgt", 0 },
	};
	__u64 addrs[PEEK_MAX] = { 0 }, values[PEEK_MAX];
	int i, err = kernel_symbols(syms, NR_VARS + 1);

	if (err)
		return err;
	if (!syms[PAGE_OFFSET].addr)
		return -ENOENT;
	for (i = 0; i < NR_VARS; i++)
		addrs[i] = syms[i].addr;
	err = birth_peek(addrs, values);
	if (err)
		return err;
	rule->page_offset = values[PAGE_OFFSET];
	rule->phys_mask &= ~values[SME_MASK];
	if (syms[PHYS_BASE].addr && syms[INIT_PGT].addr)
		rule->init_key = syms[INIT_PGT].addr - KERNEL_IMAGE +
				 values[PHYS_BASE];
	return 0;
}

/* If KASLR did not move the kernel, it did not move the direct map either. */
static int from_default(struct cr3_rule *rule, bool la57)
{
	struct kernel_symbol sym = { .name = "_text" };
	int err = kernel_symbols(&sym, 1);

	if (err || sym.addr != UNMOVED_TEXT)
		return err ?: -ENOENT;
	rule->page_offset = la57 ? L5_PAGE_OFFSET : L4_PAGE_OFFSET;
	return 0;
}

static void find_layout(struct emit *e, bool la57)
{
	struct cr3_rule *rule = &e->rule;
	int err = from_kcore(rule);

	if (err && from_bpf(rule) && from_default(rule, la57)) {
		emit_limit(
			e,
			"page tables cannot be told from CR3: the place of the direct map is not known: %s",
			kernel_kcore_advice(err));
		return;
	}
	rule->init_key &= rule->phys_mask;
	rule->la57 = rule->page_offset < L4_FIRST_ADDR;
	if (!rule->init_key)
		emit_limit(
			e,
			"the kernel's own page table is not known: samples of the idle task and of kernel threads may have no owner");
}

/* ns is 0: the kernel's address space exists from the beginning. */
static int emit_init_mm(struct emit *e)
{
	const struct vmmprof_maps_mm item = {
		.key = e->rule.init_key,
		.op = VMMPROF_OP_INIT,
		.comm = "swapper",
	};

	if (!item.key)
		return 0;
	return item_put(&e->w, VMMPROF_MAPS_MM, &item, sizeof(item), NULL, 0);
}

int kernel_rule(struct emit *e)
{
	struct cr3_rule *rule = &e->rule;
	bool known;
	char cpuinfo[16384];

	rule->phys_mask = PHYS_MASK;
	known = proc_file_read("/proc/cpuinfo", cpuinfo, sizeof(cpuinfo)) > 0 &&
		strstr(cpuinfo, "\nflags");
	if (known) {
		rule->pti = kernel_has_flag(cpuinfo, "pti");
		if (rule->pti)
			rule->phys_mask &= ~PTI_USER_PGD;
	}
	find_layout(e, known && kernel_has_flag(cpuinfo, "la57"));
	if (known) {
		item_text(&e->w, "pti", "%d", rule->pti);
		item_text(&e->w, "phys_mask", "%llx", rule->phys_mask);
	} else {
		emit_limit(
			e,
			"/proc/cpuinfo has no flags: whether page table isolation runs is not known");
	}
	item_text(&e->w, "la57", "%d", rule->la57);
	return emit_init_mm(e) ?: e->w.err;
}
