// SPDX-License-Identifier: GPL-2.0-only
// SVM for the PMU and the cost counter: when a guest is entered and left, and
// what becomes of NMIs while GIF is 0.  And what Bochs 3.0 gets wrong about
// interrupts of SVM guests, put right from outside (APM 2, chapter 15).
//
// 1. On VMRUN the masked events are found before Bochs knows that it is in a
//    guest.  With V_INTR_MASKING the host's IF masks physical interrupts, not the
//    guest's (15.21.1 "Physical (INTR) Interrupt Masking in EFLAGS"): else a guest
//    with IF clear holds up the host's timer and IPIs.
// 2. For the same reason a virtual interrupt that VMRUN takes into a guest with IF
//    set waits until IF changes (15.21.4 "Injecting Virtual (INTR) Interrupts").
// 3. With several CPUs, an exception's delivery leaves prev_rip at the
//    instruction that faulted.  An interrupt that exits before the handler's
//    first instruction then saves that RIP with the handler's RSP and flags.
//    NRIP has the right one: for these exits Bochs stores RIP there.
// 4. VMRUN does not load CR2 (15.5.1 "Basic Operation"): the guest reads what the
//    host's or another guest's last page fault left there, where it was left
//    between its own fault and its handler, and kills the process for it.
// 5. The filter of PAUSE intercepts has no threshold (15.14.4 "Pause Intercept
//    Filtering"), which the modelled CPU has.  Without it KVM does not intercept
//    PAUSE at all.  Firmware hands its stack from vCPU to vCPU in a loop of PAUSEs;
//    on one pCPU, in Bochs, whose interrupts come where a loop begins, the one that
//    waits for the other always has the lock when it is preempted.
// 6. MOV to CR0 refuses to activate long mode while TR has a 16-bit TSS, before it
//    looks for an intercept.  That is Intel's rule; AMD's has PAE and CS.L only (14.6.2
//    "Consistency Checks").  KVM gives a vCPU that gets an INIT such a TSS, and
//    Linux' code that starts a CPU loads no other one before: it is a triple fault.
//
// Bochs keeps an intercepted NMI pending over #VMEXIT and delivers it after STGI,
// as 15.13.2 "NMI Intercept" and 15.17 "Global Interrupt Flag" want it.

#define NEED_CPU_REG_SHORTCUTS 1
#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/svm.h"
#include "memory/memory-bochs.h"
#include "pmu.h"

#if BX_INSTRUMENTATION && BX_SUPPORT_SVM

static struct {
  bool begins, inside;  // VMRUN is being executed; a guest runs
  Bit64u rip, cr3;      // the host's, at VMRUN
  bool held;            // a PMI waits for GIF
  Bit64u clgi;          // instructions retired when it was executed
  Bit64u paused;        // when a guest's last PAUSE was executed
  bool tss16;           // TR's TSS is shown as one of 32 bits
  Bit64u shown;         // to the instruction at this icount
} states[PMU_MAX_CPUS];
svm_nmis_t svm_nmis[PMU_MAX_CPUS];

Bit64u svm_vmcb(BX_CPU_C *cpu, unsigned at)
{
  Bit64u value = 0;
  BX_MEM(0)->readPhysicalPage(cpu, cpu->vmcbptr + at, 8, &value);
  return value;
}

void svm_begins(BX_CPU_C *cpu)
{
  unsigned id = cpu->bx_cpuid;
  states[id].begins = true;
  states[id].rip = cpu->gen_reg[BX_64BIT_REG_RIP].rrx;
  states[id].cr3 = cpu->cr3;
}

void svm_clgi(BX_CPU_C *cpu) { states[cpu->bx_cpuid].clgi = pmu_hot[cpu->bx_cpuid].retired; }

// The rest of the filter is Bochs'.  Two fields, side by side.
void svm_pause(BX_CPU_C *cpu)
{
  Bit64u fields = svm_vmcb(cpu, SVM_CONTROL16_PAUSE_FILTER_THRESHOLD);
  Bit64u threshold = fields & 0xffff, last = states[cpu->bx_cpuid].paused;
  states[cpu->bx_cpuid].paused = cpu->icount;
  if (threshold && cpu->icount - last > threshold) cpu->vmcb->ctrls.pause_filter_count = fields >> 16;
}

// Around a guest's MOV to CR0.
void svm_cr0(BX_CPU_C *cpu)
{
  unsigned id = cpu->bx_cpuid;
  states[id].tss16 = cpu->efer.get_LME() && ! cpu->cr0.get_PG() && cpu->tr.cache.type <= BX_SYS_SEGMENT_BUSY_286_TSS;
  states[id].shown = cpu->icount;
  if (states[id].tss16) cpu->tr.cache.type |= 8;
}

void svm_cr0_done(BX_CPU_C *cpu)
{
  unsigned id = cpu->bx_cpuid;
  if (states[id].tss16) cpu->tr.cache.type &= ~8;
  states[id].tss16 = false;
}

static void entered(BX_CPU_C *cpu)
{
  const SVM_CONTROLS &c = cpu->vmcb->ctrls;
  cpu->cr2 = svm_vmcb(cpu, SVM_GUEST_CR2);
  if (c.v_intr_masking) {
    Bit32u physical = BX_EVENT_PENDING_INTR | BX_EVENT_PENDING_LAPIC_INTR;
    if (cpu->vmcb->host_state.eflags & EFlagsIFMask) cpu->unmask_event(physical);
    else cpu->mask_event(physical);
  }
  if (cpu->get_IF() && (c.v_intr_prio > c.v_tpr || c.v_ignore_tpr))
    cpu->unmask_event(BX_EVENT_SVM_VIRQ_PENDING);
}

// The VMCB is written, the host's state loaded.
static void exited(unsigned id, BX_CPU_C *cpu)
{
  if (states[id].shown == cpu->icount) svm_cr0_done(cpu);
  states[id].tss16 = false;
  Bit64u code = svm_vmcb(cpu, SVM_CONTROL64_EXITCODE);
  bool nmi = code == SVM_VMEXIT_NMI;
  if (code >= SVM_VMEXIT_INTR && code <= SVM_VMEXIT_VINTR) {
    Bit64u rip = svm_vmcb(cpu, SVM_CONTROL64_NRIP);
    BX_MEM(0)->writePhysicalPage(cpu, cpu->vmcbptr + SVM_GUEST_RIP, 8, &rip);
  }
  if (nmi) {
    svm_nmis[id].entering += states[id].held;
    states[id].held = false;
    truth_nmi(id);
  }
  cost_vmx(id, true, nmi);
}

bool svm_switched(unsigned id)
{
  BX_CPU_C *cpu = BX_CPU(id);
  if (states[id].begins) {
    states[id].begins = false;
    // VMRUN refused the VMCB: the host goes on behind it.
    if (cpu->gen_reg[BX_64BIT_REG_RIP].rrx == states[id].rip && cpu->cr3 == states[id].cr3) return true;
    states[id].inside = true;
    if (! cpu->svm_gif) svm_nmis[id].waits += pmu_hot[id].retired - states[id].clgi;
    pmus[id].entering = true;
    entered(cpu);
    cost_vmx(id, false, false);
    return true;
  }
  if (! states[id].inside) return false;
  states[id].inside = false;
  pmus[id].entering = false;
  exited(id, cpu);
  return true;
}

void svm_pmi(unsigned id)
{
  if (! BX_CPU(id)->svm_gif) states[id].held = true;
  svm_nmis[id].inside += BX_CPU(id)->in_svm_guest;
}

void svm_nmi(unsigned id)
{
  svm_nmis[id].exiting += states[id].held;
  states[id].held = false;
  svm_nmis[id].wrong += ! BX_CPU(id)->svm_gif;
}

#elif BX_INSTRUMENTATION

svm_nmis_t svm_nmis[PMU_MAX_CPUS];
Bit64u svm_vmcb(BX_CPU_C *cpu, unsigned at) { return 0; }
void svm_begins(BX_CPU_C *cpu) {}
void svm_clgi(BX_CPU_C *cpu) {}
void svm_pause(BX_CPU_C *cpu) {}
void svm_cr0(BX_CPU_C *cpu) {}
void svm_cr0_done(BX_CPU_C *cpu) {}
bool svm_switched(unsigned id) { return false; }
void svm_pmi(unsigned id) {}
void svm_nmi(unsigned id) {}

#endif
