// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls: call chains that are known, of every form that compilers make: tail
 * calls, calls by pointers and of virtual functions, frames of no fixed size,
 * what a signal handler calls, what runs once an exception was caught, two
 * functions that call each other; in two threads.  All time passes in spin_*, in
 * equal parts.  tests/testbed/calls.py has the chains.  calls has frame pointers,
 * calls_nofp has none.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#define KNOWN extern "C" __attribute__((noipa))
#define SPIN(name)                                          \
	KNOWN void name(long n)                             \
	{                                                   \
		for (long i = 0; i < n; i++)                \
			asm volatile("nop; nop; nop; nop"); \
	}

static volatile long sink;
static const long times = 10000;

SPIN(spin_tail)
SPIN(spin_indirect)
SPIN(spin_virtual)
SPIN(spin_alloca)
SPIN(spin_signal)
SPIN(spin_caught)
SPIN(spin_mutual)

/* Not on the stack any more when spin_tail runs. */
KNOWN void tail_second(long n)
{
	spin_tail(n + 1);
}

KNOWN void tail_first(long n)
{
	tail_second(n + 1);
}

KNOWN void tail_caller(void)
{
	tail_first(times);
	sink++;
}

static void (*volatile pointer)(long) = spin_indirect;

KNOWN void indirect_caller(void)
{
	pointer(times);
	sink++;
}

struct base {
	virtual void run(long n) = 0;
};

struct derived : base {
	__attribute__((noipa)) void run(long n) override
	{
		spin_virtual(n);
		sink++;
	}
};

static derived object;
static base *volatile chosen = &object;

KNOWN void virtual_caller(void)
{
	chosen->run(times);
	sink++;
}

KNOWN void alloca_caller(long size)
{
	volatile char *room = (volatile char *)alloca(size);

	room[0] = 1;
	spin_alloca(times);
	sink += room[size - 1];
}

KNOWN void on_signal(int, siginfo_t *, void *context)
{
	spin_signal(times);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
	sink++;
}

KNOWN void raises(void)
{
	/* with a frame of its own, as far as there are frame pointers */
	asm volatile("ud2" : : "r"(alloca(16)) : "memory");
	sink++;
}

KNOWN void raise_caller(void)
{
	raises();
	sink++;
}

KNOWN void thrower(int depth)
{
	if (!depth)
		throw depth;
	thrower(depth - 1);
	sink++;
}

KNOWN void catcher(void)
{
	try {
		thrower(3);
	} catch (int) {
		spin_caught(times);
		sink++;
	}
}

KNOWN void even(int depth);

KNOWN void odd(int depth)
{
	if (depth)
		even(depth - 1);
	else
		spin_mutual(times);
	sink++;
}

KNOWN void even(int depth)
{
	odd(depth);
	sink++;
}

KNOWN void all_of_them(void)
{
	for (long size = 1;; size = size % 999 + 7) {
		tail_caller();
		indirect_caller();
		virtual_caller();
		alloca_caller(size);
		raise_caller();
		catcher();
		even(8);
	}
}

KNOWN void *thread(void *)
{
	all_of_them();
	return 0;
}

int main(void)
{
	struct sigaction action = {};
	pthread_t other;

	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGILL, &action, 0);
	if (pthread_create(&other, 0, thread, 0))
		return 1;
	all_of_them();
}
