// SPDX-License-Identifier: GPL-2.0-only
/* Nobody but the VM hears a word on the socket of its agent. */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "test.h"
#include "transport/transport.h"

#define PID 5

static char base[64];
static int listener;

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", base, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

/* This process listens at base/ga; the VM is PID, by base/proc/PID. */
static void begin(const char *uids)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char text[192];

	strcpy(base, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(base))
		abort();
	snprintf(text, sizeof(text), "mkdir -p %s/proc/%u %s/proc/%u", base,
		 PID, base, getpid());
	if (system(text))
		abort();
	if (uids) {
		snprintf(text, sizeof(text), "Name:\tUid:\nUid:\t%s\n", uids);
		put("proc/5/status", text);
	}
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/ga", base);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (void *)&addr, sizeof(addr)) || listen(listener, 1))
		abort();
}

/* What open() says of it; *said: bytes that the listener heard until its end. */
static int reach(unsigned int pid, ssize_t *said, char *text)
{
	static const char cmdline[] =
		"qemu\0-chardev\0socket,path=/ga,server=on,wait=off,id=c0\0"
		"-device\0virtserialport,chardev=c0,name=org.qemu.guest_agent.0";
	struct target t = {
		.root = base,
		.pid = pid,
		.cmdline = cmdline,
		.cmdline_size = sizeof(cmdline),
	};
	struct channel c = { .target = &t, .fd = -1 };
	char buf[16], command[128];
	int ret, fd;

	ret = transport_agent.probe(&c);
	if (ret == 1)
		ret = transport_agent.open(&c);
	transport_agent.close(&c);
	strcpy(text, c.text);
	*said = 0;
	fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	if (fd >= 0)
		*said = recv(fd, buf, sizeof(buf), 0);
	close(fd);
	close(listener);
	snprintf(command, sizeof(command), "rm -r %s", base);
	if (system(command))
		abort();
	return ret;
}

/* uid of the three kinds, but for one */
static const char *uids(unsigned int real, unsigned int effective)
{
	static char text[64];

	snprintf(text, sizeof(text), "%u\t%u\t%u\t%u", real, effective, real,
		 real);
	return text;
}

TEST(the_vm_and_its_user_are_talked_to)
{
	char text[CHANNEL_TEXT];
	ssize_t said;

	begin(uids(getuid(), getuid()));
	TEST_EQ(reach(PID, &said, text), 0);
	/* the VM's own process, whoever it is by now */
	begin(NULL);
	TEST_EQ(reach(getpid(), &said, text), 0);
	return 0;
}

TEST(another_listener_hears_nothing)
{
	static const char *const other[] = { "another's", "set-user-ID",
					     "unknown" };
	char text[CHANNEL_TEXT];
	unsigned int me = getuid();
	ssize_t said;
	size_t i;

	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		begin(i == 0 ? uids(me + 1, me + 1) :
		      i == 1 ? uids(me + 1, me) :
			       NULL);
		TEST_EQ(reach(PID, &said, text), -EPERM);
		TEST_EQ(said, 0);
		TEST_OK(strstr(text, "listens there, not the VM"));
	}
	return 0;
}

TEST(what_is_no_socket_is_left_alone)
{
	char text[CHANNEL_TEXT], from[96], to[96];
	ssize_t said;

	begin(uids(getuid(), getuid()));
	fcntl(listener, F_SETFL, O_NONBLOCK);
	snprintf(from, sizeof(from), "%s/ga", base);
	snprintf(to, sizeof(to), "%s/other", base);
	TEST_OK(!rename(from, to));
	TEST_OK(!symlink(to, from));
	TEST_EQ(reach(PID, &said, text), -ENOTSOCK);
	return 0;
}
