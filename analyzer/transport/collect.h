/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gets the bundles of all guests at once.  A separate process talks to each
 * guest, so a guest that is slow, silent or hostile loses only its own names.
 */
#ifndef TRANSPORT_COLLECT_H
#define TRANSPORT_COLLECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/code_list.h"
#include "format/session_writer.h"
#include "host/inventory.h"
#include "transport/guest_program.h"
#include "transport/import.h"
#include "transport/transport.h"

/* The user's options for one guest. */
struct collect_rule {
	const char *name; /* of the VM, or its pid in decimal */
	bool forced;	  /* allow replaces that for all guests */
	uint32_t allow;	  /* 1 << enum vmmprof_reach of each */
	const char *ssh;  /* user@host, NULL: none */
};

struct collect_guest {
	uint32_t pid; /* of the VM */
	char name[VM_NAME];
	char text[CHANNEL_TEXT];   /* reach.error: what and what to do */
	char before[CHANNEL_TEXT]; /* of ways that failed */
	uint32_t how_before;	   /* of the last of them */
	int32_t error_before;
	uint32_t allow; /* ways not tried yet */
	const char *ssh;
	uint64_t size;	/* of the bundle, once it is taken */
	bool watching;	/* since before sampling began */
	bool no_unwind; /* its program is older: no UNWIND items */
	pid_t child;	/* 0: ended */
	int sock;	/* to it, -1: closed */
	int out;	/* the .part file or that in memory, -1: none */
	struct symcache_guest cache;
	struct import_stat got;
	bool fetched;	/* the bundle is there, and code may be asked for */
	int code;	/* memory for it, -1: none */
	int code_error; /* why there is none; 0: there is, or none was wanted */
	char code_text[CHANNEL_TEXT];
	uint64_t code_size; /* bytes in that memory */
	struct code_merge_stat got_code;
	uint64_t start_ns;
	struct vmmprof_info_reach reach; /* last: it ends without a size */
};

struct collect {
	/* the caller's, before the first call */
	const char *root;    /* "" or the prefix of a test's tree */
	const char *program; /* the file vmmprof-guest */
	uint32_t allow;	     /* 1 << enum vmmprof_reach of each allowed */
	const struct collect_rule *rules;
	unsigned int nr_rules;
	uint32_t watch_limit;	    /* s; then vmmprof-guest stops watching */
	uint64_t begin_ns;	    /* how long a guest may take to watch */
	uint64_t end_ns;	    /* how long its bundle may take */
	struct session_writer *out; /* NULL: files in memory */
	bool at_once;		    /* nobody watches; see collect_at_once() */
	uint64_t max_bytes;	    /* of a bundle; 0: BUNDLE_MAX */
	struct symcache *cache;	    /* NULL: none; VMs are claimed by add */
	bool unwind;		    /* with UNWIND items, for call chains */
	bool code; /* collect_code() follows when bundles are there */
	/*
	 * NULL, or called ten times a second while guests are waited for; false:
	 * no longer
	 */
	bool (*meanwhile)(void *arg);
	void *arg;
	/* collect's */
	struct collect_guest *guests;
	unsigned int nr;
	struct guest_program file; /* .program */
	bool open;
	uint64_t ending_ns; /* since when bundles are asked for; 0: not yet */
};

/* Opens the program.  0 or -errno; nothing was started yet. */
int collect_open(struct collect *c);

/*
 * Starts the process for a VM; does not wait for it.  Does nothing if the VM
 * was added before, or before collect_open().  0 or -E2BIG.
 */
int collect_add(struct collect *c, const struct vm *vm);

/*
 * Takes the reports that have come; does not wait.  Guests that no way reaches
 * have no open descriptors then.
 */
void collect_look(struct collect *c);

/* Returns when each guest added so far watches, failed, or its time is over. */
void collect_begin(struct collect *c);

/*
 * Asks all guests for their bundles; does not wait for them.  To be called
 * right after the last sample: times count from here.
 */
void collect_fetch(struct collect *c);

/*
 * Gets all bundles at once (calls collect_fetch() if the caller did not), puts
 * those that can be read into the session, and writes how each was fetched.
 * Returns when all children ended or were killed.
 */
void collect_end(struct collect *c);

/* The code wanted of a guest. */
struct collect_list {
	uint32_t pid;		  /* of its VM */
	uint32_t size;		  /* of the list */
	char list[CODE_LIST_MAX]; /* format/code_list.h */
};

/*
 * Asks guests whose bundles are there for the code in @lists, all at once, and
 * puts it into their bundles.  Returns when all children ended or were killed.
 */
void collect_code(struct collect *c, const struct collect_list *lists,
		  size_t nr);

/*
 * For c->at_once: gets current bundles of all guests that were added.  Returns
 * when all children ended or were killed, at the latest after begin_ns + end_ns
 * and a second.  A bundle is in .out, and its .size is not 0.  Nothing is
 * written to the session.  With c->code, collect_code() must follow.
 */
void collect_at_once(struct collect *c);

/*
 * Frees everything.  If collect_end() was not called, the children tidy up in
 * their guests, and this does not wait for them.
 */
void collect_deinit(struct collect *c);

#endif /* TRANSPORT_COLLECT_H */
