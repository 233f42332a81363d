/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What readings of a guest's memory found, one after another: a reading is added
 * to the bundle of those before it.  A process that has ended since keeps what
 * was found of it, and a mapping has the times at which it was found.
 *
 * The bundle is a guest's word like all that is read of it.
 */
#ifndef INTROSPECT_SNAPSHOTS_H
#define INTROSPECT_SNAPSHOTS_H

#include "base/hash.h"
#include "format/bundle.h"
#include "format/item_writer.h"

/* The newest memory of a process, as the readings before found it. */
struct snapshot {
	struct vmmprof_maps_image image;
	const char *group; /* path of its control group, or NULL */
	__u32 maps; /* first one in guest_snapshots.maps, VMMPROF_NONE: none */
	bool now;   /* this reading has found it, too */
};

/* A process, as far as a reading tells. */
struct snapshot_process {
	__u64 ns;	/* of the reading: CLOCK_MONOTONIC */
	__u64 mm;	/* of its mm_struct; 0: it has none */
	__u64 start_ns; /* of the guest; 0: not known */
	__u32 pid, ppid;
	__u32 flags; /* VMMPROF_PROC_F_* */
	char comm[16];
};

struct guest_snapshots {
	struct bundle before; /* empty: this reading is the first one */
	struct hash procs;    /* pid -> its newest PROC item */
	struct hash pids;     /* pid -> its newest in images */
	struct snapshot *images;
	size_t nr;
	struct snapshot_map *maps;
	size_t nr_maps;
	struct hash ranges; /* of image, start and end -> newest in maps */
};

/*
 * @fd: a bundle that guest_bundle_write() made, from its first byte on; -1: there
 * is none.  It stays the caller's.  0; or -errno, as bundle_init(), -EBADMSG: it
 * has not the form of such a bundle.  Only after 0 there is something to release.
 */
int guest_snapshots_open(struct guest_snapshots *s, int fd);
void guest_snapshots_close(struct guest_snapshots *s);

/*
 * Writes what is new of a process: PROC, unless it is known by that name, and of
 * one whose memory was not known IMAGE.  @cmdline(arg) is asked for its arguments
 * only then.  *known: the same memory as found before, or NULL.  0 or -errno of
 * the writer.
 */
int guest_snapshots_process(struct guest_snapshots *s, struct item_writer *w,
			    const struct snapshot_process *p,
			    const char *(*cmdline)(void *arg), void *arg,
			    struct snapshot **known);

/* Writes MAP, unless @known has the same.  0 or -errno of the writer. */
int guest_snapshots_map(struct guest_snapshots *s, struct item_writer *w,
			const struct snapshot *known,
			const struct vmmprof_maps_map *item);

/* Writes what @known has no more, once all its mappings were read at @ns. */
int guest_snapshots_gone(struct guest_snapshots *s, struct item_writer *w,
			 const struct snapshot *known, __u64 ns);

/* Writes what the readings before had of all but files and the kernel. */
int guest_snapshots_write(const struct guest_snapshots *s,
			  struct item_writer *w);

#endif /* INTROSPECT_SNAPSHOTS_H */
