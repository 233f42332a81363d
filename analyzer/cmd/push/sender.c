// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows one after the other, their profiles one after the other.  A window that
 * is being sent has another name, so the agent does not drop it; after each
 * profile the book is written.  Who is killed between an answer and the book
 * sends that profile again, with the same id.
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/gzip.h"
#include "base/io.h"
#include "cmd/agent/push_book.h"
#include "cmd/cmd.h"
#include "cmd/push/sender.h"
#include "cmd/push/window.h"

#define LOOK_MS	      1000 /* between two looks at an empty spool */
#define PACK_LEVEL    6	   /* zlib's default */
#define FIRST_NS      1000000000ull
#define SESSION_MAX   (256u << 20) /* bytes of its profiles */
#define SESSION_TRIES 5

static atomic_bool stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = true;
}

static void say(const char *what, const char *why)
{
	fprintf(stderr, "vmmprof push: %s: %s\n", what, why);
}

/* Waits longer each time, not as long as others do: they began together. */
static void wait_more(struct sender *s)
{
	__u64 asked = store_retry_after(s->store) * 1000000000ull, ns;
	__u32 part = 0;

	s->wait_ns = s->wait_ns ? 2 * s->wait_ns : FIRST_NS;
	if (s->wait_ns > s->how->retry_max_ns)
		s->wait_ns = s->how->retry_max_ns;
	if (getrandom(&part, sizeof(part), GRND_NONBLOCK) < 0)
		part = 0;
	ns = s->wait_ns / 2 + (s->wait_ns / 2 >> 16) * (part >> 16);
	if (ns < asked)
		ns = asked;
	if (ns > s->how->retry_max_ns)
		ns = s->how->retry_max_ns;
	if (!stopped)
		poll(NULL, 0, ns / 1000000 + 1);
}

/* -EINVAL: it is none of the agent's; or another -errno, or an answer. */
static int ask(struct sender *s, const struct window_profile *p)
{
	const struct push_api *api = &push_apis[s->how->api];
	enum store_answer answer;
	const void *said;
	char *data;
	size_t size;
	int ret = api->request(p, s->how->service, &data, &size);

	if (ret)
		return ret;
	ret = api->gzip ? gzip_pack(&data, &size, PACK_LEVEL) : 0;
	if (ret) {
		free(data);
		return ret;
	}
	answer = store_send(s->store, data, size);
	free(data);
	said = store_said(s->store, &size);
	if (answer == STORE_TOOK && api->refused && api->refused(said, size))
		answer = STORE_REFUSES;
	return answer;
}

/* An answer, or -EINVAL: the profile is none of the agent's. */
static int send_one(struct sender *s, const struct window_profile *p)
{
	int answer = ask(s, p);

	if (answer == -EINVAL)
		return answer;
	/* there is no memory for the request */
	if (answer < 0)
		return STORE_LATER;
	if (answer == STORE_REFUSES && !s->told) {
		say("the store refuses a profile, which is dropped",
		    store_error(s->store));
		s->told = true;
	}
	if (answer == STORE_LATER && !s->wait_ns)
		say("the store does not take profiles now",
		    store_error(s->store));
	if (answer != STORE_LATER && s->wait_ns) {
		say("the store", "takes profiles again");
		s->wait_ns = 0;
	}
	return answer;
}

/* All of a file; *data is to be freed. */
static int read_file(int fd, size_t max, void **data, size_t *size)
{
	struct stat st;
	ssize_t n;

	*data = NULL;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > (off_t)max)
		return -EINVAL;
	*data = malloc(st.st_size + 1);
	if (!*data)
		return -ENOMEM;
	n = io_pread(fd, *data, st.st_size, 0);
	*size = n < 0 ? 0 : n;
	return n < 0 ? n : 0;
}

int sender_session(struct sender *s, int fd)
{
	struct window w = { .real_ns = clock_ns(CLOCK_REALTIME) };
	unsigned int sent = 0, refused = 0, tries = 0;
	struct window_profile p;
	int answer;
	void *data;
	int ret = read_file(fd, SESSION_MAX, &data, &w.size);

	w.data = data;
	while (!ret && !(ret = window_next(&w, &p))) {
		s->told = false;
		for (tries = 1; (answer = send_one(s, &p)) == STORE_LATER &&
				tries < SESSION_TRIES;
		     tries++)
			wait_more(s);
		sent += answer == STORE_TOOK;
		refused += answer == STORE_REFUSES || answer == -EINVAL;
		if (answer == STORE_LATER)
			ret = -EAGAIN;
	}
	free(data);
	if (ret != -ENODATA && ret != -EAGAIN)
		say("the profiles of the session", strerror(-ret));
	printf("%u profiles sent%s", sent, refused ? "" : "\n");
	if (refused)
		printf(", %u refused\n", refused);
	return ret == -ENODATA && !refused ? EXIT_OK : EXIT_ERROR;
}

static bool is_old(const struct sender *s, __u64 time_ns)
{
	__u64 now = clock_ns(CLOCK_REALTIME);

	return time_ns < now && now - time_ns > s->how->max_age_ns;
}

/* So many of the window are done, which is @count. */
static int note(struct sender *s, unsigned int count, __u64 nr)
{
	s->book.count[count] += nr;
	s->dropped |= count < NR_PUSH_DROPS;
	if (count != PUSH_FAILED)
		s->book.count[PUSH_AT] += nr;
	return book_write(&s->book);
}

/* One profile.  0, -EAGAIN (later), or -errno of the book. */
static int send_noted(struct sender *s, const struct window_profile *p)
{
	int ret;

	if (is_old(s, p->time_ns))
		return note(s, PUSH_OLD, 1);
	switch (send_one(s, p)) {
	case STORE_TOOK:
		return note(s, PUSH_SENT, 1);
	case STORE_REFUSES:
		return note(s, PUSH_REFUSED, 1);
	case -EINVAL:
		return note(s, PUSH_BROKEN, 1);
	default:
		ret = note(s, PUSH_FAILED, 1);
		return ret ? ret : -EAGAIN;
	}
}

/* The profiles of a window that the book does not have done yet. */
static int send_rest(struct sender *s, const struct spool_file *f,
		     struct window *w)
{
	__u64 *at = &s->book.count[PUSH_AT];
	struct window_profile p;
	int ret = 0;

	while (!ret && !stopped && *at < f->profiles) {
		ret = window_next(w, &p);
		if (ret)
			/* fewer than its name says, or none */
			return note(s, PUSH_BROKEN, f->profiles - *at);
		if (p.nr >= *at)
			ret = send_noted(s, &p);
	}
	return stopped && *at < f->profiles && !ret ? -EINTR : ret;
}

static int begin_window(struct sender *s, struct spool_file *f)
{
	int ret;

	s->told = false;
	if (f->state == SPOOL_THERE) {
		ret = spool_rename(s->dirfd, f, SPOOL_TAKEN);
		if (ret)
			return ret;
		f->state = SPOOL_TAKEN;
	}
	if (!strcmp(s->book.name[0], f->name))
		return 0; /* it was begun before */
	strcpy(s->book.name[0], f->name);
	s->book.count[PUSH_AT] = 0;
	return book_write(&s->book);
}

/* 0: it is gone; -ENOENT: the agent has it; -EAGAIN, -EINTR, -errno. */
static int send_window(struct sender *s, struct spool_file *f)
{
	struct window w = { .real_ns = f->real_ns };
	void *data = NULL;
	int fd, ret;

	ret = begin_window(s, f);
	if (ret)
		return ret;
	fd = spool_open_file(s->dirfd, f);
	ret = fd < 0 ? fd : read_file(fd, SPOOL_FILE_MAX, &data, &w.size);
	io_close(&fd);
	w.data = data;
	if (ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE) {
		free(data);
		return ret;
	}
	/* what cannot be read is an archive without profiles */
	if (ret)
		w.size = 0;
	ret = send_rest(s, f, &w);
	free(data);
	return ret ? ret : spool_remove(s->dirfd, f);
}

/* All that is in a state, the oldest first.  -EINTR: some is left. */
static int send_list(struct sender *s, struct spool_file *list, size_t nr,
		     enum spool_state state)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (list[i].state != state)
			continue;
		ret = stopped ? -EINTR : send_window(s, &list[i]);
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

/* All that is there; first the window that the book is of. */
static int send_all(struct sender *s)
{
	struct spool_file *list;
	size_t nr;
	int ret = spool_list(s->dirfd, &list, &nr);

	if (!ret)
		ret = send_list(s, list, nr, SPOOL_TAKEN);
	if (!ret)
		ret = send_list(s, list, nr, SPOOL_THERE);
	free(list);
	return ret;
}

static int loop(struct sender *s)
{
	int ret = 0;

	while (!ret && !stopped) {
		ret = send_all(s);
		if (s->how->once)
			return ret;
		if (ret == -EAGAIN) {
			wait_more(s);
			ret = 0;
		} else if (!ret && !stopped) {
			poll(NULL, 0, LOOK_MS);
		}
	}
	return ret == -EINTR ? 0 : ret;
}

/* What --once says of what is not in the store; the exit status. */
static int end_once(const struct sender *s, int ret)
{
	if (ret == -EINTR)
		say(s->how->spool_dir, "ended by a signal before all was sent");
	if (s->dropped)
		say(s->how->spool_dir,
		    "profiles were dropped: push.book counts why");
	return ret || s->dropped ? EXIT_ERROR : EXIT_OK;
}

int sender_spool(struct sender *s, int dirfd)
{
	struct sigaction act = { .sa_handler = stop };
	int ret;

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	s->dirfd = dirfd;
	ret = book_open(&s->book, &push_book_form, dirfd);
	if (!ret && flock(s->book.fd, LOCK_EX | LOCK_NB)) {
		say(s->how->spool_dir, "another push sends what is there");
		return EXIT_ERROR;
	}
	if (ret)
		say("push.book",
		    ret == -EINVAL ? "it is no book of push" : strerror(-ret));
	else
		ret = loop(s);
	if (ret && ret != -EAGAIN && ret != -EINVAL && ret != -EINTR)
		say(s->how->spool_dir, strerror(-ret));
	if (s->how->once)
		return end_once(s, ret);
	return ret ? EXIT_ERROR : EXIT_OK;
}
