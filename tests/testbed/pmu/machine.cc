// SPDX-License-Identifier: GPL-2.0-only
// What the machine needs besides a PMU: files put into its memory before it
// starts, and its registers written out when it hangs.
//
// bochsrc:  load: file=kernel.bin, address=0x1000000     (up to 8 such lines)
// (Bochs' own "optramimage" damages what does not lie within one memory block,
// 8 MB at the most.)  SIGUSR1 appends every processor's registers to the file
// registers.txt in the working directory.

#define NEED_CPU_REG_SHORTCUTS 1
#include "bochs.h"
#include "gui/siminterface.h"
#include "pc_system.h"
#include "cpu/cpu.h"
#include "memory/memory-bochs.h"
#include "pmu.h"
#include <signal.h>
#include <stdlib.h>

#if BX_INSTRUMENTATION

#define LOG_THIS genlog->

static struct { char file[1024]; Bit64u address; } loads[8];
static unsigned n_loads;

static void load_files(void)
{
  for (unsigned k = 0; k < n_loads; k++) {
    FILE *f = fopen(loads[k].file, "rb");
    if (! f) {
      BX_PANIC(("load: cannot open '%s'", loads[k].file));
      return;
    }
    Bit64u at = loads[k].address;       // page by page: that much lies in one piece
    size_t n;
    do {
      if (at + 4096 > BX_MEM(0)->get_memory_len()) {
        BX_PANIC(("load: '%s' does not fit into memory", loads[k].file));
        break;
      }
      n = fread(BX_MEM(0)->get_vector(at), 1, 4096, f);
      at += n;
    } while (n == 4096);
    fclose(f);
    BX_INFO(("load: '%s' at " FMT_LL "x to " FMT_LL "x", loads[k].file, loads[k].address, at));
  }
}

// Signal handler.  Not async-signal-safe: the emulation is about to be killed.
static void write_registers(int)
{
  static const char *const name[16] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };
  FILE *f = fopen("registers.txt", "a");
  if (! f) return;
  for (unsigned id = 0; id < (unsigned) BX_SMP_PROCESSORS; id++) {
    BX_CPU_C *cpu = BX_CPU(id);
    fprintf(f, "cpu %u instructions " FMT_LL "u ticks " FMT_LL "u activity %u guest %d cpl %u\n", id, pmu_hot[id].retired,
            (Bit64u) cpu->icount, (unsigned) cpu->activity_state, (int)(cpu->in_vmx_guest || cpu->in_svm_guest),
            (unsigned) cpu->sregs[BX_SEG_REG_CS].selector.rpl);
    fprintf(f, "  rip " FMT_LL "x flags %x cr0 %x cr2 " FMT_LL "x cr3 " FMT_LL "x cr4 %x\n", (Bit64u) cpu->gen_reg[BX_64BIT_REG_RIP].rrx,
            (unsigned) cpu->eflags, (unsigned) cpu->cr0.get32(), (Bit64u) cpu->cr2, (Bit64u) cpu->cr3, (unsigned) cpu->cr4.get32());
    for (unsigned n = 0; n < 16; n++)
      fprintf(f, "%s%s " FMT_LL "x", n % 4 ? " " : "  ", name[n], (Bit64u) cpu->gen_reg[n].rrx), n % 4 == 3 ? fputc('\n', f) : 0;
    fprintf(f, "  pmi " FMT_LL "u masked " FMT_LL "u global_ctrl " FMT_LL "x overflowed %x gif %d\n", pmus[id].n_pmi, pmus[id].n_masked,
            pmus[id].global_ctrl, pmus[id].overflowed, (int) cpu->svm_gif);
  }
  fclose(f);
}

void machine_initialize(void)
{
  load_files();
  signal(SIGUSR1, write_registers);
}

static Bit32s parse_load(const char *context, int n, char *params[])
{
  if (n != 3 || strncmp(params[1], "file=", 5) || strncmp(params[2], "address=", 8) ||
      n_loads == sizeof loads / sizeof *loads || strlen(params[1]) >= sizeof loads[0].file) {
    BX_PANIC(("%s: load: wrong or too many", context));
    return -1;
  }
  strcpy(loads[n_loads].file, params[1] + 5);
  loads[n_loads++].address = strtoull(params[2] + 8, NULL, 0) & ~BX_CONST64(0xfff);
  return 0;
}

void machine_register_options(void)
{
  SIM->register_addon_option("load", parse_load, NULL);
}

void machine_unregister_options(void)
{
  SIM->unregister_addon_option("load");
}

#endif
