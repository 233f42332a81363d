// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof record`: writes the state of each vCPU's thread at the beginning and
 * at the end of the measurement.
 */

#include <vmmprof/session.h>

#include "host/vcpu_state.h"
#include "cmd/record/recording.h"

void record_write_states(const struct inventory *inv, struct session_writer *w,
			 uint32_t when)
{
	struct vmmprof_info_vcpu_state item;
	unsigned int i, j;

	for (i = 0; i < inv->nr; i++) {
		const struct vm *vm = &inv->vms[i];

		for (j = 0; j < vm->nr_vcpus; j++) {
			if (!vm->vcpus[j].tid ||
			    vcpu_state_read("", vm->pid, vm->vcpus[j].tid,
					    &item))
				continue; /* not known, or it has ended */
			item.when = when;
			session_writer_vcpu_state(w, &item);
		}
	}
}

void record_put_states(struct recording *r, uint32_t when)
{
	record_write_states(&r->inv, &r->out, when);
}
