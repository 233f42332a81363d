// SPDX-License-Identifier: GPL-2.0-only
/*
 * vCPUs that only seem to be (fake/fakevcpu.c): KVM's states for which no
 * guest is at hand.  Without /dev/fakevcpu there is nothing to try.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake/fakevcpu.h"
#include "lab.h"

/* arch/x86/include/uapi/asm/svm.h */
#define SVM_INTR 0x60
#define SVM_NPF	 0x400

struct met {
	uint32_t tid;
	int vcpu, state, vmcs, smm, protected; /* samples */
	int guest, own, l2, right;
	int outs, out_vcpu, out_vmcs, told;
	uint32_t exit; /* of the last OUT record */
};

static void meet(const struct vmmprof_rec_hdr *hdr, void *arg)
{
	const struct vmmprof_rec_sample *s = (const void *)hdr;
	const struct vmmprof_rec_switch *w = (const void *)hdr;
	struct met *m = arg;
	bool v;

	if (hdr->type == VMMPROF_REC_SAMPLE && s->tid == m->tid &&
	    hdr->flags & VMMPROF_S_VCPU && s->vcpu_id == FAKE_VCPU_ID) {
		m->vcpu++;
		m->state += !!(hdr->flags & VMMPROF_S_STATE);
		m->vmcs += !!(hdr->flags & VMMPROF_S_VMCS);
		m->smm += !!(hdr->flags & VMMPROF_S_SMM);
		m->protected += !!(hdr->flags & VMMPROF_S_PROTECTED);
		m->guest += !!(hdr->flags & VMMPROF_S_GUEST);
		m->own += !!(hdr->flags & VMMPROF_S_OWN);
		m->l2 += !!(hdr->flags & VMMPROF_S_L2);
		m->right += s->guest_ip == FAKE_RIP &&
			    s->guest_rsp == FAKE_RSP &&
			    s->guest_cr3 == FAKE_CR3 &&
			    s->guest_ss_ar == FAKE_CPL << 5 && !s->vpid;
	}
	if (hdr->type == VMMPROF_REC_OUT && w->tid == m->tid) {
		v = hdr->flags & VMMPROF_W_VCPU && w->vcpu_id == FAKE_VCPU_ID;
		m->outs++;
		m->out_vcpu += v;
		m->out_vmcs += v && hdr->flags & VMMPROF_W_VMCS;
		m->exit = w->exit_reason;
	}
	m->told += hdr->type == VMMPROF_REC_VCPU;
}

/* What a session of its own sees of @f. */
static struct met live(struct fake f)
{
	struct vmmprof_setup s = good_setup();
	struct fake first = { .busy_ms = 50, .in_run = f.in_run };
	int fd = dev_open(), fake = open("/dev/fakevcpu", O_WRONLY);
	struct met m = {};
	struct ring r;

	s.ring_size = 1 << 20;
	s.flags = VMMPROF_SETUP_F_SWITCHES;
	s.events[0].period = 1000000;
	only_cpu(&s, 0);
	if (ioctl(fd, VMMPROF_IOC_SETUP, &s) || ioctl(fd, VMMPROF_IOC_START, 0))
		die("a session with switch records");
	r = ring_map(fd, 0, s.ring_size);
	/* The first sample asks whose notifier it is. */
	if (write(fake, &first, sizeof(first)) != sizeof(first))
		die("/dev/fakevcpu");
	if (ring_drain(&r, meet, &m))
		die("a ring");
	memset(&m, 0, sizeof(m));
	m.tid = getpid();
	if (write(fake, &f, sizeof(f)) != sizeof(f))
		die("/dev/fakevcpu");
	if (ring_drain(&r, meet, &m))
		die("a ring");
	ring_unmap(&r);
	close(fake);
	close(fd);
	return m;
}

/* The module reads that member of KVM's. */
static bool reads(const char *member)
{
	struct vmmprof_layout l = { .size = sizeof(l) };
	int fd = dev_open();
	bool found = false;

	if (ioctl(fd, VMMPROF_IOC_LAYOUT, &l))
		die("LAYOUT");
	for (unsigned int i = 0; i < l.nr; i++)
		found |= !strcmp(l.members[i].member, member);
	close(fd);
	return found;
}

static void of_any_vendor(void)
{
	struct met m = live(
		(struct fake){ .busy_ms = 100, .sleep_ms = 20, .in_run = 1 });

	ok(m.vcpu > 5 && !m.smm && !m.protected,
	   "fake: a vCPU's samples say so (%d)", m.vcpu);
	ok(m.out_vcpu, "fake: it sleeps inside KVM_RUN");
	m = live((struct fake){ .busy_ms = 100, .sleep_ms = 20 });
	if (reads("wants_to_run"))
		ok(m.vcpu > 5 && !m.outs,
		   "fake: a thread in another ioctl is no vCPU's (%d, %d)",
		   m.vcpu, m.outs);
	else
		ok(m.out_vcpu,
		   "fake: this kernel does not tell KVM_RUN from other ioctls");
}

/* Nothing of the VMCS or VMCB is in the records, and none of them is the guest's. */
static bool unread(const struct met *m)
{
	return m->vcpu > 5 && !m->state && !m->vmcs && !m->guest && !m->told &&
	       m->out_vcpu && !m->out_vmcs;
}

/* There is a VMCS on this CPU, that of a guest of another process. */
static void of_vmx(void)
{
	struct met m;

	m = live((struct fake){ .sleep_ms = 20, .in_run = 1 });
	ok(m.out_vcpu && m.out_vmcs == m.out_vcpu,
	   "fake: an ordinary guest's exit reason is told");
	m = live((struct fake){
		.busy_ms = 50, .sleep_ms = 20, .in_run = 1, .fresh = 1 });
	ok(unread(&m), "fake: before its first exit it has none (%d)", m.vcpu);
	m = live((struct fake){ .sleep_ms = 20, .in_run = 1, .hypervisor = 1 });
	ok(m.out_vcpu && !m.out_vmcs,
	   "fake: a hypervisor's is not where its VPID is not known");
	m = live((struct fake){ .busy_ms = 50,
				.sleep_ms = 20,
				.in_run = 1,
				.in_guest = 1,
				.hypervisor = 1 });
	ok(m.told && m.out_vmcs, "fake: and is where it is");

	m = live((struct fake){ .busy_ms = 100, .in_run = 1, .smm = 1 });
	ok(m.vcpu > 5 && m.smm == m.vcpu,
	   "fake: samples in system management mode say so (%d of %d)", m.smm,
	   m.vcpu);
	m = live((struct fake){ .busy_ms = 100,
				.sleep_ms = 20,
				.in_run = 1,
				.in_guest = 1,
				.protected_vm = 1 });
	if (reads("has_protected_state"))
		ok(m.vcpu > 5 && m.protected == m.vcpu && !m.state && !m.vmcs &&
			   !m.told && m.out_vcpu && !m.out_vmcs,
		   "fake: nothing is read for a VM with protected state (%d of %d)",
		   m.protected, m.vcpu);
	else
		skip("a VM with protected state", "this kernel has none");
}

/* What is behind the vCPU looks like a VMCB, or does not. */
static void of_svm_pointers(void)
{
	static const char *const what[NR_FAKE_VMCB] = {
		[FAKE_NO_VMCB] = "no pointer to a VMCB",
		[FAKE_VMCB_INSIDE] = "a pointer into a page",
		[FAKE_VMCB_NOWHERE] = "a page that is no memory",
		[FAKE_VMCB_OTHER] = "another one's physical address",
	};
	struct met m;

	for (unsigned int i = 0; i < NR_FAKE_VMCB; i++) {
		if (!what[i])
			continue;
		m = live((struct fake){ .busy_ms = 500,
					.sleep_ms = 20,
					.in_run = 1,
					.in_guest = 1,
					.forwards = 1,
					.vmcb = i,
					.exit_code = SVM_INTR });
		ok(unread(&m), "fake: %s: nothing is read (%d samples)",
		   what[i], m.vcpu);
	}
}

/* KVM says that an interrupt comes from the guest: does the VMCB, too? */
static void of_svm_decision(void)
{
	struct fake f = { .busy_ms = 500,
			  .in_run = 1,
			  .forwards = 1,
			  .vmcb = FAKE_VMCB,
			  .exit_code = SVM_INTR };
	struct met m;

	if (!reads("handling_intr_from_guest")) {
		skip("fake: interrupts that KVM lets through",
		     "this kernel's KVM says it elsewhere");
		return;
	}
	m = live(f);
	ok(m.vcpu > 5 && m.guest * 10 >= m.vcpu * 8,
	   "fake: a timer behind an interrupt's exit hit the guest (%d of %d)",
	   m.guest, m.vcpu);
	f.exit_code = SVM_NPF;
	m = live(f);
	ok(m.vcpu > 5 && !m.guest, "fake: and not behind another exit (%d)",
	   m.vcpu);
	f.exit_code = SVM_INTR;
	f.forwards = 2; /* an NMI */
	m = live(f);
	ok(m.vcpu > 5 && !m.guest, "fake: nor where KVM lets an NMI through");
	f.forwards = 0;
	m = live(f);
	ok(m.vcpu > 5 && !m.guest, "fake: nor without KVM's word");
}

static void of_svm(void)
{
	struct fake f = { .busy_ms = 500,
			  .sleep_ms = 20,
			  .in_run = 1,
			  .vmcb = FAKE_VMCB,
			  .exit_code = SVM_NPF };
	struct met m = live(f);

	ok(m.vcpu > 5 && m.state == m.vcpu && !m.own && !m.told,
	   "fake: a vCPU that was never run is not described (%d)", m.vcpu);
	f.in_guest = 1;
	m = live(f);
	ok(m.vcpu > 5 && m.state == m.vcpu && m.right == m.vcpu &&
		   m.own == m.vcpu && !m.guest && !m.l2 && m.told,
	   "fake: samples have what the VMCB says (%d of %d)", m.right, m.vcpu);
	ok(m.out_vcpu && m.out_vmcs == m.out_vcpu && m.exit == SVM_NPF,
	   "fake: it leaves with its exit code (%#x)", m.exit);
	f.fresh = 1;
	f.in_guest = 0;
	m = live(f);
	ok(unread(&m), "fake: before its first exit it has no exit code (%d)",
	   m.vcpu);
	f.fresh = 0;
	f.in_guest = 1;
	f.vmcb = FAKE_VMCB_NESTED;
	m = live(f);
	ok(m.vcpu > 5 && m.l2 == m.vcpu && !m.own && !m.told && !m.out_vmcs,
	   "fake: a nested guest's VMCB is known as such (%d)", m.l2);
	of_svm_pointers();
	of_svm_decision();
}

void test_fake(void)
{
	static const uint8_t spin[] = { 0xeb, 0xfe }; /* jmp . */
	struct vmmprof_info i = { .size = sizeof(i) };
	int fd;
	pid_t vm;

	if (access("/dev/fakevcpu", W_OK)) {
		skip("fake vCPUs", "no /dev/fakevcpu");
		return;
	}
	fd = dev_open();
	ioctl(fd, VMMPROF_IOC_INFO, &i);
	close(fd);
	pin_cpu(0);
	of_any_vendor();
	if (i.vendor == VMMPROF_VENDOR_SVM)
		of_svm();
	if (i.vendor != VMMPROF_VENDOR_VMX || access("/dev/kvm", R_OK)) {
		skip("fake vCPUs beside a VMCS", "no VMX");
		return;
	}
	vm = vm_start(spin, sizeof(spin));
	of_vmx();
	kill(vm, SIGKILL);
	waitpid(vm, NULL, 0);
}
