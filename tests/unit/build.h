/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds files of vmmprof in memory, for tests of their readers. */
#ifndef VMMPROF_TEST_BUILD_H
#define VMMPROF_TEST_BUILD_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/maps.h>
#include <vmmprof/record.h>
#include <vmmprof/session.h>

struct build {
	__u8 data[64 << 10];
	size_t size;
	__u64 items;
};

static inline void *build_put(struct build *b, const void *p, size_t size)
{
	void *at = b->data + b->size;

	assert(b->size + size + 8 <= sizeof(b->data));
	if (p)
		memcpy(at, p, size);
	else
		memset(at, 0, size);
	b->size += size;
	return at;
}

static inline void build_header(struct build *b, unsigned int kind)
{
	struct vmmprof_file_hdr h = {
		.kind = kind,
		.version = VMMPROF_FILE_VERSION,
		.min_version = VMMPROF_FILE_VERSION,
		.hdr_size = sizeof(h),
	};

	b->size = 0;
	b->items = 0;
	memcpy(h.magic, VMMPROF_MAGIC, sizeof(h.magic));
	build_put(b, &h, sizeof(h));
}

/* An item of struct s (with its header) and a tail; returns where it lies. */
static inline void *build_item(struct build *b, __u32 type, const void *s,
			       size_t size, const void *tail, size_t tail_size)
{
	struct vmmprof_item_hdr *item = build_put(b, s, size);

	build_put(b, tail, tail_size);
	item->type = type;
	item->size = size + tail_size;
	build_put(b, NULL, -(size_t)item->size % 8);
	b->items++;
	return item;
}

static inline void build_end(struct build *b)
{
	struct vmmprof_item_end end = { .items = b->items };

	build_item(b, VMMPROF_ITEM_END, &end, sizeof(end), NULL, 0);
}

static inline void build_text(struct build *b, const char *lines)
{
	struct vmmprof_item_hdr hdr = { 0 };

	build_item(b, VMMPROF_ITEM_TEXT, &hdr, sizeof(hdr), lines,
		   strlen(lines));
}

static inline struct vmmprof_rec_sample *build_sample(struct build *b,
						      __u64 tsc, __u32 flags)
{
	struct vmmprof_rec_sample s = {
		.hdr = { VMMPROF_REC_SAMPLE, sizeof(s), flags, tsc },
		.vcpu_id = VMMPROF_NONE,
	};

	return build_put(b, &s, sizeof(s));
}

static inline struct vmmprof_maps_mm *build_mm(struct build *b, __u32 op,
					       __u64 ns, __u64 key, __u32 pid,
					       const char *comm)
{
	struct vmmprof_maps_mm mm = {
		.ns = ns, .key = key, .op = op, .pid = pid, .tid = pid
	};

	strncpy(mm.comm, comm, sizeof(mm.comm) - 1);
	return build_item(b, VMMPROF_MAPS_MM, &mm, sizeof(mm), NULL, 0);
}

static inline void build_proc(struct build *b, __u32 op, __u64 ns, __u32 pid,
			      __u32 ppid, const char *comm)
{
	struct vmmprof_maps_proc p = {
		.ns = ns, .op = op, .pid = pid, .ppid = ppid
	};

	strncpy(p.comm, comm, sizeof(p.comm) - 1);
	build_item(b, VMMPROF_MAPS_PROC, &p, sizeof(p), "", 1);
}

#endif /* VMMPROF_TEST_BUILD_H */
