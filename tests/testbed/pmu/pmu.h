// SPDX-License-Identifier: GPL-2.0-only
// What the files of the library know of each other.

#ifndef PMU_H
#define PMU_H

#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/cpuid.h"

#if BX_INSTRUMENTATION

enum { N_COUNTERS = 7, N_SELECTORS = 6, WIDTH = 48 };
static const Bit64u CTR_MASK = (BX_CONST64(1) << WIDTH) - 1;

enum what_t { NOTHING, CYCLES, INSTRUCTIONS };

// A mode: where instructions run, as far as a counter may tell; plus one for
// rings other than 0.
enum { IN_ANY = 0, IN_HOST = 2, IN_GUEST = 4, MODE_UNKNOWN = 6 };

struct counter_t {
  Bit64u value;
  what_t what;          // derived from the control registers
  bool mode[MODE_UNKNOWN];      // counts in that mode
  bool pmi;
};

struct pmu_t {
  counter_t ctr[N_COUNTERS];
  Bit64u sel[N_SELECTORS];
  Bit64u fixed_ctrl, global_ctrl, misc_enable;  // Intel's
  Bit32u overflowed;    // counters, one bit each

  bool on;              // some counter is running
  unsigned mode;
  Bit64u since;         // icount up to which the counters are right
  Bit64u counted;       // instructions until then
  bool exiting;         // a VM exit is in progress
  bool exit_nmi;        // ... because of an NMI
  bool entering;        // a VM entry is in progress: VMLAUNCH, VMRESUME, VMRUN itself is not counted
  Bit64u n_pmi, n_masked;
};

// Event selectors of both vendors
static const Bit64u SEL_USR = 1 << 16, SEL_OS = 1 << 17, SEL_INT = 1 << 20,
                    SEL_EN = 1 << 22, SEL_INV = 1 << 23;

// "cycles with fewer than N ...", whatever the event
inline bool sel_is_cycles(Bit64u sel) { return (sel & SEL_INV) && ((sel >> 24) & 0xff); }

// What differs between Intel's PMU and AMD's.  MSRs: 1 done, 0 #GP, -1 not ours.
struct vendor_t {
  const char *name;
  unsigned n_counters;
  bool masks_lvt;       // a PMI masks LVTPC
  int (*rdmsr)(unsigned id, Bit32u msr, Bit64u *value);
  int (*wrmsr)(unsigned id, Bit32u msr, Bit64u value);
  int (*rdpmc)(Bit32u ecx);             // the counter, -1: #GP
  void (*cpuid)(Bit32u function, cpuid_function_t *leaf);       // corrects the model's answer
  void (*configure)(pmu_t &p);          // what the control registers say to p.ctr[]
  unsigned (*place)(BX_CPU_C *cpu);     // IN_...
  void (*reset)(pmu_t &p);
};
extern const vendor_t pmu_intel, pmu_amd, *pmu_vendor;
extern Bit64u pmu_tsc_hz;

// pmu.cc, around a change of a control register or a counter: before it is read
// or written; after it was written.
void pmu_sync(unsigned cpu);
void pmu_configure(unsigned cpu);

// pmu_intel.cc
void intel_set_global_ctrl(unsigned cpu, Bit64u value);

extern pmu_t pmus[PMU_MAX_CPUS];

// cost.cc: a VM entry or exit has taken place; an exit because of an NMI?
void cost_vmx(unsigned cpu, bool exiting, bool nmi);
// Is every instruction of this processor looked at now, and the looking.
bool cost_stepping(unsigned cpu);
void cost_step(unsigned cpu, bxInstruction_c *i);

// vmx.cc: a VM exit begins (because of an NMI?), a VM entry has taken place.
void vmx_exiting(BX_CPU_C *cpu, unsigned reason, bool nmi);
void vmx_entered(BX_CPU_C *cpu);

// svm.cc: VMRUN is about to be executed, CLGI, a guest's PAUSE, its MOV to CR0; that was executed; a context was
// switched: was that SVM's?
// A PMI was raised; an NMI is being delivered.  Eight bytes of the VMCB at "at".
void svm_begins(BX_CPU_C *cpu);
void svm_clgi(BX_CPU_C *cpu);
void svm_pause(BX_CPU_C *cpu);
void svm_cr0(BX_CPU_C *cpu);
void svm_cr0_done(BX_CPU_C *cpu);
bool svm_switched(unsigned cpu);
void svm_pmi(unsigned cpu);
void svm_nmi(unsigned cpu);
Bit64u svm_vmcb(BX_CPU_C *cpu, unsigned at);

// PMIs that were raised in a guest; what became of those raised while GIF was 0.
struct svm_nmis_t {
  Bit64u inside;
  Bit64u entering;      // left the guest at once: before its first instruction
  Bit64u exiting;       // were delivered after STGI
  Bit64u wrong;         // were delivered while GIF was 0
  Bit64u waits;         // instructions from CLGI to VMRUN
};
extern svm_nmis_t svm_nmis[PMU_MAX_CPUS];

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
