// SPDX-License-Identifier: GPL-2.0-only
/* What a reader of live records is told besides them: of VMs and the host. */

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/io.h"
#include "cmd/analysis_open.h"
#include "cmd/top/changes.h"
#include "model/timeline.h"

int top_read_changes(struct live *live, const struct top_tick *tick, int fd)
{
	struct top_gone gone;
	struct top_vm vm;
	int ret = 0;
	__u32 i;

	for (i = 0; i < tick->nr_vms && !ret; i++) {
		ret = io_recv(fd, &vm, sizeof(vm));
		if (ret)
			break;
		vm.name[sizeof(vm.name) - 1] = '\0';
		ret = guests_name(&live->a.resolver.guests, vm.pid, vm.name);
	}
	for (i = 0; i < tick->nr_gone && !ret; i++) {
		ret = io_recv(fd, &gone, sizeof(gone));
		if (!ret)
			timeline_gone(&live->tl, gone.pid, gone.tid);
	}
	return ret;
}

/* Keys of the threads that the first tick says have ended. */
static int read_ended(struct hash *ended, __u32 nr, int fd)
{
	struct top_gone gone;
	int ret = 0;

	for (; nr && !ret; nr--) {
		ret = io_recv(fd, &gone, sizeof(gone));
		if (!ret)
			ret = hash_set(ended, (__u64)gone.pid << 32 | gone.tid,
				       0);
	}
	return ret;
}

static int open_later(struct live *live, const struct session_load *load,
		      const struct top_tick *first, struct top_vm *vms,
		      struct hash *ended, int fd)
{
	struct guests *guests = &live->a.resolver.guests;
	__u32 i;
	int ret;

	ret = io_recv(fd, vms, first->nr_vms * sizeof(*vms));
	if (!ret)
		ret = read_ended(ended, first->nr_gone, fd);
	if (!ret)
		ret = analysis_open_later(&live->a, load->dir, load->bundles,
					  load->nr_bundles, ended);
	for (i = 0; i < first->nr_vms && !ret; i++) {
		vms[i].name[sizeof(vms->name) - 1] = '\0';
		ret = guests_name(guests, vms[i].pid, vms[i].name);
	}
	if (ret)
		return ret;
	names_begin(&live->a);
	ret = live_init(live, first->until);
	/* of no time: only what is known to be in a state can leave it */
	return ret ? ret : timeline_until(&live->tl, first->until);
}

int top_open(struct live *live, const struct session_load *load,
	     const struct top_tick *first, int fd)
{
	struct top_vm *vms = calloc(first->nr_vms + 1, sizeof(*vms));
	struct hash ended = { 0 };
	int ret = -ENOMEM;

	if (vms)
		ret = open_later(live, load, first, vms, &ended, fd);
	hash_deinit(&ended);
	free(vms);
	return ret;
}

int top_read_host(struct top_host *h, struct analysis *a)
{
	__u64 begin = clock_now(), end;
	int ret;

	if (!h->due || begin < h->next)
		return 0;
	h->due = false;
	ret = analysis_host(a);
	end = clock_now();
	h->next = end + 20 * (end - begin);
	return ret;
}
