// SPDX-License-Identifier: GPL-2.0-only
/*
 * tinyvm -name NAME [CPUIDS OUTS HALTS]: a VM of one vCPU; there at once, where
 * a kernel in QEMU takes a minute to boot.  It spins in real mode until killed;
 * or it runs so many CPUIDs, bytes to port 0x80 and HLTs (1 or more of each),
 * then says what this program saw of them and what KVM counted, and ends.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define GUEST_IP  0x1000
#define DEBUG_KVM "/sys/kernel/debug/kvm"
#define END_PORT  0x81

static int fail(const char *what)
{
	perror(what);
	return 1;
}

/* The counter is ESI: CPUID changes the others. */
static const uint8_t counted[] = {
	0x66, 0xbe,	0, 0, 0, 0, /* mov esi, CPUIDS */
	0x0f, 0xa2,		    /* cpuid */
	0x66, 0x4e,		    /* dec esi */
	0x75, 0xfa,		    /* jnz to it */
	0x66, 0xbe,	0, 0, 0, 0, /* mov esi, OUTS */
	0xe6, 0x80,		    /* out 0x80, al */
	0x66, 0x4e,		    /* dec esi */
	0x75, 0xfa,		    /* jnz to it */
	0x66, 0xbe,	0, 0, 0, 0, /* mov esi, HALTS */
	0xf4,			    /* hlt */
	0x66, 0x4e,		    /* dec esi */
	0x75, 0xfb,		    /* jnz to it */
	0xe6, END_PORT,		    /* out END_PORT, al */
	0xeb, 0xfe,		    /* jmp . */
};

static const unsigned int numbers[] = { 2, 14, 26 }; /* where they stand */

static const uint8_t spinning[] = { 0xeb, 0xfe }; /* jmp . */

static void put_code(char *to, char **args)
{
	uint32_t n;
	int i;

	if (!args) {
		memcpy(to, spinning, sizeof(spinning));
		return;
	}
	memcpy(to, counted, sizeof(counted));
	for (i = 0; i < 3; i++) {
		n = strtoul(args[i], NULL, 0);
		memcpy(to + numbers[i], &n, sizeof(n));
	}
}

/* All exits of this process's VM, as KVM counts them. */
static long long kvm_counts(void)
{
	DIR *dir = opendir(DEBUG_KVM);
	long long n = -1;
	char path[600];
	struct dirent *d;
	FILE *f;

	while (dir && n < 0 && (d = readdir(dir))) {
		if (atoi(d->d_name) != getpid())
			continue;
		snprintf(path, sizeof(path), DEBUG_KVM "/%s/exits", d->d_name);
		f = fopen(path, "r");
		if (f && fscanf(f, "%lld", &n) != 1)
			n = -1;
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Until END_PORT; never without @run. */
static void run_vm(int vcpu, const struct kvm_run *run)
{
	long outs = 0, halts = 0;

	for (;;) {
		if (ioctl(vcpu, KVM_RUN, 0) || !run)
			continue;
		halts += run->exit_reason == KVM_EXIT_HLT;
		if (run->exit_reason != KVM_EXIT_IO)
			continue;
		if (run->io.port == END_PORT)
			break;
		outs++;
	}
	printf("outs %ld halts %ld all %lld\n", outs, halts, kvm_counts());
}

int main(int argc, char **argv)
{
	char **args = argc > 5 ? argv + 3 : NULL;
	struct kvm_userspace_memory_region mem = { .memory_size = 0x10000 };
	struct kvm_regs regs = { .rip = GUEST_IP, .rflags = 2 };
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0);
	struct kvm_run *run = NULL;
	struct kvm_sregs sregs;
	int vcpu;
	char *p;

	p = mmap(NULL, mem.memory_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return fail("mmap");
	put_code(p + GUEST_IP, args);
	mem.userspace_addr = (uintptr_t)p;
	if (vm < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &mem))
		return fail("/dev/kvm");
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (vcpu < 0 || ioctl(vcpu, KVM_GET_SREGS, &sregs))
		return fail("KVM_CREATE_VCPU");
	if (args) {
		run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
			   PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
		if (run == MAP_FAILED)
			return fail("mmap of the vCPU");
	}
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	ioctl(vcpu, KVM_SET_SREGS, &sregs);
	ioctl(vcpu, KVM_SET_REGS, &regs);
	prctl(PR_SET_NAME, "CPU 0/KVM"); /* as QEMU names its threads */
	run_vm(vcpu, run);
	return 0;
}
