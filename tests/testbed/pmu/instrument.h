// SPDX-License-Identifier: GPL-2.0-only
// The hooks Bochs calls: for the PMU (pmu.cc) and for the cost counter (cost.cc).
//
// Every hook not needed is defined away here, so that it costs nothing, and the
// handlers-chaining speedup can stay on.  What is done for each instruction is
// one increment and one comparison.

#ifndef PMU_INSTRUMENT_H
#define PMU_INSTRUMENT_H

#if BX_INSTRUMENTATION

class bxInstruction_c;

enum { PMU_MAX_CPUS = 64 };

struct alignas(64) pmu_hot_t {
  Bit64u retired;       // instructions since the start
  Bit64u next;          // pmu_retire() is called when the processor's icount reaches this
};
extern pmu_hot_t pmu_hot[PMU_MAX_CPUS];
extern Bit64u cost_nmi_entry;   // where KVM calls the NMI handler; 0: not known

void pmu_init_env(void);
void pmu_exit_env(void);
void pmu_initialize(unsigned cpu);
void pmu_reset(unsigned cpu, unsigned type);
void pmu_opcode(bxInstruction_c *i);
void pmu_retire(unsigned cpu, bxInstruction_c *i);
void pmu_repeat(unsigned cpu);
void cost_interrupt(unsigned cpu, unsigned vector);
void vmx_hwinterrupt(unsigned cpu, unsigned vector);
void svm_nmi(unsigned cpu);
void cost_hwinterrupt(unsigned cpu, unsigned vector);
void cost_far_branch(unsigned cpu, unsigned what);
void cost_software_nmi(unsigned cpu);
void cost_outp(unsigned port, unsigned value);
void pmu_event(unsigned cpu);
void pmu_far_branch(unsigned cpu);
void pmu_context_switch(unsigned cpu);
void pmu_vmexit(unsigned cpu, unsigned reason);
void pmu_exit(unsigned cpu);

#define BX_INSTR_INIT_ENV()                       pmu_init_env()
#define BX_INSTR_EXIT_ENV()                       pmu_exit_env()
#define BX_INSTR_INITIALIZE(cpu)                  pmu_initialize(cpu)
#define BX_INSTR_EXIT(cpu)                        pmu_exit(cpu)
#define BX_INSTR_RESET(cpu, type)                 pmu_reset(cpu, type)
#define BX_INSTR_OPCODE(cpu, i, op, len, is32, is64)  pmu_opcode(i)
#define BX_INSTR_AFTER_EXECUTION(cpu, i)          \
  do { pmu_hot_t &hot_ = pmu_hot[cpu]; hot_.retired++; \
       if (BX_CPU_THIS_PTR icount >= hot_.next) pmu_retire(cpu, i); } while (0)
#define BX_INSTR_REPEAT_ITERATION(cpu, i)         do { if (BX_CPU_THIS_PTR icount >= pmu_hot[cpu].next) pmu_repeat(cpu); } while (0)
#define BX_INSTR_INTERRUPT(cpu, vector)           do { pmu_event(cpu); cost_interrupt(cpu, vector); } while (0)
#define BX_INSTR_EXCEPTION(cpu, vector, err)      pmu_event(cpu)
#define BX_INSTR_TLB_CNTRL(cpu, what, cr3)        do { if ((what) == BX_INSTR_CONTEXT_SWITCH) pmu_context_switch(cpu); } while (0)
#define BX_INSTR_VMEXIT(cpu, reason, qual)        pmu_vmexit(cpu, reason)
#define BX_INSTR_FAR_BRANCH(cpu, what, cs, ip, to_cs, to)  do { pmu_far_branch(cpu); cost_far_branch(cpu, what); } while (0)
#define BX_INSTR_HWINTERRUPT(cpu, vector, cs, ip) \
  do { vmx_hwinterrupt(cpu, vector); if ((vector) == 2) svm_nmi(cpu); cost_hwinterrupt(cpu, vector); } while (0)
#define BX_INSTR_UCNEAR_BRANCH(cpu, what, ip, to) do { if ((to) == cost_nmi_entry) cost_software_nmi(cpu); } while (0)
#define BX_INSTR_WRMSR(cpu, addr, value)          do { if ((addr) == 0xc0000080) pmu_far_branch(cpu); } while (0)
#define BX_INSTR_OUTP(addr, len, val)             do { if (((addr) & 0xfffe) == 0x7e8) cost_outp(addr, val); } while (0)

#else

#define BX_INSTR_INIT_ENV()
#define BX_INSTR_EXIT_ENV()
#define BX_INSTR_INITIALIZE(cpu)
#define BX_INSTR_EXIT(cpu)
#define BX_INSTR_RESET(cpu, type)
#define BX_INSTR_OPCODE(cpu, i, op, len, is32, is64)
#define BX_INSTR_AFTER_EXECUTION(cpu, i)
#define BX_INSTR_INTERRUPT(cpu, vector)
#define BX_INSTR_EXCEPTION(cpu, vector, err)
#define BX_INSTR_TLB_CNTRL(cpu, what, cr3)
#define BX_INSTR_VMEXIT(cpu, reason, qual)
#define BX_INSTR_FAR_BRANCH(cpu, what, cs, ip, to_cs, to)

#define BX_INSTR_HWINTERRUPT(cpu, vector, cs, ip)
#define BX_INSTR_UCNEAR_BRANCH(cpu, what, ip, to)
#define BX_INSTR_WRMSR(cpu, addr, value)
#define BX_INSTR_OUTP(addr, len, val)
#define BX_INSTR_REPEAT_ITERATION(cpu, i)

#endif

#define BX_INSTR_HLT(cpu)
#define BX_INSTR_MWAIT(cpu, addr, len, flags)
#define BX_INSTR_DEBUG_PROMPT()
#define BX_INSTR_DEBUG_CMD(cmd)
#define BX_INSTR_CNEAR_BRANCH_TAKEN(cpu, ip, to)
#define BX_INSTR_CNEAR_BRANCH_NOT_TAKEN(cpu, ip)
#define BX_INSTR_CLFLUSH(cpu, lin, phy)
#define BX_INSTR_CACHE_CNTRL(cpu, what)
#define BX_INSTR_PREFETCH_HINT(cpu, what, seg, off)
#define BX_INSTR_BEFORE_EXECUTION(cpu, i)
#define BX_INSTR_LIN_ACCESS(cpu, lin, phy, len, type, rw)
#define BX_INSTR_PHY_ACCESS(cpu, phy, len, type, rw)
#define BX_INSTR_INP(addr, len)
#define BX_INSTR_INP2(addr, len, val)

#endif
