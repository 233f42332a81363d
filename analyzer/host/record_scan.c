// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks through a finished record file for what the recorder still has to
 * know: vCPUs and their threads, and the counts to compare.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <vmmprof/record.h>

#include "format/reader.h"
#include "host/record_scan.h"

#define CACHE_SIZE 64 /* a power of two */

/*
 * vCPU threads seen last, so that the inventory is not asked for each sample.
 */
struct cache {
	struct entry {
		uint32_t pid, tid, vcpu_id;
	} entry[CACHE_SIZE];
};

static int note_vcpu(struct cache *cache, struct inventory *inv,
		     struct entry seen, uint64_t tsc)
{
	struct entry *e = &cache->entry[seen.tid % CACHE_SIZE];
	struct vm *vm;
	int ret;

	if (!memcmp(e, &seen, sizeof(seen)))
		return 0;
	*e = seen;
	vm = inventory_add_vm(inv, seen.pid, NULL, tsc);
	if (!vm)
		return -ENOMEM;
	ret = inventory_add_vcpu(vm, seen.vcpu_id, seen.tid, NULL);
	return ret == -ERANGE ? 0 : ret;
}

static int scan_record(const struct vmmprof_rec_hdr *hdr, struct cache *cache,
		       struct inventory *inv, struct record_scan *scan)
{
	const struct vmmprof_rec_sample *s = (const void *)hdr;
	const struct vmmprof_rec_vcpu *v = (const void *)hdr;
	const struct vmmprof_rec_switch *w = (const void *)hdr;
	const struct vmmprof_rec_lost *l = (const void *)hdr;

	switch (hdr->type) {
	case VMMPROF_REC_SAMPLE:
		scan->samples++;
		if (!(hdr->flags & VMMPROF_S_VCPU))
			return 0;
		return note_vcpu(cache, inv,
				 (struct entry){ s->pid, s->tid, s->vcpu_id },
				 hdr->tsc);
	case VMMPROF_REC_VCPU:
		return note_vcpu(cache, inv,
				 (struct entry){ v->pid, v->tid, v->vcpu_id },
				 hdr->tsc);
	case VMMPROF_REC_LOST:
		scan->lost += l->lost;
		if (hdr->flags & VMMPROF_L_NAMES)
			scan->names += l->lost_other;
		if (hdr->flags & VMMPROF_L_CHAINS)
			scan->chains += l->lost_other;
		return 0;
	case VMMPROF_REC_OUT:
	case VMMPROF_REC_WAKE:
	case VMMPROF_REC_IN:
	case VMMPROF_REC_MIGRATE:
	case VMMPROF_REC_SWITCH:
		scan->switches++;
		if (!(hdr->flags & VMMPROF_W_VCPU))
			return 0;
		/* struct vmmprof_rec_wake has the same first members */
		return note_vcpu(cache, inv,
				 (struct entry){ w->pid, w->tid, w->vcpu_id },
				 hdr->tsc);
	case VMMPROF_REC_THROTTLE:
		scan->throttled++;
		return 0;
	default:
		return 0;
	}
}

int record_scan(int fd, struct inventory *inv, struct record_scan *scan)
{
	const struct vmmprof_rec_hdr *hdr;
	struct cache cache = { 0 };
	struct reader r;
	int ret;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	ret = reader_init(&r, fd);
	if (ret)
		return ret;
	while ((ret = reader_next(&r, &hdr)) > 0) {
		ret = scan_record(hdr, &cache, inv, scan);
		if (ret)
			break;
	}
	reader_deinit(&r);
	return ret;
}
