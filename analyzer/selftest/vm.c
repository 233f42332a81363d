// SPDX-License-Identifier: GPL-2.0-only
/* The tiny VM: its memory, page tables, registers, and KVM_RUN. */

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "selftest/vm.h"

#define PAGE	     4096
#define TABLES	     0x3000 /* page tables below the two topmost ones */
#define CPUID_MAX    256

/* SDM, "Paging" and "Control registers" */
#define PT_PRESENT   0x1
#define PT_WRITE     0x2
#define PT_USER	     0x4
#define PT_ACCESSED  0x20
#define PT_DIRTY     0x40
#define PT_LARGE     0x80
#define PT_TABLE     (PT_PRESENT | PT_WRITE | PT_USER | PT_ACCESSED)
#define CR0_PE	     0x1
#define CR0_MP	     0x2
#define CR0_ET	     0x10
#define CR0_NE	     0x20
#define CR0_PG	     0x80000000
#define CR4_PAE	     0x20
#define EFER_SCE     0x1
#define EFER_LME     0x100
#define EFER_LMA     0x400

#define MSR_STAR     0xc0000081
#define MSR_LSTAR    0xc0000082
#define MSR_FMASK    0xc0000084
#define KERNEL_CS    0x8
#define USER_CS_BASE 0x13 /* SYSRET: SS is 8 behind it, CS 16 */

/* Of 64 bits, and for data; SDM, "Segment Descriptors" */
#define DESC_CODE    0x00af9b000000ffffull
#define DESC_DATA    0x00cf93000000ffffull
#define GATE_IRQ     0x8e0000000000ull /* SDM, "64-Bit Mode IDT" */
#define APIC_X2APIC  0x400	       /* of IA32_APIC_BASE */
#define IOAPIC_PINS  24

struct gate {
	__u64 low, high;
};

/* A table of the level below, which is made if there is none yet. */
static __u64 *table_below(void *memory, __u64 *entry, __u64 *next)
{
	if (!*entry) {
		*entry = *next | PT_TABLE;
		*next += PAGE;
	}
	return (__u64 *)((char *)memory + (*entry & ~(__u64)(PAGE - 1)));
}

/* The VM's memory at @va: one page of 2 MiB. */
static void map(void *memory, __u64 cr3, __u64 va, __u64 *next)
{
	__u64 *table = (__u64 *)((char *)memory + cr3);

	table = table_below(memory, &table[va >> 39 & 511], next);
	table = table_below(memory, &table[va >> 30 & 511], next);
	table[va >> 21 & 511] = PT_TABLE | PT_DIRTY | PT_LARGE;
}

/* Two segments, and the timer's interrupt. */
static void fill_descriptors(struct tiny_vm *vm, const struct guest_code *code)
{
	const __u64 handler = GUEST_KERNEL + GUEST_CODE + code->interrupt;
	__u64 *gdt = (void *)((char *)vm->memory + GUEST_GDT);
	struct gate *idt = (void *)((char *)vm->memory + GUEST_IDT);

	gdt[KERNEL_CS / 8] = DESC_CODE;
	gdt[KERNEL_CS / 8 + 1] = DESC_DATA;
	idt[GUEST_TIMER].low = GATE_IRQ | (handler & 0xffff) | KERNEL_CS << 16 |
			       (handler >> 16 & 0xffff) << 48;
	idt[GUEST_TIMER].high = handler >> 32;
}

static void fill_memory(struct tiny_vm *vm, const struct guest_code *code)
{
	struct guest_params *p;
	__u64 next = TABLES;

	map(vm->memory, GUEST_CR3_A, GUEST_KERNEL, &next);
	map(vm->memory, GUEST_CR3_A, GUEST_USER, &next);
	/* Both have the same tables from the second level on. */
	memcpy((char *)vm->memory + GUEST_CR3_B,
	       (char *)vm->memory + GUEST_CR3_A, PAGE);
	memcpy((char *)vm->memory + GUEST_CODE, code->bytes, code->size);
	fill_descriptors(vm, code);
	p = (void *)((char *)vm->memory + GUEST_PARAMS);
	p->cr3[0] = GUEST_CR3_A;
	p->cr3[1] = GUEST_CR3_B;
	p->user_ip = GUEST_USER + GUEST_CODE + code->user;
	p->user_sp = GUEST_USER + GUEST_USER_STACK;
	vm->params = p;
}

static int set_cpuid(const struct tiny_vm *vm)
{
	struct kvm_cpuid2 *c;
	int ret = 0;

	c = calloc(1, sizeof(*c) + CPUID_MAX * sizeof(c->entries[0]));
	if (!c)
		return -ENOMEM;
	c->nent = CPUID_MAX;
	if (ioctl(vm->kvm, KVM_GET_SUPPORTED_CPUID, c) ||
	    ioctl(vm->vcpu, KVM_SET_CPUID2, c))
		ret = -errno;
	free(c);
	return ret;
}

static int set_sregs(const struct tiny_vm *vm)
{
	struct kvm_segment seg = { .limit = ~0u,
				   .selector = KERNEL_CS,
				   .type = 11,
				   .present = 1,
				   .s = 1,
				   .l = 1,
				   .g = 1 };
	struct kvm_sregs s;

	if (ioctl(vm->vcpu, KVM_GET_SREGS, &s))
		return -errno;
	s.cs = seg;
	seg.selector = KERNEL_CS + 8;
	seg.type = 3;
	seg.l = 0;
	seg.db = 1;
	s.ds = seg;
	s.es = seg;
	s.fs = seg;
	s.gs = seg;
	s.ss = seg;
	s.gdt.base = GUEST_KERNEL + GUEST_GDT;
	s.gdt.limit = KERNEL_CS + 2 * sizeof(__u64) - 1;
	s.idt.base = GUEST_KERNEL + GUEST_IDT;
	s.idt.limit = (GUEST_TIMER + 1) * sizeof(struct gate) - 1;
	s.apic_base |= vm->halts ? APIC_X2APIC : 0;
	s.cr3 = GUEST_CR3_A;
	s.cr4 = CR4_PAE;
	s.cr0 = CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_PG;
	s.efer = EFER_SCE | EFER_LME | EFER_LMA;
	return ioctl(vm->vcpu, KVM_SET_SREGS, &s) ? -errno : 0;
}

static int set_msrs(const struct tiny_vm *vm, const struct guest_code *code)
{
	const struct kvm_msr_entry entry[] = {
		{ .index = MSR_STAR,
		  .data = (__u64)USER_CS_BASE << 48 | (__u64)KERNEL_CS << 32 },
		{ .index = MSR_LSTAR,
		  .data = GUEST_KERNEL + GUEST_CODE + code->syscall },
		{ .index = MSR_FMASK, .data = 0 },
	};
	const int nr = sizeof(entry) / sizeof(entry[0]);
	struct kvm_msrs *m = calloc(1, sizeof(*m) + sizeof(entry));
	int n, err;

	if (!m)
		return -ENOMEM;
	m->nmsrs = nr;
	memcpy(m->entries, entry, sizeof(entry));
	n = ioctl(vm->vcpu, KVM_SET_MSRS, m);
	err = n == nr ? 0 : n < 0 ? -errno : -EINVAL;
	free(m);
	return err;
}

static int set_registers(const struct tiny_vm *vm,
			 const struct guest_code *code)
{
	const __u32 entry = vm->halts ? code->halting : code->entry;
	struct kvm_regs regs = { .rip = GUEST_KERNEL + GUEST_CODE + entry,
				 .rsp = GUEST_KERNEL + GUEST_KERNEL_STACK,
				 .r15 = GUEST_KERNEL + GUEST_PARAMS,
				 .rdx = 3,
				 .rflags = 2 };
	int ret = set_cpuid(vm);

	if (!ret)
		ret = set_sregs(vm);
	if (!ret)
		ret = set_msrs(vm, code);
	if (!ret && ioctl(vm->vcpu, KVM_SET_REGS, &regs))
		ret = -errno;
	return ret;
}

/* A local APIC in KVM; what else a machine's has would be this program's. */
static int add_apic(const struct tiny_vm *vm)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_SPLIT_IRQCHIP,
				      .args = { IOAPIC_PINS } };

	return ioctl(vm->vm, KVM_ENABLE_CAP, &cap) ? -errno : 0;
}

static int make(struct tiny_vm *vm)
{
	struct kvm_userspace_memory_region mem = { .memory_size = GUEST_BYTES };
	int size, ret;

	vm->vm = ioctl(vm->kvm, KVM_CREATE_VM, 0);
	if (vm->vm < 0)
		return -errno;
	ret = vm->halts ? add_apic(vm) : 0;
	if (ret)
		return ret;
	vm->memory = mmap(NULL, GUEST_BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (vm->memory == MAP_FAILED) {
		vm->memory = NULL;
		return -errno;
	}
	mem.userspace_addr = (uintptr_t)vm->memory;
	if (ioctl(vm->vm, KVM_SET_USER_MEMORY_REGION, &mem))
		return -errno;
	vm->vcpu = ioctl(vm->vm, KVM_CREATE_VCPU, 0);
	size = ioctl(vm->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (vm->vcpu < 0 || size < (int)sizeof(*vm->run))
		return vm->vcpu < 0 ? -errno : -EINVAL;
	vm->run_size = size;
	vm->run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vm->vcpu,
		       0);
	if (vm->run == MAP_FAILED) {
		vm->run = NULL;
		return -errno;
	}
	return 0;
}

static int not_made(int ret, const char *device, struct error *e)
{
	if (ret == -EBUSY || ret == -EOPNOTSUPP)
		return error_set(
			e, ret,
			"KVM makes no VM: %s: another hypervisor may have VT-x or AMD-V",
			strerror(-ret));
	return error_set(e, ret, "%s makes no VM: %s", device, strerror(-ret));
}

int vm_open(struct tiny_vm *vm, const char *device, bool halts, struct error *e)
{
	struct guest_code code;
	int ret;

	memset(vm, 0, sizeof(*vm));
	vm->halts = halts;
	vm->vm = -1;
	vm->vcpu = -1;
	vm->kvm = open(device, O_RDWR | O_CLOEXEC);
	if (vm->kvm < 0) {
		ret = error_set(e, -errno, "cannot open %s: %s", device,
				strerror(errno));
		error_hint(
			e,
			"Run it as root, on a host whose CPU has VT-x or AMD-V.",
			"`modprobe kvm_intel` or `modprobe kvm_amd`; the firmware may have it off.");
		return ret;
	}
	guest_code(&code);
	ret = make(vm);
	if (!ret) {
		fill_memory(vm, &code);
		ret = set_registers(vm, &code);
	}
	return ret ? not_made(ret, device, e) : 0;
}

void vm_close(struct tiny_vm *vm)
{
	if (vm->run)
		munmap(vm->run, vm->run_size);
	io_close(&vm->vcpu);
	io_close(&vm->vm);
	io_close(&vm->kvm);
	if (vm->memory)
		munmap(vm->memory, GUEST_BYTES);
	vm->run = NULL;
	vm->memory = NULL;
}

int vm_go(struct tiny_vm *vm, struct error *e)
{
	const struct kvm_run *run = vm->run;

	while (!atomic_load(&vm->abort)) {
		if (ioctl(vm->vcpu, KVM_RUN, 0)) {
			if (errno == EINTR || errno == EAGAIN)
				continue;
			return error_set(e, -EIO, "KVM_RUN: %s",
					 strerror(errno));
		}
		if (run->exit_reason == KVM_EXIT_HLT) {
			vm->hlts++;
		} else if (run->exit_reason == KVM_EXIT_IO) {
			vm->outs++;
			if (run->io.port == GUEST_END_PORT)
				return 0;
		} else if (run->exit_reason != KVM_EXIT_INTR) {
			return error_set(
				e, -EIO,
				"the VM ended with KVM's exit reason %u",
				run->exit_reason);
		}
	}
	return error_set(e, -ECANCELED, "the VM was ended before its end");
}
