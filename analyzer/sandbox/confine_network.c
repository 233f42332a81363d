// SPDX-License-Identifier: GPL-2.0-only
/*
 * Confines a process that uses network libraries.  What these call to resolve
 * names and for TLS differs between distributions.  So the filter has a list of
 * forbidden system calls and allows the others that are known today.  A newer
 * one fails as if the kernel did not have it.
 */

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/confine.h"
#include "sandbox/confine_internal.h"
#include "sandbox/landlock.h"

/* Paths of libraries, certificates and the settings of name resolution. */
static const char *const system_files[] = {
	"/etc",
	"/usr",
	"/lib",
	"/lib64",
	"/nix/store",
	"/gnu/store",
	"/run/systemd/resolve",
	"/run/NetworkManager",
	"/run/resolvconf",
	"/run/connman",
	"/run/netconfig",
	"/var/lib/ca-certificates",
	"/etc/resolv.conf", /* often a link to another directory */
	"/dev/null",
	"/dev/urandom",
};

#define NR_SYSTEM (sizeof(system_files) / sizeof(system_files[0]))
#define MAX_READ  (NR_SYSTEM + 32)

/* The numbers of system calls on x86_64, as of Linux 5.13. */
static const struct {
	int first, last;
} known[] = {
	{ SYS_read, 334 /* rseq */ },
	{ SYS_pidfd_send_signal, SYS_landlock_restrict_self },
};

/* System calls that no client of a server needs. */
static const int refused[] = {
	/* other processes: programs, new ones, their memory, signals, limits */
	SYS_execve,
	SYS_execveat,
	SYS_fork,
	SYS_vfork,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_process_madvise,
	SYS_kcmp,
	SYS_pidfd_open,
	SYS_pidfd_getfd,
	SYS_pidfd_send_signal,
	SYS_kill,
	SYS_tkill,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_setrlimit,
	SYS_setpriority,
	SYS_ioprio_set,
	SYS_sched_setparam,
	SYS_sched_setscheduler,
	SYS_sched_setaffinity,
	SYS_sched_setattr,
	SYS_migrate_pages,
	SYS_move_pages,
	/* more rights, other views of the machine */
	SYS_setuid,
	SYS_setgid,
	SYS_setreuid,
	SYS_setregid,
	SYS_setresuid,
	SYS_setresgid,
	SYS_setfsuid,
	SYS_setfsgid,
	SYS_setgroups,
	SYS_capset,
	SYS_personality,
	SYS_unshare,
	SYS_setns,
	SYS_chroot,
	SYS_pivot_root,
	SYS_mount,
	SYS_umount2,
	SYS_move_mount,
	SYS_open_tree,
	SYS_fsopen,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fspick,
	/* large parts of the kernel that are rarely used and often had bugs */
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_io_setup,
	SYS_io_submit,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_modify_ldt,
	SYS_vmsplice,
	SYS_lookup_dcookie,
	SYS_remap_file_pages,
	/* the machine */
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_create_module,
	SYS_kexec_load,
	SYS_kexec_file_load,
	SYS_reboot,
	SYS_iopl,
	SYS_ioperm,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_quotactl,
	SYS_syslog,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_clock_adjtime,
	SYS_adjtimex,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_vhangup,
	SYS_nfsservctl,
	/*
	 * files: by handles, their owners and modes, watching others use them
	 */
	SYS_name_to_handle_at,
	SYS_open_by_handle_at,
	SYS_chmod,
	SYS_fchmodat,
	SYS_chown,
	SYS_fchown,
	SYS_lchown,
	SYS_fchownat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_fsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_fremovexattr,
	SYS_link,
	SYS_linkat,
	SYS_symlink,
	SYS_symlinkat,
	SYS_mknod,
	SYS_mknodat,
	SYS_inotify_init,
	SYS_inotify_init1,
	SYS_fanotify_init,
	SYS_fanotify_mark,
	/* memory shared with other processes */
	SYS_shmget,
	SYS_shmat,
	SYS_semget,
	SYS_msgget,
	SYS_mq_open,
};

/* Allowed with some arguments, below and by confine_allow_own(). */
static const int limited[] = {
	SYS_clone,    SYS_clone3,    SYS_socket,	SYS_mmap,
	SYS_mprotect, SYS_fcntl,     SYS_ioctl,		SYS_prctl,
	SYS_tgkill,   SYS_prlimit64, SYS_pkey_mprotect,
};

static const struct confine_argument allowed_if[] = {
	/* threads only; libc uses clone() if clone3() fails */
	{ SCMP_SYS(clone), 0, CLONE_THREAD, CLONE_THREAD },
	{ SCMP_SYS(socket), 0, ~0ull, AF_UNIX },
	{ SCMP_SYS(socket), 0, ~0ull, AF_INET },
	{ SCMP_SYS(socket), 0, ~0ull, AF_INET6 },
	/* libraries may be loaded; written memory cannot become executable */
	{ SCMP_SYS(mmap), 2, PROT_WRITE, 0 },
	{ SCMP_SYS(ioctl), 1, ~0ull, FIONBIO },
	{ SCMP_SYS(ioctl), 1, ~0ull, FIONREAD },
	{ SCMP_SYS(ioctl), 1, ~0ull, SIOCGIFINDEX },
	{ SCMP_SYS(ioctl), 1, ~0ull, SIOCGIFNAME },
	{ SCMP_SYS(prctl), 0, ~0ull, PR_SET_NAME },
	{ SCMP_SYS(prctl), 0, ~0ull, PR_GET_NAME },
	{ SCMP_SYS(prctl), 0, ~0ull, PR_GET_DUMPABLE },
};

static bool holds(const int *list, size_t nr, int call)
{
	size_t i;

	for (i = 0; i < nr && list[i] != call; i++)
		;
	return i < nr;
}

static int add_known(scmp_filter_ctx ctx, int call)
{
	if (holds(limited, sizeof(limited) / sizeof(limited[0]), call))
		return 0;
	if (holds(refused, sizeof(refused) / sizeof(refused[0]), call))
		return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), call, 0);
	return seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, 0);
}

static int add_rules(scmp_filter_ctx ctx, bool opens)
{
	int ret, call;
	size_t i;

	(void)opens;
	/* as a binary tree, because there are hundreds of rules */
	ret = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		for (call = known[i].first; call <= known[i].last && !ret;
		     call++)
			ret = add_known(ctx, call);
	/* netlink only to ask which addresses this machine has */
	if (!ret)
		ret = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(socket), 2,
				       SCMP_A0(SCMP_CMP_EQ, AF_NETLINK, 0),
				       SCMP_A2(SCMP_CMP_EQ, 0, 0));
	if (!ret)
		ret = confine_allow_if(ctx, allowed_if,
				       sizeof(allowed_if) /
					       sizeof(allowed_if[0]));
	return ret ? ret : confine_allow_own(ctx);
}

int confine_network(int dir, const int *read, unsigned int nr)
{
	struct landlock_may may = { .dir = dir, .connect = true };
	const struct rlimit none = { 0, 0 };
	int files[MAX_READ], ret;
	unsigned int i;

	for (i = 0; i < NR_SYSTEM; i++) {
		int fd = open(system_files[i], O_PATH | O_CLOEXEC);

		if (fd >= 0)
			files[may.nr_read++] = fd;
	}
	for (i = 0; i < nr && may.nr_read < MAX_READ; i++)
		files[may.nr_read++] = read[i];
	may.read = files;
	ret = confine_rights();
	if (!ret && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		     setrlimit(RLIMIT_CORE, &none)))
		ret = -errno;
	if (!ret)
		ret = landlock(&may);
	for (i = 0; i < may.nr_read; i++)
		close(files[i]);
	/* ENOSYS, because libraries go without what a kernel lacks */
	return ret ? ret :
		     confine_filter(SCMP_ACT_ERRNO(ENOSYS), add_rules, false);
}
