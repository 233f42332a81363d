// SPDX-License-Identifier: GPL-2.0-only
/* What a reader of live records is told of VMs besides them. */

#include "base/io.h"
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
