// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of stripped files: bounds as readelf has them of .eh_frame, stubs
 * of .plt by the names that objdump gives them.
 */

#include <fcntl.h>
#include <unistd.h>

#include "sym/elf.h"
#include "test.h"

static const char source[] =
	"cat > a.c <<'END'\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"static int __attribute__((noinline)) hidden_one(int x)\n"
	"{ return puts(\"\") + x * 7; }\n"
	"static int __attribute__((noinline)) hidden_two(int x)\n"
	"{ return x > 5 ? hidden_one(x - 1) : abs(rand()) + x; }\n"
	"int main(int argc, char **argv)\n"
	"{ return hidden_two(argc) + strlen(argv[argc - 1]) +\n"
	"  !!strstr(argv[0], getenv(\"HOME\")); }\n"
	"END\n";

/* Ways to link it: where stubs are and what they look like differs. */
static const char *const ways[] = {
	"-pie -fPIE -Wl,-z,lazy",
	"-no-pie -fno-pie -Wl,-z,now",
	"-pie -fPIE -Wl,-z,lazy -fcf-protection -Wl,-z,ibtplt",
	"-pie -fPIE -Wl,-z,now -fcf-protection -Wl,-z,ibtplt",
	"-shared -fPIC",
	"-static",
	"-static-pie -fPIE",
};

static int shell(const char *dir, const char *fmt, const char *arg)
{
	char cmd[4096];

	snprintf(cmd, sizeof(cmd), "set -e; cd %s\n", dir);
	snprintf(cmd + strlen(cmd), sizeof(cmd) - strlen(cmd), fmt, arg);
	return system(cmd);
}

static int read_elf(const char *dir, const char *name, struct elffile *e)
{
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY);
	ret = fd < 0 ? -errno : elffile_read(fd, e);
	close(fd);
	return ret;
}

/* The symbol at the address, NULL: none. */
static const struct vmmprof_symbol *at(const struct elffile *e, __u64 addr)
{
	size_t i;

	for (i = 0; i < e->nr_symbols; i++)
		if (e->symbols[i].addr == addr)
			return &e->symbols[i];
	return NULL;
}

static const char *name_at(const struct elffile *e, __u64 addr)
{
	const struct vmmprof_symbol *s = at(e, addr);

	return s ? e->strings + s->name : "(none)";
}

/* Is there a named one around the address? */
static bool named(const struct elffile *e, __u64 addr)
{
	size_t i;

	for (i = 0; i < e->nr_symbols; i++)
		if (e->strings[e->symbols[i].name] &&
		    addr - e->symbols[i].addr < e->symbols[i].size)
			return true;
	return false;
}

/*
 * Each FDE that readelf finds has its function, and no function without a name
 * is anything else.
 */
static int check_bounds(const char *dir, const char *name,
			const struct elffile *e)
{
	const struct vmmprof_symbol *s;
	unsigned long long start, end;
	size_t i, unnamed = 0, found = 0;
	char cmd[256], line[512], *pc;
	FILE *f;

	for (i = 0; i < e->nr_symbols; i++)
		unnamed += !e->strings[e->symbols[i].name];
	snprintf(cmd, sizeof(cmd), "readelf --debug-dump=frames %s/%s", dir,
		 name);
	f = popen(cmd, "r");
	while (fgets(line, sizeof(line), f)) {
		pc = strstr(line, " pc=");
		if (!pc || sscanf(pc, " pc=%llx..%llx", &start, &end) != 2)
			continue;
		s = at(e, start);
		TEST_OK(s || named(e, start));
		if (!s || e->strings[s->name])
			continue;
		TEST_EQ(s->size, end - start);
		found++;
	}
	pclose(f);
	TEST_EQ(found, unnamed);
	return 0;
}

/*
 * *nr: stubs that objdump has.  Of a function with several versions it has no
 * name, but we, if there is a symbol.
 */
static int check_stubs(const char *dir, const char *name,
		       const struct elffile *e, size_t *nr)
{
	char cmd[256], line[512], stub[256];
	unsigned long long addr;
	bool symbols = !e->stripped;
	FILE *f;

	*nr = 0;
	snprintf(cmd, sizeof(cmd), "objdump -d %s/%s", dir, name);
	f = popen(cmd, "r");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx <%255[^>]>:", &addr, stub) != 2 ||
		    strlen(stub) < 4 || strcmp(stub + strlen(stub) - 4, "@plt"))
			continue;
		++*nr;
		if (stub[0] != '*' || !symbols)
			TEST_STR(name_at(e, addr), stub);
		else
			TEST_OK(at(e, addr) &&
				strstr(name_at(e, addr), "@plt"));
	}
	pclose(f);
	return 0;
}

TEST(elf_bounds_and_stubs_of_stripped_files)
{
	char dir[] = "/tmp/vmmprof-XXXXXX";
	struct elffile e;
	size_t i, nr, stubs = 0;

	TEST_OK(mkdtemp(dir));
	TEST_EQ(shell(dir, "%s", source), 0);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		TEST_EQ(shell(dir, "gcc -O1 %s -o a a.c; strip -o b a",
			      ways[i]),
			0);
		TEST_EQ(read_elf(dir, "b", &e), 0);
		TEST_EQ(check_bounds(dir, "b", &e), 0);
		TEST_EQ(check_stubs(dir, "b", &e, &nr), 0);
		stubs += nr;
		elffile_free(&e);
		TEST_EQ(read_elf(dir, "a", &e), 0);
		TEST_EQ(check_bounds(dir, "a", &e), 0);
		TEST_EQ(check_stubs(dir, "a", &e, &nr), 0);
		elffile_free(&e);
	}
	TEST_OK(stubs >= 25);
	TEST_EQ(shell(dir, "cd /; rm -rf %s", dir), 0);
	return 0;
}

/* Of a static program the stubs are of functions with several versions. */
TEST(elf_stubs_of_static_programs_have_the_function_s_name)
{
	char dir[] = "/tmp/vmmprof-XXXXXX";
	size_t i, n = 0, all = 0;
	struct elffile e;
	char want[64];

	TEST_OK(mkdtemp(dir));
	TEST_EQ(shell(dir, "%s", source), 0);
	TEST_EQ(shell(dir, "gcc -O1 %s -o a a.c", "-static"), 0);
	TEST_EQ(read_elf(dir, "a", &e), 0);
	for (i = 0; i < e.nr_symbols; i++) {
		const char *name = e.strings + e.symbols[i].name;

		n += !strcmp(name, "strlen@plt");
		all += !!strstr(name, "@plt");
		TEST_OK(strcmp(name, ".plt"));
	}
	TEST_EQ(n, 1);
	elffile_free(&e);
	snprintf(want, sizeof(want), "%zu", all);
	TEST_EQ(shell(dir,
		      "test $(readelf -rW a | grep -c R_X86_64_IRELATIV) -eq %s",
		      want),
		0);
	TEST_EQ(shell(dir, "cd /; rm -rf %s", dir), 0);
	return 0;
}

/* Its debug file names the functions; the stubs stay. */
TEST(elf_debug_file_names_what_has_bounds)
{
	char dir[] = "/tmp/vmmprof-XXXXXX", path[64];
	size_t i, unnamed = 0, hidden = 0, stubs = 0;
	struct elffile e;
	int fd;

	TEST_OK(mkdtemp(dir));
	TEST_EQ(shell(dir, "%s", source), 0);
	TEST_EQ(shell(dir,
		      "gcc -O1 %s -Wl,--build-id -o a a.c; strip -o b a;"
		      "objcopy --only-keep-debug a a.debug",
		      "-pie"),
		0);
	TEST_EQ(read_elf(dir, "b", &e), 0);
	snprintf(path, sizeof(path), "%s/a.debug", dir);
	fd = open(path, O_RDONLY);
	TEST_EQ(elffile_add_debug(&e, fd), 0);
	close(fd);
	for (i = 0; i < e.nr_symbols; i++) {
		const char *name = e.strings + e.symbols[i].name;

		unnamed += !*name;
		hidden += !strncmp(name, "hidden_", 7);
		stubs += !!strstr(name, "@plt");
	}
	TEST_EQ(unnamed, 0);
	TEST_EQ(hidden, 2);
	TEST_OK(stubs >= 4);
	elffile_free(&e);
	TEST_EQ(shell(dir, "cd /; rm -rf %s", dir), 0);
	return 0;
}
