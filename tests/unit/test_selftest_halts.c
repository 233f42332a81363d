// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tiny VM that halts is woken each time, however long its timer runs: also by
 * one that comes due between STI and HLT.  Where there is KVM: under an emulated
 * kernel (tests/record/tcg).
 */

#include <pthread.h>
#include <unistd.h>

#include "selftest/vm.h"
#include "test.h"

#define HALTS	 8000
#define MOST_NS	 0x1ffff /* about as long as it is on its way to HLT */
#define PAUSE_US 200
#define PATIENCE 25000 /* pauses without a halt: 5 s */

static struct tiny_vm vm;
static struct error error;

static void *go(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)vm_go(&vm, &error);
}

/* Has it halted so often? */
static bool halts(struct guest_params *p)
{
	__u64 before = 0, now;
	int without = 0;

	while ((now = __atomic_load_n(&p->halts, __ATOMIC_RELAXED)) < HALTS) {
		without = now == before ? without + 1 : 0;
		if (without == PATIENCE) {
			printf("# no end of halt %llu\n", now + 1);
			return false;
		}
		before = now;
		__atomic_store_n(&p->timer, 1 + random() % MOST_NS,
				 __ATOMIC_RELAXED);
		usleep(PAUSE_US);
	}
	return true;
}

TEST(a_vm_that_halts_is_woken)
{
	pthread_t thread;
	void *ret;

	if (access("/dev/kvm", R_OK | W_OK)) {
		printf("# skipped: no /dev/kvm to use\n");
		return 0;
	}
	if (vm_open(&vm, "/dev/kvm", true, &error)) {
		printf("# %s\n", error.text);
		return 1;
	}
	vm.params->timer = MOST_NS;
	vm.params->length[GUEST_LOOP_A] = 1;
	TEST_EQ(pthread_create(&thread, NULL, go, NULL), 0);
	TEST_OK(halts(vm.params));
	vm_stop(&vm);
	TEST_EQ(pthread_join(thread, &ret), 0);
	TEST_EQ((intptr_t)ret, 0);
	vm_close(&vm);
	return 0;
}
