// SPDX-License-Identifier: GPL-2.0-only
// Who was running: the guest's own `current` at the moment an NMI hits it, read
// from the guest's memory before the VM exit.  One line in truth.txt each:
//   tsc cr3 rip cpl rsp stack tgid pid comm
// stack: the lowest address of its kernel stack; comm in hexadecimal; "-" instead
// of the last four: not readable.
// Switched on by port 0x7e8 (cost.cc): value 5, the name being in hexadecimal
// "current_task stack tgid pid comm": the per-CPU offset of current_task, and those
// of four members of struct task_struct; 6 switches it off.

#define NEED_CPU_REG_SHORTCUTS 1
#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/svm.h"
#include "memory/memory-bochs.h"
#include "pmu.h"
#include <stdio.h>

#if BX_INSTRUMENTATION && BX_SUPPORT_VMX >= 2

static const Bit64u ADDRESS = BX_CONST64(0x000ffffffffff000);
static unsigned long long at_current, at_stack, at_tgid, at_pid, at_comm;
static FILE *out;

static void physical(BX_CPU_C *cpu, Bit64u at, unsigned len, void *data)
{
  BX_MEM(0)->readPhysicalPage(cpu, at, len, data);
}

// A guest that is being left.  VMX: its registers are still there.  SVM: they are
// in the VMCB, but for GS; its nested page table is one like the host's (APM 2,
// 'Nested Paging').
struct guest_t { Bit64u cr3, rip, rsp, root; unsigned cpl; bool ept; };

static guest_t guest_of(BX_CPU_C *cpu)
{
  guest_t g;
  g.ept = cpu->in_vmx_guest;
  if (g.ept) {
    g.cr3 = cpu->cr3;
    g.rip = cpu->gen_reg[BX_64BIT_REG_RIP].rrx;
    g.rsp = cpu->gen_reg[BX_64BIT_REG_RSP].rrx;
    g.root = cpu->vmcs.eptptr;
    g.cpl = cpu->sregs[BX_SEG_REG_CS].selector.rpl;
    return g;
  }
  g.cr3 = svm_vmcb(cpu, SVM_GUEST_CR3);
  g.rip = svm_vmcb(cpu, SVM_GUEST_RIP);
  g.rsp = svm_vmcb(cpu, SVM_GUEST_RSP);
  g.root = cpu->vmcb->ctrls.ncr3;
  g.cpl = svm_vmcb(cpu, SVM_GUEST_CPL) & 3;
  return g;
}

// One walk of four levels.  Intel SDM 3, 'Paging' and 'EPT translation
// mechanism': entries differ in what makes them present.
static bool walk(BX_CPU_C *cpu, const guest_t &g, Bit64u table, Bit64u from, bool nested, Bit64u *to)
{
  for (int level = 3; level >= 0; level--) {
    unsigned shift = 12 + 9 * level;
    Bit64u entry, at = (table & ADDRESS) + 8 * (from >> shift & 511);
    if (! nested && ! walk(cpu, g, g.root, at, true, &at)) return false;
    physical(cpu, at, 8, &entry);
    if (! (entry & (nested && g.ept ? 7 : 1))) return false;
    if (! level || (level < 3 && entry & 0x80)) {
      Bit64u inside = (BX_CONST64(1) << shift) - 1;
      *to = (entry & ADDRESS & ~inside) | (from & inside);
      return true;
    }
    table = entry;
  }
  return false;
}

// "len" bytes, not across a page, of the guest's kernel memory.  Under PTI the
// kernel's page table is the one below the user's (bit 12 of CR3).
static bool guest_read(BX_CPU_C *cpu, const guest_t &g, Bit64u address, unsigned len, void *data)
{
  Bit64u at;
  if ((address & 4095) + len > 4096 || ! walk(cpu, g, g.cr3 & ~BX_CONST64(0x1fff), address, false, &at) ||
      ! walk(cpu, g, g.root, at, true, &at)) return false;
  physical(cpu, at, len, data);
  return true;
}

// An NMI exits from the guest.
void truth_nmi(unsigned id)
{
  BX_CPU_C *cpu = BX_CPU(id);
  if (! out) return;
  guest_t g = guest_of(cpu);
  Bit64u gs = cpu->sregs[BX_SEG_REG_GS].cache.u.segment.base, task, stack;
  Bit32u tgid, pid;
  unsigned char comm[16];
  if (g.cpl || ! (gs >> 63)) gs = cpu->msr.kernelgsbase;
  fprintf(out, "%llu %llx %llx %u %llx", (unsigned long long) cpu->get_TSC(), (unsigned long long) g.cr3,
          (unsigned long long) g.rip, g.cpl, (unsigned long long) g.rsp);
  if (! guest_read(cpu, g, gs + at_current, 8, &task) || ! guest_read(cpu, g, task + at_stack, 8, &stack) ||
      ! guest_read(cpu, g, task + at_tgid, 4, &tgid) ||
      ! guest_read(cpu, g, task + at_pid, 4, &pid) || ! guest_read(cpu, g, task + at_comm, 16, comm)) {
    fprintf(out, " - - - -\n");
    return;
  }
  fprintf(out, " %llx %u %u ", (unsigned long long) stack, tgid, pid);
  for (unsigned k = 0; k < 16 && comm[k]; k++) fprintf(out, "%02x", comm[k]);
  fprintf(out, "\n");
}

void truth_start(const char *offsets)
{
  if (! out && sscanf(offsets, "%llx %llx %llx %llx %llx", &at_current, &at_stack, &at_tgid, &at_pid,
                       &at_comm) == 5)
    out = fopen("truth.txt", "w");
}

void truth_stop(void)
{
  if (out) fclose(out);
  out = NULL;
}

#elif BX_INSTRUMENTATION

void truth_nmi(unsigned id) {}
void truth_start(const char *offsets) {}
void truth_stop(void) {}

#endif
