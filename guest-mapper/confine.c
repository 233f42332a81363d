// SPDX-License-Identifier: GPL-2.0-only
/*
 * How vmmprof-guest confines its parser of mapped files: like
 * sandbox/confine.c, but with a hand-written filter, because a static program
 * has no libseccomp.
 */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/helper.h"

#define NOBODY 65534

/* Allows this system call, else goes on to the next rule. */
#define ALLOW(name)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Allows it if its third argument has no PROT_EXEC. */
#define ALLOW_DATA(name)                                               \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4),         \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                     \
			 offsetof(struct seccomp_data, args[2])),      \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),   \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Allows it with this second argument only. */
#define ALLOW_WITH(name, value)                                      \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4),       \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                   \
			 offsetof(struct seccomp_data, args[1])),    \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0),    \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Enough to read files that are open already, compute, and answer. */
static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(pread64),
	ALLOW(read),
	ALLOW(recvmsg),
	ALLOW(sendto),
	ALLOW(close),
	ALLOW(fstat),
	ALLOW(newfstatat),
	ALLOW(lseek),
	ALLOW(brk),
	ALLOW(munmap),
	ALLOW(mremap),
	ALLOW(madvise),
	ALLOW_DATA(mmap),
	ALLOW_DATA(mprotect),
	ALLOW_WITH(fcntl, F_GETFD),
	ALLOW(futex),
	ALLOW(sysinfo),
	ALLOW(getrandom),
	ALLOW(clock_gettime),
	ALLOW(rt_sigprocmask),
	ALLOW(rt_sigreturn),
	ALLOW(exit_group),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static int give_up_rights(void)
{
	struct __user_cap_header_struct hdr = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { { 0 } };

	if (!geteuid() && !setgroups(0, NULL) &&
	    !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY) && errno != EINVAL)
		return -errno;
	return syscall(SYS_capset, &hdr, none) ? -errno : 0;
}

int helper_give_up(void)
{
	const struct sock_fprog prog = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};
	const struct rlimit none = { 0, 0 };
	int ret = give_up_rights();

	if (ret)
		return ret;
	/* set again, because a change of the user clears it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    setrlimit(RLIMIT_NPROC, &none))
		return -errno;
	/* a kernel without seccomp: rights and limits were given up anyhow */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) &&
	    errno != EINVAL && errno != ENOSYS)
		return -errno;
	return 0;
}
