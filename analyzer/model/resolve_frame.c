// SPDX-License-Identifier: GPL-2.0-only
/* The thread of a sample, and addresses of frames: by its address space. */

#include <string.h>

#include "model/resolve.h"
#include "model/resolve_cause.h"
#include "model/resolve_parts.h"

__u32 resolve_thread(struct resolver *r, const struct bucket_key *key)
{
	const struct machine *m = resolver_machine(r, key->guest);
	const struct process *p;

	if (key->tid || !key->guest || key->proc == VMMPROF_NONE || !m)
		return key->tid;
	p = &r->processes[key->proc];
	if (!p->pid || p->pid == VMMPROF_NONE)
		return 0;
	return tasks_only_thread(&m->tasks, p->pid) + 1;
}

static void host_space(struct resolver *r, const struct vmmprof_rec_sample *s,
		       struct resolve_space *ret)
{
	struct machine *m = resolver_machine(r, 0);

	ret->owner = s->pid;
	ret->cause = CAUSE_NO_PROCESS;
	if (!m)
		return;
	ret->ns = clock_to_ns(&m->clock, s->hdr.tsc);
	if (s->pid)
		ret->im = procs_find(&m->procs, s->pid, ret->ns);
}

void resolve_space(struct resolver *r, const struct vmmprof_rec_sample *s,
		   const struct resolved *where, struct resolve_space *ret)
{
	struct machine *m = resolver_machine(r, where->key.guest);
	const struct identity *who;
	const struct task *task;
	struct space *space;
	enum owner_how how;
	struct holds any;

	memset(ret, 0, sizeof(*ret));
	ret->machine = where->key.guest;
	if (!ret->machine) {
		host_space(r, s, ret);
		return;
	}
	ret->ns = where->guest_ns;
	ret->owner = resolver_guest_owner(s, MODE_USER);
	ret->cause = guest_cause(s, m, MODE_USER);
	if (!m || ret->cause)
		return;
	/* between two processes the CR3 is the next one's already */
	task = where->key.mode == MODE_KERNEL ?
		       tasks_find(&m->tasks, s->guest_rsp, ret->ns) :
		       NULL;
	how = address_space_find(&m->spaces, s->guest_cr3, ret->ns, &space);
	who = identities_find(&r->identities, s);
	if (who && m->procs.by_mm) {
		holds_all(&any);
		if (who->tgid && !who->kthread)
			ret->im = image_by_mm(r, m, who, ret->ns, &any);
		ret->cause = ret->im ? CAUSE_NONE : CAUSE_NO_PROCESS;
		return;
	}
	if (who && who->tgid && !who->kthread) {
		ret->im = procs_find(&m->procs, who->tgid, ret->ns);
		ret->same = space && space->pid == who->tgid;
		ret->other = space && !ret->same;
		if (m->by_table && (!space || ret->other)) {
			ret->im = NULL;
			ret->cause = CAUSE_NO_PROCESS;
			return;
		}
		if (ret->im)
			return;
	}
	if (m->by_table) {
		ret->cause = who ? CAUSE_NO_PROCESS : CAUSE_NOT_READ;
		return;
	}
	if (task && task->pid && !task->kthread) {
		ret->im = procs_find(&m->procs, task->pid, ret->ns);
		ret->same = space && space->pid == task->pid;
		ret->other = space && !ret->same;
		if (ret->im)
			return;
	}
	ret->cause = owner_cause(how);
	if (space && !space->kernel)
		ret->im = procs_find(&m->procs, space->pid, ret->ns);
}

int resolve_in(struct resolver *r, const struct resolve_space *in, bool user,
	       __u64 ip, struct symbol_ref *ret)
{
	__u64 owner = in->machine ? in->owner & ~((1ull << 40) - 1) : 0;

	symbol_ref_init(ret, ip,
			user || (in->machine && in->cause) ? in->cause :
							     CAUSE_NO_KALLSYMS);
	if (!resolver_machine(r, in->machine) || (user && !in->im))
		return 0;
	return user ? resolver_user_ref(r, in->machine, in->owner, in->im,
					in->ns, ip, ret) :
		      resolver_kernel_ref(r, in->machine, owner, in->ns, ip,
					  ret);
}

const struct vmmprof_unwind_rule *resolve_rule(struct resolver *r,
					       const struct resolve_space *in,
					       __u32 file, __u64 link)
{
	struct machine *m = resolver_machine(r, in->machine);

	return m ? machine_unwind(m, file, link) : NULL;
}

const struct ksym *resolve_ksym(struct resolver *r, __u32 machine, __u64 addr)
{
	struct machine *m = resolver_machine(r, machine);

	return m ? kallsyms_find(&m->kallsyms, addr) : NULL;
}

bool resolve_kernel_rules(struct resolver *r, __u32 i)
{
	struct machine *m = resolver_machine(r, i);

	return m && m->unwind.nr_kernel;
}
