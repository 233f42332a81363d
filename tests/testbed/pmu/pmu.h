// SPDX-License-Identifier: GPL-2.0-only
// What pmu.cc, cost.cc and machine.cc know of each other.

#ifndef PMU_H
#define PMU_H

#include "bochs.h"
#include "cpu/cpu.h"

#if BX_INSTRUMENTATION

enum { N_GP = 4, N_FIXED = 3 };

enum what_t { NOTHING, CYCLES, INSTRUCTIONS };

struct counter_t {
  Bit64u value;
  what_t what;          // derived from the control registers
  bool mode[2];         // counts in [0] ring 0, [1] other rings
  bool pmi;
};

struct pmu_t {
  counter_t ctr[N_GP + N_FIXED];
  Bit64u sel[N_GP], fixed_ctrl, global_ctrl, global_status, misc_enable;

  bool on;              // some counter is running
  unsigned mode;        // 0 ring 0, 1 other rings, 2 to be found out
  Bit64u since;         // icount up to which the counters are right
  bool exiting;         // a VM exit is in progress
  bool exit_nmi;        // ... because of an NMI
  bool entering;        // a VM entry is in progress: VMLAUNCH or VMRESUME itself is not counted
  Bit64u n_pmi, n_masked;
};
extern pmu_t pmus[PMU_MAX_CPUS];

// cost.cc: a VM entry or exit has taken place; an exit because of an NMI?
void cost_vmx(unsigned cpu, bool exiting, bool nmi);
// Is every instruction of this processor looked at now, and the looking.
bool cost_stepping(unsigned cpu);
void cost_step(unsigned cpu, bxInstruction_c *i);

// vmx.cc: a VM exit begins (because of an NMI?), a VM entry has taken place.
void vmx_exiting(BX_CPU_C *cpu, unsigned reason, bool nmi);
void vmx_entered(BX_CPU_C *cpu);

// truth.cc: an NMI hits a guest; the guest's offsets; the end.
void truth_nmi(unsigned cpu);
void truth_start(const char *offsets);
void truth_stop(void);

// machine.cc: files to be loaded into memory; registers on SIGUSR1.
void machine_register_options(void);
void machine_unregister_options(void);
void machine_initialize(void);

#endif
#endif
