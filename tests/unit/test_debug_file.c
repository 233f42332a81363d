// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/os/map_files.c: the debug file below the process's own root. */

#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "format/items.h"
#include "format/bundle.h"
#include "os/symbol_budget.h"
#include "os/proc_maps.h"
#include "test.h"

/* DIR/a.so, stripped, and its debug file; DIR/other: another's in its place. */
static const char make_files[] =
	"set -e; cd %s\n"
	"printf 'static int __attribute__((noinline)) hidden_one(int x)\\n"
	"{ return x * %d; }\\n"
	"int public_one(int x) { return hidden_one(x) + 1; }\\n' > a.c\n"
	"gcc -g -O1 -fPIC -shared -Wl,--build-id -o a.so a.c\n"
	"id=$(readelf -n a.so | sed -n 's/.*Build ID: //p')\n"
	"d=usr/lib/debug/.build-id/$(echo $id | cut -c1-2)\n"
	"mkdir -p $d\n"
	"objcopy --only-keep-debug a.so $d/$(echo $id | cut -c3-).debug\n"
	"strip a.so\n";

/* The same without a build-id: found by name and checksum, at %s. */
static const char make_link[] =
	"set -e; cd %s\n"
	"printf 'static int __attribute__((noinline)) hidden_one(int x)\n"
	"{ return x * 7; }\n"
	"int public_one(int x) { return hidden_one(x) + 1; }\n' > a.c\n"
	"gcc -g -O1 -fPIC -shared -Wl,--build-id=none -o a.so a.c\n"
	"d=%s; mkdir -p $d\n"
	"objcopy --only-keep-debug a.so $d/a.debug\n"
	"strip a.so; objcopy --add-gnu-debuglink=$d/a.debug a.so\n"
	"[ $d != beside ] || { mv beside/a.debug .; rmdir beside; }\n";

/* Does a SYMTAB of the finished file hold this name? */
static bool has_symbol(int fd, const char *name)
{
	const struct vmmprof_item_hdr *hdr;
	struct items it;
	bool found = false;

	if (items_init(&it, fd, VMMPROF_FILE_MAPS))
		return false;
	while (items_next(&it, &hdr) == 1)
		if (hdr->type == VMMPROF_MAPS_SYMTAB &&
		    memmem(hdr, hdr->size, name, strlen(name) + 1))
			found = true;
	items_deinit(&it);
	return found;
}

/* A child in that root maps a.so; the parent looks at it. */
static int look(const char *dir, bool *found)
{
	char path[64], byte;
	struct item_writer w;
	struct proc_maps *pm;
	int ready[2], fd, pid;

	TEST_EQ(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chroot(dir))
			_exit(1);
		fd = open("/a.so", O_RDONLY);
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	TEST_EQ(read(ready[0], &byte, 1), 1);
	snprintf(path, sizeof(path), "%s/maps", dir);
	TEST_EQ(item_writer_open(&w, AT_FDCWD, path, VMMPROF_FILE_MAPS), 0);
	fd = open(path, O_RDONLY);
	TEST_EQ(proc_maps_create(&w, &symlimits_host, &pm), 0);
	TEST_EQ(proc_maps_scan(pm), 0);
	proc_maps_destroy(pm);
	item_writer_close(&w, true);
	unlink(path);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	*found = has_symbol(fd, "hidden_one");
	close(fd);
	return 0;
}

TEST(debug_file_below_the_process_s_root)
{
	char dir[] = "/tmp/vmmprof-XXXXXX", cmd[2048];
	bool found;

	if (geteuid()) {
		printf("# skipped: needs root (chroot)\n");
		return 0;
	}
	TEST_OK(mkdtemp(dir));
	snprintf(cmd, sizeof(cmd), make_files, dir, 7);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(look(dir, &found), 0);
	TEST_EQ(found, true);
	/* a user's says nothing of a program that is root's */
	snprintf(cmd, sizeof(cmd), "chown 65533 $(find %s/usr -name '*.debug')",
		 dir);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(look(dir, &found), 0);
	TEST_EQ(found, false);
	snprintf(cmd, sizeof(cmd), "chown 0 $(find %s/usr -name '*.debug')",
		 dir);
	TEST_EQ(system(cmd), 0);
	/* another program's debug file does not count */
	snprintf(
		cmd, sizeof(cmd),
		"cd %s; f=$(find usr -name '*.debug'); sed -i 's/x \\* 7/x * 9/' a.c;"
		"gcc -g -O1 -fPIC -shared -Wl,--build-id -o b.so a.c;"
		"objcopy --only-keep-debug b.so $f",
		dir);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(look(dir, &found), 0);
	TEST_EQ(found, false);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	TEST_EQ(system(cmd), 0);
	return 0;
}

TEST(debug_file_by_its_link_where_there_is_no_build_id)
{
	static const char *const places[] = { "beside", ".debug",
					      "usr/lib/debug" };
	char dir[] = "/tmp/vmmprof-XXXXXX", cmd[2048];
	unsigned int i;
	bool found;

	if (geteuid()) {
		printf("# skipped: needs root (chroot)\n");
		return 0;
	}
	TEST_OK(mkdtemp(dir));
	for (i = 0; i < 3; i++) {
		snprintf(cmd, sizeof(cmd), make_link, dir, places[i]);
		TEST_EQ(system(cmd), 0);
		TEST_EQ(look(dir, &found), 0);
		TEST_EQ(found, true);
		/* one byte more: another file */
		snprintf(cmd, sizeof(cmd),
			 "cd %s; printf x >> $(find . -name a.debug)", dir);
		TEST_EQ(system(cmd), 0);
		TEST_EQ(look(dir, &found), 0);
		TEST_EQ(found, false);
		snprintf(cmd, sizeof(cmd), "rm -rf %s/* %s/.debug", dir, dir);
		TEST_EQ(system(cmd), 0);
	}
	/* a link that would leave the directory */
	snprintf(cmd, sizeof(cmd), make_link, dir, "usr/lib/debug");
	TEST_EQ(system(cmd), 0);
	snprintf(cmd, sizeof(cmd), "cd %s; sed -i 's,a\\.debug,../xxxx,' a.so",
		 dir);
	TEST_EQ(system(cmd), 0);
	TEST_EQ(look(dir, &found), 0);
	TEST_EQ(found, false);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	TEST_EQ(system(cmd), 0);
	return 0;
}
