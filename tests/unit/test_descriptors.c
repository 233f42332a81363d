// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processes have open when they give up their rights: of what their
 * parent had, only what each needs.
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* libvirt's library, which need not be installed */
#define dlopen library_open
#define dlsym  library_symbol
static void *library_open(const char *name, int flags);
static void *library_symbol(void *library, const char *name);
#include "transport/libvirt_broker.c"
#undef dlopen
#undef dlsym

#include "base/child.h"
#include "build.h"
#include "format/items.h"
#include "format/session_writer.h"
#include "host/kernel_text.h"
#include "os/file_processes.h"
#include "os/jit_map.h"
#include "os/symbol_budget.h"
#include "sandbox/debuginfod.h"
#include "sandbox/opener.h"
#include "symcache/cache.h"
#include "test.h"
#include "transport/collect.h"
#include "transport/import.h"
#include "tree.h"

#define MAX_FD 1024
#define PID    77

/* Of all processes of a test: a letter for each descriptor. */
static struct said {
	unsigned int begun, nr;
	char open[8][64];
} * said;

/* Character devices, directories, files, sockets: in this order. */
static void list_open(const char *proc, char *list, size_t size)
{
	static const mode_t types[] = { S_IFCHR, S_IFDIR, S_IFREG, S_IFSOCK };
	char path[64];
	struct stat st;
	size_t n = 0;
	int i, fd;

	for (i = 0; i < 4; i++)
		for (fd = 0; fd < MAX_FD; fd++) {
			snprintf(path, sizeof(path), "%s/fd/%d",
				 proc ? proc : "", fd);
			if (!(proc ? stat(path, &st) : fstat(fd, &st)) &&
			    (st.st_mode & S_IFMT) == types[i] && n < size - 1)
				list[n++] = "cdfs"[i];
		}
	list[n] = '\0';
}

/* In the place of libseccomp's: where all of them give up their rights. */
int seccomp_load(const scmp_filter_ctx ctx)
{
	int (*load)(scmp_filter_ctx ctx);
	void *f = dlsym(RTLD_NEXT, "seccomp_load");
	unsigned int i;

	memcpy(&load, &f, sizeof(load));
	i = __atomic_fetch_add(&said->begun, 1, __ATOMIC_SEQ_CST);
	if (i < 8)
		list_open(NULL, said->open[i], sizeof(said->open[i]));
	__atomic_fetch_add(&said->nr, 1, __ATOMIC_SEQ_CST);
	return load(ctx);
}

/* What nobody is to have: sockets, since these are what many need. */
static char dir[64];

static int begin(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), i;

	said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	strcpy(dir, "/tmp/vmmprof-test-XXXXXX");
	if (fd < 0 || said == MAP_FAILED || !mkdtemp(dir) || chmod(dir, 0755))
		return -1;
	for (i = 3; i < 100; i += 3)
		if (fcntl(i, F_GETFD) < 0 && dup2(fd, i) < 0)
			return -1;
	return 0;
}

static int end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Waits until @nr of them have begun; all have this open. */
static int have(unsigned int nr, const char *want)
{
	unsigned int i;

	for (i = 0;
	     i < 1000 && __atomic_load_n(&said->nr, __ATOMIC_SEQ_CST) < nr; i++)
		usleep(10000);
	TEST_EQ(said->begun, nr);
	for (i = 0; i < nr; i++)
		TEST_STR(said->open[i], want);
	return 0;
}

TEST(parser_of_files)
{
	struct file_processes s;

	TEST_EQ(begin(), 0);
	TEST_EQ(file_processes_init(&s, 4096), 0);
	TEST_EQ(file_processes_parser(&s, 0, &(struct file_have){ 0 }, false),
		0);
	/* to the recorder and the opener */
	TEST_EQ(have(1, "cccss"), 0);
	file_processes_end_parser(&s);
	file_processes_deinit(&s);
	return end();
}

/* It keeps its rights: looked at from outside. */
TEST(opener_of_files)
{
	char list[64] = "", proc[32];
	struct file_processes s;
	int i;

	TEST_EQ(begin(), 0);
	TEST_EQ(file_processes_init(&s, 4096), 0);
	TEST_EQ(file_processes_opener(&s), 0);
	snprintf(proc, sizeof(proc), "/proc/%d", s.opener.pid);
	/* its first act is to close them */
	for (i = 0; i < 1000 && strcmp(list, "cccss"); i++) {
		usleep(10000);
		list_open(proc, list, sizeof(list));
	}
	TEST_STR(list, "cccss");
	file_processes_end_opener(&s);
	file_processes_deinit(&s);
	return end();
}

TEST(reader_of_jit_code)
{
	struct symbol_budget budget;
	struct item_writer w;
	struct jit_map *jm;
	char path[96];
	FILE *f;

	TEST_EQ(begin(), 0);
	snprintf(path, sizeof(path), "%s/maps", dir);
	TEST_EQ(item_writer_open(&w, AT_FDCWD, path, VMMPROF_FILE_MAPS), 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	TEST_OK(f && fputs("7000 40 hot_loop\n", f) >= 0 && !fclose(f));
	symbol_budget_init(&budget, &symlimits_host);
	TEST_EQ(jit_map_create(&w, &budget, &jm), 0);
	TEST_EQ(jit_map_process(jm, getpid(), 55), 0);
	TEST_EQ(jit_map_look(jm, true), 0);
	unlink(path);
	/* to the recorder, twice the same */
	TEST_EQ(have(1, "cccss"), 0);
	jit_map_destroy(jm);
	symbol_budget_deinit(&budget);
	item_writer_close(&w, true);
	return end();
}

static int bundle(void)
{
	static struct build b;
	int fd = memfd_create("bundle", MFD_CLOEXEC);

	build_header(&b, VMMPROF_FILE_MAPS);
	return write(fd, b.data, b.size) == (ssize_t)b.size ? fd : -1;
}

TEST(importer_of_bundles)
{
	struct import_stat stat;
	struct code_merge_stat code_stat;
	int fd, code = memfd_create("code", MFD_CLOEXEC);

	TEST_EQ(begin(), 0);
	fd = bundle();
	TEST_OK(fd >= 0);
	TEST_EQ(import_bundle(fd, NULL, &stat, NULL), 0);
	TEST_EQ(have(1, "f"), 0);
	/* that, and the code that is appended */
	memset(said, 0, sizeof(*said));
	import_code(fd, code, 0, &code_stat, NULL);
	TEST_EQ(have(1, "ff"), 0);
	close(fd);
	return end();
}

/* A VM, by what /proc says of it. */
static void put_vm(const char *cmdline, size_t size)
{
	char path[64], status[64];

	snprintf(path, sizeof(path), "proc/%u/cmdline", PID);
	tree_put_bytes(dir, path, cmdline, size);
	snprintf(path, sizeof(path), "proc/%u/status", PID);
	snprintf(status, sizeof(status), "Name:\tqemu\nUid:\t%u\t%u\t%u\t%u\n",
		 getuid(), getuid(), getuid(), getuid());
	tree_put(dir, path, status);
}

TEST(importer_with_a_cache)
{
	struct symcache_guest guest;
	struct import_stat stat;
	struct symcache cache;
	char path[96];
	int fd;

	TEST_EQ(begin(), 0);
	put_vm("qemu\0-name\0a", 13);
	snprintf(path, sizeof(path), "%s/cache", dir);
	TEST_EQ(symcache_open(&cache, path, true), 0);
	TEST_EQ(symcache_claim(&cache, dir, PID), 0);
	TEST_EQ(symcache_guest_open(&cache, PID, "a", &guest), 0);
	fd = bundle();
	TEST_EQ(import_bundle(fd, &guest, &stat, NULL), 0);
	/* the bundle, what is taken from the cache and put into it, its broker */
	TEST_EQ(have(1, "fffs"), 0);
	symcache_guest_close(&guest);
	symcache_close(&cache);
	return end();
}

/* An agent's socket that takes a connection and says nothing. */
static int silent_agent(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	static const char qemu[] =
		"qemu-system-x86_64\0-chardev\0"
		"socket,path=/ga,server=on,wait=off,id=c0\0-device\0"
		"virtserialport,chardev=c0,name=org.qemu.guest_agent.0";
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	put_vm(qemu, sizeof(qemu));
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/ga", dir);
	return bind(fd, (void *)&addr, sizeof(addr)) || listen(fd, 1);
}

TEST(who_talks_to_a_guest)
{
	const struct vm vm = { .pid = PID, .name = "web" };
	struct session_writer w;
	struct collect c = {
		.root = dir,
		.out = &w,
		.program = "/proc/self/exe",
		.allow = 1u << VMMPROF_REACH_AGENT,
		.watch_limit = 10,
		.begin_ns = 100000000,
		.end_ns = 100000000,
	};
	char path[96];

	TEST_EQ(begin(), 0);
	TEST_EQ(silent_agent(), 0);
	snprintf(path, sizeof(path), "%s/s", dir);
	TEST_EQ(session_writer_create(path, false, &w, NULL), 0);
	TEST_EQ(collect_open(&c), 0);
	TEST_EQ(collect_add(&c, &vm), 0);
	collect_begin(&c);
	collect_end(&c);
	/* the bundle, the program, twice; to the recorder and the agent */
	TEST_EQ(have(1, "cccfffss"), 0);
	collect_deinit(&c);
	TEST_EQ(session_writer_close(&w, true), 0);
	return end();
}

static void *connection(void)
{
	return said;
}

static void *library_open(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return said;
}

/* Called with more arguments, which it has no names for. */
static void *library_symbol(void *library, const char *name)
{
	void *(*f)(void) = connection;
	void *ret;

	(void)library;
	(void)name;
	memcpy(&ret, &f, sizeof(ret));
	return ret;
}

TEST(connection_to_libvirt)
{
	struct channel c = { .address = LIBVIRT_SYSTEM };
	struct libvirt_domain domain = { &c, "web" };
	int sock, status;
	pid_t pid;

	TEST_EQ(begin(), 0);
	pid = child_begin(SOCK_STREAM, libvirt_carry, &domain, &sock);
	TEST_OK(pid > 0);
	TEST_EQ(have(1, "cccs"), 0);
	close(sock);
	TEST_EQ(waitpid(pid, &status, 0), pid);
	return end();
}

TEST(opener_beside_a_reader)
{
	TEST_EQ(begin(), 0);
	TEST_EQ(opener_start(), 0);
	TEST_EQ(have(1, "cccs"), 0);
	return end();
}

TEST(kernel_text_server)
{
	const struct kernel_files files = {
		.kcore = "/dev/null",
		.kallsyms = "/dev/null",
		.modules = "/dev/null",
		.boot_id = "/proc/sys/kernel/random/boot_id",
	};
	struct kernel_text t;

	TEST_EQ(begin(), 0);
	TEST_EQ(kernel_text_start(&t, &files), 0);
	/* its three files, which are /dev/null here; who asks */
	TEST_EQ(have(1, "cccs"), 0);
	kernel_text_end(&t);
	return end();
}

TEST(client_of_debuginfod_servers)
{
	struct debuginfod d;
	char path[96];
	int ret;

	TEST_EQ(begin(), 0);
	snprintf(path, sizeof(path), "%s/cache", dir);
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
	setenv("DEBUGINFOD_CACHE_PATH", path, 1);
	ret = debuginfod_start(&d, 1, NULL);
	if (ret != -ELIBACC) {
		TEST_EQ(ret, 0);
		/* who asks; the cache until this is over */
		TEST_EQ(have(1, "cccds"), 0);
		debuginfod_end(&d);
	}
	return end();
}
