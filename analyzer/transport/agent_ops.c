// SPDX-License-Identifier: GPL-2.0-only
/* The commands for a guest agent, and how its answers are checked. */

#include <errno.h>
#include <jansson.h>
#include <resolv.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/agent_call.h"
#include "transport/agent_file.h"
#include "transport/agent_ops.h"
#include "transport/channel.h"
#include "transport/guest_program.h"

/* How often we ask whether a command in the guest has ended. */
#define POLL_NS	      50000000L
/* The directory is kept this much longer than watching may last. */
#define SPARE_SECONDS 600
/* How much of a command's output is read. */
#define SAID_MAX      4096

/*
 * An agent takes some hundred instructions for each byte of a file, gzip a tenth of
 * that.  Where the guest has it, less is sent: the last line of what a script prints
 * is then GZIP.
 */
#define GZIP	      "gzip"
#define PACKED	      ".gz"
#define UNPACK                                  \
	"[ ! -f vmmprof-guest" PACKED " ] ||\n" \
	"gzip -d vmmprof-guest" PACKED " 2>&1 || exit 1\n"
#define PACK(name)                                                    \
	"if gzip -1 < " name " > " name PACKED " 2>/dev/null; then\n" \
	"echo " GZIP "; fi"
#define PACK_BUNDLE PACK("bundle")
#define PACK_CODE   PACK("code")

/*
 * Makes a directory in which programs may run (/run and often /tmp are mounted
 * noexec).  A background loop removes it after $1 seconds if the host dies, and
 * ends soon after the directory is gone.
 */
static const char make_dir[] =
	"for d in /tmp /var/tmp \"$HOME\" /; do\n"
	"t=$(mktemp -d \"$d/vmmprof.XXXXXX\" 2>/dev/null) || continue\n"
	"printf '#!/bin/sh\\n' > \"$t/x\" && chmod 700 \"$t/x\" &&\n"
	"\"$t/x\" 2>/dev/null && rm \"$t/x\" && echo \"$t\" && {\n"
	"command -v gzip > /dev/null && echo " GZIP "\n"
	"(i=0; while [ -d \"$t\" ] && [ $i -lt \"$1\" ]; do\n"
	"sleep 5; i=$((i + 5)); done; rm -rf \"$t\") > /dev/null 2>&1 < /dev/null &\n"
	"exit 0; }\n"
	"rm -rf \"$t\"; done; exit 1";

/*
 * Starts $1/vmmprof-guest, waits until it watches, prints its pid.  $2: words.
 * How long that may take is up to the host; if that dies, the directory goes.
 */
static const char start_watch[] =
	"cd \"$1\" || exit 1; " UNPACK "chmod 700 vmmprof-guest\n"
	"have=; [ -f have ] && have='--have have'\n"
	"./vmmprof-guest watch -d $2 -o bundle $have > said 2>&1 < /dev/null &\n"
	"echo $! > pid\n"
	"while [ -f pid ]; do\n"
	"if grep -qs '^ready' said; then cat pid; exit 0; fi\n"
	"kill -0 \"$(cat pid)\" 2>/dev/null || break\n"
	"sleep 0.1; done\n"
	"cat said; exit 1";

/*
 * Ends the watching process $2 and waits for its bundle.  The number is another
 * process's if the watcher was killed, or the guest was started anew.  A zombie,
 * which stays where init is busy or asks for nobody's end (a shell), has no exe.
 */
static const char stop_watch[] =
	"cd \"$1\" 2>/dev/null ||\n"
	"{ echo \"$1 is gone: was the guest started anew?\"; exit 1; }\n"
	"[ \"/proc/$2/exe\" -ef vmmprof-guest ] && kill -TERM \"$2\"\n"
	"while [ \"/proc/$2/exe\" -ef vmmprof-guest ]; do sleep 0.1; done\n"
	"[ -s bundle ] || { cat said; exit 1; }\n" PACK_BUNDLE;

static const char dump[] =
	"cd \"$1\" || exit 1; " UNPACK "chmod 700 vmmprof-guest || exit 1\n"
	"have=; [ -f have ] && have='--have have'\n"
	"./vmmprof-guest dump -o bundle $have $2 2>&1 || exit 1\n" PACK_BUNDLE;

/* Reads the code for the list in $1/list, from files that the bundle names. */
static const char get_code[] =
	"cd \"$1\" || exit 1\n"
	"./vmmprof-guest code --bundle bundle --list list -o code 2>&1 || exit 1\n" PACK_CODE;

static const char clean_up[] = "rm -rf \"$1\"";

/* Text of a base64 member, printable or not; "" if there is none. */
static void decode_said(const json_t *status, const char *member, char *said)
{
	const char *text = json_string_value(json_object_get(status, member));
	char *buf;
	int n = -1;

	*said = '\0';
	if (!text)
		return;
	buf = malloc(strlen(text) + 1);
	if (buf)
		n = b64_pton(text, (unsigned char *)buf, strlen(text));
	if (n > 0) {
		if (n > SAID_MAX - 1)
			n = SAID_MAX - 1;
		memcpy(said, buf, n);
		said[n] = '\0';
	}
	free(buf);
}

/* Waits for the end of process @pid; 0 with its status and output. */
static int wait_exec(struct agent_talk *a, json_int_t pid, int *status,
		     char *said)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };
	json_t *ret;
	int err;

	for (;;) {
		err = agent_call(a, "guest-exec-status",
				 json_pack("{s:I}", "pid", pid), &ret);
		if (err)
			return err;
		if (json_is_true(json_object_get(ret, "exited")))
			break;
		json_decref(ret);
		if (!clock_left(a->c->deadline_ns))
			return channel_fail(
				a->c, -ETIMEDOUT,
				"a command in the guest took too long");
		nanosleep(&pause, NULL);
	}
	*status = json_is_integer(json_object_get(ret, "exitcode")) ?
			  (int)json_integer_value(
				  json_object_get(ret, "exitcode")) :
			  -1;
	decode_said(ret, "out-data", said);
	json_decref(ret);
	return 0;
}

/* Runs a script with two arguments; its output is in said[SAID_MAX]. */
static int run_script(struct agent_talk *a, const char *script,
		      const char *arg1, const char *arg2, int *status,
		      char *said)
{
	json_t *ret, *pid;
	json_int_t n;
	int err;

	err = agent_call(a, "guest-exec",
			 json_pack("{s:s, s:[s,s,s,s,s], s:b}", "path",
				   "/bin/sh", "arg", "-c", script, "vmmprof",
				   arg1, arg2, "capture-output", 1),
			 &ret);
	if (err)
		return err;
	pid = json_object_get(ret, "pid");
	n = json_is_integer(pid) ? json_integer_value(pid) : -1;
	json_decref(ret);
	if (n < 0)
		return channel_fail(a->c, -EBADMSG,
				    "guest-exec returned no pid");
	return wait_exec(a, n, status, said);
}

/* Is it exactly a path that our script could have printed? */
static bool dir_ok(const char *dir)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
	const char *tail = strrchr(dir, '/');

	return *dir == '/' && !dir[strspn(dir, good)] && !strstr(dir, "..") &&
	       !strncmp(tail, "/vmmprof.", 9) && strlen(tail) == 15;
}

/* Takes the last line from what a script printed, if it is GZIP. */
static bool is_packed(char *said)
{
	size_t end = strlen(said), size = strlen(GZIP "\n");

	if (end < size || strcmp(said + end - size, GZIP "\n") ||
	    (end > size && said[end - size - 1] != '\n'))
		return false;
	said[end - size] = '\0';
	return true;
}

static int push(struct agent_talk *a)
{
	const struct guest_program *program = a->c->guest_program;
	char said[SAID_MAX], limit[16];
	int err, status;
	bool packed;

	snprintf(limit, sizeof(limit), "%u", a->c->watch_limit + SPARE_SECONDS);
	err = run_script(a, make_dir, limit, "", &status, said);
	if (err)
		return err;
	packed = is_packed(said) && program->packed >= 0;
	said[strcspn(said, "\n")] = '\0';
	if (status || strlen(said) >= sizeof(a->dir) || !dir_ok(said))
		return channel_fail(
			a->c, -ENOEXEC,
			"the guest has no directory in which a program may run (/tmp, /var/tmp): mount one without noexec");
	strcpy(a->dir, said);
	err = packed ? agent_push_file(a, program->packed,
				       "vmmprof-guest" PACKED) :
		       agent_push_file(a, program->fd, "vmmprof-guest");
	if (!err && a->c->have >= 0)
		err = agent_push_file(a, a->c->have, "have");
	return err;
}

int agent_check(struct agent_talk *a)
{
	static const char *const needed[] = {
		"guest-exec",	    "guest-exec-status", "guest-file-open",
		"guest-file-write", "guest-file-read",	 "guest-file-close",
	};
	const json_t *commands, *command;
	json_t *ret;
	size_t i, j;
	int err;

	err = agent_call(a, "guest-info", NULL, &ret);
	if (err)
		return err;
	commands = json_object_get(ret, "supported_commands");
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]) && !err; i++) {
		bool on = false;

		json_array_foreach(commands, j, command)
		{
			const char *name = json_string_value(
				json_object_get(command, "name"));

			on |= name && !strcmp(name, needed[i]) &&
			      json_is_true(json_object_get(command, "enabled"));
		}
		if (!on)
			err = channel_fail(
				a->c, -EPERM,
				"the guest's agent has %s switched off: allow it there (qemu-ga's allow-rpcs, block-rpcs; on RHEL FILTER_RPC_ARGS in /etc/sysconfig/qemu-ga)",
				needed[i]);
	}
	json_decref(ret);
	return err;
}

/* Put the last line of the program's output, why it failed, into the text. */
static int tell_said(struct agent_talk *a, const char *what, char *said)
{
	char *line;

	while (*said && said[strlen(said) - 1] == '\n')
		said[strlen(said) - 1] = '\0';
	line = strrchr(said, '\n');
	return channel_fail(a->c, -EREMOTEIO, "%s: %s", what,
			    line  ? line + 1 :
			    *said ? said :
				    "it printed no reason");
}

static int start(struct agent_talk *a)
{
	char said[SAID_MAX], limit[32];
	int err, status;

	err = push(a);
	if (err)
		return err;
	snprintf(limit, sizeof(limit), "%u%s", a->c->watch_limit,
		 a->c->unwind ? " --unwind" : "");
	err = run_script(a, start_watch, a->dir, limit, &status, said);
	if (err)
		return err;
	if (status)
		return tell_said(a, "vmmprof-guest does not run there", said);
	said[strcspn(said, "\n")] = '\0';
	if (!*said || strlen(said) >= sizeof(a->pid) ||
	    said[strspn(said, "0123456789")])
		return channel_fail(a->c, -EBADMSG,
				    "the guest's answer is not a pid");
	strcpy(a->pid, said);
	return 0;
}

/* Removes our directory in the guest; keeps the text of an earlier error. */
static void tidy(struct agent_talk *a)
{
	char said[SAID_MAX], text[CHANNEL_TEXT];
	int status;

	memcpy(text, a->c->text, sizeof(text));
	if (*a->dir && !run_script(a, clean_up, a->dir, "", &status, said))
		*a->dir = '\0';
	memcpy(a->c->text, text, sizeof(text));
}

int agent_watch(struct agent_talk *a)
{
	int err = start(a);

	if (err && err != -ETIMEDOUT)
		tidy(a);
	return err;
}

int agent_fetch(struct agent_talk *a)
{
	struct agent_file bundle = { .name = "bundle",
				     .out = a->c->out,
				     .max = a->c->max_bytes };
	char said[SAID_MAX];
	int err = 0, status;

	if (!*a->pid)
		err = *a->dir ? 0 : push(a);
	if (!err)
		err = run_script(a, *a->pid ? stop_watch : dump, a->dir,
				 *a->pid      ? a->pid :
				 a->c->unwind ? "--unwind" :
						"",
				 &status, said);
	if (!err && status)
		err = tell_said(a, "vmmprof-guest failed there", said);
	if (!err) {
		bundle.packed = is_packed(said);
		err = agent_fetch_file(a, &bundle);
	}
	/* tidy() keeps the text of the first error */
	if (err != -ETIMEDOUT && (err || !a->c->want_code))
		tidy(a);
	return err;
}

static int fetch_code(struct agent_talk *a)
{
	struct agent_file code = { .name = "code",
				   .out = a->c->code,
				   .max = CODE_FILE_MAX };
	int err = agent_push_data(a, "list", a->c->list, a->c->list_size);
	char said[SAID_MAX];
	int status;

	if (!err)
		err = run_script(a, get_code, a->dir, "", &status, said);
	if (!err && status)
		err = tell_said(a, "no code from there", said);
	if (!err) {
		code.packed = is_packed(said);
		err = agent_fetch_file(a, &code);
	}
	a->c->code_size = err ? 0 : code.size;
	return err;
}

int agent_code(struct agent_talk *a)
{
	int err = a->c->list_size ? fetch_code(a) : 0;

	if (err != -ETIMEDOUT)
		tidy(a);
	return err;
}
