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
}
