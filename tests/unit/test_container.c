// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/model/container.c and analyzer/os/cgroups.c. */

#include "build.h"
#include "os/cgroups.c"
#include "model/clock.h"
#include "model/container.h"
#include "test.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char *name_of(const char *cgroup)
{
	static char buf[CONTAINER_MAX];

	return container_name(cgroup, buf, sizeof(buf)) ? buf : "";
}

TEST(container_names_of_runtimes)
{
	TEST_STR(name_of("/system.slice/docker-" ID ".scope"),
		 "docker:0123456789ab");
	TEST_STR(name_of("/docker/" ID), "docker:0123456789ab");
	TEST_STR(name_of("/machine.slice/libpod-" ID ".scope/container"),
		 "podman:0123456789ab");
	TEST_STR(
		name_of("/kubepods.slice/kubepods-pod1234abcd_56.slice/cri-containerd-" ID
			".scope"),
		"containerd:0123456789ab");
	TEST_STR(name_of("/kubepods.slice/crio-" ID ".scope"),
		 "crio:0123456789ab");
	TEST_STR(name_of("/kubepods/burstable/pod1234abcd-56"),
		 "pod:1234abcd-56");
	TEST_STR(name_of("/lxc/web/init.scope"), "lxc:web");
	TEST_STR(name_of("/lxc.payload.web"), "lxc:web");
	TEST_STR(name_of("/machine.slice/machine-my\\x2dbox.scope"),
		 "nspawn:my-box");
	return 0;
}

TEST(container_of_nothing_is_none)
{
	TEST_STR(name_of("/"), "");
	TEST_STR(name_of(""), "");
	TEST_STR(name_of("/user.slice/user-0.slice/session-1.scope"), "");
	TEST_STR(name_of("/system.slice/docker.service"), "");
	TEST_STR(name_of("/system.slice/docker-0123.scope"), "");
	TEST_STR(name_of("/machine.slice/machine-qemu\\x2d1\\x2dvm.scope"), "");
	TEST_STR(name_of("/system.slice/podman.service"), "");
	return 0;
}

static const char *unit_of(const char *cgroup)
{
	static char buf[CONTAINER_MAX];

	return unit_name(cgroup, buf, sizeof(buf)) ? buf : "";
}

TEST(units_of_systemd)
{
	TEST_STR(unit_of("/system.slice/backup.service"), "backup.service");
	TEST_STR(unit_of("/user.slice/user-0.slice/session-1.scope"),
		 "session-1.scope");
	TEST_STR(
		unit_of("/user.slice/user-1.slice/user@1.service/app.slice/a\\x2db.service"),
		"a-b.service");
	TEST_STR(unit_of("/system.slice/a.service/payload"), "a.service");
	TEST_STR(unit_of("/system.slice"), "");
	TEST_STR(unit_of("/"), "");
	TEST_STR(unit_of(""), "");
	TEST_STR(unit_of("/mine/service"), "");
	return 0;
}

TEST(groups_of_a_vm)
{
	static const char vm[] =
		"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope";
	static const char emulator[] =
		"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/emulator";
	static const char other[] =
		"/machine.slice/machine-qemu\\x2d2\\x2dvm.scope/libvirt/emulator";

	TEST_OK(vm_scope(vm) && vm_scope(emulator));
	TEST_OK(!vm_scope("/machine.slice/machine-box.scope"));
	TEST_OK(!vm_scope("/system.slice/machine-qemu\\x2d1.service"));
	TEST_OK(same_scope(vm, emulator));
	TEST_OK(!same_scope(vm, other) && !same_scope(emulator, other));
	TEST_OK(same_scope("/a.slice", "/a.slice"));
	TEST_OK(!same_scope("/a.slice", "/a.slice/b") && !same_scope("/", vm));
	return 0;
}

/* As long as it gets. */
TEST(container_names_are_cut)
{
	char path[4096], buf[CONTAINER_MAX];

	memset(path, 'x', sizeof(path) - 1);
	memcpy(path, "/lxc/", 5);
	path[sizeof(path) - 1] = '\0';
	TEST_OK(container_name(path, buf, sizeof(buf)));
	TEST_EQ(strlen(buf), sizeof(buf) - 1);
	return 0;
}

TEST(cgroups_chooses_a_line)
{
	char v2[] = "0::/a/b\n";
	char hybrid[] = "9:name=systemd:/sys\n1:cpu:/x\n0::/\n";
	char v1[] = "9:name=systemd:/\n4:memory:/docker/1\n1:cpu:/\n";
	char root[] = "2:cpu:/\n0::/\n";
	char bad[] = "nothing\n";

	TEST_STR(choose_group(v2), "/a/b");
	TEST_STR(choose_group(hybrid), "/sys");
	TEST_STR(choose_group(v1), "/docker/1");
	TEST_STR(choose_group(root), "/");
	TEST_OK(!choose_group(bad));
	return 0;
}

static void put_group(struct build *b, __u64 ns, __u32 pid, const char *path)
{
	struct vmmprof_maps_cgroup c = { .ns = ns, .pid = pid };

	build_item(b, VMMPROF_MAPS_CGROUP, &c, sizeof(c), path,
		   strlen(path) + 1);
}

TEST(container_is_inherited)
{
	static struct build b;
	struct problems none = { 0 };
	struct bundle bundle;
	struct procs ps;
	struct containers c;
	char buf[CONTAINER_MAX];
	const struct {
		__u32 pid;
		__u64 ns;
		const char *want;
	} asked[] = {
		{ 1, 0, "" },	      { 10, 0, "lxc:a" },
		{ 11, 0, "lxc:a" },   /* by its parent's number */
		{ 12, 100, "lxc:a" }, /* by fork */
		{ 12, 200, "lxc:b" }, /* moved before its exec */
		{ 13, 300, "lxc:b" }, /* forked after that */
		{ 10, 900, "" },      /* another process of that number */
	};
	size_t i;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_proc(&b, VMMPROF_OP_SNAP, 5, 1, 0, "c");
	build_proc(&b, VMMPROF_OP_SNAP, 5, 10, 1, "c");
	put_group(&b, 5, 10, "/lxc/a");
	build_proc(&b, VMMPROF_OP_SNAP, 5, 11, 10, "c");
	build_proc(&b, VMMPROF_OP_FORK, 100, 12, 11, "c");
	build_proc(&b, VMMPROF_OP_EXEC, 200, 12, 0, "c");
	put_group(&b, 250, 12, "/lxc/b");
	build_proc(&b, VMMPROF_OP_FORK, 300, 13, 12, "c");
	build_proc(&b, VMMPROF_OP_EXEC, 310, 13, 0, "c");
	build_proc(&b, VMMPROF_OP_DROP, 400, 10, 0, "c");
	build_proc(&b, VMMPROF_OP_FORK, 900, 10, 1, "c");
	build_end(&b);
	TEST_EQ(bundle_init_mem(&bundle, b.data, b.size, "t", &none), 0);
	TEST_EQ(procs_init(&ps, &bundle), 0);
	TEST_EQ(containers_init(&c, &bundle, &ps), 0);
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		buf[0] = '\0';
		container_of(&c,
			     procs_find(&ps, asked[i].pid, asked[i].ns) -
				     ps.images,
			     buf, sizeof(buf));
		TEST_STR(buf, asked[i].want);
	}
	containers_deinit(&c);
	procs_deinit(&ps);
	bundle_deinit(&bundle);
	return 0;
}
