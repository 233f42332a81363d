// SPDX-License-Identifier: GPL-2.0-only
/* The conversation with a guest agent that is honest, limited, or hostile. */

#include <fcntl.h>
#include <jansson.h>
#include <resolv.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "base/gzip.h"
#include "base/io.h"
#include "transport/agent_ops.h"
#include "transport/channel.h"
#include "transport/guest_program.h"

#define BUNDLE_SIZE 100000

/* An agent in this process; each member is one way to misbehave. */
static struct {
	const char *disabled; /* this command is off */
	const char *dir;      /* what mktemp says */
	const char *process;  /* what the start of watching says */
	const char *code;     /* what getting code says */
	const char *reply;    /* to everything */
	const char *data;     /* instead of the bundle's base64 */
	int exitcode;	      /* of watching */
	json_int_t (*count)(size_t written);
	bool endless;	  /* the bundle has no end */
	bool packs;	  /* what is fetched */
	const void *sent; /* when a file is read; NULL: the bundle's bytes */
	size_t sent_size;
	bool never; /* no command ever ends */
} fake;

static unsigned char pushed[1 << 20], bundle[BUNDLE_SIZE];
static size_t nr_pushed, nr_read;
static const char *said;
static bool cleaned, dumped;
static char opened[128]; /* the last file */
static struct channel channel;
static struct guest_program program;
static struct agent_talk agent;

static json_t *info(void)
{
	static const char *const names[] = {
		"guest-exec",	    "guest-exec-status", "guest-file-open",
		"guest-file-write", "guest-file-read",	 "guest-file-close"
	};
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		json_array_append_new(
			list,
			json_pack("{s:s, s:b}", "name", names[i], "enabled",
				  !fake.disabled ||
					  strcmp(fake.disabled, names[i])));
	return json_pack("{s:o}", "supported_commands", list);
}

static char second[64]; /* $2 of the script that watches or dumps */

static json_t *exec(const json_t *args)
{
	const json_t *arg = json_object_get(args, "arg");
	const char *script = json_string_value(json_array_get(arg, 1));

	if (strstr(script, "vmmprof-guest watch") ||
	    strstr(script, "vmmprof-guest dump"))
		snprintf(second, sizeof(second), "%s",
			 json_string_value(json_array_get(arg, 4)));

	said = "";
	if (strstr(script, "mktemp"))
		said = fake.dir;
	else if (fake.packs && strstr(script, "gzip -1"))
		said = "gzip\n";
	else if (strstr(script, "guest watch"))
		said = fake.process;
	else if (strstr(script, "guest code"))
		said = fake.code;
	else if (strstr(script, "guest dump"))
		dumped = true;
	else if (!strncmp(script, "rm -rf", 6))
		cleaned = true;
	return json_pack("{s:i}", "pid", 5);
}

static json_t *status(void)
{
	char text[512];

	b64_ntop((const unsigned char *)said, strlen(said), text, sizeof(text));
	return json_pack(
		"{s:b, s:i, s:s}", "exited", !fake.never, "exitcode",
		said == fake.process || said == fake.code ? fake.exitcode : 0,
		"out-data", text);
}

static json_t *file_open(const json_t *args)
{
	snprintf(opened, sizeof(opened), "%s",
		 json_string_value(json_object_get(args, "path")));
	return json_integer(7);
}

static json_t *file_write(const json_t *args)
{
	const char *text = json_string_value(json_object_get(args, "buf-b64"));
	int n = b64_pton(text, pushed + nr_pushed, sizeof(pushed) - nr_pushed);
	json_int_t count = n;

	if (fake.count)
		count = fake.count(n);
	if (n > 0 && count > 0 && count <= n)
		nr_pushed += count;
	return json_pack("{s:I, s:b}", "count", count, "eof", 0);
}

static json_t *file_read(const json_t *args)
{
	size_t n = json_integer_value(json_object_get(args, "count"));
	size_t size = fake.sent ? fake.sent_size : BUNDLE_SIZE;
	const unsigned char *sent = fake.sent ? fake.sent : bundle;
	size_t left = size - nr_read;
	char *text = malloc(2 * n + 8);
	json_t *ret;

	n = n < left ? n : left;
	b64_ntop(sent + nr_read, n, text, 2 * n + 8);
	nr_read += fake.endless ? 0 : n;
	ret = json_pack("{s:i, s:s, s:b}", "count", (int)n, "buf-b64",
			fake.data ? fake.data : text, "eof", nr_read == size);
	free(text);
	return ret;
}

static int ask(struct agent_talk *a, const char *request, char **reply)
{
	json_t *r = json_loads(request, 0, NULL), *ret = NULL;
	const json_t *args = json_object_get(r, "arguments");
	const char *what = json_string_value(json_object_get(r, "execute"));

	(void)a;
	if (fake.reply)
		*reply = strdup(fake.reply);
	else if (!strcmp(what, "guest-info"))
		ret = info();
	else if (!strcmp(what, "guest-exec"))
		ret = exec(args);
	else if (!strcmp(what, "guest-exec-status"))
		ret = status();
	else if (!strcmp(what, "guest-file-open"))
		ret = file_open(args);
	else if (!strcmp(what, "guest-file-write"))
		ret = file_write(args);
	else if (!strcmp(what, "guest-file-read"))
		ret = file_read(args);
	else
		ret = json_object();
	if (ret) {
		ret = json_pack("{s:o}", "return", ret);
		*reply = json_dumps(ret, JSON_ENCODE_ANY);
	}
	json_decref(ret);
	json_decref(r);
	return 0;
}

static int temporary(void)
{
	return open("/tmp", O_TMPFILE | O_RDWR, 0600);
}

/* An honest agent; the program that is pushed is the bundle's bytes. */
static void begin(void)
{
	struct timespec t;
	size_t i;

	memset(&fake, 0, sizeof(fake));
	fake.dir = "/tmp/vmmprof.aB3dE6\n";
	fake.process = "4711\n";
	fake.code = "words\n";
	for (i = 0; i < BUNDLE_SIZE; i++)
		bundle[i] = i * 7 + i / 251;
	nr_pushed = 0;
	nr_read = 0;
	cleaned = false;
	dumped = false;
	*second = '\0';
	memset(&channel, 0, sizeof(channel));
	clock_gettime(CLOCK_MONOTONIC, &t);
	channel.deadline_ns = (t.tv_sec + 5) * 1000000000ull;
	channel.max_bytes = 1 << 20;
	channel.watch_limit = 60;
	program.fd = temporary();
	program.packed = temporary();
	channel.guest_program = &program;
	channel.have = -1;
	channel.out = temporary();
	if (pwrite(program.fd, bundle, BUNDLE_SIZE, 0) != BUNDLE_SIZE ||
	    pwrite(program.packed, "packed", 6, 0) != 6)
		abort();
	memset(&agent, 0, sizeof(agent));
	agent.c = &channel;
	agent.ask = ask;
	agent.chunk = 4000;
}

static void end(void)
{
	guest_program_close(&program);
	close(channel.out);
}

static bool arrived(void)
{
	static unsigned char got[BUNDLE_SIZE + 1];

	return pread(channel.out, got, sizeof(got), 0) == BUNDLE_SIZE &&
	       !memcmp(got, bundle, BUNDLE_SIZE);
}

TEST(agent_pushes_watches_fetches_and_cleans_up)
{
	begin();
	TEST_EQ(agent_check(&agent), 0);
	TEST_EQ(agent_watch(&agent), 0);
	TEST_EQ(nr_pushed, BUNDLE_SIZE);
	TEST_OK(!memcmp(pushed, bundle, BUNDLE_SIZE));
	TEST_STR(agent.dir, "/tmp/vmmprof.aB3dE6");
	TEST_STR(agent.pid, "4711");
	TEST_STR(second, "60");
	TEST_OK(!cleaned);
	TEST_EQ(agent_fetch(&agent), 0);
	TEST_OK(arrived());
	TEST_OK(cleaned && !dumped);
	end();
	return 0;
}

static int watch_with_gzip(void)
{
	fake.dir = "/tmp/vmmprof.aB3dE6\ngzip\n";
	return agent_watch(&agent);
}

TEST(agent_that_has_gzip_is_sent_and_sends_packed_files)
{
	char *packed = malloc(BUNDLE_SIZE);
	size_t size = BUNDLE_SIZE;

	begin();
	memcpy(packed, bundle, size);
	TEST_EQ(gzip_pack(&packed, &size, 1), 0);
	TEST_EQ(watch_with_gzip(), 0);
	TEST_STR(opened, "/tmp/vmmprof.aB3dE6/vmmprof-guest.gz");
	TEST_EQ(nr_pushed, 6);
	TEST_OK(!memcmp(pushed, "packed", 6));
	fake.packs = true;
	fake.sent = packed;
	fake.sent_size = size;
	TEST_EQ(agent_fetch(&agent), 0);
	TEST_STR(opened, "/tmp/vmmprof.aB3dE6/bundle.gz");
	TEST_OK(arrived());
	end();
	/* there was no room for what is packed, neither here nor there */
	begin();
	io_close(&program.packed);
	TEST_EQ(watch_with_gzip(), 0);
	TEST_EQ(nr_pushed, BUNDLE_SIZE);
	TEST_EQ(agent_fetch(&agent), 0);
	TEST_OK(arrived());
	end();
	free(packed);
	return 0;
}

/* What agent_fetch() says of a bundle that is packed to this. */
static int fetch_packed(const void *data, size_t size)
{
	int err;

	begin();
	fake.packs = true;
	fake.sent = data;
	fake.sent_size = size;
	err = agent_fetch(&agent);
	if (lseek(channel.out, 0, SEEK_END) > 1 << 20)
		abort();
	end();
	return err;
}

TEST(agent_whose_packed_file_is_none_or_too_large_is_cut_off)
{
	/* RFC 1952, a header of gzip; RFC 1951, stored blocks of nothing */
	static const unsigned char
		header[] = { 31, 139, 8, 0, 0, 0, 0, 0, 0, 3 },
		nothing_stored[] = { 0, 0, 0, 255, 255 };
	size_t size = 64 << 20, i;
	char *packed = calloc(1, size + 1);

	TEST_EQ(gzip_pack(&packed, &size, 1), 0);
	TEST_EQ(fetch_packed(packed, size), -EFBIG);
	free(packed);
	size = 2 << 20;
	packed = malloc(size);
	memcpy(packed, header, 10);
	for (i = 10; i + 5 <= size; i += 5)
		memcpy(packed + i, nothing_stored, 5);
	TEST_EQ(fetch_packed(packed, size), -EFBIG);
	free(packed);
	TEST_EQ(fetch_packed("no such thing", 13), -EBADMSG);
	TEST_OK(strstr(channel.text, "is no gzip file"));
	TEST_EQ(fetch_packed(header, 10), -EBADMSG);
	TEST_OK(strstr(channel.text, "is cut off"));
	return 0;
}

/* As agent.c does; the code is the bundle's bytes. */
static int fetch_code(const char *list)
{
	int err;

	channel.want_code = true;
	channel.code = temporary();
	channel.list = list;
	channel.list_size = strlen(list);
	err = agent_watch(&agent);
	if (!err)
		err = agent_fetch(&agent);
	if (err || cleaned)
		abort();
	nr_read = 0;
	return agent_code(&agent);
}

TEST(agent_gets_code_before_it_cleans_up)
{
	static unsigned char got[BUNDLE_SIZE];

	begin();
	TEST_EQ(fetch_code("1 2 3\n"), 0);
	TEST_EQ(nr_pushed, BUNDLE_SIZE + 6);
	TEST_OK(!memcmp(pushed + BUNDLE_SIZE, "1 2 3\n", 6));
	TEST_EQ(channel.code_size, BUNDLE_SIZE);
	TEST_EQ(pread(channel.code, got, sizeof(got), 0), BUNDLE_SIZE);
	TEST_OK(!memcmp(got, bundle, BUNDLE_SIZE));
	TEST_OK(cleaned);
	close(channel.code);
	end();
	/* nothing is wanted */
	begin();
	TEST_EQ(fetch_code(""), 0);
	TEST_EQ(nr_pushed, BUNDLE_SIZE);
	TEST_EQ(channel.code_size, 0);
	TEST_OK(cleaned);
	close(channel.code);
	end();
	return 0;
}

TEST(agent_whose_code_has_no_end_or_fails_is_cut_off)
{
	begin();
	fake.code = "no \033[2J list\n";
	TEST_EQ(agent_watch(&agent), 0);
	fake.exitcode = 1;
	channel.want_code = true;
	TEST_EQ(agent_fetch(&agent), 0);
	TEST_OK(!cleaned);
	channel.list = "x";
	channel.list_size = 1;
	TEST_EQ(agent_code(&agent), -EREMOTEIO);
	TEST_STR(channel.text, "no code from there: no ?[2J list");
	TEST_EQ(channel.code_size, 0);
	TEST_OK(cleaned);
	end();
	begin();
	TEST_EQ(agent_watch(&agent), 0);
	channel.want_code = true;
	TEST_EQ(agent_fetch(&agent), 0);
	fake.endless = true;
	nr_read = 0;
	channel.code = temporary();
	channel.list = "x";
	channel.list_size = 1;
	TEST_EQ(agent_code(&agent), -EFBIG);
	TEST_OK(lseek(channel.code, 0, SEEK_END) <= CODE_FILE_MAX);
	TEST_EQ(channel.code_size, 0);
	TEST_OK(cleaned);
	close(channel.code);
	end();
	return 0;
}

TEST(agent_gets_the_list_of_what_need_not_be_sent)
{
	begin();
	channel.have = temporary();
	TEST_EQ(pwrite(channel.have, "0123456789abcdefghij", 20, 0), 20);
	TEST_EQ(agent_watch(&agent), 0);
	TEST_EQ(nr_pushed, BUNDLE_SIZE + 20);
	TEST_OK(!memcmp(pushed + BUNDLE_SIZE, "0123456789abcdefghij", 20));
	close(channel.have);
	end();
	return 0;
}

TEST(agent_is_asked_for_unwind_tables)
{
	begin();
	channel.unwind = true;
	TEST_EQ(agent_watch(&agent), 0);
	TEST_STR(second, "60 --unwind");
	end();
	begin();
	channel.unwind = true;
	TEST_EQ(agent_fetch(&agent), 0);
	TEST_OK(dumped);
	TEST_STR(second, "--unwind");
	end();
	return 0;
}

TEST(agent_dumps_where_it_did_not_watch)
{
	begin();
	TEST_EQ(agent_fetch(&agent), 0);
	TEST_OK(arrived());
	TEST_OK(cleaned && dumped);
	end();
	return 0;
}

TEST(agent_that_forbids_a_command_is_told_with_the_remedy)
{
	begin();
	fake.disabled = "guest-file-write";
	TEST_EQ(agent_check(&agent), -EPERM);
	TEST_OK(strstr(channel.text, "guest-file-write switched off"));
	TEST_OK(strstr(channel.text, "allow-rpcs"));
	end();
	return 0;
}

static json_int_t half(size_t n)
{
	return n / 2 + 1;
}

static json_int_t more(size_t n)
{
	return n + 1;
}

static json_int_t nothing(size_t n)
{
	return n - n;
}

static json_int_t negative(size_t n)
{
	return -(json_int_t)n;
}

TEST(agent_may_take_a_file_in_parts_but_not_lie_about_it)
{
	static json_int_t (*const lies[])(size_t) = { more, nothing, negative };
	size_t i;

	begin();
	fake.count = half;
	TEST_EQ(agent_watch(&agent), 0);
	TEST_OK(!memcmp(pushed, bundle, BUNDLE_SIZE));
	end();
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		begin();
		fake.count = lies[i];
		TEST_EQ(agent_watch(&agent), -EBADMSG);
		end();
	}
	return 0;
}

TEST(agent_that_names_another_directory_or_process_is_refused)
{
	static const char *const dirs[] = {
		"",
		"/etc\n",
		"/tmp/../etc/vmmprof.aB3dE6\n",
		"/tmp/vmmprof.$(id)\n",
		"/tmp/vmmprof.aB3dE6 /\n",
		"tmp/vmmprof.aB3dE6\n",
		"/tmp/vmmprof.aB3dE67\n",
	};
	static const char *const processes[] = { "", "-1\n", "1;id\n",
						 "12345678901234\n" };
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		begin();
		fake.dir = dirs[i];
		TEST_EQ(agent_watch(&agent), -ENOEXEC);
		TEST_EQ(*agent.dir, 0);
		end();
	}
	for (i = 0; i < sizeof(processes) / sizeof(processes[0]); i++) {
		begin();
		fake.process = processes[i];
		TEST_EQ(agent_watch(&agent), -EBADMSG);
		TEST_OK(cleaned);
		end();
	}
	return 0;
}

TEST(agent_whose_program_fails_passes_its_words_on)
{
	begin();
	fake.process = "one\nvmmprof-guest: \033]0;x\007 no BPF\n";
	fake.exitcode = 1;
	TEST_EQ(agent_watch(&agent), -EREMOTEIO);
	TEST_STR(
		channel.text,
		"vmmprof-guest does not run there: vmmprof-guest: ?]0;x? no BPF");
	TEST_OK(cleaned);
	end();
	begin();
	fake.process = "";
	fake.exitcode = 1;
	TEST_EQ(agent_watch(&agent), -EREMOTEIO);
	TEST_OK(strstr(channel.text, "it printed no reason"));
	end();
	return 0;
}

TEST(agent_that_talks_nonsense_is_an_error)
{
	static char deep[100001];
	static const char *const replies[] = { "",
					       "}",
					       "[]",
					       "null",
					       "{}",
					       deep,
					       "{\"return\": null",
					       "{\"error\": 1}",
					       "\xff\xfe{",
					       "\"{}\"",
					       "{\"return\": {}} x" };
	size_t i;

	memset(deep, '[', sizeof(deep) - 1);
	for (i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
		begin();
		fake.reply = replies[i];
		TEST_OK(agent_check(&agent) < 0);
		TEST_OK(agent_watch(&agent) < 0);
		TEST_OK(agent_fetch(&agent) < 0);
		TEST_OK(*channel.text);
		end();
	}
	return 0;
}

TEST(agent_whose_bundle_has_no_end_or_is_no_data_is_cut_off)
{
	begin();
	fake.endless = true;
	TEST_EQ(agent_fetch(&agent), -EFBIG);
	TEST_OK(strstr(channel.text, "larger than 1 MiB"));
	TEST_OK(cleaned);
	TEST_OK(lseek(channel.out, 0, SEEK_END) <= 1 << 20);
	end();
	begin();
	fake.data = "***";
	TEST_EQ(agent_fetch(&agent), -EBADMSG);
	end();
	begin();
	fake.data = "";
	TEST_EQ(agent_fetch(&agent), -EBADMSG);
	end();
	return 0;
}

TEST(agent_whose_commands_never_end_is_given_up)
{
	begin();
	fake.never = true;
	channel.deadline_ns = 1;
	TEST_EQ(agent_watch(&agent), -ETIMEDOUT);
	end();
	return 0;
}
