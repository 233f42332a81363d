/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes, their executable mappings and the files behind them, written as
 * PROC, MAP, FILE and SYMTAB items: from /proc, and from the side-band events
 * of processes that start meanwhile (sideband.h).  Each file is opened, and
 * its symbols are written, once.
 *
 * Used by the recorder for the host and by vmmprof-guest inside a guest.
 * Functions return 0 or -errno; what a single process or file does not give
 * is no error: it is marked in its item, or counted.
 */
#ifndef OS_PROC_MAPS_H
#define OS_PROC_MAPS_H

#include <poll.h>
#include <stdbool.h>
#include <vmmprof/maps.h>

#include "format/item_writer.h"
#include "os/mapping.h"

struct proc_maps;
struct symlimits;

/*
 * @w and @limits (of symbols, os/symbol_budget.h) must outlive it.  Writes
 * [vdso] of this machine at once.  To see everything it needs CAP_SYS_PTRACE
 * and CAP_CHECKPOINT_RESTORE (or CAP_SYS_ADMIN).
 */
int proc_maps_create(struct item_writer *w, const struct symlimits *limits,
		     struct proc_maps **ret);
void proc_maps_destroy(struct proc_maps *pm);

/* See map_files_have(). */
int proc_maps_have(struct proc_maps *pm, const void *build_ids, size_t n);

/* UNWIND items, too: map_files_unwind().  Before the first scan. */
int proc_maps_unwind(struct proc_maps *pm);

/* See map_files_sparing(). */
void proc_maps_sparing(struct proc_maps *pm);

/*
 * Write every process there is now (PROC with op SNAP) and its executable
 * mappings.  Once before the measurement; again at its end only where there
 * is no side-band or it lost records: the later scan cannot know since when
 * a mapping has been there.  Waits for the symbols of what it finds, but not
 * for long.
 */
int proc_maps_scan(struct proc_maps *pm);

/*
 * Writes the symbols that became known, and waits for others for at most @ms.
 * 0 or -errno.
 */
int proc_maps_run(struct proc_maps *pm, unsigned int ms);

/* When to call that: three descriptors.  As sideband_pollfds(). */
int proc_maps_pollfds(const struct proc_maps *pm, struct pollfd *fds, int max);

/*
 * What was left out of symbols, as a line for the user; "": nothing.  To be
 * called after the last tick.
 */
void proc_maps_left(const struct proc_maps *pm, char *buf, size_t size);

/*
 * Regular work: reads new JIT code (os/jit_map.h) and control groups of new
 * processes (os/cgroups.h).  May be called at any rate; it does the work once a
 * second.  @last: at once and in full; it then waits up to half a minute for
 * symbols, and notes what was left out.
 */
int proc_maps_tick(struct proc_maps *pm, bool last);

void proc_maps_stat(const struct proc_maps *pm, struct proc_maps_stat *ret);

/* The same from events (os/sideband.h). */
int proc_maps_mmap(struct proc_maps *pm, const struct mmap_event *ev);
int proc_maps_proc(struct proc_maps *pm, __u64 ns, enum vmmprof_op op,
		   __u32 pid, __u32 ppid, const char *comm);

/* Kernel code of @len bytes that came, or is @gone: a KSYM item. */
int proc_maps_ksym(struct proc_maps *pm, __u64 ns, __u64 addr, __u32 len,
		   bool gone, const char *name);

#endif /* OS_PROC_MAPS_H */
