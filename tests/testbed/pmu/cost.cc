// SPDX-License-Identifier: GPL-2.0-only
// What a sample costs, in instructions.
//
// Every instruction belongs to one class: non-root, or root mode in one of the
// stages below.  The host delimits windows by writing to I/O ports:
//   0x7e9   a character of the name ('\n' clears it)
//   0x7e8   1 start; 2 stop: the counts are appended to the file cost.txt
//           3 the name is (in hexadecimal) the address at which KVM calls the
//             NMI handler: asm_exc_nmi_noist, newer kernels asm_exc_nmi_kvm_vmx
//           5, 6 begin and end of truth.txt (truth.cc)
//           4 start, and count the addresses of all root-mode instructions too:
//             at stop they go to NAME.hist (stage, address, instructions), and
//             lines "op" (stage, instruction, count).  10 % slower.

#define NEED_CPU_REG_SHORTCUTS 1
#include "bochs.h"
#include "pc_system.h"
#include "cpu/cpu.h"
#include "cpu/decoder/ia_opcodes.h"
#include "pmu.h"
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <string>
#include <vector>

#if BX_INSTRUMENTATION

enum stage_t {
  S_NONE,       // root mode, no NMI
  S_HOST_NMI,   // an NMI that hit root mode: delivery to IRET
  S_EXIT,       // an NMI that hit the guest: VM exit to the software entry of the NMI handler (SVM: to its delivery)
  S_GUEST_NMI,  // ... from there to IRET
  S_AFTER,      // ... from there to the next VM entry
  N_STAGES
};
static const char *const stage_name[N_STAGES] = { "none", "host_nmi", "exit", "guest_nmi", "after" };

struct amount_t { Bit64s ins, ticks; };

struct cost_t {
  bool nonroot, user, active;           // the class now; a window is open
  stage_t stage;
  unsigned depth;                       // exceptions inside the NMI handler
  bool self;                            // the next INTERRUPT hook is the NMI itself
  Bit64u ins, ticks;                    // where the class began
  amount_t root[N_STAGES][2], guest[2];
  amount_t seg;                         // the present stage so far
  std::vector<Bit32u> segs[N_STAGES], segs_ticks[N_STAGES];
  svm_nmis_t nmis0;
  Bit64u n_nmi_host, n_nmi_guest, n_exits, pmi0, icount0, retired0, time0;
  Bit64u rip;                           // of the next instruction, 0: not known
  Bit64u step_ticks;
  std::string name;
};
static cost_t costs[PMU_MAX_CPUS];
Bit64u cost_nmi_entry;
static bool cost_hist;

struct slot_t { Bit64u rip; Bit32u count[N_STAGES], ticks[N_STAGES]; };
enum { HIST_BITS = 19 };
static slot_t *hist;
static Bit32u ops[BX_IA_LAST][N_STAGES];   // by instruction

static void hist_add(Bit64u rip, stage_t stage, Bit64u ticks)
{
  Bit32u at = (Bit32u)((rip * BX_CONST64(0x9e3779b97f4a7c15)) >> (64 - HIST_BITS));
  while (hist[at].rip && hist[at].rip != rip) at = (at + 1) & ((1 << HIST_BITS) - 1);
  hist[at].rip = rip;
  hist[at].count[stage]++;
  hist[at].ticks[stage] += (Bit32u) ticks;
}

// Account for what was done since the class began; "current": the present
// instruction, whose after-execution hook is still to come, belongs to it too.
static void cost_mark(unsigned id, unsigned current)
{
  cost_t &c = costs[id];
  Bit64u ins = pmu_hot[id].retired + current, ticks = BX_CPU(id)->icount + current;
  amount_t &a = c.nonroot ? c.guest[c.user] : c.root[c.stage][c.user];
  Bit64s di = (Bit64s)(ins - c.ins), dt = (Bit64s)(ticks - c.ticks);
  if (c.active) { a.ins += di; a.ticks += dt; }
  if (! c.nonroot) { c.seg.ins += di; c.seg.ticks += dt; }
  c.ins = ins;
  c.ticks = ticks;
}

static void cost_stage(unsigned id, stage_t stage)
{
  cost_t &c = costs[id];
  if (c.active && c.stage != S_NONE) {
    c.segs[c.stage].push_back((Bit32u) c.seg.ins);
    c.segs_ticks[c.stage].push_back((Bit32u) c.seg.ticks);
  }
  c.stage = stage;
  c.seg.ins = c.seg.ticks = 0;
  c.depth = 0;
}

bool cost_stepping(unsigned id) { return costs[id].active && cost_hist && ! costs[id].nonroot; }

void cost_hwinterrupt(unsigned id, unsigned vector)
{
  cost_t &c = costs[id];
  if (vector != 2 || c.nonroot) return;
  cost_mark(id, 0);
  // SVM delivers the NMI that a guest was left for; VMX has acknowledged it, and
  // this is another one.
  bool guest = c.stage == S_EXIT && pmu_vendor == &pmu_amd;
  cost_stage(id, guest ? S_GUEST_NMI : S_HOST_NMI);
  c.n_nmi_host += c.active && ! guest;
  c.self = true;
}

void cost_interrupt(unsigned id, unsigned vector)
{
  cost_t &c = costs[id];
  cost_mark(id, 0);
  c.user = false;
  c.rip = 0;
  if (c.self) c.self = false;
  else if (! c.nonroot && (c.stage == S_HOST_NMI || c.stage == S_GUEST_NMI)) c.depth++;
  if (cost_stepping(id)) pmu_hot[id].next = 0;
}

void cost_far_branch(unsigned id, unsigned what)
{
  cost_t &c = costs[id];
  cost_mark(id, 1);
  c.user = BX_CPU(id)->sregs[BX_SEG_REG_CS].selector.rpl != 0;
  if (what == BX_INSTR_IS_IRET && ! c.nonroot && (c.stage == S_HOST_NMI || c.stage == S_GUEST_NMI)) {
    if (c.depth) c.depth--;
    else cost_stage(id, c.stage == S_GUEST_NMI ? S_AFTER : S_NONE);
  }
}

void cost_software_nmi(unsigned id)
{
  cost_t &c = costs[id];
  if (c.nonroot || c.stage != S_EXIT) return;
  cost_mark(id, 1);                     // the call belongs to the caller
  cost_stage(id, S_GUEST_NMI);
}

void cost_vmx(unsigned id, bool exiting, bool nmi)
{
  cost_t &c = costs[id];
  cost_mark(id, ! exiting);             // VMRESUME or VMRUN itself belongs to the host
  if (exiting) {
    c.n_exits += c.active;
    cost_stage(id, nmi ? S_EXIT : S_NONE);
    c.n_nmi_guest += nmi && c.active;
    c.user = false;
  }
  else {
    cost_stage(id, S_NONE);
    c.user = BX_CPU(id)->sregs[BX_SEG_REG_CS].selector.rpl != 0;
  }
  c.nonroot = ! exiting;
  c.rip = 0;
  if (cost_stepping(id)) pmu_hot[id].next = 0;
}

void cost_step(unsigned id, bxInstruction_c *i)
{
  cost_t &c = costs[id];
  Bit64u rip = BX_CPU(id)->gen_reg[BX_64BIT_REG_RIP].rrx, now = BX_CPU(id)->icount + 1;
  if (cost_stepping(id)) {
    hist_add(c.rip ? c.rip : rip - i->ilen(), c.stage, now - c.step_ticks);
    ops[i->getIaOpcode()][c.stage]++;
  }
  c.rip = rip;
  c.step_ticks = now;
}

static void put_quantiles(FILE *f, const char *name, std::vector<Bit32u> &v)
{
  if (v.empty()) return;
  std::sort(v.begin(), v.end());
  Bit64u sum = 0;
  for (size_t k = 0; k < v.size(); k++) sum += v[k];
  size_t n = v.size();
  fprintf(f, "  seg %s n %zu mean %.1f min %u p10 %u median %u p90 %u p99 %u max %u\n", name, n, (double) sum / n,
          v[0], v[n / 10], v[n / 2], v[n * 9 / 10], v[n * 99 / 100], v[n - 1]);
}

static void cost_start(unsigned id, bool with_hist)
{
  cost_t &c = costs[id];
  cost_hist = with_hist;
  cost_mark(id, 0);
  memset(c.root, 0, sizeof c.root);
  memset(c.guest, 0, sizeof c.guest);
  for (unsigned s = 0; s < N_STAGES; s++) { c.segs[s].clear(); c.segs_ticks[s].clear(); }
  c.n_nmi_host = c.n_nmi_guest = c.n_exits = 0;
  c.pmi0 = pmus[id].n_pmi;
  c.nmis0 = svm_nmis[id];
  c.icount0 = BX_CPU(id)->icount;
  c.retired0 = pmu_hot[id].retired;
  c.time0 = bx_pc_system.time_ticks();
  c.rip = 0;
  c.step_ticks = BX_CPU(id)->icount;
  if (cost_hist) {
    if (! hist) hist = (slot_t *) calloc(1 << HIST_BITS, sizeof *hist);
    else memset(hist, 0, sizeof *hist << HIST_BITS);
    memset(ops, 0, sizeof ops);
    pmu_hot[id].next = 0;
  }
  c.active = true;
}

static void put_hist(const std::string &file)
{
  FILE *f = fopen(file.c_str(), "w");
  if (! f) return;
  for (unsigned k = 0; k < 1u << HIST_BITS; k++)
    for (unsigned s = 0; s < N_STAGES; s++)
      if (hist[k].count[s])
        fprintf(f, "%s %llx %u %u\n", stage_name[s], (unsigned long long) hist[k].rip, hist[k].count[s], hist[k].ticks[s]);
  for (unsigned k = 0; k < BX_IA_LAST; k++)
    for (unsigned s = 0; s < N_STAGES; s++)
      if (ops[k][s]) fprintf(f, "op %s %s %u\n", stage_name[s], get_bx_opcode_name(k), ops[k][s]);
  fclose(f);
}

static void cost_stop(unsigned id)
{
  cost_t &c = costs[id];
  cost_mark(id, 0);
  c.active = false;
  FILE *f = fopen("cost.txt", "a");
  if (! f) return;
  fprintf(f, "window %s cpu %u\n  time %llu ticks %llu ins %llu pmi %llu nmi_host %llu nmi_guest %llu exits %llu"
             " pmi_guest %llu held_entering %llu held_exiting %llu gif0 %llu gif0_entering %llu\n", c.name.c_str(), id,
          (unsigned long long)(bx_pc_system.time_ticks() - c.time0), (unsigned long long)(BX_CPU(id)->icount - c.icount0),
          (unsigned long long)(pmu_hot[id].retired - c.retired0), (unsigned long long)(pmus[id].n_pmi - c.pmi0),
          (unsigned long long) c.n_nmi_host, (unsigned long long) c.n_nmi_guest, (unsigned long long) c.n_exits,
          (unsigned long long)(svm_nmis[id].inside - c.nmis0.inside),
          (unsigned long long)(svm_nmis[id].entering - c.nmis0.entering),
          (unsigned long long)(svm_nmis[id].exiting - c.nmis0.exiting),
          (unsigned long long)(svm_nmis[id].wrong - c.nmis0.wrong), (unsigned long long)(svm_nmis[id].waits - c.nmis0.waits));
  for (unsigned u = 0; u < 2; u++)
    fprintf(f, "  guest %s ins %lld ticks %lld\n", u ? "user" : "kernel", (long long) c.guest[u].ins, (long long) c.guest[u].ticks);
  for (unsigned s = 0; s < N_STAGES; s++)
    for (unsigned u = 0; u < 2; u++)
      if (c.root[s][u].ins || c.root[s][u].ticks)
        fprintf(f, "  root %s %s ins %lld ticks %lld\n", stage_name[s], u ? "user" : "kernel",
                (long long) c.root[s][u].ins, (long long) c.root[s][u].ticks);
  for (unsigned s = 0; s < N_STAGES; s++) {
    put_quantiles(f, stage_name[s], c.segs[s]);
    put_quantiles(f, (std::string(stage_name[s]) + "_ticks").c_str(), c.segs_ticks[s]);
  }
  fclose(f);
  if (cost_hist && id == 0) put_hist(c.name + ".hist");
}

void cost_outp(unsigned port, unsigned value)
{
  if (port == 0x7e8 && value == 3) {
    cost_nmi_entry = strtoull(costs[0].name.c_str(), NULL, 16);
    return;
  }
  if (port == 0x7e8 && value == 5) truth_start(costs[0].name.c_str());
  if (port == 0x7e8 && value == 6) truth_stop();
  for (unsigned id = 0; id < (unsigned) BX_SMP_PROCESSORS && id < PMU_MAX_CPUS; id++) {
    if (port == 0x7e9) {
      if (value == '\n') costs[id].name.clear();
      else costs[id].name += (char) value;
    }
    else if (value == 1 || value == 4) cost_start(id, value == 4);
    else if (value == 2) cost_stop(id);
  }
}

#endif
