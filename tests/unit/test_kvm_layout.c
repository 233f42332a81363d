// SPDX-License-Identifier: GPL-2.0-only
/* What the module was built with beside made-up BTF of a kernel and its kvm. */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "btf_make.h"
#include "host/kvm_layout.h"
#include "test.h"
#include "tree.h"

/* Of the base: int, long, pointer. */
enum { INT = 1, LONG, PTR, NOTIFIER, BASE_TYPES = NOTIFIER };
/* Of kvm: names of types on the way to a long, an array, the two structs. */
enum { U64 = BASE_TYPES + 1, CONST_U64, ARRAY, ARCH, VCPU };

static const struct vmmprof_layout good = {
	.size = sizeof(good),
	.nr = 6,
	.members = {
		{ "preempt_notifier", "ops", 16, 8 },
		{ "kvm_vcpu", "vcpu_id", 8, 4 },
		{ "kvm_vcpu", "arch", 64, 0 },
		{ "kvm_vcpu_arch", "clock", 24, 8 },
		{ "kvm_vcpu_arch", "regs", 32, 136 },
		{ "kvm_vcpu_arch", "tail", 168, 8 },
	},
};

static size_t make_base(struct btf_make *m, char *blob, bool with_kvm)
{
	btf_make_init(m, NULL);
	btf_make_type(m, "int", BTF_KIND_INT, 0, 4);
	btf_make_type(m, "long", BTF_KIND_INT, 0, 8);
	btf_make_type(m, "", BTF_KIND_PTR, 0, 0);
	btf_make_type(m, "preempt_notifier", BTF_KIND_STRUCT, 1, 24);
	btf_make_member(m, "ops", PTR, 16);
	if (with_kvm) {
		/* another one than the module's */
		btf_make_type(m, "kvm_vcpu", BTF_KIND_STRUCT, 1, 100);
		btf_make_member(m, "vcpu_id", INT, 4);
	}
	return btf_make_blob(m, blob);
}

/* kvm's with vcpu_id at that offset, and one type more before it. */
static size_t make_kvm(const struct btf_make *base, char *blob,
		       unsigned int vcpu_id, unsigned int more)
{
	struct btf_make m;

	btf_make_init(&m, base);
	btf_make_type(&m, "u64", BTF_KIND_TYPEDEF, 0, LONG + more);
	btf_make_type(&m, "", BTF_KIND_CONST, 0, U64 + more);
	btf_make_type(&m, "", BTF_KIND_ARRAY, 0, 0);
	btf_make_word(&m, CONST_U64 + more);
	btf_make_word(&m, INT);
	btf_make_word(&m, 17);
	btf_make_type(&m, "kvm_vcpu_arch", BTF_KIND_STRUCT, 3, 176);
	btf_make_member(&m, "clock", CONST_U64 + more, 24);
	btf_make_member(&m, "regs", ARRAY + more, 32);
	btf_make_member(&m, "tail", PTR, 168);
	btf_make_type(&m, "kvm_vcpu", BTF_KIND_STRUCT, 2, 300);
	btf_make_member(&m, "vcpu_id", INT, vcpu_id);
	btf_make_member(&m, "arch", ARCH + more, 64);
	return btf_make_blob(&m, blob);
}

static enum layout_verdict compare(const struct vmmprof_layout *l,
				   unsigned int vcpu_id, char *text,
				   size_t size)
{
	char base_blob[4096], blob[4096];
	struct btf base, kvm;
	enum layout_verdict v;
	struct btf_make m;
	size_t len;

	len = make_base(&m, base_blob, false);
	if (btf_parse(base_blob, len, NULL, &base))
		abort();
	len = make_kvm(&m, blob, vcpu_id, 0);
	if (btf_parse(blob, len, &base, &kvm))
		abort();
	v = kvm_layout_compare(l, &kvm, NULL, text, size);
	btf_free(&kvm);
	btf_free(&base);
	return v;
}

TEST(kvm_layout_is_the_same)
{
	char text[256];

	TEST_EQ(compare(&good, 8, text, sizeof(text)), LAYOUT_SAME);
	TEST_EQ(strlen(text), 0);
	return 0;
}

TEST(kvm_layout_differs_by_an_offset)
{
	struct vmmprof_layout l = good;
	char text[256];

	TEST_EQ(compare(&good, 12, text, sizeof(text)), LAYOUT_DIFFERS);
	TEST_OK(strstr(text,
		       "kvm_vcpu.vcpu_id is at offset 12, the module's at 8"));
	l.members[3].offset = 16;
	TEST_EQ(compare(&l, 12, text, sizeof(text)), LAYOUT_DIFFERS);
	TEST_OK(strstr(text, "kvm_vcpu.vcpu_id"));
	TEST_OK(strstr(text, "1 more differ"));
	/* of the base's */
	l = good;
	l.members[0].offset = 8;
	TEST_EQ(compare(&l, 8, text, sizeof(text)), LAYOUT_DIFFERS);
	return 0;
}

TEST(kvm_layout_differs_by_a_size_or_a_member)
{
	struct vmmprof_layout l = good;
	char text[256];

	l.members[4].size = 128;
	TEST_EQ(compare(&l, 8, text, sizeof(text)), LAYOUT_DIFFERS);
	TEST_OK(strstr(text, "136 bytes, the module's has 128"));
	l = good;
	strcpy(l.members[5].member, "handling");
	TEST_EQ(compare(&l, 8, text, sizeof(text)), LAYOUT_DIFFERS);
	TEST_OK(strstr(text, "no kvm_vcpu_arch.handling"));
	/* a short buffer is no harm */
	TEST_EQ(compare(&l, 12, text, 8), LAYOUT_DIFFERS);
	TEST_EQ(strlen(text), 7);
	return 0;
}

static char root[64];
/* As an AMD host's module has it. */
static bool amd;

static enum layout_verdict check(char *text, size_t size)
{
	struct vmmprof_layout l = good;

	if (amd)
		l.members[l.nr++] = (struct vmmprof_layout_member){ "vcpu_svm",
								    "vmcb", 304,
								    8 };
	return kvm_layout_check(root, &l, text, size);
}

/* kvm_amd's BTF: the pointer behind the struct of kvm at that offset. */
static void kvm_amd(unsigned int vmcb)
{
	char base_blob[4096], blob[4096];
	struct btf_make base, m;

	make_base(&base, base_blob, false);
	btf_make_init(&m, &base);
	btf_make_type(&m, "vcpu_svm", BTF_KIND_STRUCT, 1, 400);
	btf_make_member(&m, "vmcb", PTR, vmcb);
	tree_put_bytes(root, "/sys/kernel/btf/kvm_amd", blob,
		       btf_make_blob(&m, blob));
}

static void forget(void)
{
	char cmd[96];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", root);
	if (system(cmd))
		abort();
}

static void kernel(bool with_kvm, unsigned int vcpu_id)
{
	char blob[4096];
	struct btf_make m;
	size_t len = make_base(&m, blob, with_kvm);

	tree_put_bytes(root, "/sys/kernel/btf/vmlinux", blob, len);
	len = make_kvm(&m, blob, vcpu_id, with_kvm);
	if (vcpu_id)
		tree_put_bytes(root, "/sys/kernel/btf/kvm", blob, len);
}

TEST(kvm_layout_of_a_kernel_with_kvm_as_module)
{
	char text[256];

	strcpy(root, "/tmp/vmmprof-layout-XXXXXX");
	TEST_OK(mkdtemp(root));
	TEST_EQ(check(text, sizeof(text)), LAYOUT_ABSENT);
	TEST_OK(strstr(text, "KVM is not loaded"));
	tree_put(root, "/sys/module/kvm/coresize", "1000000\n");
	TEST_EQ(check(text, sizeof(text)), LAYOUT_UNKNOWN);
	TEST_OK(strstr(text, "vmlinux"));
	/* no BTF of modules: the vmlinux's own is of no use */
	kernel(true, 0);
	TEST_EQ(check(text, sizeof(text)), LAYOUT_UNKNOWN);
	TEST_OK(strstr(text, "btf/kvm"));
	kernel(false, 8);
	TEST_EQ(check(text, sizeof(text)), LAYOUT_SAME);
	/* kvm's own comes before another of that name in vmlinux */
	kernel(true, 8);
	TEST_EQ(check(text, sizeof(text)), LAYOUT_SAME);
	kernel(false, 16);
	TEST_EQ(check(text, sizeof(text)), LAYOUT_DIFFERS);
	tree_put(root, "/sys/kernel/btf/kvm", "nonsense");
	TEST_EQ(check(text, sizeof(text)), LAYOUT_UNKNOWN);
	forget();
	return 0;
}

TEST(kvm_layout_of_kvm_amd)
{
	char text[256];

	amd = true;
	strcpy(root, "/tmp/vmmprof-layout-XXXXXX");
	TEST_OK(mkdtemp(root));
	tree_put(root, "/sys/module/kvm/coresize", "1000000\n");
	kernel(false, 8);
	/* It is not there yet: its vCPUs neither, and KVM comes once. */
	TEST_EQ(check(text, sizeof(text)), LAYOUT_ABSENT);
	TEST_OK(strstr(text, "kvm_amd is not loaded"));
	tree_put(root, "/sys/module/kvm_amd/coresize", "100000\n");
	TEST_EQ(check(text, sizeof(text)), LAYOUT_UNKNOWN);
	TEST_OK(strstr(text, "btf/kvm_amd"));
	kvm_amd(304);
	TEST_EQ(check(text, sizeof(text)), LAYOUT_SAME);
	kvm_amd(312);
	TEST_EQ(check(text, sizeof(text)), LAYOUT_DIFFERS);
	TEST_OK(strstr(text,
		       "vcpu_svm.vmcb is at offset 312, the module's at 304"));
	forget();
	amd = false;
	return 0;
}

TEST(kvm_layout_of_a_kernel_with_kvm_built_in)
{
	char text[256];

	strcpy(root, "/tmp/vmmprof-layout-XXXXXX");
	TEST_OK(mkdtemp(root));
	tree_put(root, "/sys/module/kvm/parameters/halt_poll_ns", "1\n");
	kernel(true, 0);
	TEST_EQ(check(text, sizeof(text)), LAYOUT_DIFFERS);
	TEST_OK(strstr(text, "kvm_vcpu.vcpu_id is at offset 4"));
	/* nothing of KVM in it */
	kernel(false, 0);
	TEST_EQ(check(text, sizeof(text)), LAYOUT_UNKNOWN);
	forget();
	return 0;
}
