/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A frame of a chain: a function, or what stands between functions; and the list
 * of the frames of a sample, to which they are added from the innermost one on.
 */
#ifndef MODEL_CHAIN_FRAME_H
#define MODEL_CHAIN_FRAME_H

#include "model/chain_end.h"
#include "model/resolve.h"

enum chain_frame_kind {
	FRAME_CODE,    /* of .machine, at .addr */
	FRAME_EXIT,    /* .what: basic exit reason, EXIT_NONE */
	FRAME_BROKEN,  /* .what: enum chain_end, frames are missing here */
	FRAME_MACHINE, /* of trees: all of .machine */
	FRAME_PROCESS, /* of trees: .what is the process's number */
	FRAME_THREAD,  /* of trees with threads: .what is its number */
	FRAME_STATE,   /* a vCPU did not run: .what is enum vcpu_state */
	FRAME_THIEF,   /* below it, who ran: .what is the timeline's number */
	NR_FRAME_KINDS
};

/* No holes: frames are compared and hashed as bytes. */
struct chain_frame {
	__u64 addr; /* of an instruction: where it was, or the call's end - 1 */
	__u64 link; /* the same in the file; of kernels .addr */
	__u32 machine;
	__u32 func;   /* string id; VMMPROF_NONE: see .cause */
	__u32 module; /* string id; VMMPROF_NONE: not known */
	__u32 file;   /* of .machine, VMMPROF_NONE: none */
	__u32 what;
	__u8 kind;    /* enum chain_frame_kind */
	__u8 mode;    /* enum mode */
	__u8 cause;   /* enum cause */
	__u8 inlined; /* of trees: into the function of the frame above */
};
_Static_assert(sizeof(struct chain_frame) == 40, "no holes");

/* All parts that there may be, and what stands between them. */
#define CHAIN_FRAMES_MAX (4 * (VMMPROF_CHAIN_DEPTH + 1) + 8)

struct chain_frames {
	struct chain_frame frame[CHAIN_FRAMES_MAX]; /* innermost first */
	size_t nr;
	/* whose outermost code it is; process: number, VMMPROF_NONE */
	__u32 machine, proc;
	__u32 tid; /* 1 + its thread, 0: not known */
	/* why it ends: VMMPROF_END_DONE, or enum chain_end of the innermost gap */
	unsigned int end;
	/*
	 * User code was hit and its callers found by frame pointers: if it had
	 * no frame of its own yet, or any more, its direct caller is missing.
	 */
	bool unchecked;
};

/* Does it stand above the functions of a tree? */
static inline bool chain_frame_top(const struct chain_frame *f)
{
	return f->kind >= FRAME_MACHINE && f->kind <= FRAME_THREAD;
}

#define CHAIN_ENTRIES  8
#define CHAIN_SWITCHES 6

/* What the kernel's code does with tasks, of model/chain_switch.h. */
enum chain_switch_code {
	CHAIN_CODE_SCHEDULE = 1, /* goes from one task to another */
	CHAIN_CODE_LOADS = 2,	 /* loads a page table */
	CHAIN_CODE_STACKS = 4,	 /* changes the kernel stack */
	CHAIN_CODE_EXEC = 8,	 /* replaces a task's program */
	CHAIN_CODE_EXIT = 16,	 /* ends a task */
};

/* Functions that chains are known by, as string ids; zeroed at first. */
struct chain_names {
	bool ready;
	__u32 run;			/* runs a vCPU */
	__u32 entry[CHAIN_ENTRIES];	/* a thread begins there */
	__u32 switches[CHAIN_SWITCHES]; /* as enum chain_switch_code has them */
};

/* Add a frame of which nothing is known yet. */
struct chain_frame *chain_push(struct chain_frames *f, unsigned int kind,
			       __u32 machine);

/* Frames are missing for that reason; none with VMMPROF_END_DONE. */
void chain_gap(struct chain_frames *f, __u32 machine, unsigned int end);

/* Add the function at an address.  0 or -ENOMEM. */
int chain_push_code(struct chain_frames *f, struct resolver *r,
		    const struct resolve_space *in, bool user, __u64 addr);

/* The address of the call that returns there. */
static inline __u64 call_of(__u64 ret)
{
	return ret ? ret - 1 : 0;
}

#endif /* MODEL_CHAIN_FRAME_H */
