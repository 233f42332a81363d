// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executes the programs of .eh_frame: "DWARF Debugging Information Format", Call
 * Frame Instructions.  Of the registers only those matter that rules know:
 * the CFA, RBP and the return address.
 *
 * Each function's program is read once, with its CIE's of at most a kilobyte.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sym/eh_bytes.h"
#include "sym/eh_frame_rows.h"
#include "sym/eh_rule.h"
#include "base/sort.h"
#include "base/vec.h"

#define REMEMBER_MAX 16 /* compilers nest one or two */
#define FDES_MAX     (4u << 20)

/* A program under way. */
struct run {
	const struct eh_frame *f;
	const struct eh_fde *fde;
	struct eh_cie cie;
	struct unwind_builder *to;
	__u64 loc;
	struct eh_state now, first;
	struct eh_state remembered[REMEMBER_MAX];
	unsigned int nr_remembered;
	int err; /* of the builder */
};

/* The rule from the current location on. */
static void emit(struct run *run)
{
	struct vmmprof_unwind_rule r = eh_rule(&run->now, run->cie.is_signal);

	if (!run->err && run->loc < run->fde->end)
		run->err = unwind_builder_add(run->to, run->loc, &r);
}

/* The column of a register, NULL: of one that does not matter. */
static struct eh_column *column(struct run *run, struct eh_state *s, __u64 reg)
{
	if (reg == run->cie.ra)
		return &s->ra;
	return reg == EH_REG_BP ? &s->bp : NULL;
}

static void set(struct run *run, __u64 reg, enum eh_how how, __s64 offset)
{
	struct eh_column *c = column(run, &run->now, reg);

	if (c)
		*c = (struct eh_column){ .how = how, .offset = offset };
}

static void restore(struct run *run, __u64 reg)
{
	struct eh_column *c = column(run, &run->now, reg);

	if (c)
		*c = *column(run, &run->first, reg);
}

/* Products of foreign numbers may wrap; what does not fit is no rule. */
static __s64 scaled(const struct run *run, __u64 n)
{
	return n * (__u64)run->cie.data_align;
}

static void advance(struct run *run, __u64 delta)
{
	__u64 step = delta * run->cie.code_align;

	if (!step)
		return;
	emit(run);
	/* past the end: nothing more is told */
	run->loc = step < run->fde->end - run->loc ? run->loc + step :
						     run->fde->end;
}

static void set_loc(struct run *run, struct eh_bytes *b)
{
	__u64 to = eh_pointer(b, run->cie.encoding);

	if (b->bad || to < run->loc) {
		b->bad = true;
		return;
	}
	if (to > run->loc)
		emit(run);
	run->loc = to < run->fde->end ? to : run->fde->end;
}

static void remember(struct run *run, struct eh_bytes *b)
{
	if (run->nr_remembered == REMEMBER_MAX)
		b->bad = true;
	else
		run->remembered[run->nr_remembered++] = run->now;
}

static void recall(struct run *run, struct eh_bytes *b)
{
	if (!run->nr_remembered)
		b->bad = true;
	else
		run->now = run->remembered[--run->nr_remembered];
}

/* DW_CFA_def_cfa and its kin. */
static bool define_cfa(struct run *run, __u8 op, struct eh_bytes *b)
{
	struct eh_column *cfa = &run->now.cfa;

	switch (op) {
	case 0x0c: /* def_cfa */
		cfa->how = EH_REG;
		cfa->reg = eh_uleb(b);
		cfa->offset = eh_uleb(b);
		return true;
	case 0x12: /* def_cfa_sf */
		cfa->how = EH_REG;
		cfa->reg = eh_uleb(b);
		cfa->offset = scaled(run, eh_sleb(b));
		return true;
	case 0x0d: /* def_cfa_register */
		cfa->reg = eh_uleb(b);
		return true;
	case 0x0e: /* def_cfa_offset */
		cfa->offset = eh_uleb(b);
		return true;
	case 0x13: /* def_cfa_offset_sf */
		cfa->offset = scaled(run, eh_sleb(b));
		return true;
	case 0x0f: /* def_cfa_expression */
		*cfa = eh_expression(b, false);
		return true;
	}
	return false;
}

/* Instructions that say where a register is. */
static bool define_register(struct run *run, __u8 op, struct eh_bytes *b)
{
	struct eh_column c, *to;
	__u64 reg;

	if (op < 0x05 || (op > 0x09 && op != 0x10 && op != 0x11 && op != 0x14 &&
			  op != 0x15 && op != 0x16 && op != 0x2f))
		return false;
	reg = eh_uleb(b);
	switch (op) {
	case 0x05: /* offset_extended */
		set(run, reg, EH_AT_CFA, scaled(run, eh_uleb(b)));
		break;
	case 0x06: /* restore_extended */
		restore(run, reg);
		break;
	case 0x07: /* undefined */
		set(run, reg, EH_GONE, 0);
		break;
	case 0x08: /* same_value */
		set(run, reg, EH_SAME, 0);
		break;
	case 0x11: /* offset_extended_sf */
		set(run, reg, EH_AT_CFA, scaled(run, eh_sleb(b)));
		break;
	case 0x2f: /* GNU_negative_offset_extended */
		set(run, reg, EH_AT_CFA, scaled(run, -eh_uleb(b)));
		break;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		c = eh_expression(b, true);
		to = column(run, &run->now, reg);
		if (op == 0x16)
			c.how = EH_OTHER;
		if (to)
			*to = c;
		break;
	default: /* register, val_offset, val_offset_sf */
		eh_uleb(b);
		set(run, reg, EH_OTHER, 0);
	}
	return true;
}

static void execute_op(struct run *run, __u8 op, struct eh_bytes *b)
{
	switch (op) {
	case 0x00: /* nop */
		break;
	case 0x01:
		set_loc(run, b);
		break;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		advance(run, eh_fixed(b, 1 << (op - 2)));
		break;
	case 0x0a:
		remember(run, b);
		break;
	case 0x0b:
		recall(run, b);
		break;
	case 0x2e: /* GNU_args_size */
		eh_uleb(b);
		break;
	default:
		if (!define_cfa(run, op, b) && !define_register(run, op, b))
			b->bad = true;
	}
}

/* False: damaged, or an instruction that is not known. */
static bool execute(struct run *run, size_t from, size_t to)
{
	struct eh_bytes b = {
		.bytes = run->f->bytes,
		.at = from,
		.end = to,
		.addr = run->f->addr,
	};
	__u8 byte;

	while (b.at < b.end && !b.bad && !run->err) {
		byte = eh_fixed(&b, 1);
		if (byte >> 6 == 1)
			advance(run, byte & 0x3f);
		else if (byte >> 6 == 2)
			set(run, byte & 0x3f, EH_AT_CFA,
			    scaled(run, eh_uleb(&b)));
		else if (byte >> 6 == 3)
			restore(run, byte & 0x3f);
		else
			execute_op(run, byte, &b);
	}
	return !b.bad;
}

static int add_fde(const struct eh_frame *f, const struct eh_fde *fde,
		   struct unwind_builder *to)
{
	static const struct vmmprof_unwind_rule unknown;
	struct run run = { .f = f, .fde = fde, .to = to, .loc = fde->start };
	bool good;

	run.now.cfa.how = EH_OTHER;
	run.first = run.now;
	good = eh_read_cie(f, fde->cie, &run.cie) &&
	       execute(&run, run.cie.program, run.cie.program_end) &&
	       run.loc == fde->start;
	run.first = run.now;
	good = good && execute(&run, fde->program, fde->program_end);
	if (!good)
		run.now.cfa.how = EH_OTHER;
	emit(&run);
	return run.err ? run.err : unwind_builder_add(to, fde->end, &unknown);
}

static int compare_fdes(const void *pa, const void *pb)
{
	const struct eh_fde *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->program < b->program ? -1 : a->program > b->program;
}

/* All of them by address; to be freed. */
static int sorted_fdes(const struct eh_frame *f, struct eh_fde **ret,
		       size_t *nr)
{
	struct eh_frame_iter it;
	struct eh_fde fde;
	size_t max = 0;

	*ret = NULL;
	*nr = 0;
	eh_frame_begin(f, &it);
	while (eh_frame_next(&it, &fde)) {
		int err = *nr == FDES_MAX ?
				  -EFBIG :
				  vec_grow(ret, &max, *nr, sizeof(fde));

		if (err) {
			free(*ret);
			return err;
		}
		(*ret)[(*nr)++] = fde;
	}
	sort_array(*ret, *nr, sizeof(fde), compare_fdes);
	return 0;
}

int eh_frame_table(const struct eh_frame *f, struct unwind_table *ret)
{
	struct unwind_builder b = { 0 };
	struct eh_fde *fdes;
	__u64 end = 0;
	size_t nr, i;
	int err;

	memset(ret, 0, sizeof(*ret));
	if (f->ia32)
		return -ENOTSUP;
	err = sorted_fdes(f, &fdes, &nr);
	if (err)
		return err;
	for (i = 0; i < nr && !err; i++) {
		if (fdes[i].start < end)
			continue;
		err = add_fde(f, &fdes[i], &b);
		end = fdes[i].end;
	}
	free(fdes);
	if (!err)
		/* the row that ends the last function is part of it */
		err = unwind_builder_end(&b, end + 1, ret);
	unwind_builder_free(&b);
	return err;
}
