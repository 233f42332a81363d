// SPDX-License-Identifier: GPL-2.0-only
/* Session directories: written, cut short, overwritten only when they may be. */

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "format/items.h"
#include "format/session_dir.h"
#include "format/session_writer.h"

static char base[64], dir[96];

static void begin(void)
{
	strcpy(base, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(base))
		abort();
	snprintf(dir, sizeof(dir), "%s/s", base);
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", base);
	if (system(command))
		abort();
}

static void put(const char *name, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", base, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static bool exists(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", base, name);
	return !access(path, F_OK);
}

/* Reads info; its items' types in order as a string of letters. */
static const char *types(void)
{
	static const char letters[] = ".TCNE...........eVvGPSRYWXx";
	static char out[64];
	const struct vmmprof_item_hdr *hdr;
	struct items it;
	char path[160];
	size_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/info", dir);
	fd = open(path, O_RDONLY);
	if (fd < 0 || items_init(&it, fd, VMMPROF_FILE_INFO))
		return "unreadable";
	while (items_next(&it, &hdr) == 1 && n < sizeof(out) - 1)
		out[n++] = letters[hdr->type];
	out[n] = '\0';
	items_deinit(&it);
	close(fd);
	return out;
}

static int write_session(bool force, bool finished)
{
	const struct vmmprof_event event = { .period = 5 };
	const struct vmmprof_cpu_stat stat = { .cpu = 1 };
	const struct vmmprof_info_vcpu_state state = { .pid = 5, .tid = 6 };
	const struct vmmprof_exit exit = { .pid = 5, .reason = 10 };
	struct session_writer w;
	int ret, fd;

	ret = session_writer_create(dir, force, &w, NULL);
	if (ret)
		return ret;
	ret = session_writer_records(&w, 1, &fd);
	if (!ret)
		close(fd);
	session_writer_switches(&w, true, 0);
	session_writer_event(&w, 0, "ref-cycles", &event);
	session_writer_vm(&w, 5, 1, 0, "web");
	session_writer_vcpu(&w, 5, 6, 0, "CPU 0/KVM");
	session_writer_vcpu_state(&w, &state);
	if (finished) {
		session_writer_cpu(&w, &stat);
		session_writer_exit(&w, &exit);
		session_writer_exits(&w, true, 0, 1);
		session_writer_stop(&w, 1, 2, VMMPROF_STOP_DURATION, 0);
	}
	return session_writer_close(&w, finished) ?: ret;
}

TEST(session_has_its_items_in_order)
{
	begin();
	TEST_EQ(write_session(false, true), 0);
	TEST_STR(types(), "WeVvYPxXSE");
	TEST_OK(exists("s/cpu-1.rec"));
	end();
	return 0;
}

TEST(session_is_on_the_disk_or_says_what_is_not)
{
	char name[SESSION_FILE_NAME];
	int fd;

	begin();
	TEST_EQ(write_session(false, true), 0);
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	TEST_EQ(session_dir_sync(fd, name), 0);
	TEST_EQ(symlinkat("info", fd, "cpu-7.rec"), 0);
	TEST_EQ(session_dir_sync(fd, name), -ELOOP);
	TEST_STR(name, "cpu-7.rec");
	TEST_EQ(unlinkat(fd, "cpu-7.rec", 0), 0);
	close(fd);
	end();
	return 0;
}

TEST(session_of_dead_writer_lacks_end)
{
	begin();
	TEST_EQ(write_session(false, false), 0);
	TEST_STR(types(), "WeVvY");
	end();
	return 0;
}

TEST(session_is_readable_as_soon_as_created)
{
	struct session_writer w;

	begin();
	TEST_EQ(session_writer_create(dir, false, &w, NULL), 0);
	TEST_STR(types(), "");
	TEST_EQ(session_dir_check(dir, true, NULL), 0);
	TEST_EQ(session_writer_close(&w, false), 0);
	end();
	return 0;
}

TEST(session_is_not_overwritten_without_force)
{
	struct error e;

	begin();
	TEST_EQ(write_session(false, true), 0);
	TEST_EQ(session_dir_check(dir, false, &e), -EEXIST);
	TEST_EQ(e.code, -EEXIST);
	TEST_OK(strstr(e.text, dir) && strstr(e.hints[0], "--force"));
	TEST_EQ(write_session(false, false), -EEXIST);
	TEST_STR(types(), "WeVvYPxXSE");
	end();
	return 0;
}

TEST(session_force_replaces_all_of_it)
{
	begin();
	TEST_EQ(write_session(false, true), 0);
	put("s/cpu-77.rec", "old");
	put("s/cpu-77.rec.part", "old");
	put("s/host", "old");
	mkdir(strcat(strcpy((char[96]){ 0 }, dir), "/guests"), 0700);
	put("s/guests/a.bundle", "old");
	TEST_EQ(session_dir_check(dir, true, NULL), 0);
	TEST_EQ(write_session(true, false), 0);
	TEST_STR(types(), "WeVvY");
	TEST_OK(!exists("s/cpu-77.rec") && !exists("s/host"));
	TEST_OK(!exists("s/cpu-77.rec.part") && !exists("s/guests"));
	end();
	return 0;
}

TEST(session_force_spares_foreign_files)
{
	begin();
	TEST_EQ(write_session(false, true), 0);
	put("s/notes.txt", "mine");
	TEST_EQ(write_session(true, false), -ENOTEMPTY);
	TEST_STR(types(), "WeVvYPxXSE");
	TEST_OK(exists("s/notes.txt") && exists("s/cpu-1.rec"));
	end();
	return 0;
}

TEST(session_force_spares_foreign_bundles)
{
	char name[32];
	char c;

	begin();
	TEST_EQ(write_session(false, true), 0);
	mkdir(strcat(strcpy((char[96]){ 0 }, dir), "/guests"), 0700);
	put("s/guests/thesis.tex", "mine");
	for (c = 'a'; c <= 'z'; c++) {
		snprintf(name, sizeof(name), "s/guests/%c.bundle", c);
		put(name, "old");
	}
	TEST_EQ(write_session(true, false), -ENOTEMPTY);
	for (c = 'a'; c <= 'z'; c++) {
		snprintf(name, sizeof(name), "s/guests/%c.bundle", c);
		TEST_OK(exists(name));
	}
	TEST_OK(exists("s/guests/thesis.tex") && exists("s/cpu-1.rec"));
	end();
	return 0;
}

TEST(session_force_spares_what_is_no_session)
{
	begin();
	put("info", "a file that happens to be called so");
	TEST_EQ(session_dir_check(base, true, NULL), -ENOTEMPTY);
	strcpy(dir, base);
	TEST_EQ(write_session(true, false), -ENOTEMPTY);
	TEST_OK(exists("info"));
	snprintf(dir, sizeof(dir), "%s/info", base);
	TEST_EQ(session_dir_check(dir, true, NULL), -ENOTDIR);
	end();
	return 0;
}

TEST(session_may_go_into_an_empty_directory)
{
	begin();
	mkdir(dir, 0755);
	TEST_EQ(session_dir_check(dir, false, NULL), 0);
	TEST_EQ(write_session(false, true), 0);
	end();
	return 0;
}

TEST(session_takes_a_bundle_and_nothing_else)
{
	struct vmmprof_file_hdr hdr = {
		.magic = VMMPROF_MAGIC,
		.kind = VMMPROF_FILE_RECORDS,
	};
	struct session_writer w;
	char file[96];
	FILE *f;

	begin();
	snprintf(file, sizeof(file), "%s/b", base);
	TEST_EQ(session_writer_create(dir, false, &w, NULL), 0);
	TEST_EQ(session_writer_bundle(&w, 5, "web", file), -ENOENT);
	put("b", "this is no bundle, but long enough to be one");
	TEST_EQ(session_writer_bundle(&w, 5, "web", file), -ENOEXEC);
	TEST_OK(!exists("s/guests/web.bundle"));
	f = fopen(file, "w");
	TEST_EQ(fwrite(&hdr, sizeof(hdr), 1, f), 1);
	fclose(f);
	TEST_EQ(session_writer_bundle(&w, 5, "web", file), -ENOEXEC);
	hdr.kind = VMMPROF_FILE_MAPS;
	f = fopen(file, "w");
	TEST_EQ(fwrite(&hdr, sizeof(hdr), 1, f), 1);
	fclose(f);
	TEST_EQ(session_writer_bundle(&w, 5, "../x", file), -EINVAL);
	TEST_EQ(session_writer_bundle(&w, 5, "web", file), 0);
	TEST_EQ(session_writer_bundle(&w, 5, "web", file), -EEXIST);
	TEST_OK(exists("s/guests/web.bundle"));
	TEST_EQ(session_writer_close(&w, true), 0);
	TEST_STR(types(), "GE");
	end();
	return 0;
}
