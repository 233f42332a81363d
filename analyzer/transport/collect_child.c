// SPDX-License-Identifier: GPL-2.0-only
/* The process that talks to one guest, and what it tells its parent. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/channel.h"
#include "transport/collect_child.h"
#include "format/code_list.h"
#include "sandbox/confine.h"
#include "sandbox/limits.h"
#include "transport/ways.h"

/* The child passes a bundle on in pieces; that takes a few seconds of CPU. */
#define MEMORY	    (1024ull << 20)
#define CPU_SECONDS 300

static int report(const struct collect_child *how, const struct channel *c,
		  int error, enum collect_stage stage)
{
	struct collect_report r = {
		.stage = stage,
		.how = c->transport ? c->transport->how : VMMPROF_REACH_NONE,
		.error = error,
		.no_unwind = c->no_unwind,
		.sent = c->sent,
		.received = c->received,
		.done_ns = clock_now(),
		.code_size = c->code_size,
	};

	if (error)
		memcpy(r.text, c->text, sizeof(r.text));
	/* open_way() adds the names of the ways itself */
	if (error && c->opened)
		snprintf(r.text, sizeof(r.text), "%s: %.190s",
			 c->transport->name, c->text);
	return send(how->sock, &r, sizeof(r), MSG_NOSIGNAL) == sizeof(r);
}

/* Adds "name: why" to the text about the ways tried before. */
static void add_reason(char *all, size_t size, const char *name,
		       const char *why)
{
	size_t len = strlen(all);

	if (len + 200 < size)
		snprintf(all + len, size - len, "%s%s: %.190s", len ? "; " : "",
			 name, why);
}

/*
 * Opens the first way that exists and works.  The text has the reasons of the
 * ways that exist but failed; if there are none, of all ways.
 */
static int open_way(const struct collect_child *how, struct channel *c)
{
	char failed[CHANNEL_TEXT] = "", absent[sizeof(failed)] = "";
	const struct transport *last = NULL;
	int err = 0, ret = -ENOENT;
	unsigned int i;

	for (i = 0; i < NR_WAYS; i++) {
		if (!(how->allow & 1u << transport_ways[i]->how))
			continue;
		c->transport = transport_ways[i];
		c->fd = -1;
		err = transport_ways[i]->probe(c);
		if (err == 1) {
			err = transport_ways[i]->open(c);
			c->opened = !err;
			if (!err)
				return 0;
			last = transport_ways[i];
			ret = err;
			add_reason(failed, sizeof(failed),
				   transport_ways[i]->name, c->text);
		} else {
			add_reason(absent, sizeof(absent),
				   transport_ways[i]->name, c->text);
		}
		transport_ways[i]->close(c);
	}
	c->transport = last;
	channel_fail(c, ret, "%s",
		     *failed ? failed :
		     *absent ? absent :
			       "no way into this guest is allowed");
	return ret;
}

/*
 * Called before the first answer of the guest is read.  RLIMIT_FSIZE has the
 * kernel limit the bundle's size, too.
 */
static int give_up_privileges(const struct channel *c)
{
	int ret;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	ret = limits_file(c->max_bytes);
	if (!ret)
		ret = confine_stdio();
	if (!ret)
		ret = limits_set(MEMORY, CPU_SECONDS);
	if (ret)
		return ret;
	return confine_outlive();
}

/* Called even if no code is wanted, because code() also tidies up there. */
static void get_code(const struct collect_child *how, struct channel *c)
{
	static char request[1 + CODE_LIST_MAX];
	ssize_t n;

	do
		n = recv(how->sock, request, sizeof(request), 0);
	while (n < 0 && errno == EINTR);
	c->list = request + 1;
	c->list_size = n > 1 ? n - 1 : 0;
	c->deadline_ns = clock_now() + how->begin_ns;
	report(how, c, c->transport->code(c), COLLECT_LAST);
}

static void fetch(const struct collect_child *how, struct channel *c)
{
	char command;
	int err;

	/* a byte means: fetch; the end: the recorder is gone, so tidy up */
	while (!how->at_once && read(how->sock, &command, 1) < 0 &&
	       errno == EINTR)
		;
	c->deadline_ns = clock_now() + how->end_ns;
	err = c->transport->fetch(c);
	if (err || !c->want_code) {
		report(how, c, err, COLLECT_LAST);
		return;
	}
	report(how, c, 0, COLLECT_FETCHED);
	get_code(how, c);
}

int collect_child(const struct collect_child *how)
{
	struct channel c = {
		.target = how->target,
		.guest_program = how->program,
		.have = how->have,
		.unwind = how->unwind,
		.out = how->out,
		.want_code = how->code >= 0,
		.code = how->code,
		.max_bytes = how->max_bytes,
		.watch_limit = how->watch_limit,
		.deadline_ns = clock_now() + how->begin_ns,
		.fd = -1,
	};
	int err = open_way(how, &c);

	if (!err) {
		err = give_up_privileges(&c);
		if (err)
			channel_fail(&c, err, "cannot give up privileges: %s",
				     strerror(-err));
		else if (!how->at_once)
			err = c.transport->watch(&c);
	}
	if (err || !how->at_once)
		report(how, &c, err, err ? COLLECT_LAST : COLLECT_WATCHES);
	if (!err)
		fetch(how, &c);
	if (c.transport)
		c.transport->close(&c);
	return 0;
}
