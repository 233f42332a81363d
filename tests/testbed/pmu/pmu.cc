// SPDX-License-Identifier: GPL-2.0-only
// An emulated PMU for Bochs, as an instrumentation library: no file of Bochs is
// changed.  Which one it is the CPU model says: Intel's architectural PMU of
// version 2 (pmu_intel.cc) or AMD's core counters (pmu_amd.cc).
//
// How it hooks in:
//  - MSRs and CPUID: each processor's CPU model object (a bx_cpuid_t, asked by
//    Bochs for every CPUID leaf and for every MSR it does not know) is replaced
//    by a wrapper that answers for the PMU and passes everything else on.
//  - RDPMC: at decode time the instruction's handler is replaced by ours.
//  - Counting: the after-execution hook, active only while a counter runs.
//  - PMI: through LVTPC of the processor's local APIC.
//  - SVM: the handlers of VMRUN, CLGI, PAUSE and MOV to CR0 are replaced likewise;
//    the rest is in svm.cc.
//  - VMX: either the PERF_GLOBAL_CTRL entry/exit controls are implemented
//    ("vmx=controls"), or they are not advertised ("vmx=lists"), so that a
//    hypervisor has to use the MSR load lists.
//
// A cycle is one tick of the processor's instruction counter, as everywhere in
// Bochs: one per instruction, plus one per repeat iteration.
//
// bochsrc:  pmu: enabled=1, vmx=controls, tsc_hz=100000000, seed=1, trace=0
// tsc_hz (give it the value of ips) is what CPUID tells of the clock; seed makes
// RDRAND repeatable (Bochs seeds it with the time of day).

#define NEED_CPU_REG_SHORTCUTS 1
#include "bochs.h"
#include "gui/siminterface.h"
#include "pc_system.h"
#include "cpu/cpu.h"
#include "cpu/cpuid.h"
#include "cpu/apic.h"
#include "cpu/svm.h"
#include "cpu/decoder/ia_opcodes.h"
#include "pmu.h"
#include <stdlib.h>

#if BX_INSTRUMENTATION

#define LOG_THIS genlog->

pmu_hot_t pmu_hot[PMU_MAX_CPUS];
pmu_t pmus[PMU_MAX_CPUS];

const vendor_t *pmu_vendor = &pmu_intel;
Bit64u pmu_tsc_hz;

static struct {
  bool enabled, vmx_controls, trace;
  unsigned seed;
} opt = { true, true, false, 0 };

// ---- counting ------------------------------------------------------------

static void deliver_pmi(unsigned id)
{
  BX_CPU_C *cpu = BX_CPU(id);
  Bit32u lvt = cpu->lapic->read_aligned(BX_LAPIC_LVT_PERFMON);
  if (lvt & 0x10000) {
    pmus[id].n_masked++;
    return;
  }
  if (pmu_vendor->masks_lvt) cpu->lapic->set_lvt_entry(BX_LAPIC_LVT_PERFMON, lvt | 0x10000);
  pmus[id].n_pmi++;
  svm_pmi(id);
  unsigned mode = (lvt >> 8) & 7;
  if (opt.trace)
    BX_INFO(("pmu%u: PMI lvt=%x overflowed=%x rip=" FMT_LL "x guest=%d", id, lvt, pmus[id].overflowed,
             (Bit64u) cpu->gen_reg[BX_64BIT_REG_RIP].rrx, cpu->in_vmx_guest || cpu->in_svm_guest));
  if (mode == APIC_DM_NMI)
    cpu->deliver_NMI();                 // deliver() would log each one
  else
    cpu->lapic->deliver(lvt & 0xff, mode, 0);
}

// Set when pmu_retire() has to be called: before a counter can overflow.
static void set_next(unsigned id)
{
  pmu_t &p = pmus[id];
  Bit64u least = BX_CONST64(1) << 40;
  for (unsigned n = 0; n < pmu_vendor->n_counters; n++) {
    counter_t &c = p.ctr[n];
    if (c.what != NOTHING && (p.mode == MODE_UNKNOWN || c.mode[p.mode])) {
      Bit64u left = CTR_MASK + 1 - c.value;
      if (left < least) least = left;
    }
  }
  // the hook compares before the instruction is added to icount
  pmu_hot[id].next = cost_stepping(id) ? 0 : ! p.on ? ~BX_CONST64(0) : p.mode == MODE_UNKNOWN ? 0 : p.since + least - 1;
}

static unsigned mode_now(BX_CPU_C *cpu)
{
  return pmu_vendor->place(cpu) + (cpu->sregs[BX_SEG_REG_CS].selector.rpl != 0);
}

// Bring the counters up to date, up to icount "now".
static void flush(unsigned id, Bit64u now)
{
  pmu_t &p = pmus[id];
  Bit64u ins = pmu_hot[id].retired - p.counted, cyc = now - p.since;
  p.counted = pmu_hot[id].retired;
  p.since = now;
  if (! p.on) return;
  unsigned mode = p.mode == MODE_UNKNOWN ? mode_now(BX_CPU(id)) : p.mode;
  bool pmi = false;
  for (unsigned n = 0; n < pmu_vendor->n_counters; n++) {
    counter_t &c = p.ctr[n];
    if (c.what == NOTHING || ! c.mode[mode]) continue;
    c.value += c.what == CYCLES ? cyc : ins;
    if (c.value > CTR_MASK) {
      c.value &= CTR_MASK;
      p.overflowed |= 1 << n;
      pmi |= c.pmi;
    }
  }
  if (pmi) deliver_pmi(id);
}

// After an instruction, not yet added to icount.
void pmu_retire(unsigned id, bxInstruction_c *i)
{
  if (cost_stepping(id)) cost_step(id, i);
  pmu_t &p = pmus[id];
  if (p.entering) {
    p.entering = false;
    p.since++;
    p.counted = pmu_hot[id].retired;
  }
  flush(id, BX_CPU(id)->icount + 1);
  p.mode = mode_now(BX_CPU(id));
  set_next(id);
}

// A step of a REP instruction is done, and pmu_retire() wants to be called: the
// instruction ends here, as an interrupt ends it, and goes on after that.
void pmu_repeat(unsigned id)
{
  if (! cost_stepping(id)) BX_CPU(id)->async_event |= BX_ASYNC_EVENT_STOP_TRACE;
}

// An interrupt, an exception, a VM entry or exit is taking place: the mode is
// found out when the next instruction is done.
void pmu_event(unsigned id)
{
  if (! pmus[id].on) return;
  flush(id, BX_CPU(id)->icount);
  pmus[id].mode = MODE_UNKNOWN;
  pmu_hot[id].next = 0;
}

// The current instruction may have changed the privilege level, or EFER.
void pmu_far_branch(unsigned id)
{
  if (pmus[id].on) pmu_hot[id].next = 0;
}

void pmu_sync(unsigned id)
{
  flush(id, BX_CPU(id)->icount);
  set_next(id);
}

void pmu_configure(unsigned id)
{
  pmu_t &p = pmus[id];
  bool on = false;
  pmu_vendor->configure(p);
  for (unsigned n = 0; n < pmu_vendor->n_counters; n++) on |= p.ctr[n].what != NOTHING;
  if (on && ! p.on) p.mode = MODE_UNKNOWN;
  p.on = on;
  set_next(id);
}

static int pmu_wrmsr(unsigned id, Bit32u msr, Bit64u value)
{
  int done = pmu_vendor->wrmsr(id, msr, value);
  if (done > 0 && opt.trace) BX_INFO(("pmu%u: wrmsr %x " FMT_LL "x", id, msr, value));
  return done;
}

// ---- the CPU model wrapper ---------------------------------------------------

class pmu_cpuid_t : public bx_cpuid_t {
  bx_cpuid_t *real;
public:
  pmu_cpuid_t(BX_CPU_C *cpu, bx_cpuid_t *r) : bx_cpuid_t(cpu), real(r)
  {
    for (unsigned n = 0; n < BX_ISA_EXTENSION_LAST; n++)
      if (real->is_cpu_extension_supported(n))
        ia_extensions_bitmask[n / 32] |= 1 << (n % 32);
  }
  virtual ~pmu_cpuid_t() { delete real; }
  virtual const char *get_name(void) const { return real->get_name(); }
#if BX_SUPPORT_VMX
  virtual Bit32u get_vmx_extensions_bitmask(void) const { return real->get_vmx_extensions_bitmask(); }
#endif
#if BX_SUPPORT_SVM
  virtual Bit32u get_svm_extensions_bitmask(void) const { return real->get_svm_extensions_bitmask(); }
#endif
  virtual void dump_cpuid(void) const { real->dump_cpuid(); }

  virtual void get_cpuid_leaf(Bit32u function, Bit32u subfunction, cpuid_function_t *leaf) const
  {
    real->get_cpuid_leaf(function, subfunction, leaf);
    pmu_vendor->cpuid(function, leaf);
  }

  virtual int rdmsr(Bit32u msr, Bit64u *value)
  {
    int done = pmu_vendor->rdmsr(cpu->bx_cpuid, msr, value);
    return done < 0 ? real->rdmsr(msr, value) : done;
  }
  virtual int wrmsr(Bit32u msr, Bit64u value)
  {
    int done = pmu_wrmsr(cpu->bx_cpuid, msr, value);
    return done < 0 ? real->wrmsr(msr, value) : done;
  }
};

// ---- instructions ---------------------------------------------------------------

struct pmu_cpu_t : public BX_CPU_C {
  void rdpmc(bxInstruction_c *i) BX_CPP_AttrRegparmN(1);
  void vmrun(bxInstruction_c *i) BX_CPP_AttrRegparmN(1);
  void clgi(bxInstruction_c *i) BX_CPP_AttrRegparmN(1);
  void pause(bxInstruction_c *i) BX_CPP_AttrRegparmN(1);
  void mov_cr0(bxInstruction_c *i) BX_CPP_AttrRegparmN(1);
};

void BX_CPP_AttrRegparmN(1) pmu_cpu_t::rdpmc(bxInstruction_c *i)
{
  if (! cr4.get_PCE() && CPL != 0) exception(BX_GP_EXCEPTION, 0);
#if BX_SUPPORT_VMX
  if (in_vmx_guest && vmcs.vmexec_ctrls1.RDPMC_VMEXIT()) VMexit(VMX_VMEXIT_RDPMC, 0);
#endif
  if (in_svm_guest && SVM_INTERCEPT(SVM_INTERCEPT0_RDPMC)) Svm_Vmexit(SVM_VMEXIT_RDPMC);
  int n = pmu_vendor->rdpmc(ECX);
  if (n < 0) exception(BX_GP_EXCEPTION, 0);
  pmu_sync(bx_cpuid);
  Bit64u value = pmus[bx_cpuid].ctr[n].value;
  RAX = (Bit32u) value;
  RDX = (Bit32u)(value >> 32);
  BX_NEXT_INSTR(i);
}

void BX_CPP_AttrRegparmN(1) pmu_cpu_t::vmrun(bxInstruction_c *i)
{
  svm_begins(this);
  VMRUN(i);
}

void BX_CPP_AttrRegparmN(1) pmu_cpu_t::clgi(bxInstruction_c *i)
{
  svm_clgi(this);
  CLGI(i);
}

void BX_CPP_AttrRegparmN(1) pmu_cpu_t::pause(bxInstruction_c *i)
{
  if (in_svm_guest) svm_pause(this);
  PAUSE(i);
}

// In 64-bit mode it is another one, and long mode is active.
void BX_CPP_AttrRegparmN(1) pmu_cpu_t::mov_cr0(bxInstruction_c *i)
{
  bool guest = in_svm_guest;
  if (guest) svm_cr0(this);
  MOV_CR0Rd(i);
  if (guest) svm_cr0_done(this);
}

void pmu_opcode(bxInstruction_c *i)
{
  if (! opt.enabled) return;
  if (i->getIaOpcode() == BX_IA_RDPMC) i->execute1 = static_cast<BxExecutePtr_tR>(&pmu_cpu_t::rdpmc);
  if (i->getIaOpcode() == BX_IA_VMRUN) i->execute1 = static_cast<BxExecutePtr_tR>(&pmu_cpu_t::vmrun);
  if (i->getIaOpcode() == BX_IA_CLGI) i->execute1 = static_cast<BxExecutePtr_tR>(&pmu_cpu_t::clgi);
  if (i->getIaOpcode() == BX_IA_PAUSE) i->execute1 = static_cast<BxExecutePtr_tR>(&pmu_cpu_t::pause);
  if (i->getIaOpcode() == BX_IA_MOV_CR0Rd) i->execute1 = static_cast<BxExecutePtr_tR>(&pmu_cpu_t::mov_cr0);
}

// ---- VMX and SVM ----------------------------------------------------------------

void pmu_vmexit(unsigned id, unsigned reason)
{
#if BX_SUPPORT_VMX
  BX_CPU_C *cpu = BX_CPU(id);
  pmus[id].exit_nmi = (reason & 0xffff) == VMX_VMEXIT_EXCEPTION_NMI &&
    (cpu->VMread32(VMCS_32BIT_VMEXIT_INTERRUPTION_INFO) & 0x7ff) == 0x202;
  pmus[id].exiting = true;
  if (pmus[id].exit_nmi) truth_nmi(id);
  vmx_exiting(cpu, reason & 0xffff, pmus[id].exit_nmi);
  if (opt.enabled && opt.vmx_controls && cpu->in_vmx_guest && cpu->vmcs.vmexit_ctrls1.SAVE_PERF_GLOBAL_CTRL())
    cpu->VMwrite64(VMCS_64BIT_GUEST_IA32_PERF_GLOBAL_CTRL, pmus[id].global_ctrl);
#endif
}

// A VM entry or exit has loaded the new context (before the MSR load lists; Bochs
// sets in_vmx_guest later than this).
void pmu_context_switch(unsigned id)
{
  pmu_event(id);
  if (svm_switched(id)) return;
#if BX_SUPPORT_VMX
  BX_CPU_C *cpu = BX_CPU(id);
  bool exiting = pmus[id].exiting;
  pmus[id].exiting = false;
  if (! cpu->in_vmx || cpu->in_smm) return;
  pmus[id].entering = ! exiting;
  if (! exiting) vmx_entered(cpu);
  cost_vmx(id, exiting, pmus[id].exit_nmi);
  if (! opt.enabled || ! opt.vmx_controls) return;
  if (! exiting) {
    if (cpu->vmcs.vmentry_ctrls.LOAD_PERF_GLOBAL_CTRL_MSR())
      intel_set_global_ctrl(id, cpu->VMread64(VMCS_64BIT_GUEST_IA32_PERF_GLOBAL_CTRL));
  }
  else if (cpu->vmcs.vmexit_ctrls1.LOAD_PERF_GLOBAL_CTRL_MSR())
    intel_set_global_ctrl(id, cpu->VMread64(VMCS_64BIT_HOST_IA32_PERF_GLOBAL_CTRL));
#endif
}

// ---- life cycle ----------------------------------------------------------------

void pmu_initialize(unsigned id)
{
  if (id == 0) machine_initialize();
  if (opt.seed) srand(opt.seed);
  if (! opt.enabled) return;
  if (id >= PMU_MAX_CPUS) {
    BX_PANIC(("pmu: more than %d processors", PMU_MAX_CPUS));
    return;
  }
  BX_CPU_C *cpu = BX_CPU(id);
  cpuid_function_t leaf;
  cpu->cpuid->get_cpuid_leaf(0, 0, &leaf);
  pmu_vendor = leaf.ebx == 0x68747541 ? &pmu_amd : &pmu_intel;    // "Auth"enticAMD
  cpu->cpuid = new pmu_cpuid_t(cpu, cpu->cpuid);
#if BX_SUPPORT_VMX
  if (! opt.vmx_controls) {
    cpu->vmx_extensions_bitmask &= ~BX_VMX_PERF_GLOBAL_CTRL;
    cpu->vmx_cap.vmx_vmexit_ctrl1_supported_bits &=
      ~(VMX_VMEXIT_CTRL1_LOAD_PERF_GLOBAL_CTRL_MSR | VMX_VMEXIT_CTRL1_SAVE_PERF_GLOBAL_CTRL);
    cpu->vmx_cap.vmx_vmentry_ctrl_supported_bits &= ~VMX_VMENTRY_CTRL1_LOAD_PERF_GLOBAL_CTRL_MSR;
  }
#endif
  BX_INFO(("pmu%u: %s, %u counters, vmx=%s", id, pmu_vendor->name, pmu_vendor->n_counters, opt.vmx_controls ? "controls" : "lists"));
}

void pmu_reset(unsigned id, unsigned type)
{
  pmu_t &p = pmus[id];
  if (type == BX_RESET_HARDWARE) {
    memset(&p, 0, sizeof p);
    p.since = BX_CPU(id)->icount;
    p.counted = pmu_hot[id].retired;
    pmu_vendor->reset(p);
    pmu_configure(id);
  }
}

void pmu_exit(unsigned id)
{
  BX_INFO(("pmu%u: " FMT_LL "u PMIs delivered, " FMT_LL "u masked", id, pmus[id].n_pmi, pmus[id].n_masked));
}

static Bit32s parse_option(const char *context, int n, char *params[])
{
  for (int k = 1; k < n; k++) {
    const char *p = params[k];
    if (! strncmp(p, "enabled=", 8)) opt.enabled = atoi(p + 8);
    else if (! strncmp(p, "trace=", 6)) opt.trace = atoi(p + 6);
    else if (! strncmp(p, "tsc_hz=", 7)) pmu_tsc_hz = strtoull(p + 7, NULL, 10);
    else if (! strncmp(p, "seed=", 5)) opt.seed = strtoul(p + 5, NULL, 10);
    else if (! strcmp(p, "vmx=controls")) opt.vmx_controls = true;
    else if (! strcmp(p, "vmx=lists")) opt.vmx_controls = false;
    else {
      BX_PANIC(("%s: pmu: unknown parameter '%s'", context, p));
      return -1;
    }
  }
  return 0;
}

void pmu_init_env(void)
{
  machine_register_options();
  SIM->register_addon_option("pmu", parse_option, NULL);
}

void pmu_exit_env(void)
{
  SIM->unregister_addon_option("pmu");
  machine_unregister_options();
}

#endif
