/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What vmmprof can do on a host and what prevents it, read from /proc, /sys,
 * /dev and the environment only: nothing is changed or started.
 */
#ifndef HOST_DOCTOR_DOCTOR_H
#define HOST_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

enum finding_verdict {
	VMMPROF_FINE,
	VMMPROF_WARN, /* works, with less or with a risk */
	VMMPROF_FAIL, /* nothing can be recorded */
};

struct finding {
	enum finding_verdict verdict;
	const char *subject; /* static: one or two words */
	char text[192];	     /* what was found */
	char remedy[256];    /* what to do; empty: nothing */
};

struct doctor {
	const char *root; /* "" or the prefix of a test's tree */
	bool module;	  /* vmmprof.ko is loaded */
	bool vmx, svm;	  /* the CPU has it */
	size_t nr, cap;
	struct finding *list; /* in the order they were found */
	int error;	      /* -ENOMEM: findings are missing */
};

/* All findings but those of guests.  0 or -ENOMEM; _deinit() in any case. */
int doctor_run(struct doctor *d, const char *root);
void doctor_deinit(struct doctor *d);

/* The worst of all. */
enum finding_verdict doctor_verdict(const struct doctor *d);

/* Adds one.  A text that is too long is cut. */
void doctor_add(struct doctor *d, enum finding_verdict verdict,
		const char *subject, const char *remedy, const char *text, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * What follows is for the files of doctor*.c: one group of findings each.
 *
 * host/doctor/cpu.c: virtualization, counters and what else uses them, the TSC.
 */
void doctor_cpu(struct doctor *d);
/* host/doctor/kvm.c: how KVM is set up. */
void doctor_kvm(struct doctor *d);
/* host/doctor/module.c: whether vmmprof.ko is there, or can be. */
void doctor_module(struct doctor *d);
/* host/doctor/kernel.c: what the kernel lets a tool see. */
void doctor_kernel(struct doctor *d);
/* host/doctor/debuginfod.c: debuginfod's library, and DEBUGINFOD_URLS. */
void doctor_debuginfod(struct doctor *d);

/* Is there such a file? */
bool doctor_has(const struct doctor *d, const char *path);

/* The first line of a file; "" and false if it cannot be read. */
bool doctor_line(const struct doctor *d, const char *path, char *buf,
		 size_t size);

#endif /* HOST_DOCTOR_DOCTOR_H */
