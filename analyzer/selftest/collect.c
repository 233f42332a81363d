// SPDX-License-Identifier: GPL-2.0-only
/* One pass over a session of the tiny VM, which counts for the checks. */

#include <errno.h>
#include <string.h>

#include "model/chain_ids.h"
#include "selftest/collect.h"
#include "sym/exits.h"
#include "model/pass.h"

/* SDM, "VMX Basic Exit Reasons"; APM volume 2, "SVM Intercept Exit Codes". */
static const struct {
	enum known_exit known;
	__u32 vmx, svm;
} known[] = {
	{ KNOWN_CPUID, 10, 0x72 },
	{ KNOWN_IO, 30, 0x7b },
	{ KNOWN_NMI, 0, 0x61 },
	{ KNOWN_IRQ, 1, 0x60 },
};

static enum known_exit known_exit(bool svm, __u32 recorded)
{
	__u16 reason = exit_reason(svm, recorded);
	size_t i;

	if (exit_is_hlt(reason))
		return KNOWN_HLT;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (reason ==
		    exit_reason(svm, svm ? known[i].svm : known[i].vmx))
			return known[i].known;
	return KNOWN_OTHER;
}

struct collect {
	struct figures *f;
	struct guest_code code;
	__u32 pid, tid;
	__u64 last_tsc; /* of a sample; 0: there is none yet */
	struct timeline tl;
	struct chain_ids ids;
	size_t bytes; /* of .ids */
	/* the last sample in a loop, for its chain; GUEST_LOOPS: none */
	unsigned int loop;
	__u64 loop_tsc;
};

static bool within(const struct guest_part *p, __u64 offset)
{
	return offset >= p->from && offset < p->to;
}

/* Behind which base it lies; 0: neither. */
static __u64 code_base(const struct collect *c, __u64 ip)
{
	if (ip - (GUEST_KERNEL + GUEST_CODE) < c->code.size)
		return GUEST_KERNEL + GUEST_CODE;
	if (ip - (GUEST_USER + GUEST_CODE) < c->code.size)
		return GUEST_USER + GUEST_CODE;
	return 0;
}

static void in_loop(struct collect *c, const struct vmmprof_rec_sample *s,
		    unsigned int loop, bool user)
{
	bool is_user = loop == GUEST_LOOP_U;
	struct figures *f = c->f;

	/* Each loop is run behind one base only. */
	if (user != is_user) {
		f->outside++;
		return;
	}
	f->in_loop[loop]++;
	f->wrong_cr3 += s->guest_cr3 !=
			(loop == GUEST_LOOP_A ? GUEST_CR3_A : GUEST_CR3_B);
	f->wrong_cpl += (s->guest_ss_ar >> 5 & 3) != (is_user ? 3 : 0);
	c->loop = loop;
	c->loop_tsc = s->hdr.tsc;
}

static void guest_sample(struct collect *c, const struct vmmprof_rec_sample *s)
{
	__u64 base = code_base(c, s->guest_ip);
	__u64 offset = s->guest_ip - base;
	struct figures *f = c->f;
	unsigned int i;

	f->guest++;
	if (!base) {
		f->outside++;
		return;
	}
	for (i = 0; i < GUEST_LOOPS; i++) {
		if (!within(&c->code.loop[i], offset))
			continue;
		in_loop(c, s, i, base == GUEST_USER + GUEST_CODE);
		return;
	}
	if (within(&c->code.exits, offset))
		f->in_exits++;
	else
		f->in_rest++;
}

static void gap(struct collect *c, __u64 tsc)
{
	if (c->last_tsc && tsc - c->last_tsc > c->f->longest_gap)
		c->f->longest_gap = tsc - c->last_tsc;
	c->last_tsc = tsc;
}

static void sample(struct collect *c, const struct vmmprof_rec_sample *s,
		   enum contradiction contradiction)
{
	bool guest = s->hdr.flags & VMMPROF_S_GUEST;
	struct figures *f = c->f;

	c->loop = GUEST_LOOPS;
	f->all++;
	gap(c, s->hdr.tsc);
	f->wrong_interrupt += !(s->hdr.flags & VMMPROF_S_NMI) == f->hardware;
	if (s->pid != c->pid)
		return;
	if (s->tid != c->tid) {
		f->strangers += guest || s->hdr.flags & VMMPROF_S_VCPU;
		return;
	}
	f->own++;
	f->contradictions[contradiction]++;
	if (guest)
		guest_sample(c, s);
	else if (s->hdr.flags & VMMPROF_S_OWN &&
		 !(s->hdr.flags & VMMPROF_S_USER))
		f->handling[known_exit(f->svm, s->exit_reason)]++;
}

/* The return addresses of a chain: a user part, or words of a kernel's stack. */
static bool chain_right(const struct collect *c, unsigned int loop,
			const struct vmmprof_rec_chain *head, const char *data)
{
	bool user = loop == GUEST_LOOP_U;
	__u64 base = (user ? GUEST_USER : GUEST_KERNEL) + GUEST_CODE;
	__u32 nr = user ? head->nr_user : head->nr_kernel;
	__u32 i, at = 0;
	__u64 word;

	if (user && (head->nr_kernel || head->end_user != VMMPROF_END_DONE))
		return false;
	for (i = 0; i < nr; i++) {
		memcpy(&word, data + i * sizeof(word), sizeof(word));
		if (!user && word & VMMPROF_WORD_STACK)
			continue;
		if (!user)
			word = (__u64)((__s64)word >> 16);
		if (at == c->code.nr_frames[loop] ||
		    word != base + c->code.frame[loop][at])
			return false;
		at++;
	}
	return at == c->code.nr_frames[loop];
}

static int chain(struct collect *c, const struct rec_chain *rec)
{
	const struct vmmprof_rec_chain *head = &rec->head;
	const void *data = rec_chain_data(rec);
	struct figures *f = c->f;
	const struct chain_id *id;
	int err;

	if (!(head->hdr.flags & VMMPROF_C_GUEST))
		return 0;
	if (head->hdr.flags & VMMPROF_C_REF) {
		id = chain_ids_get(&c->ids, head);
		data = id ? id->data : NULL;
	} else if (head->id && data) {
		err = chain_ids_put(&c->ids, head, data, chain_data_size(head));
		if (err)
			return err;
	}
	if (c->loop == GUEST_LOOPS || head->hdr.tsc != c->loop_tsc)
		return 0;
	f->chains++;
	if (!head->nr_kernel && !head->nr_user &&
	    (head->end_kernel == VMMPROF_END_MOVED ||
	     head->end_user == VMMPROF_END_MOVED ||
	     head->end_kernel == VMMPROF_END_BUSY ||
	     head->end_user == VMMPROF_END_BUSY))
		f->chains_none++;
	else if (data && chain_right(c, c->loop, head, data))
		f->chains_right++;
	else
		f->chains_wrong++;
	return 0;
}

static int record(struct analysis *a, void *arg, const union rec *rec,
		  const struct resolved *where)
{
	struct collect *c = arg;

	if (rec->hdr.type == VMMPROF_REC_SAMPLE)
		sample(c, &rec->sample,
		       where ? where->contradiction : CONTRA_NONE);
	else if (rec->hdr.type == VMMPROF_REC_CHAIN && chain(c, &rec->chain))
		return -ENOMEM;
	else if (rec->hdr.type == VMMPROF_REC_OUT && rec->sw.tid == c->tid)
		c->f->slept += state_of_out(&rec->sw) == EV_OUT_HALT;
	return timeline_record(a, &c->tl, rec, where);
}

static void exits(struct collect *c, const struct session *s)
{
	struct figures *f = c->f;
	size_t i;
	int j;

	f->exits_counted = s->exits_on && s->exits_on->on;
	if (s->exits_on)
		f->exits_missed = s->exits_on->missed;
	for (i = 0; i < s->nr_exits; i++) {
		const struct vmmprof_exit *e = &s->exits[i]->exit;
		enum known_exit k = known_exit(f->svm, e->reason);

		if (e->pid != c->pid)
			continue;
		for (j = 0; j < VMMPROF_EXIT_COUNTS; j++)
			f->exits[k] += e->count[j];
		/* The last one, to the end port, is followed by no entry. */
		f->exits[k] += !!e->open;
		f->exits_open += !!e->open;
		f->exit_ticks += e->total;
	}
}

static int track(struct collect *c)
{
	__u32 i = track_find(&c->tl, c->pid, c->tid);
	struct steal_checks checks;
	struct track_sum sum;
	int err;

	if (i == VMMPROF_NONE)
		return 0;
	track_sum(c->tl.tracks[i], &sum);
	c->f->asleep = sum.asleep;
	c->f->woken = sum.woken;
	c->f->polled = sum.poll;
	c->f->preempted = sum.preempted;
	err = steal_checks_init(&checks, &c->tl, timeline_exact(&c->tl));
	if (!err) {
		c->f->has_track = true;
		c->f->delay = checks.vcpu[i][CHECK_DELAY];
		c->f->run = checks.vcpu[i][CHECK_RUN];
	}
	steal_checks_deinit(&checks);
	return err;
}

static int pass(struct collect *c, struct analysis *a)
{
	int ret = timeline_init(&c->tl, a, GAPS_WITHOUT_SWITCHES);

	if (!ret)
		ret = analysis_run(a, 0, record, c);
	if (!ret)
		ret = timeline_finish(&c->tl);
	if (!ret)
		ret = track(c);
	timeline_deinit(&c->tl);
	if (!ret) {
		exits(c, &a->session);
		if (a->counts.damaged)
			ret = -EBADMSG;
	}
	return ret;
}

int collect_figures(const char *dir, __u32 pid, __u32 tid, struct figures *f,
		    struct error *e)
{
	struct collect c = {
		.f = f, .pid = pid, .tid = tid, .loop = GUEST_LOOPS
	};
	struct analysis a = { 0 };
	int ret;

	guest_code(&c.code);
	c.ids.bytes = &c.bytes;
	ret = session_open(&a.session, dir);
	if (!ret)
		ret = resolver_init(&a.resolver, &a.session);
	if (!ret)
		ret = pass(&c, &a);
	chain_ids_deinit(&c.ids);
	analysis_close(&a);
	if (ret)
		error_set(e, ret, "the session of %s cannot be read: %s", dir,
			  strerror(-ret));
	return ret;
}
