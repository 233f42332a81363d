// SPDX-License-Identifier: GPL-2.0-only
// An emulated Intel architectural PMU (version 2) for Bochs, as an
// instrumentation library: no file of Bochs is changed.
//
// How it hooks in:
//  - MSRs and CPUID: each processor's CPU model object (a bx_cpuid_t, asked by
//    Bochs for every CPUID leaf and for every MSR it does not know) is replaced
//    by a wrapper that answers for the PMU and passes everything else on.
//  - RDPMC: at decode time the instruction's handler is replaced by ours.
//  - Counting: the after-execution hook, active only while a counter runs.
//  - PMI: through LVTPC of the processor's local APIC; the entry gets masked.
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
#include "cpu/decoder/ia_opcodes.h"
#include "pmu.h"
#include <stdlib.h>

#if BX_INSTRUMENTATION

#define LOG_THIS genlog->

enum {
  WIDTH = 48,
  MSR_PMC0 = 0xc1, MSR_PERFEVTSEL0 = 0x186, MSR_MISC_ENABLE = 0x1a0,
  MSR_FIXED_CTR0 = 0x309, MSR_PERF_CAPABILITIES = 0x345,
  MSR_FIXED_CTR_CTRL = 0x38d, MSR_GLOBAL_STATUS = 0x38e,
  MSR_GLOBAL_CTRL = 0x38f, MSR_GLOBAL_OVF_CTRL = 0x390,
  MSR_A_PMC0 = 0x4c1
};

static const Bit64u CTR_MASK = (BX_CONST64(1) << WIDTH) - 1;
static const Bit64u GLOBAL_MASK = (BX_CONST64(7) << 32) | ((1 << N_GP) - 1);
static const Bit64u STATUS_MASK = GLOBAL_MASK | (BX_CONST64(3) << 62);
static const Bit64u CAP_FW_WRITE = 1 << 13;

// PERFEVTSEL bits
static const Bit64u SEL_USR = 1 << 16, SEL_OS = 1 << 17, SEL_INT = 1 << 20,
                    SEL_EN = 1 << 22, SEL_INV = 1 << 23;

pmu_hot_t pmu_hot[PMU_MAX_CPUS];
pmu_t pmus[PMU_MAX_CPUS];

static struct {
  bool enabled, vmx_controls, trace;
  Bit64u tsc_hz;
  unsigned seed;
} opt = { true, true, false, 0, 0 };

static inline Bit64u status_bit(unsigned n)
{
  return BX_CONST64(1) << (n < N_GP ? n : 32 + n - N_GP);
}

// ---- counting ------------------------------------------------------------

static void deliver_pmi(unsigned id)
{
  BX_CPU_C *cpu = BX_CPU(id);
  Bit32u lvt = cpu->lapic->read_aligned(BX_LAPIC_LVT_PERFMON);
  if (lvt & 0x10000) {
    pmus[id].n_masked++;
    return;
  }
  cpu->lapic->set_lvt_entry(BX_LAPIC_LVT_PERFMON, lvt | 0x10000);
  pmus[id].n_pmi++;
  unsigned mode = (lvt >> 8) & 7;
  if (opt.trace)
    BX_INFO(("pmu%u: PMI lvt=%x status=" FMT_LL "x rip=" FMT_LL "x guest=%d", id, lvt,
             pmus[id].global_status, (Bit64u) cpu->gen_reg[BX_64BIT_REG_RIP].rrx, cpu->in_vmx_guest));
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
  for (unsigned n = 0; n < N_GP + N_FIXED; n++) {
    counter_t &c = p.ctr[n];
    if (c.what != NOTHING && (p.mode == 2 || c.mode[p.mode])) {
      Bit64u left = CTR_MASK + 1 - c.value;
      if (left < least) least = left;
    }
  }
  // the hook compares before the instruction is added to icount
  pmu_hot[id].next = cost_stepping(id) ? 0 : ! p.on ? ~BX_CONST64(0) : p.mode == 2 ? 0 : p.since + least - 1;
}

// Bring the counters up to date, up to icount "now".
static void flush(unsigned id, Bit64u now)
{
  pmu_t &p = pmus[id];
  Bit64u ins = pmu_hot[id].retired, cyc = now - p.since;
  pmu_hot[id].retired = 0;
  p.since = now;
  if (! p.on) return;
  unsigned mode = p.mode;
  if (mode == 2) mode = BX_CPU(id)->sregs[BX_SEG_REG_CS].selector.rpl != 0;
  bool pmi = false;
  for (unsigned n = 0; n < N_GP + N_FIXED; n++) {
    counter_t &c = p.ctr[n];
    if (c.what == NOTHING || ! c.mode[mode]) continue;
    c.value += c.what == CYCLES ? cyc : ins;
    if (c.value > CTR_MASK) {
      c.value &= CTR_MASK;
      p.global_status |= status_bit(n);
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
    pmu_hot[id].retired = 0;
  }
  flush(id, BX_CPU(id)->icount + 1);
  p.mode = BX_CPU(id)->sregs[BX_SEG_REG_CS].selector.rpl != 0;
  set_next(id);
}

// An interrupt, an exception, a VM entry or exit is taking place: the mode is
// found out when the next instruction is done.
void pmu_event(unsigned id)
{
  if (! pmus[id].on) return;
  flush(id, BX_CPU(id)->icount);
  pmus[id].mode = 2;
  pmu_hot[id].next = 0;
}

// The current instruction may have changed the privilege level.
void pmu_far_branch(unsigned id)
{
  if (pmus[id].on) pmu_hot[id].next = 0;
}

// To be called before a control register or a counter is read or written.
static void sync(unsigned id)
{
  flush(id, BX_CPU(id)->icount);
  set_next(id);
}

static what_t decode_event(Bit64u sel)
{
  if ((sel & SEL_INV) && ((sel >> 24) & 0xff)) return CYCLES;    // "cycles with fewer than N ..."
  switch (sel & 0xffff) {
  case 0x003c: case 0x013c: return CYCLES;
  case 0x00c0: case 0x01c0: return INSTRUCTIONS;
  }
  return NOTHING;
}

// To be called after a control register or a counter was written.
static void reconfigure(unsigned id)
{
  pmu_t &p = pmus[id];
  bool on = false;
  for (unsigned n = 0; n < N_GP; n++) {
    counter_t &c = p.ctr[n];
    bool en = (p.sel[n] & SEL_EN) && (p.global_ctrl & status_bit(n));
    c.what = en ? decode_event(p.sel[n]) : NOTHING;
    c.mode[0] = p.sel[n] & SEL_OS;
    c.mode[1] = p.sel[n] & SEL_USR;
    c.pmi = p.sel[n] & SEL_INT;
    on |= c.what != NOTHING;
  }
  for (unsigned n = 0; n < N_FIXED; n++) {
    counter_t &c = p.ctr[N_GP + n];
    unsigned ctrl = (p.fixed_ctrl >> (4 * n)) & 0xf;
    bool en = (ctrl & 3) && (p.global_ctrl & status_bit(N_GP + n));
    c.what = !en ? NOTHING : n == 0 ? INSTRUCTIONS : CYCLES;
    c.mode[0] = ctrl & 1;
    c.mode[1] = ctrl & 2;
    c.pmi = ctrl & 8;
    on |= c.what != NOTHING;
  }
  if (on && ! p.on) p.mode = 2;
  p.on = on;
  set_next(id);
}

static void set_global_ctrl(unsigned id, Bit64u value)
{
  sync(id);
  pmus[id].global_ctrl = value & GLOBAL_MASK;
  reconfigure(id);
}

// ---- MSRs: 1 done, 0 #GP, -1 not ours ----------------------------------------

static int pmu_rdmsr(unsigned id, Bit32u msr, Bit64u *value)
{
  pmu_t &p = pmus[id];
  if (msr >= MSR_PMC0 && msr < MSR_PMC0 + N_GP) { sync(id); *value = p.ctr[msr - MSR_PMC0].value; return 1; }
  if (msr >= MSR_A_PMC0 && msr < MSR_A_PMC0 + N_GP) { sync(id); *value = p.ctr[msr - MSR_A_PMC0].value; return 1; }
  if (msr >= MSR_FIXED_CTR0 && msr < MSR_FIXED_CTR0 + N_FIXED) { sync(id); *value = p.ctr[N_GP + msr - MSR_FIXED_CTR0].value; return 1; }
  if (msr >= MSR_PERFEVTSEL0 && msr < MSR_PERFEVTSEL0 + N_GP) { *value = p.sel[msr - MSR_PERFEVTSEL0]; return 1; }
  switch (msr) {
  case MSR_FIXED_CTR_CTRL:    *value = p.fixed_ctrl; return 1;
  case MSR_GLOBAL_CTRL:       *value = p.global_ctrl; return 1;
  case MSR_GLOBAL_STATUS:     sync(id); *value = p.global_status; return 1;
  case MSR_GLOBAL_OVF_CTRL:   *value = 0; return 1;
  case MSR_PERF_CAPABILITIES: *value = CAP_FW_WRITE; return 1;
  case MSR_MISC_ENABLE:       *value = p.misc_enable; return 1;
  }
  return -1;
}

static int pmu_wrmsr(unsigned id, Bit32u msr, Bit64u value)
{
  pmu_t &p = pmus[id];
  int n = -1;
  if (msr >= MSR_PMC0 && msr < MSR_PMC0 + N_GP) {
    n = msr - MSR_PMC0;
    value = (Bit64u)(Bit64s)(Bit32s) value & CTR_MASK;
  }
  else if (msr >= MSR_A_PMC0 && msr < MSR_A_PMC0 + N_GP) n = msr - MSR_A_PMC0;
  else if (msr >= MSR_FIXED_CTR0 && msr < MSR_FIXED_CTR0 + N_FIXED) n = N_GP + msr - MSR_FIXED_CTR0;
  if (n >= 0) {
    if (value & ~CTR_MASK) return 0;
    sync(id);
    p.ctr[n].value = value;
  }
  else if (msr >= MSR_PERFEVTSEL0 && msr < MSR_PERFEVTSEL0 + N_GP) {
    if (value >> 32) return 0;
    sync(id);
    p.sel[msr - MSR_PERFEVTSEL0] = value;
  }
  else switch (msr) {
  case MSR_FIXED_CTR_CTRL:
    if (value & ~BX_CONST64(0xbbb)) return 0;
    sync(id);
    p.fixed_ctrl = value;
    break;
  case MSR_GLOBAL_CTRL:
    if (value & ~GLOBAL_MASK) return 0;
    sync(id);
    p.global_ctrl = value;
    break;
  case MSR_GLOBAL_OVF_CTRL:
    if (value & ~STATUS_MASK) return 0;
    sync(id);
    p.global_status &= ~value;
    return 1;
  case MSR_MISC_ENABLE:
    p.misc_enable = value;
    return 1;
  case MSR_GLOBAL_STATUS:
  case MSR_PERF_CAPABILITIES:
    return 0;                           // read-only
  default:
    return -1;
  }
  if (opt.trace) BX_INFO(("pmu%u: wrmsr %x " FMT_LL "x", id, msr, value));
  reconfigure(id);
  return 1;
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
    if (function == 0xa) {
      leaf->eax = 2 | N_GP << 8 | WIDTH << 16 | 7 << 24;
      leaf->ebx = 0x78;                 // no cache and branch events
      leaf->ecx = 0;
      leaf->edx = N_FIXED | WIDTH << 5;
      return;
    }
    if (opt.tsc_hz && (function == 0x15 || function == 0x16)) {
      Bit32u mhz = (Bit32u)(opt.tsc_hz / 1000000);
      leaf->eax = leaf->ebx = function == 0x15 ? 1 : mhz;
      leaf->ecx = function == 0x15 ? (Bit32u) opt.tsc_hz : 100;
      leaf->edx = 0;
      return;
    }
    real->get_cpuid_leaf(function, subfunction, leaf);
    if (function == 1) {
      leaf->ecx |= 1 << 15;             // PDCM
      leaf->ecx &= ~((1 << 2) | (1 << 4));  // no DTES64, no DS-CPL
      leaf->edx &= ~(1 << 21);          // no debug store (so no PEBS, no BTS)
    }
  }

  virtual int rdmsr(Bit32u msr, Bit64u *value)
  {
    int done = pmu_rdmsr(cpu->bx_cpuid, msr, value);
    return done < 0 ? real->rdmsr(msr, value) : done;
  }
  virtual int wrmsr(Bit32u msr, Bit64u value)
  {
    int done = pmu_wrmsr(cpu->bx_cpuid, msr, value);
    return done < 0 ? real->wrmsr(msr, value) : done;
  }
};

// ---- RDPMC -------------------------------------------------------------------

struct pmu_cpu_t : public BX_CPU_C {
  void rdpmc(bxInstruction_c *i) BX_CPP_AttrRegparmN(1);
};

void BX_CPP_AttrRegparmN(1) pmu_cpu_t::rdpmc(bxInstruction_c *i)
{
  if (! cr4.get_PCE() && CPL != 0) exception(BX_GP_EXCEPTION, 0);
#if BX_SUPPORT_VMX
  if (in_vmx_guest && vmcs.vmexec_ctrls1.RDPMC_VMEXIT()) VMexit(VMX_VMEXIT_RDPMC, 0);
#endif
  unsigned n = ECX & 0x3fffffff, fixed = ECX & 0x40000000;
  if ((ECX & 0x80000000) || n >= (unsigned)(fixed ? N_FIXED : N_GP)) exception(BX_GP_EXCEPTION, 0);
  sync(bx_cpuid);
  Bit64u value = pmus[bx_cpuid].ctr[fixed ? N_GP + n : n].value;
  RAX = (Bit32u) value;
  RDX = (Bit32u)(value >> 32);
  BX_NEXT_INSTR(i);
}

void pmu_opcode(bxInstruction_c *i)
{
  if (i->getIaOpcode() == BX_IA_RDPMC && opt.enabled)
    i->execute1 = static_cast<BxExecutePtr_tR>(&pmu_cpu_t::rdpmc);
}

// ---- VMX ----------------------------------------------------------------------

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
      set_global_ctrl(id, cpu->VMread64(VMCS_64BIT_GUEST_IA32_PERF_GLOBAL_CTRL));
  }
  else if (cpu->vmcs.vmexit_ctrls1.LOAD_PERF_GLOBAL_CTRL_MSR())
    set_global_ctrl(id, cpu->VMread64(VMCS_64BIT_HOST_IA32_PERF_GLOBAL_CTRL));
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
  cpu->cpuid = new pmu_cpuid_t(cpu, cpu->cpuid);
#if BX_SUPPORT_VMX
  if (! opt.vmx_controls) {
    cpu->vmx_extensions_bitmask &= ~BX_VMX_PERF_GLOBAL_CTRL;
    cpu->vmx_cap.vmx_vmexit_ctrl1_supported_bits &=
      ~(VMX_VMEXIT_CTRL1_LOAD_PERF_GLOBAL_CTRL_MSR | VMX_VMEXIT_CTRL1_SAVE_PERF_GLOBAL_CTRL);
    cpu->vmx_cap.vmx_vmentry_ctrl_supported_bits &= ~VMX_VMENTRY_CTRL1_LOAD_PERF_GLOBAL_CTRL_MSR;
  }
#endif
  BX_INFO(("pmu%u: %d counters, %d fixed, vmx=%s", id, N_GP, N_FIXED, opt.vmx_controls ? "controls" : "lists"));
}

void pmu_reset(unsigned id, unsigned type)
{
  pmu_t &p = pmus[id];
  if (type == BX_RESET_HARDWARE) {
    memset(&p, 0, sizeof p);
    p.since = BX_CPU(id)->icount;
    p.global_ctrl = (1 << N_GP) - 1;
    // fast strings, PMU available, no BTS, no PEBS, SpeedStep, MONITOR
    p.misc_enable = 1 | 1 << 7 | 1 << 11 | 1 << 12 | 1 << 16 | 1 << 18;
    reconfigure(id);
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
    else if (! strncmp(p, "tsc_hz=", 7)) opt.tsc_hz = strtoull(p + 7, NULL, 10);
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
