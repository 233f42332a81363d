// SPDX-License-Identifier: GPL-2.0-only
// AMD's core performance counters as family 17h has them: six pairs of PERF_CTL
// and PERF_CTR, the first four under their old numbers, too; no fixed counters,
// no global control, no overflow status.  APM 2, "Performance Monitoring
// Counters" (13.2); the events are those of the PPR for family 17h.

#define NEED_CPU_REG_SHORTCUTS 1
#include "pmu.h"

#if BX_INSTRUMENTATION

enum { N_CORE = 6, N_LEGACY = 4 };
static const Bit32u PERF_CTL0 = 0xc0010200, LEGACY_CTL0 = 0xc0010000, LEGACY_CTR0 = 0xc0010004;

// Of PERF_CTL: what is reserved (bits 63:42, 39:36, 21, 19) reads as 0.
static const Bit64u CTL_MASK = BX_CONST64(0x30fffd7ffff) & ~(BX_CONST64(1) << 19);
static const unsigned GUEST_ONLY = 40, HOST_ONLY = 41;

static what_t decode_event(Bit64u sel)
{
  if (sel_is_cycles(sel)) return CYCLES;
  switch ((sel >> 24 & 0xf00) | (sel & 0xff)) {
  case 0x076: return CYCLES;            // cycles not in halt
  case 0x0c0: return INSTRUCTIONS;      // retired instructions
  }
  return NOTHING;
}

// Bits 41:40 of PERF_CTL, HG_ONLY: 0 counts always; else with EFER.SVME alone:
// 1 in guests, 2 in the host, 3 in both.
static void configure(pmu_t &p)
{
  for (unsigned n = 0; n < N_CORE; n++) {
    counter_t &c = p.ctr[n];
    Bit64u sel = p.sel[n];
    bool guest = sel >> GUEST_ONLY & 1, host = sel >> HOST_ONLY & 1, any = ! guest && ! host;
    c.what = sel & SEL_EN ? decode_event(sel) : NOTHING;
    for (unsigned user = 0; user < 2; user++) {
      bool ring = sel & (user ? SEL_USR : SEL_OS);
      c.mode[IN_ANY + user] = ring && any;
      c.mode[IN_HOST + user] = ring && (any || host);
      c.mode[IN_GUEST + user] = ring && (any || guest);
    }
    c.pmi = sel & SEL_INT;
  }
}

// The register that an MSR is: its counter's number, and whether it is PERF_CTL.
static bool find(Bit32u msr, unsigned *n, bool *ctl)
{
  if (msr >= PERF_CTL0 && msr < PERF_CTL0 + 2 * N_CORE) {
    *n = (msr - PERF_CTL0) / 2;
    *ctl = ! (msr & 1);
    return true;
  }
  *ctl = msr >= LEGACY_CTL0 && msr < LEGACY_CTL0 + N_LEGACY;
  *n = msr - (*ctl ? LEGACY_CTL0 : LEGACY_CTR0);
  return *ctl || (msr >= LEGACY_CTR0 && msr < LEGACY_CTR0 + N_LEGACY);
}

static int read_msr(unsigned id, Bit32u msr, Bit64u *value)
{
  unsigned n;
  bool ctl;
  if (! find(msr, &n, &ctl)) return -1;
  if (! ctl) pmu_sync(id);
  *value = ctl ? pmus[id].sel[n] : pmus[id].ctr[n].value;
  return 1;
}

static int write_msr(unsigned id, Bit32u msr, Bit64u value)
{
  unsigned n;
  bool ctl;
  if (! find(msr, &n, &ctl)) return -1;
  pmu_sync(id);
  if (ctl) pmus[id].sel[n] = value & CTL_MASK;
  else pmus[id].ctr[n].value = value & CTR_MASK;
  pmu_configure(id);
  return 1;
}

static int rdpmc(Bit32u ecx) { return ecx < N_CORE ? (int) ecx : -1; }

static void cpuid(Bit32u function, cpuid_function_t *leaf)
{
  if (function == 0x80000001) {
    leaf->ecx |= 1 << 23;               // PerfCtrExtCore
    // no IBS, no counters of the data fabric, the time stamp, the L2 or L3 cache
    leaf->ecx &= ~(1 << 10 | 1 << 24 | 1 << 27 | 1 << 28);
  }
  else if (function == 0x8000000a)
    leaf->edx |= 1 << 12;               // PauseFilterThreshold: svm_pause()
  else if (function == 0x8000001b)      // IBS
    leaf->eax = leaf->ebx = leaf->ecx = leaf->edx = 0;
}

static unsigned place(BX_CPU_C *cpu)
{
  return cpu->in_svm_guest ? IN_GUEST : cpu->efer.get_SVME() ? IN_HOST : IN_ANY;
}

static void reset(pmu_t &) {}

// A PMI leaves LVTPC as it is: masking it is Intel's.
const vendor_t pmu_amd = {
  "AMD", N_CORE, false, read_msr, write_msr, rdpmc, cpuid, configure, place, reset
};

#endif
