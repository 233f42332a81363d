/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fetches bundles of running guests again and again in the background.  Each
 * fetch has a process, which ends when its guest has answered or its time is
 * over.  No function here waits.
 *
 * A guest is asked again:
 *   - after 10 s, doubling up to 320 s, if it could not be reached;
 *   - after 10 s, and later if that did not help, if its samples belong to no
 *     known process or mapping;
 *   - else after 60 s.
 * A fetch takes at most a twentieth of the time.  Code that is wanted comes
 * with every bundle; the first bundle for it is fetched at once.
 */
#ifndef TRANSPORT_REFRESH_H
#define TRANSPORT_REFRESH_H

#include "transport/collect.h"

/* Bytes of one bundle; top keeps bundles in memory. */
#define REFRESH_MAX   (64ull << 20)
/* Fetches at the same time. */
#define REFRESH_CHILD 16
/* Functions of one guest whose code is fetched. */
#define REFRESH_CODES 32

/* A function whose code is wanted. */
struct refresh_code {
	uint32_t pid;	 /* of the VM */
	uint32_t serial; /* from 1 on; of one that is wanted later it is higher */
	struct code_identity what;
};

/* A fetch is over: a datagram; if there is a bundle, with its descriptor. */
struct refresh_note {
	uint32_t pid; /* of the VM; 0: nobody is asked */
	uint32_t how; /* enum vmmprof_reach */
	int32_t error;
	uint32_t processes;
	uint64_t asked_ns;	 /* CLOCK_MONOTONIC: the bundle is no older */
	char text[CHANNEL_TEXT]; /* of an error: why and what to do */
	uint32_t serial;	 /* code was asked for up to this one */
	int32_t code_error; /* why no code came; 0: it did, as far as there is */
	char code_text[CHANNEL_TEXT]; /* the same */
};

struct refresh_guest {
	uint32_t pid;
	char name[VM_NAME];
	pid_t child;	       /* 0: nobody talks to it */
	uint64_t began_ns;     /* of the child */
	uint64_t ended_ns;     /* of the last one; 0: there was none */
	uint64_t took_ns;      /* the last one */
	unsigned int failures; /* one after the other */
	unsigned int vain;     /* fetches that did not help, in a row */
	bool wanted;	       /* newer maps would name more */
	bool code_due;	       /* there is code that was not asked for yet */
	uint32_t serial;       /* of the last code that was wanted */
	uint32_t nr_codes;
	struct code_identity codes[REFRESH_CODES];
};

struct refresh {
	/* the caller's */
	struct collect how; /* as before collect_open() */
	int notes;	    /* a SEQPACKET socket; stays the caller's */
	/* refresh's */
	struct refresh_guest *guests;
	size_t nr, cap;
	unsigned int running;
};

/*
 * VMs of @inv that live are fetched from now on, but for those that skip(arg)
 * names; others no longer.  0 or -ENOMEM.
 */
int refresh_guests(struct refresh *r, const struct inventory *inv,
		   bool (*skip)(void *arg, const struct vm *vm), void *arg);

/* Tell how many of a guest's samples in an interval had no process. */
void refresh_want(struct refresh *r, uint32_t pid, uint32_t samples,
		  uint32_t unknown);

/*
 * All code that is wanted from now on, of each guest the first
 * REFRESH_CODES.
 */
void refresh_codes(struct refresh *r, const struct refresh_code *codes,
		   size_t nr);

/* Reaps ended fetches, starts those due at @now_ns (CLOCK_MONOTONIC). */
void refresh_run(struct refresh *r, uint64_t now_ns);

/*
 * Ends and reaps all processes.  They tidy up in their guests as after
 * collect_deinit().
 */
void refresh_destroy(struct refresh *r);

/*
 * Sends a note to who takes them; if it has no error, with the bundle @out, which
 * is opened anew for reading.  0 or -errno.
 */
int refresh_send(int notes, const struct refresh_note *n, int out);

/*
 * The next note, without waiting.  *fd: the bundle, to be closed, or -1.
 * 1; 0: there is none; -EPIPE: no process is left to send one; or -errno.
 */
int refresh_take(int notes, struct refresh_note *n, int *fd);

#endif /* TRANSPORT_REFRESH_H */
