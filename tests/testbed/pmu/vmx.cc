// SPDX-License-Identifier: GPL-2.0-only
// What Bochs 3.0 gets wrong about interrupts in VMX non-root operation, put
// right from outside.
//
// 1. On VM entry the masked events are found before Bochs knows that it is in a
//    guest: with "external-interrupt exiting" the guest's IF masks none.  Else a
//    guest with IF clear (its decompressor) holds up the host's timer and IPIs.
// 2. When an external interrupt is to exit while a virtual one is pending,
//    the virtual one is delivered, even if the guest's IF is clear.  A Linux
//    guest then dies of it: an interrupt inside an exception's entry code.
// 3. With several CPUs, an exception's delivery leaves prev_rip at the
//    instruction that faulted.  An interrupt that exits before the handler's
//    first instruction then saves that RIP with the handler's RSP and flags.

#define NEED_CPU_REG_SHORTCUTS 1
#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/apic.h"
#include "pmu.h"

#if BX_INSTRUMENTATION && BX_SUPPORT_VMX >= 2

void vmx_entered(BX_CPU_C *cpu)
{
  if (cpu->vmcs.pin_vmexec_ctrls.EXTERNAL_INTERRUPT_VMEXIT())
    cpu->unmask_event(BX_EVENT_PENDING_INTR | BX_EVENT_PENDING_LAPIC_INTR);
}

// A VM exit begins.  Those that happen between instructions save RIP as it is.
void vmx_exiting(BX_CPU_C *cpu, unsigned reason, bool nmi)
{
  switch (reason) {
  case VMX_VMEXIT_EXCEPTION_NMI:
    if (! nmi) return;
  case VMX_VMEXIT_EXTERNAL_INTERRUPT:
  case VMX_VMEXIT_INTERRUPT_WINDOW:
  case VMX_VMEXIT_NMI_WINDOW:
  case VMX_VMEXIT_VMX_PREEMPTION_TIMER_EXPIRED:
    cpu->prev_rip = cpu->gen_reg[BX_64BIT_REG_RIP].rrx;
    cpu->speculative_rsp = false;
  }
}

static void set_bit(BX_CPU_C *cpu, unsigned array, unsigned vector, bool on)
{
  unsigned reg = array + 16 * (vector / 32);
  Bit32u bit = 1u << (vector % 32), value = cpu->VMX_Read_Virtual_APIC(reg);
  cpu->VMX_Write_Virtual_APIC(reg, on ? value | bit : value & ~bit);
}

// Bochs has moved "vector" from the virtual IRR to the ISR and is about to
// deliver it to the guest.
void vmx_hwinterrupt(unsigned id, unsigned vector)
{
  BX_CPU_C *cpu = BX_CPU(id);
  if (! cpu->in_vmx_guest || vector == 2 || cpu->get_IF() || cpu->vmcs.svi != vector) return;

  set_bit(cpu, BX_LAPIC_IRR1, vector, true);
  set_bit(cpu, BX_LAPIC_ISR1, vector, false);
  cpu->vmcs.rvi = vector;
  cpu->vmcs.svi = 0;
  for (unsigned v = 255; v > 15; v--)
    if (cpu->VMX_Read_Virtual_APIC(BX_LAPIC_ISR1 + 16 * (v / 32)) & (1u << (v % 32))) {
      cpu->vmcs.svi = v;
      break;
    }
  cpu->VMX_PPR_Virtualization();
  cpu->EXT = 0;
  if (cpu->is_unmasked_event_pending(BX_EVENT_PENDING_INTR | BX_EVENT_PENDING_LAPIC_INTR))
    cpu->HandleExtInterrupt();          // VM exit, or posted interrupts taken over
  else {
    cpu->mask_event(BX_EVENT_PENDING_VMX_VIRTUAL_INTR);
    cpu->VMX_Evaluate_Pending_Virtual_Interrupts();
  }
  longjmp(cpu->jmp_buf_env, 1);
}

#elif BX_INSTRUMENTATION

void vmx_entered(BX_CPU_C *cpu) {}
void vmx_exiting(BX_CPU_C *cpu, unsigned reason, bool nmi) {}
void vmx_hwinterrupt(unsigned id, unsigned vector) {}

#endif
