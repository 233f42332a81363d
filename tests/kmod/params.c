// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mediated vPMU is seen whatever the caller has at /sys.  Only where
 * kvm_intel.enable_mediated_pmu is on (fake/kvm-intel.c).
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define DIR   "/sys/module/kvm_intel/parameters"
#define PARAM DIR "/enable_mediated_pmu"

enum sys { AS_IT_IS, NOTHING, FIFO };

/* Another /sys for this process alone. */
static void replace_sys(enum sys how)
{
	if (how == AS_IT_IS)
		return;
	if (unshare(CLONE_NEWNS) ||
	    mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/sys", "tmpfs", 0, NULL))
		_exit(2);
	if (how == FIFO && (mkdir("/sys/module", 0755) ||
			    mkdir("/sys/module/kvm_intel", 0755) ||
			    mkdir(DIR, 0755) || mkfifo(PARAM, 0600)))
		_exit(2);
}

/* 0: it is seen, and hardware events are refused because of it. */
static int look(enum sys how)
{
	struct vmmprof_info i = { .size = sizeof(i) };
	struct vmmprof_setup s = good_setup();
	int fd = dev_open();

	replace_sys(how);
	alarm(20);
	if (ioctl(fd, VMMPROF_IOC_INFO, &i) ||
	    !(i.features & VMMPROF_FEAT_MEDIATED))
		return 1;
	s.events[0] = cycles(1000000);
	return !fails(ioctl(fd, VMMPROF_IOC_SETUP, &s), EOPNOTSUPP);
}

static void seen(enum sys how, const char *rule)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(look(how));
	waitpid(pid, &status, 0);
	errno = 0;
	ok(WIFEXITED(status) && !WEXITSTATUS(status),
	   "the mediated vPMU is seen, %s (%#x)", rule, status);
}

void test_params(void)
{
	FILE *f = fopen(PARAM, "r");
	int c = f ? fgetc(f) : EOF;

	if (f)
		fclose(f);
	if (c != 'Y') {
		skip("the mediated vPMU", PARAM " is not Y");
		return;
	}
	seen(AS_IT_IS, "with /sys as it is");
	seen(NOTHING, "with nothing at /sys");
	seen(FIFO, "and a FIFO in its place does not block");
}
