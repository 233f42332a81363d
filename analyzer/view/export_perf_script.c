// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples as `perf script` prints them, for programs that read its text.  A
 * guest's samples have frames for the guest and the vCPU below their function;
 * stolen time has a sample for each period of it, with the thief as its leaf, and
 * so has, where chains say what the vCPU left, time in which it slept.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "view/chain_names.h"
#include "view/export_perf_script.h"
#include "view/export_thief.h"
#include "view/safe.h"
#include "model/pass.h"

struct script {
	const struct perf_script *of;
	struct names *names;
	FILE *out;
	__u32 event;	  /* whose samples; VMMPROF_ANY: all */
	__u64 per_sample; /* events, of the last sample */
	__u64 *owed;	  /* ticks since its last sample, by track and state */
	size_t nr_owed;
	struct chain_pass chains; /* with .of->chains */
};

static void put_word(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(*text == ' ' ? '_' : *text, out);
}

/*
 * A command is one word there: its end is where a number begins.  A line that
 * begins with '#' is a comment.
 */
static void put_comm(FILE *out, const char *comm)
{
	if (*comm == '#')
		fputs("\\x23", out);
	put_word(out, comm + (*comm == '#'));
	/* two, because a name of one letter would swallow one of them */
	fputs("  ", out);
}

static void put_head(const struct script *s, const char *comm, __u32 pid,
		     __u32 tid, __u32 cpu, __u64 tsc, __u64 period)
{
	const struct timeline *tl = s->of->tl;
	__u64 khz = tl->khz ? tl->khz : 1000000, ns;
	char event[256];

	ns = tsc > tl->begin ? sat_scale(tsc - tl->begin, 1000000, khz) : 0;
	safe_text(event, sizeof(event),
		  session_event_name(&s->of->r->a->session, s->event));
	put_comm(s->out, comm);
	fprintf(s->out, "%u/%u [%03u] %llu.%09llu: %10llu %s:\n", pid, tid, cpu,
		ns / 1000000000, ns % 1000000000, period, event);
}

/*
 * What begins with a parenthesis is no function for stackcollapse-perf.pl, and a
 * line whose module is not one word no frame.
 */
static void put_frame(FILE *out, __u64 addr, const char *function,
		      const char *module)
{
	bool escape = *function == '(';

	fprintf(out, "\t%16llx %s%s (", addr, escape ? "\\x28" : "",
		function + escape);
	put_word(out, module);
	fputs(")\n", out);
}

/* Below the function: the vCPU, and its guest. */
static void put_guest(struct script *s, __u32 guest, __u32 vcpu)
{
	char name[NAME_MAX_BYTES], text[32];

	if (vcpu == VMMPROF_NONE)
		snprintf(text, sizeof(text), "vCPU ?");
	else
		snprintf(text, sizeof(text), "vCPU %u", vcpu);
	name_machine(s->names, guest + 1, name, sizeof(name));
	put_frame(s->out, 0, text, "[guest]");
	put_frame(s->out, 0, name, "[guest]");
	fputc('\n', s->out);
}

static void put_function(struct script *s, const struct bucket_key *key,
			 __u64 addr)
{
	char function[NAME_MAX_BYTES] = "[unknown]";
	char module[NAME_MAX_BYTES] = "[unknown]";
	struct bucket_key k = *key;

	k.proc = VMMPROF_NONE; /* no number of it behind the module */
	if (k.func != VMMPROF_NONE)
		name_function(s->names, &k, function, sizeof(function));
	if (k.module != VMMPROF_NONE)
		name_module(s->names, &k, module, sizeof(module));
	put_frame(s->out, addr, function, module);
}

static void put_chain_frame(struct script *s, const struct chain_frame *c)
{
	char name[NAME_MAX_BYTES], module[NAME_MAX_BYTES];
	bool host = !c->machine || c->kind == FRAME_STATE ||
		    c->kind == FRAME_THIEF;

	if (c->kind == FRAME_CODE && c->func == VMMPROF_NONE)
		strcpy(name, "[unknown]");
	else
		chain_frame_name(s->names, c, name, sizeof(name));
	if (c->kind != FRAME_CODE)
		strcpy(module, host ? "[host]" : "[guest]");
	else if (c->module == VMMPROF_NONE)
		strcpy(module, "[unknown]");
	else
		chain_frame_module(s->names, c, module, sizeof(module));
	put_frame(s->out, c->addr, name, module);
}

/* From the innermost frame to the outermost one; not below a VM exit. */
static void put_chain(struct script *s, const struct chain_frames *f)
{
	size_t i;

	for (i = 0; i < f->nr; i++)
		put_chain_frame(s, &f->frame[i]);
}

static bool is_chosen(const struct script *s, __u32 machine)
{
	__u32 guest = s->of->r->guest;

	return guest == VMMPROF_ANY || guest == machine;
}

/* @f: its frames; NULL: its function alone. */
static int put_sample(struct script *s, const struct vmmprof_rec_sample *rec,
		      const struct bucket_key *key,
		      const struct chain_frames *f)
{
	__u32 machine = f ? f->machine : key->guest;
	char comm[NAME_MAX_BYTES] = "[unknown]";
	__u32 pid = rec->pid, tid = rec->tid;
	int err;

	if (s->event != VMMPROF_ANY && rec->event != s->event)
		return 0;
	s->per_sample = rec->period;
	if (!is_chosen(s, key->guest))
		return 0;
	err = names_more(s->names);
	if (err)
		return err;
	if (key->proc != VMMPROF_NONE)
		name_program(s->names, key->proc, comm, sizeof(comm));
	if (!*comm)
		strcpy(comm, "[unknown]");
	if (key->guest) {
		pid = key->proc == VMMPROF_NONE ?
			      VMMPROF_NONE :
			      s->names->a->resolver.processes[key->proc].pid;
		pid = pid == VMMPROF_NONE ? 0 : pid;
		tid = pid; /* threads of guests are not known */
	}
	put_head(s, comm, pid, tid, rec->cpu, rec->hdr.tsc, rec->period);
	if (f)
		put_chain(s, f);
	else
		put_function(s, key, key->guest ? rec->guest_ip : rec->ip);
	if (machine)
		put_guest(s, machine - 1, key->vcpu);
	else
		fputc('\n', s->out);
	return io_stream(s->out);
}

/* record_fn */
static int put_record(struct analysis *a, void *arg, const union rec *rec,
		      const struct resolved *where)
{
	struct script *s = arg;
	int err = timeline_record(a, s->of->tl, rec, where);

	if (!err && where && !s->of->chains &&
	    time_ranges_has(a->time, rec->hdr.tsc))
		err = put_sample(s, &rec->sample, &where->key, NULL);
	return err;
}

static int put_chained(void *arg, const struct chain_sample *c,
		       const struct chain_frames *f)
{
	struct script *s = arg;

	/* a guest's sample without any of its callers, as if none were asked for */
	return put_sample(s, &c->rec, &c->where.key, f);
}

static int put_all(struct script *s)
{
	struct analysis *a = s->of->r->a;
	struct chain_pass *chains = &s->chains;
	int err;

	if (!s->of->chains)
		return analysis_run(a, 0, put_record, s);
	err = chain_pass_init(chains, a, put_record, s);
	chains->each = put_chained;
	chains->each_arg = s;
	chains->no_tree = true;
	chains->tree.addresses = true;
	if (s->of->tl->stretch)
		chain_pass_time(chains, s->of->tl);
	if (s->of->inlines)
		chain_pass_inlines(chains);
	return err ? err : chain_pass_run(chains, 0);
}

/* Of steal, halt, blocked: ticks without a sample yet.  NULL without memory. */
static __u64 *owed_of(struct script *s, __u32 track, enum vcpu_state state)
{
	size_t i = 3 * (size_t)track + (state == STATE_HALT    ? 1 :
					state == STATE_BLOCKED ? 2 :
								 0);
	__u64 *more;

	if (i >= s->nr_owed) {
		more = realloc(s->owed, 2 * (i + 1) * sizeof(*more));
		if (!more)
			return NULL;
		memset(more + s->nr_owed, 0,
		       (2 * (i + 1) - s->nr_owed) * sizeof(*more));
		s->owed = more;
		s->nr_owed = 2 * (i + 1);
	}
	return &s->owed[i];
}

/* What a vCPU left, with its state and the thief above it; innermost first. */
static int put_left(struct script *s, const struct track *t,
		    enum vcpu_state state, __u32 thief)
{
	const struct chain_tree *tree = &s->chains.tree;
	const struct chain_frame *f;
	char who[512];
	__u32 node;
	int err;

	if (!chain_pass_timed(&s->chains)) {
		export_thief(s->of->tl, thief, who, sizeof(who));
		put_frame(s->out, 0, who, "[host]");
		put_frame(s->out, 0, "[steal]", "[host]");
		return 0;
	}
	err = chain_waits_node(&s->chains.waits, t, state, thief, &node);
	if (!err)
		err = names_more(s->names);
	for (; node && !err; node = tree->nodes[node].parent) {
		f = &tree->frames[tree->nodes[node].frame];
		if (!chain_frame_top(f))
			put_chain_frame(s, f);
	}
	return err;
}

/*
 * stretch_fn.  A wait of very many periods has this many lines, each of several
 * samples, as its period says.
 */
#define LINES_MAX 10000

static int put_stretch(void *arg, const struct track *t, enum vcpu_state state,
		       __u64 from, __u64 to, __u32 thief)
{
	struct script *s = arg;
	const struct timeline *tl = s->of->tl;
	__u64 step, ticks, *owed;
	int err = 0;

	if (state_sleeps(state) ? !chain_pass_timed(&s->chains) :
				  !state_waits(state) || thief == VMMPROF_NONE)
		return 0;
	if (!is_chosen(s, t->guest + 1))
		return 0;
	owed = owed_of(s, t->index, state);
	if (!owed)
		return -ENOMEM;
	sat_sum(owed, to - from);
	step = *owed / tl->period / LINES_MAX + 1;
	ticks = sat_mul(tl->period, step);
	while (!err && *owed >= ticks) {
		*owed -= ticks;
		put_head(s, "[vCPU]", t->pid, t->tid,
			 t->cpu == VMMPROF_NONE ? 0 : tl->pcpus[t->cpu].cpu,
			 to - *owed, sat_mul(s->per_sample, step));
		err = put_left(s, t, state, thief);
		put_guest(s, t->guest, t->vcpu_id);
	}
	return err ? err : io_stream(s->out);
}

/* Whether it has samples is known after a pass, but they are printed in one. */
static int first_sampled(struct analysis *a, __u32 lowest, __u32 *ret)
{
	struct problems *p = &a->session.problems;
	const struct vmmprof_rec_sample *s;
	const union rec *rec;
	size_t nr = p->nr;
	struct merge m;
	int err = session_merge(&a->session, &m);

	if (err)
		return err;
	while (*ret > lowest && merge_next(&m, &rec)) {
		s = &rec->sample;
		if (rec->hdr.type == VMMPROF_REC_SAMPLE && s->event < *ret &&
		    s->event < VMMPROF_MAX_EVENTS &&
		    time_ranges_has(a->time, s->hdr.tsc))
			*ret = s->event;
	}
	merge_deinit(&m);
	/* the pass itself reports the same problems */
	while (p->nr > nr)
		free(p->line[--p->nr]);
	return 0;
}

/*
 * The event that is printed: that chosen, else the first that has samples.  Without
 * samples the one that counts time.
 */
static int event_of(const struct perf_script *of, __u32 *ret)
{
	struct analysis *a = of->r->a;
	__u32 i, nr = 0, lowest = VMMPROF_ANY;
	int err;

	*ret = of->r->event;
	for (i = VMMPROF_MAX_EVENTS; i-- > 0;) {
		if (!a->session.events[i])
			continue;
		lowest = i;
		nr++;
	}
	if (*ret != VMMPROF_ANY)
		return 0;
	if (nr == 1) {
		*ret = lowest;
		return 0;
	}
	err = first_sampled(a, nr ? lowest : 0, ret);
	if (!err && *ret == VMMPROF_ANY && of->tl->period)
		*ret = of->tl->event;
	return err;
}

int export_perf_script(const struct perf_script *of, FILE *out)
{
	struct script s = { .of = of, .names = &of->r->names, .out = out };
	struct timeline *tl = of->tl;
	int err = event_of(of, &s.event);

	if (err)
		return err;
	/* until there is a sample to take it from */
	if (s.event != VMMPROF_ANY && of->r->a->session.events[s.event])
		s.per_sample = session_period(&of->r->a->session, s.event);
	if (of->stolen && tl->period && s.event == tl->event) {
		tl->stretch = put_stretch;
		tl->stretch_arg = &s;
	}
	err = names_init(s.names, of->r->a);
	s.names->tl = tl;
	if (!err)
		err = put_all(&s);
	if (!err)
		err = timeline_finish(tl);
	chain_pass_deinit(&s.chains);
	names_deinit(s.names);
	free(s.owed);
	return err;
}
