// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmmprof top: code of guests' functions that somebody looks at, from the wish
 * in the process that reads to the list of the one that asks, and what the
 * screen says meanwhile.
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "cmd/top/code.h"
#include "cmd/top/fetch.h"
#include "cmd/top/protocol.h"
#include "sandbox/fd_pass.h"
#include "code/find.h"
#include "model/pass.h"

static char top[64], dir[96];
static struct analysis a;
static struct top_options o;
static struct top_maps maps;
static struct top_codes codes;
static int notes[2];

/* After an interval with the samples of tests/data/two-guests.txt. */
static void begin(void)
{
	char cmd[256];

	strcpy(top, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(top))
		abort();
	snprintf(dir, sizeof(dir), "%s/s", top);
	snprintf(cmd, sizeof(cmd),
		 "tests/gen/mksession.py tests/data/two-guests.txt %s", dir);
	memset(&a, 0, sizeof(a));
	memset(&o, 0, sizeof(o));
	memset(&codes, 0, sizeof(codes));
	if (system(cmd) || analysis_open(&a, dir, NULL, 0) ||
	    analysis_run(&a, KEEP_ADDR, NULL, NULL) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, notes))
		abort();
	o.notes = notes[0];
	top_maps_init(&maps, &a, &o);
	maps.asks = true;
	codes.maps = &maps;
}

static void end(void)
{
	char cmd[96];

	top_maps_deinit(&maps);
	analysis_close(&a);
	close(notes[0]);
	if (notes[1] >= 0)
		close(notes[1]);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	if (system(cmd))
		abort();
}

/* A function of guest alpha's kernel. */
static struct hot_place at(__u64 start)
{
	return (struct hot_place){
		.key = { .guest = 1, .file = VMMPROF_NONE },
		.start = start,
		.end = start + 64,
	};
}

static const char *look(__u64 start)
{
	struct hot_place p = at(start);
	const char *text = top_codes_look(&codes, &p, false);

	return text ? text : "";
}

/* A fetch of alpha's is over; @bundle: a file of the session, or NULL. */
static void note(__u32 serial, const char *bundle, const char *text, bool hold)
{
	struct refresh_note n = { .pid = 500,
				  .serial = serial,
				  .asked_ns = 1,
				  .error = bundle ? 0 : -ETIMEDOUT };
	char path[160];
	int fd = -1;

	snprintf(bundle ? n.code_text : n.text, sizeof(n.text), "%s", text);
	if (bundle) {
		snprintf(path, sizeof(path), "%s/%s", dir, bundle);
		fd = open(path, O_RDONLY);
	}
	if (fdpass_send(notes[1], &n, sizeof(n), fd) ||
	    top_maps_take(&maps, hold))
		abort();
	if (fd >= 0)
		close(fd);
}

static bool begins(const char *s, const char *with)
{
	if (!strncmp(s, with, strlen(with)))
		return true;
	fprintf(stderr, "# '%s', not '%s...'\n", s, with);
	return false;
}

TEST(what_has_become_of_the_code_is_told)
{
	static const char bundle[] = "guests/alpha.bundle";

	begin();
	TEST_OK(begins(look(0x1000), "instructions are being fetched"));
	TEST_OK(codes.nr == 1 && codes.serial == 1);
	TEST_EQ(codes.codes[0].want.pid, 500);
	TEST_EQ(codes.codes[0].want.what.addr, 0x1000);
	/* a fetch that had begun before */
	note(0, bundle, "", false);
	TEST_OK(begins(look(0x1000), "instructions are being fetched"));
	note(0, NULL, "x", false);
	TEST_OK(begins(look(0x1000), "instructions are being fetched"));
	/* one that failed */
	note(1, NULL, "it is \33[2Jdown", false);
	TEST_STR(
		look(0x1000),
		"the guest was asked for it, and is again later: it is \\x1b[2Jdown");
	/* the next one is wanted on its own */
	TEST_OK(begins(look(0x2000), "instructions are being fetched"));
	TEST_OK(codes.serial == 2 && codes.codes[0].want.serial == 2);
	/* the bundle is there, but the screen stands still */
	note(1, bundle, "", true);
	TEST_STR(look(0x1000),
		 "it is here, and shown when the screen goes on (p)");
	TEST_OK(begins(look(0x2000), "instructions are being fetched"));
	TEST_EQ(top_maps_take(&maps, false), 0);
	TEST_OK(begins(look(0x1000),
		       "the guest was asked for it and gave none: its file"));
	TEST_OK(begins(look(0x2000), "instructions are being fetched"));
	note(2, bundle, "no program may run there", false);
	TEST_STR(
		look(0x2000),
		"the guest was asked for it and gave none: no program may run there");
	TEST_EQ(codes.serial, 2);
	end();
	return 0;
}

TEST(who_is_not_asked_has_a_reason_and_no_entry)
{
	const struct bundle_option given = { .name = "alpha" };

	begin();
	maps.notes = -1;
	TEST_STR(look(0x1000), "not fetched: --transport none");
	maps.notes = notes[0];
	maps.asks = false;
	TEST_STR(look(0x1000), "not fetched: --transport none");
	maps.asks = true;
	close(notes[1]);
	notes[1] = -1;
	TEST_EQ(top_maps_take(&maps, false), 0);
	TEST_OK(begins(look(0x1000), "not fetched: vmmprof-guest is not"));
	o.load.bundles[0] = given;
	o.load.nr_bundles = 1;
	TEST_OK(begins(look(0x1000), "not fetched: its maps were given"));
	TEST_EQ(codes.nr, 0);
	end();
	return 0;
}

TEST(only_those_looked_at_last_are_wanted)
{
	struct hot_place p;
	int i;

	begin();
	for (i = 0; i < 32; i++)
		TEST_OK(begins(look(0x1000 * (i + 1)), "instructions are"));
	/* all of them at once are too many; none is driven out */
	TEST_OK(begins(look(0x99000), "these are too many"));
	TEST_OK(codes.nr == 32 && codes.serial == 32);
	/* what is here and looked at stays wanted */
	for (i = 0; i < 32; i++)
		codes.codes[i].looked_ns = 1;
	p = at(0x1000);
	TEST_OK(!top_codes_look(&codes, &p, true));
	TEST_EQ(codes.codes[0].want.what.addr, 0x1000);
	TEST_OK(begins(look(0x99000), "instructions are being fetched"));
	TEST_OK(codes.nr == 32 && codes.serial == 33);
	TEST_EQ(codes.codes[0].want.what.addr, 0x99000);
	TEST_EQ(codes.codes[1].want.what.addr, 0x1000);
	for (i = 0; i < 32; i++)
		TEST_OK(codes.codes[i].want.what.addr != 0x2000);
	end();
	return 0;
}

TEST(the_process_that_asks_takes_no_more_than_it_has_room_for)
{
	struct refresh_guest guests[2] = { { .pid = 600 }, { .pid = 500 } };
	struct top_fetch f = { .on = true,
			       .refresh = { .guests = guests, .nr = 2 } };
	const struct top_wants none = { 0 }, many = { .nr = 33 };
	int pair[2];

	begin();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	look(0x1000);
	look(0x2000);
	TEST_EQ(top_maps_wants(&maps, pair[0], false), 0);
	TEST_EQ(top_codes_send(&codes, pair[0]), 0);
	TEST_EQ(top_fetch_wants(&f, pair[1]), 0);
	TEST_OK(!guests[0].nr_codes && !guests[0].code_due);
	TEST_OK(guests[1].nr_codes == 2 && guests[1].code_due);
	TEST_EQ(guests[1].serial, 2);
	TEST_EQ(guests[1].codes[0].addr, 0x2000);
	TEST_EQ(write(pair[0], &none, sizeof(none)), sizeof(none));
	TEST_EQ(write(pair[0], &many, sizeof(many)), sizeof(many));
	TEST_EQ(top_fetch_wants(&f, pair[1]), -EPROTO);
	close(pair[0]);
	close(pair[1]);
	end();
	return 0;
}

static const char *told(void *arg, const struct hot_place *p, bool here)
{
	*(int *)arg += p->key.guest == 1 && !here ? 1 : 100;
	return "soon";
}

TEST(guests_alone_are_asked_for_what_is_missing)
{
	int asked = 0;
	const struct code_files files = { .fetch = told, .fetch_arg = &asked };
	struct hot_place p = at(0xffffffffa1000000);
	struct code_found found;

	begin();
	code_find(&a, &p, &files, &found);
	TEST_STR(found.why, "soon");
	TEST_EQ(asked, 1);
	code_found_deinit(&found);
	/* the host's, and what no file has */
	p.key.guest = 0;
	p.start = 0xffffffff81000000;
	p.end = p.start + 64;
	code_find(&a, &p, &files, &found);
	TEST_OK(strcmp(found.why, "soon"));
	code_found_deinit(&found);
	p = at(0x1000);
	p.end = 0;
	code_find(&a, &p, &files, &found);
	TEST_OK(strcmp(found.why, "soon"));
	code_found_deinit(&found);
	TEST_EQ(asked, 1);
	end();
	return 0;
}
