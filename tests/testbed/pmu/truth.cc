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

// One walk of four levels.  Intel SDM 3, 'Paging' and 'EPT translation
// mechanism': entries differ in what makes them present.
static bool walk(BX_CPU_C *cpu, Bit64u table, Bit64u from, bool ept, Bit64u *to);

static bool to_host(BX_CPU_C *cpu, Bit64u guest, Bit64u *host)
{
  return walk(cpu, cpu->vmcs.eptptr, guest, true, host);
}

static bool walk(BX_CPU_C *cpu, Bit64u table, Bit64u from, bool ept, Bit64u *to)
{
  for (int level = 3; level >= 0; level--) {
    unsigned shift = 12 + 9 * level;
    Bit64u entry, at = (table & ADDRESS) + 8 * (from >> shift & 511);
    if (! ept && ! to_host(cpu, at, &at)) return false;
    physical(cpu, at, 8, &entry);
    if (! (entry & (ept ? 7 : 1))) return false;
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
static bool guest_read(BX_CPU_C *cpu, Bit64u address, unsigned len, void *data)
{
  Bit64u at;
  if ((address & 4095) + len > 4096 ||
      ! walk(cpu, cpu->cr3 & ~BX_CONST64(0x1fff), address, false, &at) || ! to_host(cpu, at, &at)) return false;
  physical(cpu, at, len, data);
  return true;
}

// An NMI exits from the guest; its registers are still there.
void truth_nmi(unsigned id)
{
  BX_CPU_C *cpu = BX_CPU(id);
  if (! out || ! cpu->in_vmx_guest) return;
  unsigned cpl = cpu->sregs[BX_SEG_REG_CS].selector.rpl;
  Bit64u gs = cpu->sregs[BX_SEG_REG_GS].cache.u.segment.base, task, stack;
  Bit32u tgid, pid;
  unsigned char comm[16];
  if (cpl || ! (gs >> 63)) gs = cpu->msr.kernelgsbase;
  fprintf(out, "%llu %llx %llx %u %llx", (unsigned long long) cpu->get_TSC(), (unsigned long long) cpu->cr3,
          (unsigned long long) cpu->gen_reg[BX_64BIT_REG_RIP].rrx, cpl,
          (unsigned long long) cpu->gen_reg[BX_64BIT_REG_RSP].rrx);
  if (! guest_read(cpu, gs + at_current, 8, &task) || ! guest_read(cpu, task + at_stack, 8, &stack) ||
      ! guest_read(cpu, task + at_tgid, 4, &tgid) ||
      ! guest_read(cpu, task + at_pid, 4, &pid) || ! guest_read(cpu, task + at_comm, 16, comm)) {
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
