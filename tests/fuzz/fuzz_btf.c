// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of analyzer/os/btf.c and kvm_layout.c: first two bytes: how
 * many of the bytes after them are vmlinux's BTF; the rest is kvm's.
 */

#include <stdlib.h>
#include <string.h>

#include "host/kvm_layout.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

static const struct vmmprof_layout layout = {
	.size = sizeof(layout),
	.nr = 5,
	.members = {
		{ "preempt_notifier", "ops", 16, 8 },
		{ "kvm_vcpu", "vcpu_id", 8, 4 },
		{ "kvm_vcpu", "arch", 64, 0 },
		{ "kvm_vcpu_arch", "clock", 24, 8 },
		{ "kvm_vcpu_arch", "regs", 32, 136 },
	},
};

static void look(const struct btf *btf)
{
	char text[64];

	memset(text, 'x', sizeof(text));
	kvm_layout_compare(&layout, btf, btf, text, sizeof(text));
	if (!memchr(text, 0, sizeof(text)))
		abort();
	btf_offset(btf, "", "");
	btf_union_size(btf, "u");
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	struct btf base, kvm;
	size_t first;

	if (size < 2)
		return 0;
	first = data[0] | data[1] << 8;
	data += 2;
	size -= 2;
	if (first > size)
		first = size;
	if (btf_parse(data, first, NULL, &base))
		return 0;
	look(&base);
	if (!btf_parse(data + first, size - first, &base, &kvm)) {
		look(&kvm);
		btf_free(&kvm);
	}
	btf_free(&base);
	return 0;
}
