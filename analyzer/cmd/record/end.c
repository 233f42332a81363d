// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof record` after the last sample: writes the rest of the rings, the
 * counts, and what is found in the records.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include "format/chain_pack.h"
#include "format/items.h"
#include "format/session_dir.h"
#include "host/discover.h"
#include "host/record_scan.h"
#include "cmd/record/recording.h"
#include "cmd/record/messages.h"
#include "transport/import.h"

/* Samples no more, and notes the VMs there are before what takes time. */
static int stop(struct recording *r)
{
	struct discover_result found;
	unsigned int i;
	int ret, err;

	record_memory_last(r);
	record_put_states(r, VMMPROF_WHEN_STOP);
	r->stop_tsc = __rdtsc();
	ret = device_stop(&r->dev);
	if (ret)
		record_say("cannot stop sampling: %s", strerror(-ret));
	discover("", __rdtsc(), &r->inv, &found);
	record_drain_end(r);
	if (record_drain(r))
		ret = -EIO;
	record_put_exits(r);
	for (i = 0; i < r->dev.nr_rings; i++) {
		err = device_counts(&r->dev, i, &r->stats[i]);
		if (err)
			record_say(
				"warning: CPU %u: what its counters counted is not known: %s",
				r->stats[i].cpu, strerror(-err));
		session_writer_cpu(&r->out, &r->stats[i]);
		record_say_events(&r->stats[i], &r->events);
	}
	return ret;
}

/* Waits for the child's end, because the STOP item has its status. */
static void put_stop(struct recording *r)
{
	if (!workload_end(&r->child))
		record_say("warning: '%s' (process %d) still runs",
			   r->opts->command[0], r->child.pid);
	session_writer_stop(&r->out, r->start_tsc, r->stop_tsc, r->reason,
			    r->child.status);
	item_writer_clock(&r->out.info);
	session_writer_flush(&r->out);
}

/* Do the files hold what the module says it wrote? */
static int check_records(struct recording *r)
{
	struct record_scan scan;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < r->nr_files && !ret; i++) {
		const struct vmmprof_cpu_stat *stat = &r->stats[i];

		memset(&scan, 0, sizeof(scan));
		ret = record_scan(r->files[i], &r->inv, &scan);
		if (ret)
			record_say("cannot read back the records of CPU %u: %s",
				   stat->cpu, strerror(-ret));
		else if (scan.samples != stat->samples)
			record_say("warning: CPU %u: the module wrote %" PRIu64
				   " samples, %" PRIu64 " are there",
				   stat->cpu, (uint64_t)stat->samples,
				   scan.samples);
		r->switches += scan.switches;
		r->names += scan.names;
		r->chains += scan.chains;
	}
	return ret;
}

/* A file that cannot be packed is as good, but larger. */
static void pack_chains(struct recording *r)
{
	unsigned int i;
	char name[32];
	int ret;

	for (i = 0; r->dev.chain_flags && !r->live && i < r->nr_files; i++) {
		snprintf(name, sizeof(name), "cpu-%u.rec", r->stats[i].cpu);
		ret = chain_pack_file(r->out.dirfd, name);
		if (ret)
			record_say(
				"warning: call chains of CPU %u take up more room than they need: %s: %s",
				r->stats[i].cpu, name, strerror(-ret));
	}
}

static void end_inventory(struct recording *r)
{
	unsigned int i, j;

	for (i = 0; i < r->inv.nr; i++) {
		struct vm *vm = &r->inv.vms[i];
		char comm[VMMPROF_COMM];

		for (j = 0; j < vm->nr_vcpus; j++) {
			struct vm_vcpu *vcpu = &vm->vcpus[j];

			if (vcpu->tid && !*vcpu->comm &&
			    !discover_comm("", vm->pid, vcpu->tid, comm))
				inventory_add_vcpu(vm, vcpu->vcpu_id, 0, comm);
		}
	}
	record_put_inventory(r);
}

/* Writes a REACH item that says that this guest's bundle was a file. */
static void put_reach(struct recording *r, const struct vm *vm, int ret)
{
	const struct vmmprof_info_reach reach = {
		.pid = vm->pid,
		.how = VMMPROF_REACH_FILE,
		.error = ret,
	};

	session_writer_reach(&r->out, &reach,
			     ret ? "--guest-bundle: not taken" : "");
}

/* A process without rights reads the bundle; then it is copied. */
static int take_bundle(struct recording *r, const struct vm *vm,
		       const char *file, struct error *e)
{
	struct import_stat got;
	int fd = open_regular(AT_FDCWD, file, 0), ret;

	if (fd < 0)
		return error_set(e, fd, "%s", strerror(-fd));
	ret = import_bundle(fd, NULL, &got, e);
	close(fd);
	if (ret)
		return ret;
	ret = session_writer_bundle(&r->out, vm->pid, vm->name, file);
	if (ret)
		return error_set(e, ret, "%s", strerror(-ret));
	if (!r->opts->quiet)
		record_say_bundle(vm->name, VMMPROF_REACH_FILE, &got);
	return 0;
}

static void take_bundles(struct recording *r)
{
	unsigned int i;

	for (i = 0; i < r->opts->nr_bundles; i++) {
		const struct bundle_option *b = &r->opts->bundles[i];
		struct error e;
		struct vm *vm;
		int ret;

		vm = inventory_find_name(&r->inv, b->name);
		if (!vm) {
			record_say(
				"warning: --guest-bundle: there was no VM '%s'; `vmmprof guests -i %s` lists them",
				b->name, r->opts->dir);
			continue;
		}
		ret = take_bundle(r, vm, b->file, &e);
		put_reach(r, vm, ret);
		if (ret)
			record_say(
				"warning: --guest-bundle: '%s' is left out: %s; give it to `vmmprof report`",
				b->file, e.text);
	}
}

/*
 * END is written when all else is on the disk: a session that has it is
 * complete also if the host dies after this.
 */
static int close_session(struct recording *r)
{
	char name[SESSION_FILE_NAME];
	int ret = session_writer_flush(&r->out), err;

	if (ret) {
		record_say_unwritten(r->opts->dir, ret);
	} else if (!r->live) {
		ret = session_dir_sync(r->out.dirfd, name);
		if (ret)
			record_say_unsynced(r->opts->dir, name, ret);
	}
	err = session_writer_close(&r->out, !ret);
	r->out_open = false;
	if (err && !ret)
		record_say_unwritten(r->opts->dir, err);
	return ret ? ret : err;
}

int record_end(struct recording *r)
{
	__u64 lost = 0;
	int ret = stop(r);
	int err;

	/* the guests send while the host's part is written */
	collect_fetch(&r->guests);
	put_stop(r);
	record_memory_wait(r);
	device_close(&r->dev);
	err = host_maps_end(&r->host, &lost);
	r->host_open = false;
	ret = ret ? ret : err;
	if (err)
		record_say("cannot write the host's maps: %s", strerror(-err));
	if (lost)
		record_say(
			"warning: %" PRIu64
			" events of processes were not read in time: some may have no name",
			(uint64_t)lost);
	if (*r->host.left)
		record_say("warning: %s", r->host.left);
	err = check_records(r);
	ret = ret ? ret : err;
	if (!ret)
		pack_chains(r);
	end_inventory(r);
	take_bundles(r);
	record_end_guests(r);
	record_memory_end(r);
	err = close_session(r);
	return ret ? ret : err;
}
