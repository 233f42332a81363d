/* SPDX-License-Identifier: GPL-2.0-only */
/* The overflow callbacks: a record of what the interrupt hit. */
#ifndef VMMPROF_SAMPLE_H
#define VMMPROF_SAMPLE_H

#include "cpu.h"

/*
 * perf's overflow callbacks, one for each vendor; those with "chains" are for
 * CPUs that have such, or identities.  Context: NMI, IRQ.
 */
void vmmprof_overflow_host(struct perf_event *event,
			   struct perf_sample_data *data, struct pt_regs *regs);
void vmmprof_overflow_vmx(struct perf_event *event,
			  struct perf_sample_data *data, struct pt_regs *regs);
void vmmprof_overflow_svm(struct perf_event *event,
			  struct perf_sample_data *data, struct pt_regs *regs);
/* The one that reads nothing of KVM's, of whatever vendor. */
void vmmprof_overflow_no_guest(struct perf_event *event,
			       struct perf_sample_data *data,
			       struct pt_regs *regs);

void vmmprof_overflow_host_chains(struct perf_event *event,
				  struct perf_sample_data *data,
				  struct pt_regs *regs);
void vmmprof_overflow_vmx_chains(struct perf_event *event,
				 struct perf_sample_data *data,
				 struct pt_regs *regs);
void vmmprof_overflow_svm_chains(struct perf_event *event,
				 struct perf_sample_data *data,
				 struct pt_regs *regs);
void vmmprof_overflow_no_guest_chains(struct perf_event *event,
				      struct perf_sample_data *data,
				      struct pt_regs *regs);

/* Calls the CPU's .timed, and adds what that takes to ring.head->spent. */
void vmmprof_overflow_spent(struct perf_event *event,
			    struct perf_sample_data *data,
			    struct pt_regs *regs);

#endif /* VMMPROF_SAMPLE_H */
