/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One machine, the host or a guest: what its MAPS file says about address
 * spaces, processes, mappings, clocks and symbols, and the search for the
 * function at an address.
 */
#ifndef VMMPROF_MODEL_MACHINE_H
#define VMMPROF_MODEL_MACHINE_H

#include <stdbool.h>

#include "format/bundle.h"
#include "sym/dwarf.h"
#include "sym/kallsyms.h"
#include "sym/strings.h"
#include "sym/symbol.h"
#include "model/address_space.h"
#include "model/clock.h"
#include "model/container.h"
#include "model/jit.h"
#include "model/ksym.h"
#include "model/processes.h"
#include "model/profile.h"
#include "model/tasks.h"
#include "model/vfork.h"

/* Where an address is. */
struct vmmprof_place {
	__u64 link;	 /* link address in the file, kernel: the address */
	__u64 from, end; /* ns: holds for these times */
	__u32 func;	 /* string id, VMMPROF_NONE: see cause */
	__u32 module;	 /* string id, VMMPROF_NONE: not known */
	__u32 file;	 /* file id, VMMPROF_NONE: kernel or none */
	__u8 cause;	 /* enum vmmprof_cause */
	bool idle;	 /* function in which a kernel idles */
	__u8 pc;	 /* VMMPROF_PC_* */
};

struct vmmprof_machine_file {
	bool ready;
	__u8 cause;   /* why there are no symbols, or CAUSE_NONE */
	__u32 module; /* string id */
	struct vmmprof_symbols symbols;
	bool lines_tried;
	struct vmmprof_dwarf *lines; /* NULL: none */
};

struct vmmprof_machine {
	bool host;
	struct vmmprof_bundle bundle;
	struct vmmprof_addrspace spaces; /* guests only */
	struct vmmprof_tasks tasks;	 /* guests only */
	struct vmmprof_vforks vforks;	 /* guests only */
	bool pti;			 /* page table isolation runs */
	struct vmmprof_procs procs;
	struct vmmprof_jit jit;
	struct vmmprof_containers containers;
	struct vmmprof_clock clock;
	struct vmmprof_kallsyms kallsyms;
	struct vmmprof_ksyms ksyms;
	struct vmmprof_machine_file *files; /* as bundle.files */
	struct vmmprof_hash names; /* of symbols, by pointer: string ids */
	bool no_files;		   /* do not read the host's own files */
};

/*
 * Take over a checked bundle (*b is empty afterwards, also on error) and build
 * everything from it.  host: its own map file.  tsc_khz: see clock.h.  old:
 * NULL, or the machine that it replaces, whose symbols it takes as far as they
 * are the same; only vmmprof_machine_deinit() is then due for that one.
 * Returns 0 or -ENOMEM with nothing (but old) to release.
 */
int vmmprof_machine_init(struct vmmprof_machine *m, struct vmmprof_bundle *b,
			 bool host, __u64 tsc_khz, struct vmmprof_machine *old);
void vmmprof_machine_deinit(struct vmmprof_machine *m);

/*
 * Find a kernel address at ns, which may be VMMPROF_TIME_UNKNOWN.  0 or -ENOMEM
 * (of strings).
 */
int vmmprof_machine_kernel(struct vmmprof_machine *m,
			   struct vmmprof_strings *strings, __u64 ns,
			   __u64 addr, struct vmmprof_place *ret);

/* Find a user address in an image of m at ns.  0 or -ENOMEM. */
int vmmprof_machine_user(struct vmmprof_machine *m,
			 struct vmmprof_strings *strings,
			 const struct vmmprof_image *image, __u64 ns,
			 __u64 addr, struct vmmprof_place *ret);

/*
 * "FILE:LINE" of a link address in a file of the host; false if that is not
 * known.
 */
bool vmmprof_machine_line(struct vmmprof_machine *m, __u32 file, __u64 link,
			  char *buf, size_t size);

#endif /* VMMPROF_MODEL_MACHINE_H */
