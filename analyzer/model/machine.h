/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One machine, the host or a guest: what its MAPS file says about address
 * spaces, processes, mappings, clocks and symbols, and the search for the
 * function at an address.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include <stdbool.h>

#include "format/bundle.h"
#include "sym/dwarf.h"
#include "sym/kallsyms.h"
#include "sym/strings.h"
#include "sym/symbol.h"
#include "model/address_space.h"
#include "model/clock.h"
#include "model/container.h"
#include "model/debug_names.h"
#include "model/jit.h"
#include "model/kernel_lines.h"
#include "model/ksym.h"
#include "model/processes.h"
#include "model/profile.h"
#include "model/tasks.h"
#include "model/unwind_tables.h"
#include "model/vfork.h"

/* What an address belongs to. */
struct symbol_ref {
	__u64 link;	 /* link address in the file, kernel: the address */
	__u64 from, end; /* ns: holds for these times */
	__u32 func;	 /* string id, VMMPROF_NONE: see cause */
	__u32 module;	 /* string id, VMMPROF_NONE: not known */
	__u32 file;	 /* file id, VMMPROF_NONE: kernel or none */
	__u8 cause;	 /* enum cause */
	bool idle;	 /* function in which a kernel idles */
	__u8 pc;	 /* PC_* */
};

/* Nothing is known of @addr, because of @cause. */
void symbol_ref_init(struct symbol_ref *p, __u64 addr, enum cause cause);

struct machine_file {
	bool ready;
	__u8 cause;   /* why there are no symbols, or CAUSE_NONE */
	__u8 gap;     /* why an address between them has none */
	__u32 module; /* string id */
	struct symbols symbols;
	bool names_tried;
	struct symbols names; /* of a debug file, lent; empty: none */
	bool lines_tried;
	struct debuginfo *lines; /* NULL: none */
};

/*
 * A function that was found in a file: many processes run the same code, each at
 * its own addresses.
 */
struct function_slot {
	const struct machine_file *file; /* NULL: empty */
	__u64 offset;			 /* the first of .size */
	__u64 link;			 /* its link address */
	__u32 func, module;
	__u8 size;
};

#define FUNCTION_BITS 14 /* of the number of slots, of all machines */
#define FUNCTION_LINE 6	 /* 64 bytes of a file have one slot */

struct machine {
	bool host;
	struct bundle bundle;
	struct address_space spaces; /* guests only */
	struct tasks tasks;	     /* guests only */
	struct vforks vforks;	     /* guests only */
	bool pti;		     /* page table isolation runs */
	/*
	 * Read from the guest's memory: when a process began, and when it got the
	 * mappings that were found, is not known, but of which page table they are.
	 * Of whom a sample is, only its own identity says.
	 */
	bool by_table;
	struct procs procs;
	struct jit jit;
	struct containers containers;
	struct clock clock;
	struct kallsyms kallsyms;
	struct ksyms ksyms;
	struct machine_file *files; /* as bundle.files */
	struct kernel_lines kernel_lines;
	struct unwind_tables unwind;
	struct hash names; /* of symbols, by pointer: string ids */
	struct function_slot *functions; /* lent; NULL: not remembered */
	bool no_files;			 /* do not read the host's own files */
	struct debug_names *debug;	 /* lent; NULL: not looked for */
};

/*
 * Take over a checked bundle (*b is empty afterwards, also on error) and build
 * everything from it.  host: its own map file.  tsc_khz: see clock.h.  old:
 * NULL, or the machine that it replaces, whose symbols it takes as far as they
 * are the same; only machine_deinit() is then due for that one.
 * Returns 0 or -ENOMEM with nothing (but old) to release.
 */
int machine_init(struct machine *m, struct bundle *b, bool host, __u64 tsc_khz,
		 struct machine *old);
void machine_deinit(struct machine *m);

/*
 * Find a kernel address at ns, which may be TIME_UNKNOWN.  At all addresses of
 * *same it is the same but for .link, which differs as they do.  0 or -ENOMEM
 * (of strings).
 */
int machine_kernel(struct machine *m, struct strings *strings, __u64 ns,
		   __u64 addr, struct symbol_ref *ret,
		   struct symbols_range *same);

/*
 * Find a user address in an image of m at ns; *same as above.  0 or -ENOMEM.
 */
int machine_user(struct machine *m, struct strings *strings,
		 const struct image *image, __u64 ns, __u64 addr,
		 struct symbol_ref *ret, struct symbols_range *same);

/*
 * The page of code that a user address, which was found, is in, if all of it comes
 * from one file at all times: the number of the file and the offset of the address
 * in it.  *same, all of that page's addresses, becomes those of the same function.
 */
bool machine_user_page(struct machine *m, const struct image *image, __u64 ns,
		       __u64 addr, __u32 *file, __u64 *offset,
		       struct symbols_range *same);

/* The same of a kernel's. */
bool machine_kernel_page(const struct machine *m, __u64 addr,
			 struct symbols_range *same);

/*
 * How the code at a link address of a file is unwound (@file VMMPROF_NONE: at an
 * address of the kernel, as struct symbol_ref has both).  It belongs to @m.
 * NULL: not known.
 */
const struct vmmprof_unwind_rule *machine_unwind(struct machine *m, __u32 file,
						 __u64 link);

/*
 * The table that knows the function at a link address of file @i of the bundle
 * best, after machine_user() found it: the file's own, or that of a debug file
 * if it has the name.
 */
const struct symbols *machine_symbols(struct machine *m, size_t i, __u64 link);

/*
 * "FILE:LINE" of a link address in a file of the host; false if that is not
 * known.
 */
bool machine_line(struct machine *m, __u32 file, __u64 link, char *buf,
		  size_t size);

/*
 * What is inlined at a link address of a file (@file VMMPROF_NONE: at an address
 * of the kernel), innermost first, at most @max: by the host's file, or another one
 * with its build-id, as debug_names.h looks for it; of a guest that alone.
 */
size_t machine_inlines(struct machine *m, __u32 file, __u64 link,
		       struct debuginfo_inline *ret, size_t max);

#endif /* MODEL_MACHINE_H */
