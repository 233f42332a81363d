/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The session directory that `vmmprof record` writes:
 *
 *   info           kind INFO: the items below, appended as they become known
 *   cpu-N.rec      kind RECORDS, one per sampled CPU
 *   host           kind MAPS: the host's own processes and symbols
 *   guests/NAME.bundle  kind MAPS, one per guest that had one
 *
 * A recorder that dies leaves valid prefixes of these; without an END item in
 * info the session is read up to where it stopped, with a warning.
 */
#ifndef VMMPROF_SESSION_H
#define VMMPROF_SESSION_H

#include "file.h"
#include "ioctl.h"

/*
 * Keys of the TEXT item: tool, module (versions), hostname, release, arch,
 * vendor (vmx, svm, none), tsc_khz, cpus (list, as in -C), ring_size,
 * command (the recorder's command line), trigger (e.g. "ref-cycles, hardware"),
 * identity (memory: who runs in guests was read there).
 */
enum vmmprof_info_item {
	VMMPROF_INFO_EVENT = 16,
	VMMPROF_INFO_VM = 17,
	VMMPROF_INFO_VCPU = 18,
	VMMPROF_INFO_GUEST = 19,
	VMMPROF_INFO_CPU = 20,
	VMMPROF_INFO_STOP = 21,
	VMMPROF_INFO_REACH = 22,
	VMMPROF_INFO_VCPU_STATE = 23,
	VMMPROF_INFO_SWITCHES = 24,
	VMMPROF_INFO_EXITS = 25,
	VMMPROF_INFO_EXIT = 26,
	VMMPROF_INFO_MEMORY = 27,
	VMMPROF_INFO_WIDENED = 28,
};

struct vmmprof_info_event {
	struct vmmprof_item_hdr hdr;
	__u32 index; /* vmmprof_rec_sample.event */
	__u32 type;
	__u64 config;
	__u64 period;
	__u32 flags; /* VMMPROF_EVENT_F_* */
	__u32 reserved;
	char name[]; /* as given to -e; NUL-terminated */
};

/* A process that holds a KVM VM.  A later item of the same pid replaces it. */
struct vmmprof_info_vm {
	struct vmmprof_item_hdr hdr;
	__u32 pid;
	__u32 nr_vcpus; /* 0: not known */
	__u64 seen_tsc; /* when it was found */
	char name[];	/* unique in the session; NUL-terminated */
};

/* A later item of the same pid and vcpu_id replaces it. */
struct vmmprof_info_vcpu {
	struct vmmprof_item_hdr hdr;
	__u32 pid; /* of its VM */
	__u32 tid;
	__u32 vcpu_id;
	__u32 reserved;
	char comm[16]; /* NUL-padded */
};

/* The bundle of a guest, with the file that holds it. */
struct vmmprof_info_guest {
	struct vmmprof_item_hdr hdr;
	__u32 pid; /* of its VM */
	__u32 reserved;
	char name[]; /* of the VM; file: guests/NAME.bundle; NUL-terminated */
};

/* What IOC_CPU_STAT said when sampling had stopped. */
struct vmmprof_info_cpu {
	struct vmmprof_item_hdr hdr;
	struct vmmprof_cpu_stat stat;
};

enum vmmprof_stop_reason {
	VMMPROF_STOP_DURATION = 1, /* -d is over */
	VMMPROF_STOP_COMMAND = 2,  /* -- COMMAND ended */
	VMMPROF_STOP_SIGNAL = 3,   /* SIGINT, SIGTERM */
	VMMPROF_STOP_ERROR = 4,
};

struct vmmprof_info_stop {
	struct vmmprof_item_hdr hdr;
	__u64 start_tsc; /* IOC_START returned */
	__u64 stop_tsc;	 /* IOC_STOP called */
	__u32 reason;	 /* enum vmmprof_stop_reason */
	__s32 status;	 /* COMMAND's wait status */
};

enum vmmprof_reach {
	VMMPROF_REACH_NONE = 0,	   /* no way in was found or allowed */
	VMMPROF_REACH_FILE = 1,	   /* --guest-bundle */
	VMMPROF_REACH_AGENT = 2,   /* QEMU guest agent, its socket */
	VMMPROF_REACH_LIBVIRT = 3, /* QEMU guest agent through libvirt */
	VMMPROF_REACH_VSOCK = 4,
	VMMPROF_REACH_SSH = 5,
	VMMPROF_REACH_MEMORY = 6, /* read from the guest's memory */
};

/* How a guest's bundle was got, or why it was not.  The last of a pid counts. */
struct vmmprof_info_reach {
	struct vmmprof_item_hdr hdr;
	__u32 pid;	/* of its VM */
	__u32 how;	/* enum vmmprof_reach */
	__s32 error;	/* 0, or -errno */
	__u32 flags;	/* 0 */
	__u64 begin_ns; /* from the beginning to "watching" */
	__u64 end_ns;	/* from the end of sampling to the bundle's last byte */
	__u64 sent;	/* bytes to the guest */
	__u64 received; /* bytes from the guest, or of its memory */
	char text[]; /* error: what happened and what to do; NUL-terminated */
};

#define VMMPROF_MEMORY_F_LAYOUT \
	0x1 /* its kernel has what the module asks for */
#define VMMPROF_MEMORY_F_FIRST \
	0x2 /* of readings behind it only what failed is told */

/* The guest's memory was read from the host: once. */
struct vmmprof_info_memory {
	struct vmmprof_item_hdr hdr;
	__u32 pid;   /* of its VM */
	__s32 error; /* 0, or -errno: what was read is not used */
	__u64 tsc;   /* of the host, when it began */
	__u64 took_ns;
	__u64 reads;
	__u64 bytes;
	__u32 processes;
	__u32 threads;
	__u32 mappings; /* executable ones */
	__u32 files;	/* that are mapped so */
	__u32 modules;
	__u32 flags; /* VMMPROF_MEMORY_F_* */
	char text[]; /* error: what happened; NUL-terminated */
};

enum vmmprof_vcpu_when {
	VMMPROF_WHEN_START = 0,
	VMMPROF_WHEN_STOP = 1,
};

enum vmmprof_vcpu_sleep {
	VMMPROF_VCPU_UNKNOWN = 0,
	VMMPROF_VCPU_RUNNABLE = 1, /* or running */
	VMMPROF_VCPU_HALTED = 2,   /* asleep in KVM's halt */
	VMMPROF_VCPU_ASLEEP = 3,   /* asleep elsewhere */
};

/* A vCPU's thread at the start and at the end, as /proc shows it. */
struct vmmprof_info_vcpu_state {
	struct vmmprof_item_hdr hdr;
	__u32 pid;
	__u32 tid;
	__u32 when;  /* enum vmmprof_vcpu_when */
	__u32 state; /* enum vmmprof_vcpu_sleep */
	__u64 tsc;
	__u64 run_ns; /* the three of schedstat */
	__u64 delay_ns;
	__u64 slices;
	__u64 throttled_ns; /* of its cgroup and all above it */
	__u32 nr_throttled;
	__u32 reserved;
};

/* Were switch records on?  Without this item they were not. */
struct vmmprof_info_switches {
	struct vmmprof_item_hdr hdr;
	__u32 on;
	__u32 error; /* errno that says why not */
};

/* Were VM exits counted?  Without this item they were not. */
struct vmmprof_info_exits {
	struct vmmprof_item_hdr hdr;
	__u32 on;     /* 1: EXIT items are all that the module had */
	__u32 error;  /* errno that says why not */
	__u64 missed; /* exits that were not counted */
};

/* What IOC_EXITS said of a vCPU and a reason. */
struct vmmprof_info_exit {
	struct vmmprof_item_hdr hdr;
	struct vmmprof_exit exit;
};

/*
 * From here on samples are .factor times as far apart: those before until_tsc
 * stand for less than those behind it.  There are none from when the counters
 * were released, after tsc, to until_tsc, when they are armed again.
 */
struct vmmprof_info_widened {
	struct vmmprof_item_hdr hdr;
	__u64 tsc;
	__u64 until_tsc;
	__u32 factor; /* 2 or more */
	__u32 cpu;    /* which spent more than it should */
	__u32 spent;  /* of its time on samples, parts per million */
	__u32 limit;  /* which was the most, parts per million */
};

_Static_assert(sizeof(struct vmmprof_info_event) == 40, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_vm) == 24, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_vcpu) == 40, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_guest) == 16, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_cpu) == 376, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_stop) == 32, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_reach) == 56, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_memory) == 72, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_vcpu_state) == 72, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_switches) == 16, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_exits) == 24, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_exit) == 440, "on-disk size");
_Static_assert(sizeof(struct vmmprof_info_widened) == 40, "on-disk size");

#endif /* VMMPROF_SESSION_H */
