// SPDX-License-Identifier: GPL-2.0-only
/* libFuzzer entry: one bundle, checked, built into a machine and searched. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/code_list.h"
#include "format/code_identity.h"
#include "model/machine.h"

static const __u64 times[] = { 0, 1000000, TIME_UNKNOWN };

/* Every process, and in each every mapping's first and last byte. */
static void search(struct machine *m, struct strings *strings)
{
	struct space *space;
	struct symbols_range same;
	struct symbol_ref place;
	size_t i, t;

	for (i = 0; i < m->spaces.nr && i < 64; i++)
		for (t = 0; t < 3; t++)
			address_space_find(&m->spaces, m->spaces.spaces[i].key,
					   times[t], &space);
	for (i = 0; i < m->tasks.nr && i < 64; i++)
		for (t = 0; t < 3; t++)
			tasks_find(&m->tasks, m->tasks.tasks[i].stack,
				   times[t]);
	for (i = 0; i < m->procs.nr_maps && i < 64; i++) {
		const struct image_map *map = &m->procs.maps[i];
		const struct image *im = &m->procs.images[map->image];

		for (t = 0; t < 3; t++) {
			machine_user(m, strings, im, times[t], map->item->start,
				     &place, &same);
			machine_user(m, strings, im, times[t],
				     map->item->end - 1, &place, &same);
		}
	}
	for (i = 0; i < m->kallsyms.nr && i < 64; i++)
		machine_kernel(m, strings, i, m->kallsyms.syms[i].addr, &place,
			       &same);
	for (i = 0; i < m->bundle.nr_ksyms && i < 64; i++)
		machine_kernel(m, strings, m->bundle.ksyms[i]->ns,
			       m->bundle.ksyms[i]->addr, &place, &same);
	clock_to_ns(&m->clock, 1);
	clock_to_ns(&m->clock, (__u64)-1);
}

/* All bytes of code lie in the bundle; the sum is for the sanitizers. */
static unsigned int read_code(const struct bundle *b)
{
	unsigned int sum = 0;
	size_t i, k, left;
	const __u8 *p;
	bool ia32;

	for (i = 0; i < b->nr_codes && i < 64; i++) {
		p = bundle_code(b, b->codes[i]->file, b->codes[i]->addr, &left,
				&ia32);
		if (!p || !left || left > VMMPROF_CODE_RANGE)
			abort();
		for (k = 0; k < left; k++)
			sum += p[k];
	}
	return sum;
}

/* Code of each file is found again in its bundle; a list of it is one. */
static void find_files(const struct bundle *b)
{
	static struct code_want wants[VMMPROF_CODE_RANGES];
	static struct code_identity whats[300];
	static char list[CODE_LIST_MAX];
	size_t i, nr = 0;
	int len;

	for (i = 0; i < b->nr_files && nr < 300; i++) {
		struct code_want want = { .addr = 1,
					  .file = b->files[i].item->id,
					  .size = 4096 };

		nr += code_identity_init(&whats[nr], b, &want);
	}
	len = code_identity_list(b, whats, nr, list);
	if (code_list_parse(list, len, wants) < 0)
		abort();
	/* as the other process may say it */
	len = b->items.size < sizeof(whats) ? b->items.size : sizeof(whats);
	memcpy(whats, b->items.buf, len);
	len = code_identity_list(b, whats, len / sizeof(whats[0]), list);
	if (code_list_parse(list, len, wants) < 0)
		abort();
}

/* What is taken as a list of code is within its bounds, and can be written. */
static void read_list(const uint8_t *data, size_t size)
{
	static struct code_want wants[VMMPROF_CODE_RANGES], again;
	int nr = code_list_parse((const char *)data, size, wants), i;
	char line[64];

	for (i = 0; i < nr; i++) {
		int len = code_list_line(&wants[i], line, sizeof(line));

		if (len < 0 || wants[i].size > VMMPROF_CODE_RANGE ||
		    code_list_parse(line, len, &again) != 1 ||
		    memcmp(&again, &wants[i], sizeof(again)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct problems problems = { 0 };
	struct strings strings = { 0 };
	struct bundle b;
	struct machine m;

	if (!bundle_init_mem(&b, data, size, "fuzz", &problems) &&
	    !machine_init(&m, &b, false, 1000000, NULL)) {
		search(&m, &strings);
		read_code(&m.bundle);
		find_files(&m.bundle);
		machine_deinit(&m);
	}
	read_list(data, size);
	strings_deinit(&strings);
	problems_deinit(&problems);
	return 0;
}
