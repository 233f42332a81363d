// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of unwind tables.  First byte: a stored table (0), ORC entries of
 * each layout (1 to 4, 5: whichever it is), or a kernel stack (6) whose words
 * are unwound by a stored table.
 */

#include <stdlib.h>
#include <string.h>

#include "model/chain_kernel.h"
#include "sym/orc.h"
#include "sym/unwind_table.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

/* What whoever finds and stores rules may rely on. */
static void check(const struct unwind_table *t)
{
	struct unwind_table again;
	size_t size;
	void *data;
	__u32 i;

	if (t->end <= t->start || unwind_table_find(t, t->end) ||
	    !unwind_table_find(t, t->start) ||
	    !unwind_table_find(t, t->end - 1))
		abort();
	for (i = 0; i < t->nr_rows; i++)
		if (unwind_table_find(t, t->start + t->addrs[i]) !=
		    &t->rule[t->rules[i]])
			abort();
	if (unwind_table_encode(t, &data, &size))
		abort();
	if (unwind_table_decode(data, size, &again) ||
	    again.nr_rows != t->nr_rows || again.nr_rules != t->nr_rules ||
	    memcmp(again.addrs, t->addrs, t->nr_rows * sizeof(*t->addrs)) ||
	    memcmp(again.rules, t->rules, t->nr_rows * sizeof(*t->rules)))
		abort();
	unwind_table_free(&again);
	free(data);
}

static void on_orc(unsigned int which, const __u8 *data, size_t size)
{
	const size_t nr = size / (4 + ORC_ENTRY);
	struct orc_raw raw = {
		.ips = (void *)data,
		.ips_addr = 0xffffffff82000000,
		.entries = (void *)(data + 4 * nr),
		.nr = nr,
		.to = ~0ull,
	};
	enum orc_layout layout = which;
	struct unwind_table t;

	if (layout > ORC_REGS)
		layout = orc_find_layout(raw.entries, nr);
	if (orc_table(layout, &raw, &t))
		return;
	check(&t);
	/* and those of half of the code */
	raw.from = t.start + (t.end - t.start) / 4;
	raw.to = t.end - (t.end - t.start) / 4;
	unwind_table_free(&t);
	if (orc_table(layout, &raw, &t))
		return;
	if (t.start < raw.from || t.end > raw.to)
		abort();
	check(&t);
	unwind_table_free(&t);
}

static const struct vmmprof_unwind_rule *rule_of(void *arg, __u64 addr)
{
	return unwind_table_find(arg, addr);
}

/* 24 bytes of registers, a number of words, those words, a table. */
static void on_chain(const __u8 *data, size_t size)
{
	static __u64 words[256];
	static struct chain_kernel c;
	struct chain_kernel_from from = { .words = words, .has_bp = true };
	struct unwind_table t;

	if (size < 25)
		return;
	memcpy(&from.ip, data, 8);
	memcpy(&from.sp, data + 8, 8);
	memcpy(&from.bp, data + 16, 8);
	from.nr_words = data[24];
	from.end = VMMPROF_END_DONE;
	data += 25;
	size -= 25;
	if (size < 8 * from.nr_words)
		return;
	memcpy(words, data, 8 * from.nr_words);
	data += 8 * from.nr_words;
	size -= 8 * from.nr_words;
	if (unwind_table_decode(data, size, &t))
		return;
	chain_kernel(&from, rule_of, &t, &c);
	if (c.nr > VMMPROF_CHAIN_DEPTH || c.end >= UNWIND_NR)
		abort();
	unwind_table_free(&t);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	struct unwind_table t;

	if (!size)
		return 0;
	if (data[0] == 6) {
		on_chain(data + 1, size - 1);
	} else if (data[0]) {
		on_orc(data[0], data + 1, size - 1);
	} else if (!unwind_table_decode(data + 1, size - 1, &t)) {
		check(&t);
		unwind_table_free(&t);
	}
	return 0;
}
