// SPDX-License-Identifier: GPL-2.0-only
/* Sessions that the agent makes by itself. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/sort.h"
#include "base/vec.h"
#include "cmd/agent/frozen.h"
#include "cmd/agent/kept.h"
#include "cmd/record/messages.h"
#include "format/session_dir.h"
#include "sandbox/confine.h"

#define COPY_NS		   600000000000ull /* longer a session may not take */
#define NAME_DIGITS	   16		   /* YYYYMMDDThhmmssZ */
#define UNFINISHED	   ".new"

/* linux/ioprio.h, which older headers do not have */
#define IOPRIO_PROCESS	   1
#define IOPRIO_BEST_EFFORT 2
#define IOPRIO_CLASS_SHIFT 13
#define IOPRIO_LOWEST	   7

struct frozen_list {
	char (*names)[FROZEN_NAME];
	size_t nr, cap;
};

void frozen_name(char buf[FROZEN_NAME], time_t at, const char *vm)
{
	struct tm tm;
	size_t n;

	buf[0] = '\0';
	if (gmtime_r(&at, &tm))
		strftime(buf, FROZEN_NAME, "%Y%m%dT%H%M%SZ", &tm);
	n = strlen(buf);
	if (*vm)
		buf[n++] = '-';
	for (; *vm && n < FROZEN_NAME - 1; vm++)
		buf[n++] = (*vm >= 'a' && *vm <= 'z') ||
					   (*vm >= 'A' && *vm <= 'Z') ||
					   (*vm >= '0' && *vm <= '9') ||
					   strchr("-_.", *vm) ?
				   *vm :
				   '_';
	buf[n] = '\0';
}

/* Does it begin as frozen_name() has it? */
static bool is_name(const char *s)
{
	static const char form[] = "ddddddddTddddddZ";
	unsigned int i;

	for (i = 0; i < NAME_DIGITS; i++)
		if (form[i] == 'd' ? s[i] < '0' || s[i] > '9' : s[i] != form[i])
			return false;
	return (!s[i] || s[i] == '-') && strlen(s) < FROZEN_NAME;
}

/* A path in the directory, to be freed; NULL: no memory. */
static char *path_of(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static int cmp_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The sessions that may be removed, the oldest first; .names is to be freed. */
static int list_sessions(const char *dir, struct frozen_list *l)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *path;
	int ret = d ? 0 : -errno;

	while (!ret && (e = readdir(d))) {
		if (!is_name(e->d_name))
			continue;
		path = path_of(dir, e->d_name);
		if (!path ||
		    vec_grow(&l->names, &l->cap, l->nr, sizeof(*l->names)))
			ret = -ENOMEM;
		else if (!session_dir_check(path, true, NULL))
			strcpy(l->names[l->nr++], e->d_name);
		free(path);
	}
	if (d)
		closedir(d);
	if (l->nr)
		sort_array(l->names, l->nr, sizeof(*l->names), cmp_name);
	return ret;
}

static int remove_files(const char *path, bool begun)
{
	int ret = begun ? 0 : session_dir_check(path, true, NULL), fd;

	if (ret)
		return ret;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = begun ? session_dir_remove_begun(path, fd) :
		      session_dir_remove(path, fd);
	close(fd);
	return ret;
}

/* Removes a session, also a part of one.  0 or -errno. */
static int remove_session(const char *dir, const char *name)
{
	char *path = path_of(dir, name);
	int ret = 0;

	if (!path)
		return -ENOMEM;
	/* where nothing has been written */
	if (rmdir(path) && errno != ENOENT)
		ret = remove_files(path, !strcmp(name, UNFINISHED));
	free(path);
	return ret;
}

static int remove_oldest(const char *dir, __u32 keep)
{
	struct frozen_list l = { 0 };
	int ret = list_sessions(dir, &l);
	size_t i;

	for (i = 0; i + keep <= l.nr && !ret; i++)
		ret = remove_session(dir, l.names[i]);
	free(l.names);
	return ret;
}

int frozen_make(const char *records, const char *dir, const char *name,
		__u32 keep, struct error *e)
{
	char *unfinished = path_of(dir, UNFINISHED), *path = path_of(dir, name);
	int ret = unfinished && path ? 0 : -ENOMEM;

	if (!ret)
		ret = remove_session(dir, UNFINISHED);
	if (!ret)
		ret = remove_oldest(dir, keep);
	if (ret)
		error_set(e, ret, "%s: %s", dir, strerror(-ret));
	if (!ret)
		ret = kept_freeze(records, unfinished, e);
	if (!ret && rename(unfinished, path)) {
		ret = error_set(e, -errno, "%s: %s", path, strerror(errno));
		remove_session(dir, UNFINISHED);
	}
	free(unfinished);
	free(path);
	return ret;
}

/*
 * The process that copies.  It has a lock that the recorder waits for, for a moment, so
 * it gets the CPU as others do.
 */
static int copy(const struct frozen *f)
{
	struct error e;

	/* neither the channel to the reader nor the module */
	confine_files(3, NULL, 0);
	syscall(SYS_ioprio_set, IOPRIO_PROCESS, 0,
		IOPRIO_BEST_EFFORT << IOPRIO_CLASS_SHIFT | IOPRIO_LOWEST);
	if (!frozen_make(f->records, f->dir, f->name, f->keep, &e))
		return 0;
	record_say_error(&e);
	return 1;
}

int frozen_open(const char *dir)
{
	int fd = kept_own_dir(dir);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void frozen_alarm(struct frozen *f, const char *vm, __u32 permille, __u64 now)
{
	if (!alarm_turn_look(&f->turn, vm, now))
		return;
	snprintf(f->vm, sizeof(f->vm), "%s", vm);
	f->permille = permille;
}

static void say_failed(struct frozen *f)
{
	f->failed++;
	record_say("warning: no session was made, when %s", f->lost);
}

static void begin(struct frozen *f, __u64 now)
{
	frozen_name(f->name, time(NULL), f->vm);
	snprintf(f->lost, sizeof(f->lost), "%s lost %u.%u %% of its time",
		 *f->vm ? f->vm : "a VM", f->permille / 10, f->permille % 10);
	f->began_ns = now;
	f->child = child_fork();
	if (!f->child)
		_exit(copy(f));
	if (f->child > 0)
		return;
	f->child = 0;
	say_failed(f);
}

static void look_for_end(struct frozen *f, __u64 now)
{
	int status = -1;
	pid_t pid;

	if (now - f->began_ns > COPY_NS)
		kill(f->child, SIGKILL);
	pid = waitpid(f->child, &status, WNOHANG);
	if (pid != f->child && (pid >= 0 || errno != ECHILD))
		return;
	f->child = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		say_failed(f);
		return;
	}
	f->made++;
	record_say("%s: session %s/%s", f->lost, f->dir, f->name);
}

void frozen_work(struct frozen *f, __u64 now)
{
	if (f->child)
		look_for_end(f, now);
	else if (alarm_turn_take(&f->turn, now))
		begin(f, now);
}

void frozen_end(struct frozen *f)
{
	if (!f->child)
		return;
	kill(f->child, SIGKILL);
	while (waitpid(f->child, NULL, 0) < 0 && errno == EINTR)
		;
	f->child = 0;
	remove_session(f->dir, UNFINISHED);
}
