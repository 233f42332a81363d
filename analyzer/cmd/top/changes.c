// SPDX-License-Identifier: GPL-2.0-only
/* What a reader of live records is told besides them: of VMs and the host. */

#include "base/clock.h"
#include "base/io.h"
#include "cmd/analysis_open.h"
#include "cmd/top/changes.h"
#include "model/timeline.h"

static int read_names(struct live *live, const struct top_tick *tick, int fd)
{
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
	return ret;
}

int top_read_changes(struct live *live, const struct top_tick *tick, int fd)
{
	struct top_gone gone;
	int ret = 0;
	__u32 i;

	for (i = 0; i < tick->nr_gone && !ret; i++) {
		ret = io_recv(fd, &gone, sizeof(gone));
		if (!ret)
			timeline_gone(&live->tl, gone.pid, gone.tid);
	}
	return ret ? ret : read_names(live, tick, fd);
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

int top_open(struct live *live, const struct session_load *load,
	     const struct top_tick *first, int fd)
{
	struct hash ended = { 0 };
	int ret = read_ended(&ended, first->nr_gone, fd);

	if (!ret)
		ret = analysis_open_later(&live->a, load->dir, load->bundles,
					  load->nr_bundles, &ended);
	hash_deinit(&ended);
	if (ret)
		return ret;
	names_begin(&live->a);
	ret = live_init(live, first->until);
	/* of no time: only what is known to be in a state can leave it */
	if (!ret)
		ret = timeline_until(&live->tl, first->until);
	return ret ? ret : read_names(live, first, fd);
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
