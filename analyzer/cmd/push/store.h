/* SPDX-License-Identifier: GPL-2.0-only */
/* A store of profiles on the network, by libcurl. */
#ifndef CMD_PUSH_STORE_H
#define CMD_PUSH_STORE_H

#include <stddef.h>

#include <linux/types.h>

struct store_how {
	const char *url;     /* without the path of the API */
	const char *path;    /* ... which is this */
	const char *type;    /* Content-Type of requests */
	const char *header;  /* one more of them; NULL: none */
	const char *token;   /* a bearer token; NULL: none */
	const char *tenant;  /* X-Scope-OrgID; NULL: none */
	const char *ca_file; /* NULL: the system's */
	__u32 timeout_s;     /* of a request */
};

enum store_answer {
	STORE_TOOK,
	STORE_LATER,   /* no answer, too much, or an error of its own */
	STORE_REFUSES, /* this profile, for ever */
};

struct store; /* of this process */

/*
 * Loads the library, which has to be done before rights are given up.  NULL with
 * *why, a text: that could not be done.
 */
struct store *store_open(const struct store_how *how, const char **why);
void store_close(struct store *s);

/* Sends a request.  What went wrong is store_error(), safe to print. */
enum store_answer store_send(struct store *s, const void *data, size_t size);

/* The beginning of the last answer, to be read before the next one. */
const void *store_said(const struct store *s, size_t *size);

/* Of the last request: of what there was, and the seconds that the store asks for. */
const char *store_error(const struct store *s);
__u32 store_retry_after(const struct store *s);

#endif /* CMD_PUSH_STORE_H */
