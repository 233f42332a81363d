// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two processes switch all the time beside a vCPU's thread that waits, and
 * nobody reads the ring: records that only say who they are leave half of it to
 * the others, and what was left out is told.
 */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define RING (128 << 10)

struct crowd {
	uint32_t tid;	 /* the guest's */
	uint64_t names;	 /* bytes of SWITCH records */
	uint64_t told;	 /* SWITCH records left out, as LOST records say */
	uint64_t losses; /* of anything else */
	uint64_t since;	 /* TSC of the last record of the guest's or SWITCH */
	uint64_t after;	 /* of the guest's: after the first one left out */
	uint64_t samples, odd;
	bool in, known;
};

static void look_lost(const struct vmmprof_rec_lost *l, struct crowd *c)
{
	if (!(l->hdr.flags & VMMPROF_L_NAMES)) {
		c->losses++;
		return;
	}
	c->told += l->lost_other;
	c->odd += l->lost || !l->lost_other || l->first_tsc < c->since ||
		  l->last_tsc < l->first_tsc || l->hdr.tsc < l->last_tsc;
}

static void look(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_switch *s = (const void *)hdr;
	struct crowd *c = arg;
	bool in = hdr->type == VMMPROF_REC_IN;

	c->samples += hdr->type == VMMPROF_REC_SAMPLE;
	if (hdr->type == VMMPROF_REC_LOST)
		look_lost((const void *)hdr, c);
	if (hdr->type == VMMPROF_REC_SWITCH)
		c->names += hdr->size;
	if (hdr->type < VMMPROF_REC_OUT || hdr->type > VMMPROF_REC_SWITCH)
		return;
	c->since = hdr->tsc;
	if (!in && hdr->type != VMMPROF_REC_OUT)
		return;
	c->odd += s->tid != c->tid || (c->known && c->in == in);
	c->in = in;
	c->known = true;
	c->after += c->told > 0;
}

/* Wake each other up as fast as they can. */
static void switch_all_the_time(pid_t *pid)
{
	int there[2], back[2], i;
	char c = 0;

	if (pipe(there) || pipe(back))
		die("pipe");
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		while (!pid[i])
			if ((i && read(there[0], &c, 1) != 1) ||
			    write(i ? back[1] : there[1], &c, 1) != 1 ||
			    (!i && read(back[0], &c, 1) != 1))
				_exit(1);
	}
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
}

/* Nobody reads, and all kinds of records are lost, but samples, which are rare. */
struct overfull {
	uint64_t last; /* TSC of the last record of a switch before the loss */
	uint64_t lost; /* by LOST records of all kinds */
	uint64_t first; /* of the first LOST record that is not of SWITCH alone */
	uint64_t odd;
};

static void look_overfull(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_lost *l = (const void *)hdr;
	struct overfull *o = arg;

	if (hdr->type >= VMMPROF_REC_OUT && !o->first)
		o->last = hdr->tsc;
	if (hdr->type != VMMPROF_REC_LOST)
		return;
	o->lost += l->lost_other;
	if (hdr->flags & VMMPROF_L_NAMES)
		return;
	if (!o->first)
		o->first = l->first_tsc;
	o->odd += l->lost || l->first_tsc < o->last ||
		  l->last_tsc < l->first_tsc || hdr->tsc < l->last_tsc;
}

/* @stop: it is read after STOP only. */
static void overfull(bool stop)
{
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat st;
	struct overfull o = {};
	struct ring r;
	int fd = dev_open(), i;

	s.flags = VMMPROF_SETUP_F_SWITCHES;
	s.ring_size = VMMPROF_RING_MIN;
	s.events[0].period = 100000000000ull;
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP with switches");
	r = ring_map(fd, 0, s.ring_size);
	if (ioctl(fd, VMMPROF_IOC_START, 0))
		die("START with switches");
	for (i = 0; i < 2000; i++) {
		st = stat_of(fd, 0);
		if (st.bytes > s.ring_size - s.ring_size / 16 &&
		    st.lost_other > 100)
			break;
		sleep_ms(5);
	}
	for (i = 0; i < 400 && !stop && !o.first; i++) {
		sleep_ms(5);
		if (ring_drain(&r, look_overfull, &o))
			die("ring");
	}
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	st = stat_of(fd, 0);
	if (ring_drain(&r, look_overfull, &o))
		die("ring");
	ok(o.first && !o.odd,
	   "overfull: what is lost is told, since when (%d odd)", (int)o.odd);
	ok(o.lost == st.lost_other, "overfull: all of it, %d of %d%s",
	   (int)o.lost, (int)st.lost_other, stop ? ", at STOP" : "");
	ring_unmap(&r);
	close(fd);
}

/* Each of their switches is two records that have to be written. */
static void guests_overfill(void)
{
	static const uint8_t spin[] = { 0xeb, 0xfe };
	pid_t pid[4];
	int i;

	for (i = 0; i < 4; i++)
		pid[i] = vm_start(spin, sizeof(spin));
	overfull(false);
	overfull(true);
	for (i = 0; i < 4; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

void test_crowd(void)
{
	static const uint8_t spin[] = { 0xeb, 0xfe };
	struct vmmprof_setup s = good_setup();
	struct vmmprof_cpu_stat st;
	struct crowd c = {};
	struct ring r;
	pid_t pid[2];
	int fd, i;

	pin_cpu(0);
	c.tid = vm_start(spin, sizeof(spin));
	switch_all_the_time(pid);
	s.flags = VMMPROF_SETUP_F_SWITCHES;
	s.ring_size = RING;
	s.events[0].period = 10000000; /* few: they fit for seconds */
	fd = dev_open();
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s))
		die("SETUP with switches");
	r = ring_map(fd, 0, RING);
	if (ioctl(fd, VMMPROF_IOC_START, 0))
		die("START with switches");
	/*
	 * Until enough would have been written to fill it, with what may take
	 * half of it; not much longer, as the rest is for other records.
	 */
	for (i = 0; i < 2000; i++) {
		st = stat_of(fd, 0);
		if (st.lost_other * sizeof(struct vmmprof_rec_switch) >
			    RING / 2 + RING / 4 ||
		    st.lost)
			break;
		sleep_ms(5);
	}
	ioctl(fd, VMMPROF_IOC_STOP, 0);
	st = stat_of(fd, 0);
	ok(!ring_drain(&r, look, &c) && c.names && c.names <= RING / 2,
	   "crowd: SWITCH records take no more than half of the ring (%d of %d)",
	   (int)c.names, RING);
	ok(c.told && c.told == st.lost_other,
	   "crowd: those left out are told (%d of %d)", (int)c.told,
	   (int)st.lost_other);
	ok(!st.lost && !c.losses && c.samples == st.samples,
	   "crowd: no sample is lost (%d of %d)", (int)st.lost, (int)c.samples);
	ok(c.after > 2 && !c.odd,
	   "crowd: nor what the guest's thread does (%d after that, %d odd)",
	   (int)c.after, (int)c.odd);
	ring_unmap(&r);
	close(fd);
	for (i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	kill(c.tid, SIGKILL);
	waitpid(c.tid, NULL, 0);
	guests_overfill();
}
