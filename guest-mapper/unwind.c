// SPDX-License-Identifier: GPL-2.0-only
/*
 * ORC tables of the running kernel: arch/x86/kernel/unwind_orc.c has them
 * between __start_orc_unwind_ip and __stop_orc_unwind; those of modules are in
 * struct mod_arch_specific, sorted when the module was loaded.
 */

#include <errno.h>
#include <string.h>

#include "base/saturate.h"
#include "kernel.h"
#include "kernel_symbols.h"
#include "os/btf.h"
#include "os/map_items.h"
#include "sym/orc.h"
#include "unwind.h"

/* Entries of a kernel (530,000 in Debian's 7.3), modules of a machine. */
#define ENTRIES_MAX UNWIND_ROWS_MAX
#define MODULES_MAX 4096

static int read_raw(const struct kcore *k, __u64 ips, __u64 entries, size_t nr,
		    struct orc_raw *raw)
{
	int err = orc_raw_init(raw, ips, nr);

	if (err)
		return err;
	err = kcore_read(k, ips, raw->ips, nr * sizeof(__s32)) ?:
		      kcore_read(k, entries, raw->entries, nr * ORC_ENTRY);
	if (err)
		orc_raw_deinit(raw);
	return err;
}

/* What is no error of the writer is said: the bundle lacks it. */
static int said(struct emit *e, int err, const char *what)
{
	if (err == -ENOMEM || e->w.err)
		return err;
	emit_limit(e, "no unwind tables of %s: %s", what,
		   err == -EINVAL  ? "this kernel has them in an unknown form" :
		   err == -EBADMSG ? "they are not sorted" :
		   err == -EFBIG   ? "they are larger than real ones" :
				     strerror(-err));
	return 0;
}

int unwind_write_kernel(struct emit *e, const struct kcore *k,
			const struct unwind_kernel_at *at)
{
	size_t nr = (at->ips_end - at->ips) / sizeof(__s32);
	enum orc_layout layout;
	struct orc_raw raw;
	int err;

	if (at->ips_end <= at->ips || nr > ENTRIES_MAX ||
	    at->entries_end - at->entries != nr * ORC_ENTRY)
		return said(e, -EINVAL, "the kernel");
	err = read_raw(k, at->ips, at->entries, nr, &raw);
	if (err)
		return said(e, err, "the kernel");
	layout = orc_find_layout(raw.entries, nr);
	err = map_items_orc(&e->w, layout, &raw);
	orc_raw_deinit(&raw);
	return err ? said(e, err, "the kernel") : (int)layout;
}

/* What is read of a struct module. */
struct module {
	__u64 next, prev, ips, entries, text;
	__u32 nr, text_size;
};

static int read_module(const struct kcore *k, const struct unwind_module_at *at,
		       __u64 list, struct module *m)
{
	__u64 base = list - at->list, links[2];
	int err = kcore_read(k, list, links, sizeof(links));

	m->next = links[0];
	m->prev = links[1];
	return err							      ?:
		       kcore_read(k, base + at->nr, &m->nr, sizeof(m->nr))    ?:
		       kcore_read(k, base + at->ips, &m->ips, sizeof(m->ips)) ?:
		       kcore_read(k, base + at->entries, &m->entries, sizeof(m->entries)) ?:
		       kcore_read(k, base + at->text, &m->text, sizeof(m->text)) ?:
		       kcore_read(k, base + at->text_size, &m->text_size,
				  sizeof(m->text_size));
}

static int put_module(struct emit *e, const struct kcore *k,
		      const struct module *m, int layout)
{
	struct orc_raw raw;
	int err;

	if (m->nr > ENTRIES_MAX)
		return -EFBIG;
	err = read_raw(k, m->ips, m->entries, m->nr, &raw);
	if (err)
		return err;
	raw.from = m->text;
	raw.to = sat_add(m->text, m->text_size);
	err = map_items_orc(&e->w, layout, &raw);
	orc_raw_deinit(&raw);
	return err;
}

int unwind_write_modules(struct emit *e, const struct kcore *k,
			 const struct unwind_module_at *at, int layout)
{
	unsigned int i, nr = 0, bad = 0;
	__u64 list, before = at->head;
	struct module m;
	int err;

	err = kcore_read(k, at->head, &list, sizeof(list));
	for (i = 0; !err && list != at->head; i++) {
		err = i == MODULES_MAX ? -EFBIG : read_module(k, at, list, &m);
		/* it changes meanwhile, or is no such list */
		if (!err && m.prev != before)
			err = -EAGAIN;
		if (err)
			break;
		before = list;
		list = m.next;
		err = m.nr ? put_module(e, k, &m, layout) : 0;
		nr += m.nr && !err;
		if (err == -ENOMEM || e->w.err)
			return err;
		/* of one that has begun, and has no other code: none */
		bad += err && err != -ENOENT;
		err = 0;
	}
	if (err)
		return said(e, err, "modules") ?: (int)nr;
	if (bad)
		emit_limit(e,
			   "no unwind tables of %u modules: they are damaged",
			   bad);
	return nr;
}

/* Where struct module has the place of its code: before 6.4, or the first of .mem. */
static int find_text(const struct btf *btf, struct unwind_module_at *at)
{
	int module = btf_offset(btf, "module", "mem"), base, size;
	const bool now = module >= 0;
	const char *in = now ? "module_memory" : "module_layout";

	if (!now)
		module = btf_offset(btf, "module", "core_layout");
	base = btf_offset(btf, in, "base");
	size = btf_offset(btf, in, now ? "size" : "text_size");
	if (module < 0 || base < 0 || size < 0)
		return -ENOENT;
	at->text = module + base;
	at->text_size = module + size;
	return 0;
}

static int find_modules(struct unwind_module_at *at)
{
	struct btf btf;
	int err = btf_open_kernel(&btf), arch, v[4];

	if (err)
		return err;
	err = find_text(&btf, at);
	arch = btf_offset(&btf, "module", "arch");
	v[0] = btf_offset(&btf, "module", "list");
	v[1] = btf_offset(&btf, "mod_arch_specific", "num_orcs");
	v[2] = btf_offset(&btf, "mod_arch_specific", "orc_unwind_ip");
	v[3] = btf_offset(&btf, "mod_arch_specific", "orc_unwind");
	btf_free(&btf);
	if (err || arch < 0 || v[0] < 0 || v[1] < 0 || v[2] < 0 || v[3] < 0)
		return -ENOENT;
	at->list = v[0];
	at->nr = arch + v[1];
	at->ips = arch + v[2];
	at->entries = arch + v[3];
	return 0;
}

static int write_all(struct emit *e, const struct kcore *k)
{
	enum { IPS, IPS_END, ENTRIES, ENTRIES_END, MODULES, NR };
	struct kernel_symbol s[NR] = {
		[IPS] = { "__start_orc_unwind_ip", 0 },
		[IPS_END] = { "__stop_orc_unwind_ip", 0 },
		[ENTRIES] = { "__start_orc_unwind", 0 },
		[ENTRIES_END] = { "__stop_orc_unwind", 0 },
		[MODULES] = { "modules", 0 },
	};
	struct unwind_module_at modules;
	struct unwind_kernel_at at;
	int layout, err;

	kernel_symbols(s, NR);
	at = (struct unwind_kernel_at){ s[IPS].addr, s[IPS_END].addr,
					s[ENTRIES].addr, s[ENTRIES_END].addr };
	if (!at.ips || !at.entries) {
		emit_limit(
			e,
			"no unwind tables of the kernel: /proc/kallsyms hides their addresses (kernel.kptr_restrict), or the kernel has none (CONFIG_UNWINDER_ORC, CONFIG_KALLSYMS_ALL)");
		return e->w.err;
	}
	layout = unwind_write_kernel(e, k, &at);
	if (layout <= 0)
		return layout;
	modules.head = s[MODULES].addr;
	err = modules.head ? find_modules(&modules) : -ENOENT;
	if (err)
		return said(e, err, "modules");
	err = unwind_write_modules(e, k, &modules, layout);
	return err < 0 ? err : 0;
}

int unwind_write(struct emit *e)
{
	struct kcore k;
	int err = kcore_open(&k);

	if (err) {
		emit_limit(e, "no unwind tables of the kernel: %s",
			   kernel_kcore_advice(err));
		return e->w.err;
	}
	err = write_all(e, &k);
	kcore_close(&k);
	return err;
}
