// SPDX-License-Identifier: GPL-2.0-only
/* What a process that reads guests' data can no longer do. */

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "format/preopen.h"
#include "sandbox/confine.h"
#include "test.h"
#include "transport/import.h"

#define DEED(name, ...)             \
	static int name(void *arg)  \
	{                           \
		(void)arg;          \
		if (confine_self()) \
			return 99;  \
		__VA_ARGS__;        \
		return 7;           \
	}

DEED(nothing, (void)0)
DEED(execute, execl("/bin/true", "true", NULL))
DEED(connect_out, socket(AF_INET, SOCK_STREAM, 0))
DEED(open_to_write, open("/dev/null", O_WRONLY))
DEED(create, open("created", O_RDONLY | O_CREAT, 0600))
DEED(kill_parent, kill(getppid(), 0))
DEED(trace, ptrace(PTRACE_ATTACH, getppid(), 0, 0))
DEED(begin_process, fork())
DEED(remove_file, unlink("nothing"))
DEED(make_code, mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
DEED(crash, __builtin_trap())

static int is_root(void *arg)
{
	(void)arg;
	return confine_self() || !geteuid() || !getegid();
}

static int reads_secret(void *arg)
{
	(void)arg;
	return confine_self() || open("/etc/shadow", O_RDONLY) >= 0;
}

static int stopped(int (*deed)(void *))
{
	int sig;

	TEST_EQ(confine_run_until(deed, NULL, NULL, UINT64_MAX, &sig), -EBADE);
	TEST_EQ(sig, SIGSYS);
	return 0;
}

TEST(confined_process_computes_and_ends)
{
	int sig;

	TEST_EQ(confine_run_until(nothing, NULL, NULL, UINT64_MAX, &sig), 7);
	TEST_EQ(confine_run_until(is_root, NULL, NULL, UINT64_MAX, &sig), 0);
	TEST_EQ(confine_run_until(reads_secret, NULL, NULL, UINT64_MAX, &sig),
		0);
	return 0;
}

TEST(confined_process_is_stopped_at_what_it_may_not)
{
	return stopped(execute) || stopped(connect_out) ||
	       stopped(open_to_write) || stopped(create) ||
	       stopped(kill_parent) || stopped(trace) ||
	       stopped(begin_process) || stopped(remove_file) ||
	       stopped(make_code);
}

TEST(crash_of_a_confined_process_is_told)
{
	int sig;

	TEST_EQ(confine_run_until(crash, NULL, NULL, UINT64_MAX, &sig), -EBADE);
	TEST_OK(sig == SIGILL || sig == SIGTRAP || sig == SIGABRT);
	return 0;
}

static int read_opened(void *arg)
{
	int fd, s, t;
	char c = 0;

	if (confine_self())
		return 99;
	/* root's own file, and what was not opened */
	if (open("s/info", O_RDONLY) >= 0)
		return 1;
	if (!preopen_find(AT_FDCWD, "s", &s) ||
	    !preopen_find(AT_FDCWD, "t", &t) || !preopen_find(s, "host", &fd) ||
	    fd != -ENOENT || !preopen_find(s, "fifo", &fd) || fd != -ENOENT ||
	    preopen_find(AT_FDCWD, "info", &fd) ||
	    !preopen_find(AT_FDCWD, "no such", &fd) || fd != -ENOENT)
		return 2;
	for (int i = 0; i < 2; i++) {
		if (!preopen_find(s, arg, &fd) || read(fd, &c, 1) != 1 ||
		    c != 'x')
			return 3;
	}
	/* the other session has a file of that name, too */
	if (!preopen_find(t, "info", &fd) || read(fd, &c, 1) != 1 || c != 'z')
		return 4;
	return 7;
}

static int write_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	return fd < 0 || write(fd, text, 2) != 2 || close(fd);
}

TEST(what_was_opened_before_is_found_by_name)
{
	char dir[] = "/tmp/confine.XXXXXX", info[] = "info",
	     bundle[] = "guests/a.bundle";
	int sig, want = geteuid() ? 1 : 7;

	TEST_OK(mkdtemp(dir));
	TEST_EQ(chdir(dir), 0);
	TEST_EQ(mkdir("s", 0700) || mkdir("s/guests", 0700), 0);
	TEST_EQ(mkdir("t", 0700), 0);
	TEST_EQ(write_file("s/info", "xy") ||
			write_file("s/guests/a.bundle", "xy") ||
			write_file("t/info", "zy"),
		0);
	TEST_EQ(mkfifo("s/fifo", 0600), 0);
	TEST_EQ(preopen_session("s"), 0);
	TEST_EQ(preopen_session("t"), 0);
	TEST_EQ(preopen_session("no such"), 0);
	TEST_EQ(confine_run_until(read_opened, NULL, info, UINT64_MAX, &sig),
		want);
	TEST_EQ(confine_run_until(read_opened, NULL, bundle, UINT64_MAX, &sig),
		want);
	unlink("t/info");
	rmdir("t");
	unlink("s/info");
	unlink("s/fifo");
	unlink("s/guests/a.bundle");
	rmdir("s/guests");
	rmdir("s");
	return rmdir(dir);
}

/* What import_bundle() says of these bytes. */
static int import_of(const void *data, size_t size)
{
	struct import_stat stat;
	FILE *f = tmpfile();
	int ret;

	if (!f || fwrite(data, 1, size, f) != size || fflush(f))
		return 1;
	ret = import_bundle(fileno(f), NULL, &stat, NULL);
	fclose(f);
	return ret;
}

TEST(import_leaves_the_files_of_its_caller_alone)
{
	struct build b = { 0 };
	FILE *f = tmpfile();
	struct stat st;

	build_header(&b, VMMPROF_FILE_MAPS);
	TEST_OK(f && fputs("not written yet", f) >= 0);
	TEST_EQ(import_of(b.data, b.size), 0);
	TEST_EQ(fstat(fileno(f), &st), 0);
	TEST_EQ(st.st_size, 0);
	fclose(f);
	return 0;
}

TEST(import_takes_what_can_be_read)
{
	struct build b = { 0 };

	build_header(&b, VMMPROF_FILE_MAPS);
	TEST_EQ(import_of(b.data, b.size), 0);
	TEST_EQ(import_of(b.data, b.size - 1), -ENOEXEC);
	TEST_EQ(import_of("#!/bin/sh\n", 10), -ENOEXEC);
	b.data[0] = 'v';
	TEST_EQ(import_of(b.data, b.size), -ENOEXEC);
	return 0;
}
