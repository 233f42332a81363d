// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of debuginfod servers for who must not wait: asked for one after the
 * other, each once; what came is there again; and by the library itself, if it
 * is installed.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "sandbox/debuginfod.h"
#include "sandbox/fd_pass.h"
#include "cmd/analysis_open.h"
#include "code/find.h"
#include "model/pass.h"

static const uint8_t id[20] = { 1, 2, 3 };

/* A broker that this test plays itself: *other is its end. */
static struct debuginfod begin(int *other)
{
	struct debuginfod d = { .later = true };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		abort();
	d.sock = pair[0];
	*other = pair[1];
	return d;
}

static int get(struct debuginfod *d, const char *path)
{
	return debuginfod_get(d,
			      path ? DEBUGINFOD_SOURCE : DEBUGINFOD_EXECUTABLE,
			      id, sizeof(id), path);
}

/* The path of the next request; NULL: there is none. */
static const char *asked(int other)
{
	static struct debuginfod_request r;

	return recv(other, &r, sizeof(r), MSG_DONTWAIT) == sizeof(r) ? r.path :
								       NULL;
}

static void answer(int other, int32_t err, const char *text)
{
	int fd = -1;

	if (text) {
		fd = memfd_create("file", MFD_CLOEXEC);
		if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
			abort();
	}
	if (fdpass_send(other, &err, sizeof(err), fd))
		abort();
	if (fd >= 0)
		close(fd);
}

TEST(nothing_is_waited_for_and_asked_for_twice)
{
	int other, fd, i;
	struct debuginfod d = begin(&other);
	char buf[8] = "";

	for (i = 0; i < 3; i++) {
		TEST_EQ(get(&d, NULL), -EINPROGRESS);
		TEST_EQ(get(&d, "/a.c"), -EINPROGRESS);
	}
	TEST_STR(asked(other), "");
	TEST_OK(!asked(other)); /* one at a time */
	answer(other, -ENOENT, NULL);
	TEST_EQ(get(&d, NULL), -ENOENT);
	TEST_STR(asked(other), "/a.c");
	answer(other, 0, "text");
	/* as often as one likes, from its beginning, without another request */
	for (i = 0; i < 3; i++) {
		fd = get(&d, "/a.c");
		TEST_OK(fd >= 0);
		TEST_EQ(read(fd, buf, sizeof(buf)), 4);
		TEST_OK(!memcmp(buf, "text", 4));
		close(fd);
		TEST_EQ(get(&d, NULL), -ENOENT);
	}
	TEST_OK(!asked(other));
	/* what is not a request at all */
	TEST_EQ(get(&d, "a.c"), -EINVAL);
	close(other);
	debuginfod_end(&d);
	return 0;
}

TEST(a_broker_that_ends_is_asked_no_more)
{
	int other;
	struct debuginfod d = begin(&other);

	TEST_EQ(get(&d, NULL), -EINPROGRESS);
	TEST_EQ(get(&d, "/a.c"), -EINPROGRESS);
	close(other);
	TEST_EQ(get(&d, NULL), -EPIPE);
	TEST_EQ(get(&d, "/a.c"), -EPIPE);
	TEST_EQ(get(&d, "/b.c"), -EPIPE);
	debuginfod_end(&d);
	return 0;
}

TEST(requests_are_bounded)
{
	int other, i;
	struct debuginfod d = begin(&other);
	char path[16];

	for (i = 0; i < DEBUGINFOD_REQUESTS; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		TEST_EQ(get(&d, path), -EINPROGRESS);
	}
	TEST_EQ(get(&d, "/x"), -EDQUOT);
	TEST_EQ(get(&d, "/0"), -EINPROGRESS);
	close(other);
	debuginfod_end(&d);
	return 0;
}

/* Until there is an answer; -ETIMEDOUT after 20 s. */
static int get_at_last(struct debuginfod *d)
{
	int i, ret = -EINPROGRESS;

	for (i = 0; i < 2000 && ret == -EINPROGRESS; i++) {
		usleep(10000);
		ret = get(d, NULL);
	}
	return ret == -EINPROGRESS ? -ETIMEDOUT : ret;
}

TEST(the_library_is_asked_meanwhile)
{
	struct debuginfod d;
	char dir[64], cmd[256], buf[8];
	int fd, ret;

	strcpy(dir, "/tmp/vmmprof-test-XXXXXX");
	/* nobody asks for root */
	if (!mkdtemp(dir) || chmod(dir, 0755))
		abort();
	snprintf(cmd, sizeof(cmd),
		 "d=%s/www/buildid/010203%034d; mkdir -p $d; "
		 "echo program > $d/executable",
		 dir, 0);
	if (system(cmd))
		abort();
	snprintf(cmd, sizeof(cmd), "file://%s/www", dir);
	setenv("DEBUGINFOD_URLS", cmd, 1);
	snprintf(cmd, sizeof(cmd), "%s/cache", dir);
	setenv("DEBUGINFOD_CACHE_PATH", cmd, 1);
	ret = debuginfod_start(&d, 20, NULL);
	if (ret != -ELIBACC) {
		TEST_EQ(ret, 0);
		d.later = true;
		TEST_EQ(get(&d, NULL), -EINPROGRESS);
		fd = get_at_last(&d);
		TEST_OK(fd >= 0);
		TEST_EQ(read(fd, buf, sizeof(buf)), 8);
		TEST_OK(!memcmp(buf, "program\n", 8));
		close(fd);
		debuginfod_end(&d);
		wait(NULL);
	}
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

static bool of_host(void *arg, const struct bucket_key *key)
{
	(void)arg;
	return !key->guest;
}

/* The session of tests/cases/debuginfod.sh, and what a server has of it. */
static int open_session(const char *dir, struct analysis *a,
			struct hot_places *h)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd),
		 "export TOP=$PWD CASES=$PWD/tests/cases; cd %s; "
		 "sh -ec '. $CASES/annotate.sh; . $CASES/debuginfod.sh; "
		 "server_program'",
		 dir);
	if (system(cmd))
		abort();
	snprintf(cmd, sizeof(cmd), "%s/s", dir);
	memset(a, 0, sizeof(*a));
	return analysis_open(a, cmd, NULL, 0) ||
	       analysis_run(a, KEEP_ADDR, NULL, NULL) ||
	       hot_places_init(h, a, of_host, NULL);
}

TEST(code_that_a_server_has_is_found_later)
{
	static struct code_server server;
	const struct code_files files = { .server = &server };
	struct code_found found;
	struct hot_places h;
	struct analysis a;
	char dir[64], text[128];
	int i;

	strcpy(dir, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(dir) || chmod(dir, 0755))
		abort();
	TEST_EQ(open_session(dir, &a, &h), 0);
	snprintf(text, sizeof(text), "file://%s/www", dir);
	setenv("DEBUGINFOD_URLS", text, 1);
	snprintf(text, sizeof(text), "%s/cache", dir);
	setenv("DEBUGINFOD_CACHE_PATH", text, 1);
	server.none = debuginfod_start(&server.broker, 20, NULL);
	server.broker.later = true;
	if (server.none != -ELIBACC) {
		TEST_OK(h.nr && h.places[0].start == 0x401000);
		code_find(&a, &h.places[0], &files, &found);
		TEST_OK(!found.code.size && !found.dwarf);
		TEST_STR(found.server, "servers are being asked");
		for (i = 0; i < 2000 && !found.dwarf; i++) {
			code_found_deinit(&found);
			usleep(10000);
			code_find(&a, &h.places[0], &files, &found);
		}
		TEST_EQ(found.code.size, 0x16);
		TEST_OK(!strncmp(found.from, "debuginfod:executable/", 22));
		TEST_OK(found.dwarf);
		code_found_deinit(&found);
		debuginfod_end(&server.broker);
		wait(NULL);
	}
	hot_places_deinit(&h);
	analysis_close(&a);
	snprintf(text, sizeof(text), "rm -rf %s", dir);
	return system(text);
}
