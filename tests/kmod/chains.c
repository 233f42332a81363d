// SPDX-License-Identifier: GPL-2.0-only
/* Chains of the host: where they stand, whether they are right, what is lost. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lab.h"

#define WITH_FRAMES                                      \
	__attribute__((noinline, noclone,                \
		       optimize("no-omit-frame-pointer", \
				"no-optimize-sibling-calls")))

#define IDS	   4096
#define RISE_BYTES 512 /* of its code, at most */

struct chains {
	uint64_t samples, chains, refs, lost, wrong, user, right, kernel, done;
	uint64_t last_sample; /* its TSC */
	uint32_t last_flags;
	uint32_t frames; /* wanted */
	uint32_t known[IDS];
	uint64_t data[IDS][16]; /* the first words of each id's */
};

static void rise(unsigned int depth, unsigned int ms);

/* Is it of the frames of rise(), as many as there are, or as are wanted? */
static bool right(const struct chains *c, const uint64_t *ip, uint32_t nr)
{
	if (nr < c->frames)
		return false;
	for (uint32_t i = 0; i < c->frames; i++)
		if (ip[i] - (uintptr_t)rise > RISE_BYTES)
			return false;
	return true;
}

static void one_chain(const struct vmmprof_rec_chain *rec, struct chains *c)
{
	const uint64_t *data = (const uint64_t *)(rec + 1);
	uint32_t nr = rec->nr_kernel + rec->nr_user;
	uint32_t size = sizeof(*rec);

	c->chains++;
	if (rec->hdr.flags & VMMPROF_C_REGS) {
		data += sizeof(struct vmmprof_chain_regs) / sizeof(*data);
		size += sizeof(struct vmmprof_chain_regs);
	}
	c->wrong += rec->hdr.tsc != c->last_sample || rec->stack_size ||
		    rec->reserved || rec->id >= IDS || !rec->id != !nr ||
		    rec->end_kernel > VMMPROF_END_BITS ||
		    rec->end_user > VMMPROF_END_BITS;
	if (!rec->id || rec->id >= IDS)
		return;
	if (rec->hdr.flags & VMMPROF_C_REF) {
		c->refs++;
		c->wrong += c->known[rec->id] != nr || rec->hdr.size != size;
		data = c->data[rec->id];
	} else {
		c->wrong += rec->hdr.size != (size + 8 * nr + 15) / 16 * 16;
		c->known[rec->id] = nr;
		memcpy(c->data[rec->id], data,
		       (nr < 16 ? nr : 16) * sizeof(*data));
	}
	if (c->last_flags & VMMPROF_S_USER) {
		c->user++;
		c->right += !rec->nr_kernel &&
			    right(c, data, nr < 16 ? nr : 16);
	} else {
		c->kernel++;
		c->done += rec->end_kernel == VMMPROF_END_DONE ||
			   rec->end_kernel == VMMPROF_END_DEPTH;
	}
}

static void look(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_lost *lost = (const void *)hdr;
	struct chains *c = arg;

	if (hdr->type == VMMPROF_REC_SAMPLE) {
		c->samples++;
		c->last_sample = hdr->tsc;
		c->last_flags = hdr->flags;
	} else if (hdr->type == VMMPROF_REC_CHAIN) {
		one_chain((const void *)hdr, c);
	} else if (hdr->type == VMMPROF_REC_LOST &&
		   hdr->flags == VMMPROF_L_CHAINS) {
		c->lost += lost->lost_other;
		c->wrong += lost->lost || lost->first_tsc > lost->last_tsc;
	}
}

static WITH_FRAMES void rise(unsigned int depth, unsigned int ms)
{
	uint64_t end;

	if (depth) {
		rise(depth - 1, ms);
	} else {
		/* No call: its frame is there wherever it is hit. */
		end = now_ms(CLOCK_MONOTONIC) + ms;
		while (now_ms(CLOCK_MONOTONIC) < end)
			for (int i = 0; i < 200000; i++)
				asm("");
	}
	asm volatile("" ::: "memory");
}

static int start_with_chains(struct vmmprof_setup *s)
{
	int fd = dev_open();

	only_cpu(s, 0);
	s->flags = VMMPROF_SETUP_F_CHAINS;
	s->chain_flags = VMMPROF_CHAIN_F_HOST_KERNEL |
			 VMMPROF_CHAIN_F_HOST_USER;
	if (ioctl(fd, VMMPROF_IOC_SETUP, s) || ioctl(fd, VMMPROF_IOC_START, 0))
		die("a session with chains");
	return fd;
}

static void known(uint32_t depth, uint32_t frames)
{
	static struct chains c;
	struct vmmprof_setup s = good_setup();
	struct ring r;
	int fd, bad = 0;

	memset(&c, 0, sizeof(c));
	c.frames = frames;
	s.chain_depth = depth;
	s.ring_size = 1 << 20;
	fd = start_with_chains(&s);
	r = ring_map(fd, 0, s.ring_size);
	for (int i = 0; i < 100 && c.right < 100; i++) {
		rise(12, 100);
		bad += ring_drain(&r, look, &c) != 0;
	}
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	bad += ring_drain(&r, look, &c) != 0;
	ok(!bad && !c.wrong && c.chains == c.samples && !c.lost,
	   "depth %u: each of %d samples has its chain behind it", depth,
	   (int)c.samples);
	ok(c.refs > c.chains / 3, "chains met again are not repeated: %d of %d",
	   (int)c.refs, (int)c.chains);
	ok(c.right >= 100 && c.right > c.user / 2,
	   "a recursion has its frames: %d of %d", (int)c.right, (int)c.user);
	ok(c.done * 10 >= c.kernel * 9, "the kernel's are complete: %d of %d",
	   (int)c.done, (int)c.kernel);
	ring_unmap(&r);
	close(fd);
}

/* Nobody reads: chains take half of the ring, samples the rest. */
static void full(void)
{
	static struct chains c;
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat st;
	struct ring r;
	int fd;

	s.chain_depth = VMMPROF_CHAIN_DEPTH;
	s.ring_size = VMMPROF_RING_MIN;
	s.events[0].period = 100000;
	fd = start_with_chains(&s);
	r = ring_map(fd, 0, s.ring_size);
	for (int i = 0; i < 600 && stat_of(fd, 0).lost <= 10; i++)
		busy_ms(50);
	ok(!ring_drain(&r, look, &c) && !c.wrong && c.samples > c.chains &&
		   c.samples * sizeof(struct vmmprof_rec_sample) >
			   s.ring_size / 2,
	   "a full ring has %d samples, chains of %d", (int)c.samples,
	   (int)c.chains);
	busy_ms(2);
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	st = stat_of(fd, 0);
	ok(!ring_drain(&r, look, &c) && !c.wrong && c.lost &&
		   c.lost <= st.lost_other && c.chains + c.lost == st.samples,
	   "what was left out is told: %d and %d of %d, %d wrong",
	   (int)c.chains, (int)c.lost, (int)st.samples, (int)c.wrong);
	ring_unmap(&r);
	close(fd);
}

void test_chains(void)
{
	pin_cpu(0);
	known(VMMPROF_CHAIN_DEPTH, 10);
	known(3, 3);
	full();
}
