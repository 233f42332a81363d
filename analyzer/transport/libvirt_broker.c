// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that holds a connection to libvirt.  It uses libvirt's library,
 * not virsh: so it connects once with our rights and gives them up before the
 * guest answers anything.  The library is loaded at run time, because most
 * hosts do not have it.
 *
 * libvirt's libvirt-domain.h, libvirt-qemu.h and virterror.h describe what is
 * called here.
 */

#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/io.h"
#include "transport/agent_ops.h"
#include "transport/agent_port.h"
#include "transport/channel.h"
#include "sandbox/confine.h"
#include "sandbox/limits.h"
#include "transport/libvirt_broker.h"

#define LIBRARY	    "libvirt-qemu.so.0"
#define SECONDS_MAX 100000
#define GRACE	    10
#define MEMORY	    (2ull << 30) /* its threads have stacks */
#define CPU_SECONDS 300

/* Of virErrorNumber, a part of libvirt's ABI. */
enum {
	INTERNAL_ERROR = 1,
	OPERATION_DENIED = 29,
	SYSTEM_ERROR = 38,
	NO_DOMAIN = 42,
	AUTH_FAILED = 45,
	OPERATION_INVALID = 55,
	ARGUMENT_UNSUPPORTED = 74,
	AUTH_CANCELLED = 79,
	AGENT_UNRESPONSIVE = 86,
	ACCESS_DENIED = 88,
	AUTH_UNAVAILABLE = 94,
	AGENT_UNSYNCED = 97,
};

struct libvirt {
	void *connection, *domain;
	/* the library's, without the prefix vir */
	void *(*ConnectOpen)(const char *uri);
	void *(*DomainLookupByName)(void *connection, const char *name);
	char *(*DomainQemuAgentCommand)(void *domain, const char *command,
					int seconds, unsigned int flags);
	int (*GetLastErrorCode)(void);
	const char *(*GetLastErrorMessage)(void);
	void (*SetErrorFunc)(void *data, void (*f)(void *data, void *error));
};

/* The text of libvirt's error, and what to do. */
static int explain(const struct libvirt *l, struct channel *c, bool connected)
{
	static const char internal[] = "internal error: ";
	const char *text = l->GetLastErrorMessage();
	const char *remedy = "";
	int err = -EREMOTEIO;

	if (!strncmp(text, internal, strlen(internal)))
		text += strlen(internal);
	switch (l->GetLastErrorCode()) {
	case AGENT_UNRESPONSIVE:
	case AGENT_UNSYNCED:
		err = -ETIMEDOUT;
		remedy = ": start qemu-ga there, or start it anew";
		break;
	case ARGUMENT_UNSUPPORTED:
		err = -EOPNOTSUPP;
		remedy = ": add a channel with the target " AGENT_PORT;
		break;
	case OPERATION_INVALID:
		err = -ENOTCONN;
		remedy = ": start or resume it";
		break;
	case SYSTEM_ERROR:
		if (connected)
			break;
		err = -ENOTCONN;
		remedy = ": does libvirtd or virtqemud run, and may you use it?";
		break;
	case NO_DOMAIN:
		err = -ENOENT;
		remedy = ": it has ended";
		break;
	case OPERATION_DENIED:
	case AUTH_FAILED:
	case AUTH_CANCELLED:
	case ACCESS_DENIED:
	case AUTH_UNAVAILABLE:
		err = -EACCES;
		remedy = ": run it as root, or be in the group libvirt";
		break;
	}
	return channel_fail(c, err, "%.120s%s", text, remedy);
}

static void ignore(void *data, void *error)
{
	(void)data;
	(void)error;
}

static int load(struct libvirt *l, struct channel *c)
{
	const struct {
		const char *name;
		void *to;
	} symbols[] = {
		{ "virConnectOpen", &l->ConnectOpen },
		{ "virDomainLookupByName", &l->DomainLookupByName },
		{ "virDomainQemuAgentCommand", &l->DomainQemuAgentCommand },
		{ "virGetLastErrorCode", &l->GetLastErrorCode },
		{ "virGetLastErrorMessage", &l->GetLastErrorMessage },
		{ "virSetErrorFunc", &l->SetErrorFunc },
	};
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	if (!library)
		return channel_fail(
			c, -ELIBACC,
			"%.100s: install libvirt's library (libvirt0, libvirt-libs)",
			dlerror());
	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *f = dlsym(library, symbols[i].name);

		if (!f)
			return channel_fail(c, -ELIBBAD,
					    LIBRARY
					    " has no %s: libvirt 4.5 is needed",
					    symbols[i].name);
		memcpy(symbols[i].to, &f, sizeof(f));
	}
	l->SetErrorFunc(NULL, ignore);
	return 0;
}

/*
 * A user controls what the user's libvirt answers, so become that user before
 * the answers are read.
 */
static int become_owner(struct channel *c)
{
	const struct passwd *user;
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/%u", c->target->root,
		 c->target->pid);
	if (stat(path, &st))
		return channel_fail(c, -ESRCH, "the VM has ended");
	if (geteuid() != st.st_uid &&
	    (setgroups(0, NULL) || setgid(st.st_gid) || setuid(st.st_uid)))
		return channel_fail(
			c, -errno,
			"the VM is of user %u's libvirt: run it as root or as that user",
			st.st_uid);
	user = getpwuid(st.st_uid);
	snprintf(path, sizeof(path), "/run/user/%u", st.st_uid);
	if (setenv("XDG_RUNTIME_DIR", path, 1) ||
	    setenv("HOME", user ? user->pw_dir : "/", 1))
		return channel_fail(c, -ENOMEM, "no memory");
	return 0;
}

static int connect_domain(struct libvirt *l, struct channel *c,
			  const char *name)
{
	int err = load(l, c);

	if (!err && !strcmp(c->address, LIBVIRT_SESSION))
		err = become_owner(c);
	if (err)
		return err;
	/* do not start a daemon: a new one would not know the VM */
	setenv("LIBVIRT_AUTOSTART", "0", 1);
	l->connection = l->ConnectOpen(c->address);
	if (l->connection)
		l->domain = l->DomainLookupByName(l->connection, name);
	if (!l->domain)
		return explain(l, c, false);
	err = confine_stdio();
	if (!err)
		err = limits_set(MEMORY, CPU_SECONDS);
	if (!err)
		err = confine_self();
	return err ? channel_fail(c, err, "cannot give up privileges: %s",
				  strerror(-err)) :
		     0;
}

static bool send_reply(int sock, int err, const char *text)
{
	struct libvirt_reply r = { .error = err };

	if (!err && strnlen(text, AGENT_REPLY_MAX + 1) > AGENT_REPLY_MAX) {
		r.error = -EFBIG;
		text = "the agent's answer has no end";
	}
	r.size = strlen(text);
	return !io_send(sock, &r, sizeof(r)) && !io_send(sock, text, r.size);
}

/* If the daemon hangs beyond its own time limits, SIGALRM ends us. */
static void set_timer(uint32_t seconds)
{
	const struct itimerval t = { .it_value = { .tv_sec = seconds } };

	setitimer(ITIMER_REAL, &t, NULL);
}

/* One command and its reply; false: the other end is closed. */
static bool carry_one(struct libvirt *l, struct channel *c, int sock,
		      char *command)
{
	struct libvirt_request r;
	char *reply;
	bool on;

	if (recv(sock, &r, sizeof(r), MSG_WAITALL) != sizeof(r) ||
	    r.size > AGENT_REPLY_MAX || r.seconds > SECONDS_MAX ||
	    recv(sock, command, r.size, MSG_WAITALL) != (ssize_t)r.size)
		return false;
	command[r.size] = '\0';
	set_timer(r.seconds + GRACE);
	reply = l->DomainQemuAgentCommand(l->domain, command, r.seconds, 0);
	set_timer(0);
	if (!reply) {
		int err = explain(l, c, true);

		return send_reply(sock, err, c->text);
	}
	on = send_reply(sock, 0, reply);
	free(reply);
	return on;
}

void libvirt_carry(int sock, void *arg)
{
	const struct libvirt_domain *domain = arg;
	struct channel *c = domain->c;
	char *command = malloc(AGENT_REPLY_MAX + 1);
	struct libvirt l = { 0 };
	int err;

	confine_files(3, &sock, 1);
	err = command ? connect_domain(&l, c, domain->name) :
			channel_fail(c, -ENOMEM, "no memory");
	if (send_reply(sock, err, err ? c->text : "") && !err)
		while (carry_one(&l, c, sock, command))
			;
}
