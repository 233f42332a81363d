// SPDX-License-Identifier: GPL-2.0-only
// Intel's architectural PMU, version 2: four general counters, three fixed ones,
// PERF_GLOBAL_CTRL and _STATUS, full-width writes.  SDM 3, "Performance
// Monitoring".

#define NEED_CPU_REG_SHORTCUTS 1
#include "pmu.h"

#if BX_INSTRUMENTATION

enum {
  N_GP = 4, N_FIXED = 3,
  MSR_PMC0 = 0xc1, MSR_PERFEVTSEL0 = 0x186, MSR_MISC_ENABLE = 0x1a0,
  MSR_FIXED_CTR0 = 0x309, MSR_PERF_CAPABILITIES = 0x345,
  MSR_FIXED_CTR_CTRL = 0x38d, MSR_GLOBAL_STATUS = 0x38e,
  MSR_GLOBAL_CTRL = 0x38f, MSR_GLOBAL_OVF_CTRL = 0x390,
  MSR_A_PMC0 = 0x4c1
};

static const Bit64u GLOBAL_MASK = (BX_CONST64(7) << 32) | ((1 << N_GP) - 1);
static const Bit64u STATUS_MASK = GLOBAL_MASK | (BX_CONST64(3) << 62);
static const Bit64u CAP_FW_WRITE = 1 << 13;

// Counters are general ones first.  In the global registers fixed ones are bits 32 and up.
static Bit64u status(const pmu_t &p)
{
  return (p.overflowed & ((1 << N_GP) - 1)) | (Bit64u)(p.overflowed >> N_GP) << 32;
}

static void clear_status(pmu_t &p, Bit64u bits)
{
  p.overflowed &= ~((Bit32u)(bits & ((1 << N_GP) - 1)) | (Bit32u)(bits >> 32 & 7) << N_GP);
}

static bool enabled(const pmu_t &p, unsigned n)
{
  return p.global_ctrl >> (n < N_GP ? n : 32 + n - N_GP) & 1;
}

static what_t decode_event(Bit64u sel)
{
  if (sel_is_cycles(sel)) return CYCLES;
  switch (sel & 0xffff) {
  case 0x003c: case 0x013c: return CYCLES;
  case 0x00c0: case 0x01c0: return INSTRUCTIONS;
  }
  return NOTHING;
}

static void configure(pmu_t &p)
{
  for (unsigned n = 0; n < N_GP; n++) {
    counter_t &c = p.ctr[n];
    c.what = (p.sel[n] & SEL_EN) && enabled(p, n) ? decode_event(p.sel[n]) : NOTHING;
    c.mode[IN_ANY] = p.sel[n] & SEL_OS;
    c.mode[IN_ANY + 1] = p.sel[n] & SEL_USR;
    c.pmi = p.sel[n] & SEL_INT;
  }
  for (unsigned n = 0; n < N_FIXED; n++) {
    counter_t &c = p.ctr[N_GP + n];
    unsigned ctrl = (p.fixed_ctrl >> (4 * n)) & 0xf;
    c.what = ! (ctrl & 3) || ! enabled(p, N_GP + n) ? NOTHING : n == 0 ? INSTRUCTIONS : CYCLES;
    c.mode[IN_ANY] = ctrl & 1;
    c.mode[IN_ANY + 1] = ctrl & 2;
    c.pmi = ctrl & 8;
  }
}

void intel_set_global_ctrl(unsigned id, Bit64u value)
{
  pmu_sync(id);
  pmus[id].global_ctrl = value & GLOBAL_MASK;
  pmu_configure(id);
}

// The counter that an MSR is, -1: none.
static int counter_of(Bit32u msr)
{
  if (msr >= MSR_PMC0 && msr < MSR_PMC0 + N_GP) return msr - MSR_PMC0;
  if (msr >= MSR_A_PMC0 && msr < MSR_A_PMC0 + N_GP) return msr - MSR_A_PMC0;
  if (msr >= MSR_FIXED_CTR0 && msr < MSR_FIXED_CTR0 + N_FIXED) return N_GP + msr - MSR_FIXED_CTR0;
  return -1;
}

static int read_msr(unsigned id, Bit32u msr, Bit64u *value)
{
  pmu_t &p = pmus[id];
  int n = counter_of(msr);
  if (n >= 0) { pmu_sync(id); *value = p.ctr[n].value; return 1; }
  if (msr >= MSR_PERFEVTSEL0 && msr < MSR_PERFEVTSEL0 + N_GP) { *value = p.sel[msr - MSR_PERFEVTSEL0]; return 1; }
  switch (msr) {
  case MSR_FIXED_CTR_CTRL:    *value = p.fixed_ctrl; return 1;
  case MSR_GLOBAL_CTRL:       *value = p.global_ctrl; return 1;
  case MSR_GLOBAL_STATUS:     pmu_sync(id); *value = status(p); return 1;
  case MSR_GLOBAL_OVF_CTRL:   *value = 0; return 1;
  case MSR_PERF_CAPABILITIES: *value = CAP_FW_WRITE; return 1;
  case MSR_MISC_ENABLE:       *value = p.misc_enable; return 1;
  }
  return -1;
}

static int write_msr(unsigned id, Bit32u msr, Bit64u value)
{
  pmu_t &p = pmus[id];
  int n = counter_of(msr);
  if (n >= 0) {
    if (msr < MSR_PMC0 + N_GP) value = (Bit64u)(Bit64s)(Bit32s) value & CTR_MASK;
    if (value & ~CTR_MASK) return 0;
    pmu_sync(id);
    p.ctr[n].value = value;
  }
  else if (msr >= MSR_PERFEVTSEL0 && msr < MSR_PERFEVTSEL0 + N_GP) {
    if (value >> 32) return 0;
    pmu_sync(id);
    p.sel[msr - MSR_PERFEVTSEL0] = value;
  }
  else switch (msr) {
  case MSR_FIXED_CTR_CTRL:
    if (value & ~BX_CONST64(0xbbb)) return 0;
    pmu_sync(id);
    p.fixed_ctrl = value;
    break;
  case MSR_GLOBAL_CTRL:
    if (value & ~GLOBAL_MASK) return 0;
    pmu_sync(id);
    p.global_ctrl = value;
    break;
  case MSR_GLOBAL_OVF_CTRL:
    if (value & ~STATUS_MASK) return 0;
    pmu_sync(id);
    clear_status(p, value);
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
  pmu_configure(id);
  return 1;
}

static int rdpmc(Bit32u ecx)
{
  unsigned n = ecx & 0x3fffffff, fixed = ecx & 0x40000000;
  if ((ecx & 0x80000000) || n >= (unsigned)(fixed ? N_FIXED : N_GP)) return -1;
  return fixed ? N_GP + n : n;
}

static void cpuid(Bit32u function, cpuid_function_t *leaf)
{
  if (function == 0xa) {
    leaf->eax = 2 | N_GP << 8 | WIDTH << 16 | 7 << 24;
    leaf->ebx = 0x78;                   // no cache and branch events
    leaf->ecx = 0;
    leaf->edx = N_FIXED | WIDTH << 5;
  }
  else if (pmu_tsc_hz && (function == 0x15 || function == 0x16)) {
    Bit32u mhz = (Bit32u)(pmu_tsc_hz / 1000000);
    leaf->eax = leaf->ebx = function == 0x15 ? 1 : mhz;
    leaf->ecx = function == 0x15 ? (Bit32u) pmu_tsc_hz : 100;
    leaf->edx = 0;
  }
  else if (function == 1) {
    leaf->ecx |= 1 << 15;               // PDCM
    leaf->ecx &= ~((1 << 2) | (1 << 4));        // no DTES64, no DS-CPL
    leaf->edx &= ~(1 << 21);            // no debug store (so no PEBS, no BTS)
  }
}

static unsigned place(BX_CPU_C *) { return IN_ANY; }

static void reset(pmu_t &p)
{
  p.global_ctrl = (1 << N_GP) - 1;
  // fast strings, PMU available, no BTS, no PEBS, SpeedStep, MONITOR
  p.misc_enable = 1 | 1 << 7 | 1 << 11 | 1 << 12 | 1 << 16 | 1 << 18;
}

const vendor_t pmu_intel = {
  "Intel", N_GP + N_FIXED, true, read_msr, write_msr, rdpmc, cpuid, configure, place, reset
};

#endif
