// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's items of a bundle that is read from memory. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vmmprof/maps.h>

#include "base/hex.h"
#include "introspect/bundle_parts.h"
#include "introspect/bundle_unwind.h"
#include "introspect/modules.h"

#define LINE_ROOM 64 /* of a line beside its names */

void guest_boot_id(const struct guest_kernel *k, char text[40])
{
	static const __u8 none[16];
	char hex[40];

	text[0] = '\0';
	if (!memcmp(k->boot_id, none, sizeof(none)))
		return;
	hex_put(hex, sizeof(hex), k->boot_id, sizeof(k->boot_id));
	snprintf(text, 40, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12,
		 hex + 16, hex + 20);
}

/* A name of the guest's for a line KEY=VALUE. */
static const char *one_line(const char *text, char *buf, size_t size)
{
	size_t i;

	snprintf(buf, size, "%s", text);
	for (i = 0; buf[i]; i++)
		if (buf[i] < ' ')
			buf[i] = '?';
	return buf;
}

static int put_identity(const struct guest_kernel *k, struct item_writer *w)
{
	char text[80];

	item_text(w, "from", "memory");
	item_text(w, "method", "memory");
	item_text(w, "hostname", "%s",
		  one_line(k->nodename, text, sizeof(text)));
	item_text(w, "release", "%s", one_line(k->release, text, sizeof(text)));
	item_text(w, "arch", "x86_64");
	guest_boot_id(k, text);
	if (text[0])
		item_text(w, "boot_id", "%s", text);
	if (k->build_id_size) {
		hex_put(text, sizeof(text), k->build_id, k->build_id_size);
		item_text(w, "kernel_build_id", "%s", text);
	}
	if (k->stack_size)
		item_text(w, "stack_size", "%u", k->stack_size);
	item_text(w, "pti", "%d", k->pti);
	item_text(w, "la57", "%d", k->space.la57);
	return item_text(w, "phys_mask", "%llx", k->phys_mask);
}

/* Symbols of code, but padding before functions. */
static bool wanted(const struct guest_symbols *s,
		   const struct guest_symbol *sym)
{
	return sym->type && strchr("tTwW", sym->type) &&
	       strncmp(guest_symbol_name(s, sym), "__pfx_", 6);
}

/* Lines of /proc/kallsyms at @to: where they end. */
static char *lines(const struct guest_symbols *s, size_t from, size_t to,
		   const char *module, char *p)
{
	size_t i;

	for (i = from; i < to; i++) {
		const struct guest_symbol *sym = &s->syms[i];

		if (!wanted(s, sym))
			continue;
		p += sprintf(p, "%016llx %c %s", sym->addr, sym->type,
			     guest_symbol_name(s, sym));
		p += sprintf(p, module ? "\t[%s]\n" : "\n", module);
	}
	return p;
}

static int put_symbols(const struct guest_kernel *k, struct item_writer *w,
		       const struct guest_modules *m)
{
	const size_t size = k->symbols.used + m->symbols.used + 1 +
			    (k->symbols.nr + 2 * m->symbols.nr) * LINE_ROOM;
	struct iovec part = { malloc(size), 0 };
	char *end = part.iov_base;
	size_t i;
	int err;

	if (!part.iov_base)
		return -ENOMEM;
	end = lines(&k->symbols, 0, k->symbols.nr, NULL, end);
	for (i = 0; i < m->nr; i++) {
		const struct guest_module *one = &m->module[i];

		end = lines(&m->symbols, one->first, one->first + one->nr,
			    one->name, end);
	}
	part.iov_len = end - (char *)part.iov_base;
	err = item_putv(w, VMMPROF_MAPS_KALLSYMS, &part, 1);
	free(part.iov_base);
	return err;
}

/* Lines of /proc/modules; the caller frees part->iov_base. */
static int module_lines(const struct guest_modules *m, struct iovec *part)
{
	const size_t room = sizeof(m->module->name) + 64;
	char *end;
	size_t i;

	part->iov_base = malloc(m->nr * room + 1);
	if (!part->iov_base)
		return -ENOMEM;
	end = part->iov_base;
	for (i = 0; i < m->nr; i++)
		end += sprintf(end, "%s %llu 0 - Live 0x%016llx\n",
			       m->module[i].name, m->module[i].size,
			       m->module[i].base);
	part->iov_len = end - (char *)part->iov_base;
	return 0;
}

static int put_modules(struct item_writer *w, const struct guest_modules *m)
{
	struct iovec part;
	int err = module_lines(m, &part);

	if (!err && part.iov_len)
		err = item_putv(w, VMMPROF_MAPS_MODULES, &part, 1);
	if (!err)
		free(part.iov_base);
	return err;
}

static bool same_modules(const struct bundle *before,
			 const struct guest_modules *m)
{
	struct iovec part;
	bool same;

	if (module_lines(m, &part))
		return false;
	same = before->modules.len == part.iov_len &&
	       (!part.iov_len ||
		!memcmp(before->modules.p, part.iov_base, part.iov_len));
	free(part.iov_base);
	return same;
}

/* Of a kernel that was kept: what the reading before has, if that is all. */
static int put_kept(const struct guest_kernel *k, const struct bundle *before,
		    struct item_writer *w, struct guest_bundle_stat *stat)
{
	struct iovec part = { (void *)before->kallsyms.p,
			      before->kallsyms.len };
	struct guest_modules m;
	int err;

	if (!k->kept || !before->kallsyms.p)
		return -ESTALE;
	err = guest_modules_read(k, false, &m);
	if (err)
		return err == -ENOMEM ? err : -ESTALE;
	if (m.damaged || !same_modules(before, &m))
		err = -ESTALE;
	stat->modules = m.nr;
	err = err ?: put_modules(w, &m);
	guest_modules_deinit(&m);
	err = err ?: item_putv(w, VMMPROF_MAPS_KALLSYMS, &part, 1);
	return err ?: guest_bundle_unwind_copy(before, w);
}

static int put_all(struct guest_kernel *k, bool unwind, struct item_writer *w,
		   struct guest_bundle_stat *stat)
{
	struct guest_modules m = { 0 };
	int err = k->kept ? guest_kernel_symbols(k) : 0;

	if (err)
		return err;
	err = guest_modules_read(k, true, &m);
	if (err == -ENOMEM)
		return err;
	stat->modules_damaged = err || m.damaged;
	if (stat->modules_damaged)
		item_note(
			w,
			"symbols of the guest's modules are missing: what its memory has of them is of no known form, or changed");
	err = put_modules(w, &m) ?: put_symbols(k, w, &m);
	if (!err && unwind)
		err = guest_bundle_unwind(k, &m, w);
	stat->modules = m.nr;
	guest_modules_deinit(&m);
	return err;
}

int guest_bundle_kernel(struct guest_kernel *k, const struct bundle *before,
			bool unwind, struct item_writer *w,
			struct guest_bundle_stat *stat)
{
	const struct vmmprof_maps_mm init = {
		.key = k->init_key,
		.op = VMMPROF_OP_INIT,
		.comm = "swapper",
	};
	int err = put_identity(k, w);

	if (!err && k->init_key)
		err = item_put(w, VMMPROF_MAPS_MM, &init, sizeof(init), NULL,
			       0);
	if (err)
		return err;
	err = put_kept(k, before, w, stat);
	return err == -ESTALE ? put_all(k, unwind, w, stat) : err;
}
