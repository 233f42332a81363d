/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a host can do for a profiler and what stands in the way, read from
 * /proc, /sys, /dev and the environment alone: nothing is changed or started.
 */
#ifndef VMMPROF_HOST_DOCTOR_DOCTOR_H
#define VMMPROF_HOST_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

enum vmmprof_verdict {
	VMMPROF_FINE,
	VMMPROF_WARN, /* works, with less or with a risk */
	VMMPROF_FAIL, /* nothing can be recorded */
};

struct vmmprof_finding {
	enum vmmprof_verdict verdict;
	const char *subject; /* static: one or two words */
	char text[192];	     /* what is so */
	char remedy[256];    /* what to do; empty: nothing */
};

struct vmmprof_doctor {
	const char *root; /* "" or the prefix of a test's tree */
	bool module;	  /* vmmprof.ko is loaded */
	bool vmx;
	size_t nr, cap;
	struct vmmprof_finding *list; /* in the order they were found */
	int error;		      /* -ENOMEM: findings are missing */
};

/* All findings but those of guests.  0 or -ENOMEM; _deinit() in any case. */
int vmmprof_doctor_run(struct vmmprof_doctor *d, const char *root);
void vmmprof_doctor_deinit(struct vmmprof_doctor *d);

/* The worst of all. */
enum vmmprof_verdict vmmprof_doctor_verdict(const struct vmmprof_doctor *d);

/* Adds one; what is printed into the text is cut if it is too long. */
void vmmprof_doctor_add(struct vmmprof_doctor *d, enum vmmprof_verdict verdict,
			const char *subject, const char *remedy,
			const char *text, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * What follows is for the files of doctor*.c: one group of findings each.
 *
 * host/doctor/cpu.c: virtualization, counters and what else uses them, the TSC.
 */
void vmmprof_doctor_cpu(struct vmmprof_doctor *d);
/* host/doctor/kvm.c: how KVM is set up. */
void vmmprof_doctor_kvm(struct vmmprof_doctor *d);
/* host/doctor/module.c: whether vmmprof.ko is there, or can be. */
void vmmprof_doctor_module(struct vmmprof_doctor *d);
/* host/doctor/kernel.c: what the kernel lets a tool see. */
void vmmprof_doctor_kernel(struct vmmprof_doctor *d);
/* host/doctor/debuginfod.c: debuginfod's library, and DEBUGINFOD_URLS. */
void vmmprof_doctor_debuginfod(struct vmmprof_doctor *d);

/* Is there such a file? */
bool vmmprof_doctor_has(const struct vmmprof_doctor *d, const char *path);

/* The first line of a file; "" and false if it cannot be read. */
bool vmmprof_doctor_line(const struct vmmprof_doctor *d, const char *path,
			 char *buf, size_t size);

#endif /* VMMPROF_HOST_DOCTOR_DOCTOR_H */
