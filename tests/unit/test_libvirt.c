// SPDX-License-Identifier: GPL-2.0-only
/* Which VMs are libvirt's, found in made-up trees of /proc and /run. */

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "tree.h"
#include "transport/channel.h"
#include "transport/ways.h"

#define PID    300
#define SYSTEM "run/libvirt/qemu/web.pid"

enum { LIBVIRT = 1u << VMMPROF_REACH_LIBVIRT };

/* As libvirt 9.0 starts QEMU 7.2: '|' stands for the NUL of an argument. */
#define BEGIN(name)                                     \
	"/usr/bin/qemu-system-x86_64|-name|guest=" name \
	",debug-threads=on|-S|"                         \
	"-machine|pc-q35-7.2,usb=off|-accel|kvm|"       \
	"-uuid|8d2f5a3e-7c51-4a06-9b1e-0f3c1d2e4b5a|"   \
	"-device|{\"driver\":\"virtio-serial-pci\",\"id\":\"virtio-serial0\"}|"
#define PORT                                                                   \
	"-device|{\"driver\":\"virtserialport\",\"bus\":\"virtio-serial0.0\"," \
	"\"nr\":1,\"chardev\":\"charchannel0\",\"id\":\"channel0\","           \
	"\"name\":\"org.qemu.guest_agent.0\"}|"
#define CHANNEL(how) \
	"-chardev|socket,id=charchannel0," how ",server=on,wait=off|"

#define WEB BEGIN("web") CHANNEL("fd=27") PORT "-sandbox|on"

static char root[64];

/* Each | is a NUL, as in /proc/PID/cmdline. */
static void put(const char *path, const char *text)
{
	size_t i, len = strlen(text) + 1;
	char bytes[4096];

	if (len > sizeof(bytes))
		abort();
	for (i = 0; i < len; i++)
		bytes[i] = text[i] == '|' ? '\0' : text[i];
	tree_put_bytes(root, path, bytes, len);
}

static void begin(const char *cmdline)
{
	char path[64];

	strcpy(root, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(root))
		abort();
	snprintf(path, sizeof(path), "proc/%u/cmdline", PID);
	put(path, cmdline);
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command))
		abort();
}

static int ways(uint32_t want)
{
	TEST_EQ(ways_of(root, PID), want);
	return 0;
}

TEST(libvirt_way_is_there_for_a_domain_of_the_system)
{
	begin(WEB);
	put(SYSTEM, "300");
	TEST_EQ(ways(LIBVIRT), 0);
	put(SYSTEM, "300\n");
	TEST_EQ(ways(LIBVIRT), 0);
	end();
	/* older ones give QEMU the path, which is not for us either */
	begin(BEGIN("web") CHANNEL(
		"path=/var/lib/libvirt/qemu/channel/target/domain-1-web/org.qemu.guest_agent.0")
		      PORT "-S");
	put(SYSTEM, "300");
	TEST_EQ(ways(LIBVIRT), 0);
	end();
	return 0;
}

TEST(libvirt_way_is_there_for_a_domain_of_a_user)
{
	char path[96];

	begin(WEB);
	snprintf(path, sizeof(path), "run/user/%u/libvirt/qemu/run/web.pid",
		 getuid());
	put(path, "300");
	TEST_EQ(ways(LIBVIRT), 0);
	end();
	begin(WEB);
	snprintf(path, sizeof(path), "run/user/%u/libvirt/qemu/run/web.pid",
		 getuid() + 1);
	put(path, "300");
	TEST_EQ(ways(0), 0);
	end();
	return 0;
}

TEST(libvirt_way_wants_the_process_that_libvirt_started)
{
	static const char *const pids[] = { "301", "", "web", "30", "3000" };
	size_t i;

	begin(WEB);
	TEST_EQ(ways(0), 0);
	for (i = 0; i < sizeof(pids) / sizeof(pids[0]); i++) {
		put(SYSTEM, pids[i]);
		TEST_EQ(ways(0), 0);
	}
	end();
	return 0;
}

TEST(libvirt_way_follows_no_link_and_no_name_out_of_its_directory)
{
	char link[PATH_MAX], to[PATH_MAX];

	begin(WEB);
	put("elsewhere.pid", "300");
	put("run/libvirt/qemu/other", "");
	snprintf(link, sizeof(link), "%s/%s", root, SYSTEM);
	snprintf(to, sizeof(to), "%s/elsewhere.pid", root);
	TEST_EQ(symlink(to, link), 0);
	TEST_EQ(ways(0), 0);
	TEST_EQ(unlink(link), 0);
	/* nor does it wait for a pipe */
	TEST_EQ(mkfifo(link, 0600), 0);
	TEST_EQ(ways(0), 0);
	end();
	begin(BEGIN("../../../elsewhere") CHANNEL("fd=27") PORT "-S");
	put("elsewhere.pid", "300");
	put("run/libvirt/qemu/other", "");
	TEST_EQ(ways(0), 0);
	end();
	return 0;
}

/* What probe() says of a command line. */
static const char *reason(const char *cmdline)
{
	static struct channel c;
	static char text[2048];
	struct target t = { .root = root, .pid = PID, .name = "web" };
	size_t i;

	t.cmdline_size = strlen(cmdline) + 1;
	for (i = 0; i < t.cmdline_size; i++)
		text[i] = cmdline[i] == '|' ? '\0' : cmdline[i];
	t.cmdline = text;
	memset(&c, 0, sizeof(c));
	c.target = &t;
	return transport_libvirt.probe(&c) == 1 ? c.address : c.text;
}

TEST(libvirt_way_says_why_it_is_not_there)
{
	char name[600], cmdline[1500];

	begin(WEB);
	TEST_OK(strstr(reason(WEB), "no VM of this host's libvirt"));
	put(SYSTEM, "300");
	TEST_STR(reason(WEB), "qemu:///system");
	TEST_OK(strstr(reason(BEGIN("web") "-S"),
		       "add one of type unix with the target org.qemu."));
	TEST_OK(strstr(reason("qemu|-name|web|-S"), "no VM of this host's"));
	TEST_OK(strstr(reason("firecracker|--id|web"), "no VM of this host's"));
	TEST_OK(strstr(reason(""), "no VM of this host's"));
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(cmdline, sizeof(cmdline), "qemu|-name|guest=%s|-S", name);
	TEST_OK(strstr(reason(cmdline), "no VM of this host's"));
	end();
	return 0;
}
