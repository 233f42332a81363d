// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts the process that reads a guest's memory.  It answers in memory that it
 * shares with us.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vmmprof/maps.h>
#include <vmmprof/record.h>

#include "base/clock.h"
#include "introspect/read_apart.h"
#include "sandbox/confine.h"
#include "sandbox/limits.h"

/* The largest kernel's data, symbols and BTF are a quarter of this. */
#define MEMORY	   (768ull << 20)
#define SECONDS	   40
#define BUNDLE_MAX (256ull << 20)
#define OUT_MAX	   (BUNDLE_MAX + (1ull << 20)) /* with what always fits */

struct task {
	const struct guest_look *look;
	struct guest_found *found; /* shared */
};

static int write_bundle(struct guest_kernel *k, const struct guest_look *look,
			struct guest_found *found)
{
	struct item_writer w;
	int err = item_writer_begin(&w, look->out, VMMPROF_FILE_MAPS);

	if (err)
		return err;
	w.limit = BUNDLE_MAX;
	err = guest_bundle_write(k, look->before, look->unwind, &w,
				 &found->stat);
	return item_writer_close(&w, !err) ?: err;
}

static int open_kernel(struct guest_memory *mem, const struct guest_look *look,
		       struct guest_kernel *k, struct error *e)
{
	if (look->kernel && look->before >= 0 &&
	    !guest_kernel_again(mem, look->kernel, k))
		return 0;
	return guest_kernel_open(mem, look->cr3, look->rip, k, e);
}

static int read_guest(struct guest_memory *mem, const struct guest_look *look,
		      struct guest_found *found)
{
	struct vmmprof_guest_layout l;
	struct guest_kernel k;
	__u32 size;
	int err = open_kernel(mem, look, &k, &found->error);

	if (err)
		return err;
	if (guest_kernel_layout(&k, look->pid, &l))
		l.size = 0;
	/* the size last: from then on the parent may use it */
	size = l.size;
	l.size = 0;
	found->layout = l;
	__atomic_store_n(&found->layout.size, size, __ATOMIC_RELEASE);
	err = write_bundle(&k, look, found);
	if (err)
		error_set(&found->error, err,
			  "what was read of the guest is not kept: %s",
			  strerror(-err));
	else if (!found->stat.modules_damaged)
		guest_kernel_keep(&k, &found->kernel);
	guest_kernel_close(&k);
	return err;
}

/*
 * What it writes is memory of the host: a guest that made it do anything has
 * no more of that than a large bundle.
 */
static int set_limits(void)
{
	return limits_set(MEMORY, SECONDS) ?: limits_file(OUT_MAX);
}

/* Runs in the new process. */
static int run(void *arg)
{
	const struct task *t = arg;
	const int keep[] = { t->look->memory, t->look->out, t->look->before };
	struct guest_memory mem;
	int err;

	confine_files(3, keep, 3);
	err = confine_stdio();
	err = err ?: set_limits();
	/* The slots are the kernel's word. */
	err = err   ?:
		      guest_memory_init(&mem, t->look->memory, t->look->slots,
					t->look->nr_slots);
	err = err ?: confine_self();
	if (err) {
		error_set(&t->found->error, err,
			  "the guest's memory is not read: %s", strerror(-err));
		return 1;
	}
	err = read_guest(&mem, t->look, t->found);
	t->found->reads = GUEST_READS - mem.reads;
	t->found->bytes = GUEST_READ_BYTES - mem.bytes;
	guest_memory_deinit(&mem);
	return err ? 1 : 0;
}

static bool member_fine(__u32 offset, __u32 align, bool may_lack)
{
	return (may_lack && offset == VMMPROF_NONE) ||
	       (offset < VMMPROF_GUEST_TASK_MAX && offset % align == 0);
}

/* A guest may have made the process say anything. */
static void check_layout(struct vmmprof_guest_layout *l, __u32 pid)
{
	if (l->size == sizeof(*l) && l->pid == pid &&
	    !(l->flags & ~VMMPROF_GUEST_LAYOUT_F_PTI) && !l->reserved &&
	    member_fine(l->task_tgid, 4, false) &&
	    member_fine(l->task_pid, 4, false) &&
	    member_fine(l->task_mm, 8, false) &&
	    member_fine(l->task_comm, 8, false) &&
	    member_fine(l->task_flags, 4, true) &&
	    member_fine(l->task_start, 8, true))
		return;
	memset(l, 0, sizeof(*l));
}

/*
 * Is it one that the process can have come to?  -EAGAIN would say to the caller
 * that it still reads.
 */
static bool code_fine(int code)
{
	return code < 0 && code > -4096 && code != -EAGAIN;
}

/* @status: as confine_look() returns it. */
static int take(__u32 vmm, int status, struct guest_found *ret)
{
	struct error *e = &ret->error;

	memset(e->hints, 0, sizeof(e->hints)); /* addresses of that process */
	e->text[sizeof(e->text) - 1] = '\0';
	if (!status) {
		e->code = 0;
		check_layout(&ret->layout, vmm);
		return 0;
	}
	memset(&ret->layout, 0, sizeof(ret->layout));
	if (status == 1 && code_fine(e->code))
		return e->code;
	if (status > 0 || status == -EINTR)
		status = -EBADE;
	return error_set(
		e, status,
		"the process that reads the guest's memory did not end well: %s",
		strerror(-status));
}

int guest_reading_begin(const struct guest_look *look, __u64 deadline_ns,
			struct guest_reading *r, struct error *e)
{
	struct task t = { .look = look };

	memset(r, 0, sizeof(*r));
	t.found = mmap(NULL, sizeof(*t.found), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t.found == MAP_FAILED)
		return error_set(e, -errno,
				 "the guest's memory is not read: %s",
				 strerror(errno));
	r->pid = confine_start(run, &t);
	if (r->pid < 0) {
		munmap(t.found, sizeof(*t.found));
		return error_set(e, r->pid,
				 "the guest's memory is not read: %s",
				 strerror(-r->pid));
	}
	r->vmm = look->pid;
	r->deadline_ns = deadline_ns;
	r->found = t.found;
	return 0;
}

int guest_reading_look(struct guest_reading *r, struct guest_found *ret)
{
	int signal, status = confine_look(r->pid, r->deadline_ns, &signal);

	memset(ret, 0, sizeof(*ret));
	if (status == -EAGAIN)
		return status;
	memcpy(ret, r->found, sizeof(*ret));
	munmap(r->found, sizeof(*r->found));
	r->pid = 0;
	return take(r->vmm, status, ret);
}

bool guest_reading_layout(const struct guest_reading *r,
			  struct vmmprof_guest_layout *ret)
{
	if (!__atomic_load_n(&r->found->layout.size, __ATOMIC_ACQUIRE))
		return false;
	*ret = r->found->layout;
	check_layout(ret, r->vmm);
	return ret->size;
}

int guest_reading_open(void)
{
	int fd = memfd_create("vmmprof-guest", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 ? -errno : fd;
}

int guest_reading_keep(int out)
{
	struct stat st;

	if (fcntl(out, F_ADD_SEALS,
		  F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) ||
	    fstat(out, &st))
		return -errno;
	return (__u64)st.st_size > OUT_MAX ? -EFBIG : 0;
}

void guest_reading_end(struct guest_reading *r)
{
	struct guest_found found;

	if (r->pid <= 0)
		return;
	r->deadline_ns = 0;
	guest_reading_look(r, &found);
}

int guest_read_apart(const struct guest_look *look, __u64 deadline_ns,
		     struct guest_found *ret)
{
	struct guest_reading r;
	struct pollfd p = { .events = POLLIN };
	int err;

	memset(ret, 0, sizeof(*ret));
	err = guest_reading_begin(look, deadline_ns, &r, &ret->error);
	if (err)
		return err;
	p.fd = syscall(SYS_pidfd_open, r.pid, 0);
	while (p.fd >= 0 && poll(&p, 1, clock_left(deadline_ns)) <= 0 &&
	       clock_left(deadline_ns))
		;
	while ((err = guest_reading_look(&r, ret)) == -EAGAIN)
		usleep(1000); /* without a pidfd */
	if (p.fd >= 0)
		close(p.fd);
	return err;
}
