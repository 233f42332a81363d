// SPDX-License-Identifier: GPL-2.0-only
/* Chains: the bounds of what is remembered, and what is not joined. */

#include <string.h>

#include "test.h"
#include "model/chain_join.h"
#include "model/chain_tree.h"

static struct rec_chain chain_of(__u32 flags, __u32 id, __u64 tsc, __u64 *word)
{
	return (struct rec_chain){
		.head = { .hdr = { VMMPROF_REC_CHAIN, 48, flags, tsc },
			  .id = id,
			  .nr_user = 1,
			  .end_user = VMMPROF_END_DONE },
		.rest = word,
	};
}

TEST(chain_ids_forget_what_was_used_longest_ago)
{
	size_t bytes = 0;
	struct chain_ids ids = { .bytes = &bytes };
	struct rec_chain c;
	const struct chain_id *id;
	__u64 word;
	__u32 i;

	for (i = 1; i <= CHAIN_IDS + 10; i++) {
		word = 100 + i;
		c = chain_of(0, i, 1, &word);
		TEST_EQ(chain_ids_put(&ids, &c.head, &word, 8), 0);
		/* the first one is used all the time */
		c.head.id = 1;
		id = chain_ids_get(&ids, &c.head);
		TEST_OK(id && *(__u64 *)id->data == 101);
	}
	TEST_EQ(bytes, CHAIN_IDS * 8);
	c.head.id = 11;
	TEST_OK(!chain_ids_get(&ids, &c.head));
	c.head.id = 12;
	id = chain_ids_get(&ids, &c.head);
	TEST_OK(id && *(__u64 *)id->data == 112);
	/* other counts are other data */
	c.head.nr_user = 2;
	TEST_OK(!chain_ids_get(&ids, &c.head));
	chain_ids_deinit(&ids);
	TEST_OK(!ids.ids);
	return 0;
}

TEST(chain_ids_have_a_bound_in_bytes)
{
	static __u8 data[VMMPROF_CHAIN_STACK];
	struct vmmprof_rec_chain head = { .stack_size = sizeof(data) };
	/* another CPU has nearly all of it */
	size_t bytes = CHAIN_IDS_BYTES - 3 * sizeof(data);
	struct chain_ids ids = { .bytes = &bytes };

	for (head.id = 1; head.id <= 5; head.id++) {
		TEST_EQ(chain_ids_put(&ids, &head, data, sizeof(data)), 0);
		TEST_OK(bytes <= CHAIN_IDS_BYTES);
		TEST_OK(!!chain_ids_get(&ids, &head));
	}
	head.id = 2;
	TEST_OK(!chain_ids_get(&ids, &head));
	head.id = 3;
	TEST_OK(!!chain_ids_get(&ids, &head));
	chain_ids_deinit(&ids);
	return 0;
}

struct seen {
	unsigned int nr, guest, host, known;
	__u64 word;
};

static int see(void *arg, const struct chain_sample *s)
{
	struct seen *seen = arg;

	seen->nr++;
	seen->guest += s->guest.there;
	seen->host += s->host.there;
	seen->known += s->guest.there && s->guest.known;
	if (s->guest.there && s->guest.known)
		seen->word = s->guest.data[0];
	return 0;
}

static int sample_at(struct chain_join *j, __u32 cpu, __u64 tsc)
{
	struct vmmprof_rec_sample s = { .hdr.tsc = tsc };
	struct resolved where = { 0 };

	return chain_join_sample(j, cpu, &s, &where, 0);
}

TEST(chain_join_takes_parts_of_the_same_cpu_and_time)
{
	struct rec_chain guest, host, out;
	struct seen seen = { 0 };
	struct chain_join j;
	__u64 word = 7;

	chain_join_init(&j, see, &seen);
	guest = chain_of(VMMPROF_C_GUEST, 3, 10, &word);
	host = chain_of(0, 0, 10, &word);
	out = chain_of(VMMPROF_C_OUT, 0, 10, &word);
	/* before any sample; it is remembered all the same */
	TEST_EQ(chain_join_chain(&j, 0, &guest), 0);
	TEST_EQ(j.stray, 1);
	TEST_EQ(sample_at(&j, 0, 10), 0);
	TEST_EQ(sample_at(&j, 1, 10), 0);
	guest.head.hdr.flags |= VMMPROF_C_REF;
	guest.rest = NULL;
	TEST_EQ(chain_join_chain(&j, 0, &guest), 0);
	TEST_EQ(chain_join_chain(&j, 0, &out), 0);
	TEST_EQ(chain_join_chain(&j, 0, &host), 0);
	TEST_EQ(j.stray, 1);
	/* a second one of a kind, and one of another time */
	TEST_EQ(chain_join_chain(&j, 0, &host), 0);
	host.head.hdr.tsc = 11;
	TEST_EQ(chain_join_chain(&j, 1, &host), 0);
	TEST_EQ(j.stray, 3);
	/* ids are those of a CPU */
	TEST_EQ(chain_join_chain(&j, 1, &guest), 0);
	TEST_EQ(seen.nr, 0);
	TEST_EQ(sample_at(&j, 0, 20), 0);
	TEST_EQ(seen.nr, 1);
	TEST_EQ(chain_join_end(&j), 0);
	TEST_EQ(seen.nr, 3);
	TEST_EQ(seen.guest, 2);
	TEST_EQ(seen.known, 1);
	TEST_EQ(seen.host, 1);
	TEST_EQ(seen.word, 7);
	TEST_EQ(chain_join_end(&j), 0);
	TEST_EQ(seen.nr, 3);
	chain_join_deinit(&j);
	return 0;
}

struct outs {
	unsigned int nr, guest, host, known, state;
	__u64 ip;
	__u32 track;
};

static int see_out(void *arg, const struct chain_out *o)
{
	struct outs *outs = arg;

	outs->nr++;
	outs->guest += o->guest.there;
	outs->host += o->host.there;
	outs->known += o->guest.there && o->guest.known;
	outs->state += o->has_state;
	outs->ip = o->has_state ? o->state.guest_ip : 0;
	outs->track = o->track;
	return 0;
}

TEST(chain_join_takes_parts_of_out_records)
{
	struct vmmprof_rec_switch out = { .hdr.tsc = 10 };
	struct rec_chain chain, guest, host;
	struct outs outs = { 0 };
	struct seen seen = { 0 };
	struct chain_join j;
	__u64 word = 7;
	struct {
		struct vmmprof_chain_regs regs;
		struct vmmprof_chain_state state;
	} rest = { .state.guest_ip = 0x400310 };

	chain_join_init(&j, see, &seen);
	j.out_fn = see_out;
	j.out_arg = &outs;
	/* the data are those of a sample's chain; the state is behind the registers */
	chain = chain_of(VMMPROF_C_GUEST, 3, 5, &word);
	TEST_EQ(sample_at(&j, 0, 5), 0);
	TEST_EQ(chain_join_chain(&j, 0, &chain), 0);
	guest = chain_of(VMMPROF_C_GUEST | VMMPROF_C_OUT | VMMPROF_C_REF |
				 VMMPROF_C_REGS | VMMPROF_C_STATE,
			 3, 10, NULL);
	guest.rest = &rest;
	host = chain_of(VMMPROF_C_OUT, 0, 10, &word);
	/* before its record, on another CPU, of another time, twice */
	TEST_EQ(chain_join_chain(&j, 0, &host), 0);
	TEST_EQ(chain_join_out(&j, 0, &out, 4), 0);
	TEST_EQ(chain_join_chain(&j, 1, &host), 0);
	host.head.hdr.tsc = 11;
	TEST_EQ(chain_join_chain(&j, 0, &host), 0);
	host.head.hdr.tsc = 10;
	TEST_EQ(chain_join_chain(&j, 0, &host), 0);
	TEST_EQ(chain_join_chain(&j, 0, &guest), 0);
	TEST_EQ(chain_join_chain(&j, 0, &guest), 0);
	TEST_EQ(j.stray, 4);
	/* asked for; then there is none until the next one */
	TEST_EQ(chain_join_out_now(&j, 0), 0);
	TEST_EQ(chain_join_out_now(&j, 0), 0);
	TEST_EQ(chain_join_out_now(&j, 9), 0);
	TEST_EQ(outs.nr, 1);
	TEST_EQ(outs.guest + outs.host + outs.known + outs.state, 4);
	TEST_EQ(outs.ip, 0x400310);
	TEST_EQ(outs.track, 4);
	/* the next one ends the one before, and has nothing of it */
	TEST_EQ(chain_join_out(&j, 0, &out, 5), 0);
	TEST_EQ(chain_join_out(&j, 0, &out, 6), 0);
	TEST_EQ(outs.nr, 2);
	TEST_EQ(outs.track, 5);
	TEST_EQ(outs.guest + outs.host + outs.known + outs.state, 4);
	/* samples know nothing of it */
	TEST_EQ(chain_join_end(&j), 0);
	TEST_EQ(seen.nr, 1);
	TEST_EQ(seen.guest, 1);
	chain_join_deinit(&j);
	return 0;
}

/* A chain of nr frames, that differ by their addresses. */
static void frames_of(struct chain_frames *f, size_t nr, __u64 addr)
{
	size_t i;

	memset(f, 0, sizeof(*f));
	f->nr = nr;
	f->proc = VMMPROF_NONE;
	f->end = VMMPROF_END_DONE;
	for (i = 0; i < nr; i++)
		f->frame[i].addr = i ? addr + i : 1;
}

TEST(chain_tree_counts_every_sample_when_it_is_full)
{
	static struct chain_frames f;
	struct chain_tree t;
	__u64 sum = 0;
	size_t i;

	TEST_EQ(chain_tree_init(&t), 0);
	t.addresses = true;
	t.max = 100;
	for (i = 0; i < 1000; i++) {
		frames_of(&f, 5, 1000 * i);
		TEST_EQ(chain_tree_add(&t, &f, i % 2), 0);
	}
	TEST_OK(t.nr_nodes <= 100);
	for (i = 0; i < t.nr_leaves; i++)
		sum += t.leaves[i].samples;
	TEST_EQ(sum, 1000);
	TEST_EQ(t.counts.samples, 1000);
	TEST_EQ(t.counts.class[CHAIN_COMPLETE], 1000);
	TEST_OK(t.counts.full > 900);
	chain_tree_deinit(&t);
	return 0;
}

TEST(chain_tree_has_a_path_once)
{
	static struct chain_frames f;
	struct chain_tree t;
	size_t i;

	TEST_EQ(chain_tree_init(&t), 0);
	for (i = 0; i < 10; i++) {
		/* without addresses all frames are the same function */
		frames_of(&f, 4, 1000 * i);
		TEST_EQ(chain_tree_add(&t, &f, 0), 0);
	}
	TEST_EQ(t.nr_nodes, 1 + 1 + 4); /* root, machine */
	TEST_EQ(t.nr_frames, 2);
	TEST_EQ(t.nr_leaves, 1);
	TEST_EQ(t.leaves[0].samples, 10);
	TEST_EQ(t.nodes[t.leaves[0].node].depth, 5);
	chain_tree_deinit(&t);
	return 0;
}
