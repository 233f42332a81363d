/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ways into a guest: push vmmprof-guest, have it watch, fetch the bundle.
 * One struct of functions for each way.
 *
 * The conversation with each guest runs in its own process (collect.c), so
 * every function may block, until the channel's deadline.  The guest's answers
 * may be an attack: after open() the process has no privileges and few system
 * calls (sandbox/confine.h), and reads at most max_bytes.
 */
#ifndef TRANSPORT_TRANSPORT_H
#define TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <vmmprof/maps.h>
#include <vmmprof/session.h>

#define CHANNEL_TEXT  640 /* room for the reasons of all ways */

/* Bytes of all code that may be asked for, with its items' headers. */
#define CODE_FILE_MAX (VMMPROF_CODE_TOTAL + 64 * VMMPROF_CODE_RANGES)

struct guest_program;
struct transport;

/* What is known of a guest before a connection is made. */
struct target {
	const char *root; /* "" or the prefix of a test's tree */
	uint32_t pid;	  /* of the VMM process */
	const char *name;
	const char *cmdline; /* of the VMM: cmdline_size bytes, NUL after each */
	uint32_t cmdline_size;
	const char *ssh; /* --ssh NAME=THIS, or NULL */
};

struct channel {
	const struct transport *transport;
	const struct target *target;
	const struct guest_program *guest_program;
	int have;	  /* build-ids (20 bytes each) not to send, or -1 */
	bool unwind;	  /* with UNWIND items */
	bool no_unwind;	  /* they were wanted, but the program there is older */
	int out;	  /* where the bundle goes, at offset 0 */
	bool want_code;	  /* code() follows fetch() */
	const char *list; /* of code, for code(); list_size 0: none */
	size_t list_size;
	int code;	      /* where the code goes, at offset 0 */
	uint64_t code_size;   /* bytes of it that were written */
	uint64_t max_bytes;   /* of the bundle */
	uint32_t watch_limit; /* s; watching ends by itself then; 0: none */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC, of the call under way */
	uint64_t sent, received;
	bool opened;	   /* open() has succeeded */
	int fd;		   /* the transport's; -1: none */
	void *private;	   /* the transport's */
	uint32_t cid;	   /* vsock */
	char address[256]; /* found by probe(): a path, a domain, user@host */
	char text[CHANNEL_TEXT]; /* error: what and what to do */
};

struct transport {
	const char *name; /* as options and messages have it */
	enum vmmprof_reach how;
	/*
	 * Does this way exist?  1, and address is filled in; 0: no, text says
	 * why and what to do; or -errno.  Does not talk to the guest.
	 */
	int (*probe)(struct channel *c);
	/* Connect.  The last call that runs with the caller's privileges. */
	int (*open)(struct channel *c);
	/* Push the program, start `watch`; returns when it watches. */
	int (*watch)(struct channel *c);
	/*
	 * Stop watching; if watch() was not called, push the program and run
	 * `dump`.  Write the bundle to out.  Remove everything from the guest;
	 * with want_code, keep there what code() needs.
	 */
	int (*fetch)(struct channel *c);
	/*
	 * Write a file of CODE items for the list to code, at most
	 * CODE_FILE_MAX bytes.  Remove everything from the guest.
	 */
	int (*code)(struct channel *c);
	/* Also after an error.  The guest's side then ends by itself. */
	void (*close)(struct channel *c);
};

extern const struct transport transport_agent;
extern const struct transport transport_libvirt;
extern const struct transport transport_vsock;
extern const struct transport transport_ssh;

#endif /* TRANSPORT_TRANSPORT_H */
