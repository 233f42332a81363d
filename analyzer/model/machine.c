// SPDX-License-Identifier: GPL-2.0-only
/* What a bundle says of a machine, made ready to be asked. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine.h"

/*
 * The time that a bundle covers: from its first clock reading to its last item.
 */
static void set_watched(struct machine *m)
{
	const struct bundle *b = &m->bundle;
	__u64 from = TIME_UNKNOWN, until = 0, ns;
	size_t i;

	for (i = 0; i < b->nr_clocks; i++) {
		ns = b->clocks[i]->mono_ns;
		from = ns < from ? ns : from;
		until = ns > until ? ns : until;
	}
	if (!until || m->spaces.snapshot_only)
		return;
	/* Sorted by time; a bundle that is cut lacks its last clock. */
	if (b->nr_mms && b->mms[b->nr_mms - 1]->ns > until)
		until = b->mms[b->nr_mms - 1]->ns;
	if (b->nr_procs && b->procs[b->nr_procs - 1]->ns > until)
		until = b->procs[b->nr_procs - 1]->ns;
	m->spaces.watched_from = from;
	m->spaces.watched_until = until;
}

static int init_kallsyms(struct machine *m, struct machine *old)
{
	const struct bundle *b = &m->bundle;

	if (old &&
	    kallsyms_take(&m->kallsyms,
			  &(struct kallsyms_text){ &b->kallsyms, &b->modules },
			  &old->kallsyms,
			  &(struct kallsyms_text){ &old->bundle.kallsyms,
						   &old->bundle.modules }))
		return 0;
	return kallsyms_init(&m->kallsyms, &b->kallsyms, &b->modules);
}

static bool same_file(const struct bundle_file *a, const struct bundle_file *b)
{
	return a->item->flags == b->item->flags &&
	       a->item->build_id_size == b->item->build_id_size &&
	       !memcmp(a->item->build_id, b->item->build_id,
		       a->item->build_id_size) &&
	       !strcmp(a->item->path, b->item->path);
}

/* Symbol tables that were read from files here: again they would be the same. */
static void take_files(struct machine *m, struct machine *old)
{
	const struct bundle_file *bf;
	struct machine_file *f;
	size_t i;

	for (i = 0; i < m->bundle.nr_files; i++) {
		bf = bundle_find_file(&old->bundle,
				      m->bundle.files[i].item->id);
		if (!bf || bf->symtab || m->bundle.files[i].symtab ||
		    !same_file(bf, &m->bundle.files[i]))
			continue;
		f = &old->files[bf - old->bundle.files];
		/* a file that could not be read may exist now */
		if (!f->ready || f->cause)
			continue;
		m->files[i] = *f;
		memset(f, 0, sizeof(*f));
	}
}

int machine_init(struct machine *m, struct bundle *b, bool host, __u64 tsc_khz,
		 struct machine *old)
{
	char from[16], method[16];
	bool watched;
	int ret;

	memset(m, 0, sizeof(*m));
	m->host = host;
	m->bundle = *b;
	memset(b, 0, sizeof(*b));
	b = &m->bundle;
	text_get(&b->text, "from", from, sizeof(from));
	text_get(&b->text, "method", method, sizeof(method));
	m->by_table = !host && !strcmp(from, "memory");
	m->pti = text_number(&b->text, "pti", 10, 0);
	/*
	 * A guest that reads its kernel memory takes snapshots, also while it
	 * watches.
	 */
	watched = !strcmp(from, "watch") && strcmp(method, "kcore");
	m->files = calloc(b->nr_files + 1, sizeof(*m->files));
	ret = m->files ? 0 : -ENOMEM;
	if (!ret && !host)
		ret = address_space_init(
			&m->spaces, b->mms, b->nr_mms,
			text_number(&b->text, "phys_mask", 16, 0), watched);
	if (!ret && !host)
		ret = tasks_init(&m->tasks, b, watched);
	if (!ret)
		ret = procs_init(&m->procs, b);
	if (!ret && !host)
		ret = vforks_init(&m->vforks, b, &m->procs);
	if (!ret)
		ret = jit_init(&m->jit, b, &m->procs);
	if (!ret)
		ret = containers_init(&m->containers, b, &m->procs);
	if (!ret)
		ret = init_kallsyms(m, old);
	if (!ret)
		ret = ksyms_init(&m->ksyms, b);
	if (!ret)
		ret = unwind_tables_init(&m->unwind, b);
	if (ret)
		machine_deinit(m);
	else
		clock_init(&m->clock, b->clocks, b->nr_clocks, tsc_khz);
	if (!ret && host && old)
		take_files(m, old);
	if (!ret && !host)
		set_watched(m);
	return ret;
}

void machine_deinit(struct machine *m)
{
	size_t i;

	for (i = 0; m->files && i < m->bundle.nr_files; i++) {
		if (m->files[i].ready)
			symbols_deinit(&m->files[i].symbols);
		debuginfo_close(m->files[i].lines);
	}
	free(m->files);
	address_space_deinit(&m->spaces);
	containers_deinit(&m->containers);
	jit_deinit(&m->jit);
	tasks_deinit(&m->tasks);
	vforks_deinit(&m->vforks);
	hash_deinit(&m->names);
	procs_deinit(&m->procs);
	kallsyms_deinit(&m->kallsyms);
	ksyms_deinit(&m->ksyms);
	kernel_lines_deinit(&m->kernel_lines);
	unwind_tables_deinit(&m->unwind);
	bundle_deinit(&m->bundle);
	memset(m, 0, sizeof(*m));
}

void symbol_ref_init(struct symbol_ref *p, __u64 addr, enum cause cause)
{
	memset(p, 0, sizeof(*p));
	p->link = addr;
	p->end = TIME_UNKNOWN;
	p->func = VMMPROF_NONE;
	p->module = VMMPROF_NONE;
	p->file = VMMPROF_NONE;
	p->cause = cause;
}
