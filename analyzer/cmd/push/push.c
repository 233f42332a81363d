// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof push`: the process with the network.  It reads what another process
 * made of guests' names, and what a store answers: it has no rights but to ask
 * that, and to read and rename in the spool (confine_network()).
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/options.h"
#include "cmd/push/options.h"
#include "cmd/push/sender.h"
#include "sandbox/confine.h"
#include "sandbox/limits.h"
#include "view/safe.h"

#define TOKEN_MAX  4096		  /* bytes */
#define MEMORY_MAX (512ull << 20) /* windows have 16 MiB, sessions more */

#ifdef __SANITIZE_ADDRESS__
#define CONFINES 0
#else
#define CONFINES 1
#endif

static int failed(const char *what, const char *why)
{
	char text[1024];

	safe_text(text, sizeof(text), what);
	fprintf(stderr, "vmmprof push: %s: %s\n", text, why);
	return EXIT_ERROR;
}

/* Does the URL lead to this machine? */
static bool is_local(const char *url)
{
	const char *host = url + strlen("http://");
	size_t len = strcspn(host, ":/?#");

	return !memchr(host, '@', strcspn(host, "/?#")) &&
	       ((len == 9 && !strncmp(host, "localhost", 9)) ||
		(len == 9 && !strncmp(host, "127.0.0.1", 9)) ||
		!strncmp(host, "[::1]", 5));
}

/* RFC 6750, 2.1 */
static bool is_token(const char *s)
{
	const char *p = s;

	while (isalnum((unsigned char)*p) || (*p && strchr("-._~+/=", *p)))
		p++;
	return *s && !*p;
}

/* The token of a file, which others must not learn on the way. */
static int read_token(struct push_options *o)
{
	static char token[TOKEN_MAX + 1];
	int fd = open(o->token_file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -errno : io_read(fd, token, TOKEN_MAX);

	io_close(&fd);
	if (n < 0)
		return failed(o->token_file, strerror(-n));
	token[n] = '\0';
	token[strcspn(token, "\r\n")] = '\0';
	if (!is_token(token) || n == TOKEN_MAX)
		return failed(o->token_file, "that is no bearer token");
	if (strncmp(o->store.url, "https://", 8) && !is_local(o->store.url))
		return failed(
			o->store.url,
			"a token is sent by https:// only, or to this machine");
	o->store.token = token;
	return EXIT_OK;
}

/* Root becomes one of those who may take files from the spool. */
static int become(const struct stat *st)
{
	gid_t gid = st->st_gid ? st->st_gid : VMMPROF_NOBODY;
	uid_t uid = st->st_uid ? st->st_uid : VMMPROF_NOBODY;

	if (geteuid() || !CONFINES)
		return 0;
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) ||
	    setresuid(uid, uid, uid))
		return -errno;
	return 0;
}

/* @dir: the spool, -1: none.  EXIT_OK or with a message. */
static int give_up_rights(int dir, const struct push_options *o)
{
	int read[2], ret = 0;
	unsigned int nr = 0;
	struct stat st;

	if (dir >= 0) {
		ret = fstat(dir, &st) ? -errno : become(&st);
		if (!ret && faccessat(dir, ".", W_OK, AT_EACCESS))
			return failed(
				o->spool_dir,
				"this user may not take files from there (--spool-group of `vmmprof agent`)");
		/* these are closed */
		read[nr++] = dup(dir);
	}
	if (o->store.ca_file)
		read[nr++] = open(o->store.ca_file, O_PATH | O_CLOEXEC);
	if (nr && read[nr - 1] < 0)
		return failed(o->store.ca_file ? o->store.ca_file :
						 o->spool_dir,
			      strerror(errno));
	if (!ret && CONFINES)
		ret = confine_network(dir, read, nr);
	return ret ? failed("cannot give up its rights", strerror(-ret)) :
		     EXIT_OK;
}

/* In a process of its own: its standard output is the archive. */
static void export_session(const char *session, int to)
{
	static char verb[] = "vmmprof export", input[] = "-i", format[] = "-f",
		    pprof[] = "pprof", per_vm[] = "--per-vm";
	char *args[] = { verb,	format,		 pprof, per_vm,
			 input, (char *)session, NULL };

	if (dup2(to, STDOUT_FILENO) < 0)
		_exit(EXIT_ERROR);
	exit(confined(cmd_export, &export_options, 6, args));
}

/* The profiles of a session, in memory: a descriptor, or -1 with a message. */
static int open_session(const struct push_options *o)
{
	int fd = memfd_create("vmmprof profiles", MFD_CLOEXEC), status;
	pid_t pid = fd < 0 ? -1 : fork();

	if (!pid)
		export_session(o->session, fd);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		failed("cannot start a process", strerror(errno));
		io_close(&fd);
		return -1;
	}
	/* it has said why */
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		io_close(&fd);
	return fd;
}

static int open_spool(const struct push_options *o)
{
	int fd = open(o->spool_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		failed(o->spool_dir,
		       errno == ENOENT ?
			       "no spool is there: vmmprof agent makes it (spool-dir)" :
			       strerror(errno));
	return fd;
}

static int push(struct push_options *o)
{
	struct sender s = { .how = o, .dirfd = -1, .book.fd = -1 };
	int from = o->session ? open_session(o) : open_spool(o), ret;
	const char *why;

	if (from < 0)
		return EXIT_ERROR;
	ret = limits_set(MEMORY_MAX, 0) ? failed("limits", strerror(errno)) :
					  EXIT_OK;
	if (!ret) {
		s.store = store_open(&o->store, &why);
		ret = s.store ? EXIT_OK : failed(o->store.url, why);
	}
	if (!ret)
		ret = give_up_rights(o->session ? -1 : from, o);
	if (!ret)
		ret = o->session ? sender_session(&s, from) :
				   sender_spool(&s, from);
	if (s.store)
		store_close(s.store);
	book_close(&s.book);
	close(from);
	return ret;
}

int cmd_push(int argc, char **argv)
{
	static struct push_options o;
	int ret = push_parse_options(argc, argv, &o);

	if (ret == OPTIONS_GO_ON)
		ret = o.token_file ? read_token(&o) : EXIT_OK;
	else
		goto out;
	if (!ret)
		ret = push(&o);
out:
	conf_deinit(&o.conf);
	return ret;
}
