/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sampled run of a tiny VM: its vCPU's thread on one CPU, alone or beside a
 * thread that spins there, a session of the module as `vmmprof record` has it,
 * and that session's figures.
 */
#ifndef SELFTEST_RUN_H
#define SELFTEST_RUN_H

#include <limits.h>

#include "host/device.h"
#include "host/kvm_layout.h"
#include "selftest/figures.h"
#include "selftest/vm.h"

struct selftest {
	unsigned int cpu;
	struct tiny_vm vm, halting;
	/* filled in by selftest_begin() */
	struct vmmprof_info info;
	struct cpus cpus;
	struct event_list events;
	enum layout_verdict layout;
	bool emulated;
	char dir[PATH_MAX / 2]; /* for sessions */
};

/*
 * Looks at the module, chooses the event as record does, makes the VM and finds
 * out how fast it is.  @t->cpu: chosen before.  0, or -errno with words;
 * selftest_end() in any case but that @t is zeroed.
 */
int selftest_begin(struct selftest *t, struct error *e);
void selftest_end(struct selftest *t);

enum selftest_kind {
	SELFTEST_ALONE,
	SELFTEST_SHARED,  /* beside a thread that takes half of the CPU */
	SELFTEST_HALTING, /* alone, of the VM that halts */
};

/*
 * At least @ns, and until there are some hundred samples, or some halts.
 * 0, or -errno with words.
 */
int selftest_run(struct selftest *t, __u64 ns, enum selftest_kind kind,
		 struct figures *f, struct error *e);

/* This thread on the CPU from now on.  0 or -errno. */
int selftest_pin(unsigned int cpu);

/* One session of the module's for t->cpu, set up but not started. */
int selftest_open(struct selftest *t, struct device *dev, uint32_t flags,
		  struct error *e);

#endif /* SELFTEST_RUN_H */
