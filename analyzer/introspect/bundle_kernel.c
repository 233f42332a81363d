// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's items of a bundle that is read from memory. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vmmprof/maps.h>

#include "base/hex.h"
#include "introspect/bundle_parts.h"
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
	long stack = btf_union_size(&k->btf, "thread_union");
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
	if (stack > 0 && stack <= 1 << 20)
		item_text(w, "stack_size", "%ld", stack);
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

static int put_modules(struct item_writer *w, const struct guest_modules *m)
{
	const size_t room = sizeof(m->module->name) + 64;
	struct iovec part = { malloc(m->nr * room + 1), 0 };
	char *end = part.iov_base;
	size_t i;
	int err = 0;

	if (!part.iov_base)
		return -ENOMEM;
	for (i = 0; i < m->nr; i++)
		end += sprintf(end, "%s %llu 0 - Live 0x%016llx\n",
			       m->module[i].name, m->module[i].size,
			       m->module[i].base);
	part.iov_len = end - (char *)part.iov_base;
	if (part.iov_len)
		err = item_putv(w, VMMPROF_MAPS_MODULES, &part, 1);
	free(part.iov_base);
	return err;
}

int guest_bundle_kernel(const struct guest_kernel *k, struct item_writer *w,
			struct guest_bundle_stat *stat)
{
	const struct vmmprof_maps_mm init = {
		.key = k->init_key,
		.op = VMMPROF_OP_INIT,
		.comm = "swapper",
	};
	struct guest_modules m = { 0 };
	int err = put_identity(k, w);

	if (!err && k->init_key)
		err = item_put(w, VMMPROF_MAPS_MM, &init, sizeof(init), NULL,
			       0);
	if (err)
		return err;
	err = guest_modules_read(k, &m);
	if (err == -ENOMEM)
		return err;
	if (err || m.damaged)
		item_note(
			w,
			"symbols of the guest's modules are missing: what its memory has of them is of no known form, or changed");
	err = put_modules(w, &m) ?: put_symbols(k, w, &m);
	stat->modules = m.nr;
	guest_modules_deinit(&m);
	return err;
}
