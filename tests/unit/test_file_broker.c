// SPDX-License-Identifier: GPL-2.0-only
/* os/file_broker: a process that opens files and one that reads them. */

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "format/bundle.h"
#include "os/elf_confined.h"
#include "os/file_broker.c"
#include "os/proc_maps.h"
#include "test.h"

static struct file_broker_answer last;
static unsigned int answers;

static int yes(void *arg, const struct file_owner *owner)
{
	(void)arg;
	(void)owner;
	return 0;
}

static int keep(void *arg, const struct file_broker_answer *a)
{
	(void)arg;
	last = *a;
	answers++;
	return 0;
}

static const struct file_broker_config config = {
	.memory = 1 << 20,
	.file_ns = 5000000000,
	.ask = yes,
	.answer = keep,
};

/* Our own program, by its first executable mapping. */
static int add_self(struct file_broker *d)
{
	unsigned long long start, stop, off, ino;
	unsigned int major, minor;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4300], perms[5];
	int ret = -ENOENT, at = 0;

	while (f && ret == -ENOENT && fgets(line, sizeof(line), f)) {
		struct mmap_event ev = { .pid = getpid() };

		if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start,
			   &stop, perms, &off, &major, &minor, &ino,
			   &at) != 7 ||
		    perms[2] != 'x' || line[at] != '/')
			continue;
		line[strcspn(line, "\n")] = '\0';
		ev.start = start;
		ev.end = stop;
		ev.ino = ino;
		ev.dev = (__u64)major << 8 | minor;
		ev.path = line + at;
		ret = file_broker_add(d, &ev, 7);
	}
	if (f)
		fclose(f);
	return ret;
}

static int read_status(int pid, const char *key, char *value, size_t size)
{
	char path[40], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	*value = '\0';
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			snprintf(value, size, "%s", line + strlen(key) + 1);
	if (f)
		fclose(f);
	return 0;
}

TEST(what_reads_files_has_no_rights)
{
	struct file_broker *d;
	char value[200];

	TEST_EQ(file_broker_create(&config, &d), 0);
	TEST_EQ(add_self(d), 0);
	TEST_EQ(file_broker_wait(d, 30000), 0);
	TEST_EQ(answers, 1);
	TEST_EQ(last.index, 7);
	TEST_OK(last.opened);
	read_status(d->staff.parser.pid, "CapPrm:", value, sizeof(value));
	TEST_EQ(strtoull(value, NULL, 16), 0);
	read_status(d->staff.parser.pid, "Seccomp:", value, sizeof(value));
	TEST_EQ(atoi(value), 2);
	read_status(d->staff.parser.pid, "NoNewPrivs:", value, sizeof(value));
	TEST_EQ(atoi(value), 1);
	read_status(d->staff.parser.pid, "Uid:", value, sizeof(value));
	TEST_OK(geteuid() || atoi(value) == 65534);
	file_broker_destroy(d);
	return 0;
}

TEST(a_reader_that_ends_is_replaced)
{
	struct file_broker *d;
	int i, pid;

	TEST_EQ(file_broker_create(&config, &d), 0);
	/* begun, and stopped before it has read anything */
	TEST_EQ(file_processes_parser(&d->staff, 0, &(struct file_have){ 0 },
				      false),
		0);
	pid = d->staff.parser.pid;
	TEST_EQ(kill(pid, SIGSTOP), 0);
	TEST_EQ(add_self(d), 0);
	for (i = 0; i < 3000 && !d->parsing; i++) {
		TEST_EQ(file_broker_run(d), 0);
		usleep(10000);
	}
	TEST_OK(d->parsing);
	TEST_EQ(kill(pid, SIGSYS), 0);
	TEST_EQ(kill(pid, SIGCONT), 0);
	TEST_EQ(file_broker_wait(d, 30000), 0);
	TEST_EQ(answers, 1);
	TEST_EQ(last.err, -EBADE);
	/* the next file has another one */
	TEST_EQ(add_self(d), 0);
	TEST_EQ(file_broker_wait(d, 30000), 0);
	TEST_EQ(answers, 2);
	TEST_OK(last.err == 0 || last.err == -EFBIG);
	TEST_OK(d->staff.parser.pid != pid);
	file_broker_destroy(d);
	return 0;
}

TEST(files_are_read_when_somebody_waits_or_many_are_open)
{
	struct file_broker_config sparing = config;
	struct file_broker *d;
	int i;

	sparing.sparing = true;
	TEST_EQ(file_broker_create(&sparing, &d), 0);
	TEST_EQ(add_self(d), 0);
	TEST_EQ(add_self(d), 0);
	/* both are opened at once: they may be deleted meanwhile */
	for (i = 0; i < 3000 && d->held < 2; i++) {
		TEST_EQ(file_broker_run(d), 0);
		usleep(10000);
	}
	for (i = 0; i < 20; i++) {
		TEST_EQ(file_broker_run(d), 0);
		usleep(10000);
	}
	TEST_EQ(d->held, 2);
	TEST_EQ(answers, 0);
	TEST_EQ(file_broker_wait(d, 30000), 0);
	TEST_EQ(answers, 2);
	for (i = 0; i <= FILE_HELD; i++)
		TEST_EQ(add_self(d), 0);
	for (i = 0; i < 3000 && answers == 2; i++) {
		TEST_EQ(file_broker_run(d), 0);
		usleep(10000);
	}
	TEST_OK(answers > 2);
	file_broker_destroy(d);
	return 0;
}

TEST(an_opener_that_hangs_is_replaced)
{
	struct file_broker *d;

	TEST_EQ(file_broker_create(&config, &d), 0);
	d->hangs = HANGS_MAX; /* half a second */
	TEST_EQ(file_processes_opener(&d->staff), 0);
	TEST_EQ(kill(d->staff.opener.pid, SIGSTOP), 0);
	TEST_EQ(add_self(d), 0);
	TEST_EQ(add_self(d), 0);
	TEST_EQ(file_broker_wait(d, 30000), 0);
	/* the first one is given up, the second one is read */
	TEST_EQ(answers, 2);
	TEST_EQ(d->hangs, HANGS_MAX + 1);
	TEST_OK(last.err == 0 || last.err == -EFBIG);
	file_broker_destroy(d);
	return 0;
}

/* Files of our own program that a process has open. */
static unsigned int opened_by(pid_t pid)
{
	char path[64], own[4096] = "", name[4096];
	unsigned int nr = 0;
	ssize_t n;
	int fd;

	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0)
		abort();
	for (fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		n = readlink(path, name, sizeof(name) - 1);
		name[n < 0 ? 0 : n] = '\0';
		nr += !strcmp(name, own);
	}
	return nr;
}

/* It would meet what has hung again, and open the others twice. */
TEST(an_opener_does_not_get_what_the_one_before_was_asked)
{
	struct file_broker_config sparing = config;
	struct file_broker *d;
	int i;

	sparing.sparing = true;
	TEST_EQ(file_broker_create(&sparing, &d), 0);
	d->hangs = HANGS_MAX; /* half a second */
	TEST_EQ(file_processes_opener(&d->staff), 0);
	TEST_EQ(kill(d->staff.opener.pid, SIGSTOP), 0);
	for (i = 0; i < 5; i++)
		TEST_EQ(add_self(d), 0);
	for (i = 0; i < 3000 && d->held < 4; i++) {
		TEST_EQ(file_broker_run(d), 0);
		usleep(10000);
	}
	TEST_EQ(answers, 1);
	TEST_EQ(last.err, -ETIMEDOUT);
	TEST_EQ(d->held, 4);
	usleep(200000);
	TEST_EQ(opened_by(d->staff.opener.pid), 4);
	file_broker_destroy(d);
	return 0;
}

/* What a reader that was taken over could say. */
TEST(a_reader_s_answer_is_checked)
{
	struct told {
		struct vmmprof_segment segment;
		struct vmmprof_symbol symbol;
		char strings[8];
	} m = { .strings = "f" };
	struct file_parsed say = {
		.nr_segments = 1,
		.nr_symbols = 1,
		.strings_size = 2,
	};

	TEST_OK(file_parser_check(&say, &m, sizeof(m)));
	TEST_OK(!file_parser_check(&say, &m,
				   offsetof(struct told, strings) + 1));
	m.symbol.name = 2;
	TEST_OK(!file_parser_check(&say, &m, sizeof(m)));
	/* the end of another name, which would be copied again and again */
	memcpy(m.strings, "ff", 3);
	m.symbol.name = 1;
	say.strings_size = 3;
	TEST_OK(!file_parser_check(&say, &m, sizeof(m)));
	say.strings_size = 2;
	m.symbol.name = 0;
	m.strings[1] = 'x';
	TEST_OK(!file_parser_check(&say, &m, sizeof(m)));
	m.strings[1] = '\0';
	say.strings_size = 0;
	TEST_OK(!file_parser_check(&say, &m, sizeof(m)));
	say.strings_size = 2;
	say.nr_symbols = 0xffffffff;
	TEST_OK(!file_parser_check(&say, &m, sizeof(m)));
	say.nr_symbols = 1;
	say.build_id_size = 21;
	TEST_OK(!file_parser_check(&say, &m, sizeof(m)));
	say.build_id_size = 20;
	say.err = -EFBIG;
	TEST_OK(!file_parser_check(&say, &m, sizeof(m)));
	say.err = 1;
	TEST_OK(!file_parser_check(&say, &m, sizeof(m)));
	/* an unwind table is behind the others, or alone */
	say.err = 0;
	say.unwind_size = sizeof(struct vmmprof_unwind);
	TEST_OK(!file_parser_check(&say, &m, sizeof(m)));
	TEST_OK(file_parser_check(&say, &m, sizeof(m) + say.unwind_size));
	say.unwind_size--;
	TEST_OK(!file_parser_check(&say, &m, sizeof(m) + 64));
	say = (struct file_parsed){ .cached = 1, .unwind_size = 40 };
	TEST_OK(file_parser_check(&say, &m, 40));
	say.unwind_size = 41;
	TEST_OK(!file_parser_check(&say, &m, 40));
	return 0;
}

TEST(segments_are_read_apart_as_they_are)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct elffile here, apart;

	TEST_EQ(elffile_read_segments(fd, &here), 0);
	TEST_EQ(elffile_read_apart(fd, &apart), 0);
	TEST_OK(here.nr_segments && here.build_id_size);
	TEST_EQ(apart.nr_segments, here.nr_segments);
	TEST_OK(!memcmp(apart.segments, here.segments,
			here.nr_segments * sizeof(*here.segments)));
	TEST_EQ(apart.build_id_size, here.build_id_size);
	TEST_OK(!memcmp(apart.build_id, here.build_id, here.build_id_size));
	elffile_free(&here);
	elffile_free(&apart);
	close(fd);
	fd = open("/etc/passwd", O_RDONLY);
	TEST_EQ(elffile_read_apart(fd, &apart), -ENOEXEC);
	close(fd);
	return 0;
}
