// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session's file `host`: the host's kernel, processes, mappings and
 * symbols, from before the sampling to its end.
 */

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "host/host_maps.h"
#include "os/kernel_syms.h"
#include "os/symbol_budget.h"
#include <vmmprof/version.h>

/* for unwind tables of what runs already, beyond what any scan waits */
#define FIRST_MS 10000

static __u64 hash_module(const char *name, const char *address)
{
	return hash_mix(hash_bytes(name, strlen(name)) +
			hash_bytes(address, strlen(address)));
}

/*
 * Hashes of name and address of each loaded module; returns how many.  The use
 * count, which stands between them in a line, changes all the time.
 */
static unsigned int list_modules(__u64 *hashes)
{
	char line[4096], name[64], address[32];
	FILE *f = fopen("/proc/modules", "re");
	unsigned int nr = 0;

	if (!f)
		return 0;
	while (nr < HOST_MAPS_MODULES && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %*s %*s %*s %*s %31s", name, address) ==
		    2)
			hashes[nr++] = hash_module(name, address);
	fclose(f);
	return nr;
}

/*
 * Was a module loaded since the beginning?  If modules were only removed, the
 * symbols are not written again, because that would drop those of the removed.
 */
static bool has_new_module(const struct host_maps *hm)
{
	__u64 now[HOST_MAPS_MODULES];
	unsigned int nr = list_modules(now);
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < hm->nr_modules && hm->modules[j] != now[i]; j++)
			;
		if (j == hm->nr_modules)
			return true;
	}
	return false;
}

static __u32 count_maps(const struct host_maps *hm)
{
	struct proc_maps_stat stat;

	proc_maps_stat(hm->procs, &stat);
	return stat.maps;
}

/* The kernel's part; hidden addresses are no failure. */
static int write_kernel(struct host_maps *hm)
{
	int ret = kernel_syms_write(&hm->w);

	hm->nr_modules = list_modules(hm->modules);
	hm->kernel_err = ret;
	return hm->w.err;
}

/* Side-band events first: a process that starts now is seen twice at worst. */
static int write_processes(struct host_maps *hm, unsigned int how)
{
	int ret = proc_maps_create(&hm->w, &symlimits_host, &hm->procs);

	if (!ret && how & HOST_MAPS_UNWIND)
		ret = proc_maps_unwind(hm->procs);
	if (ret)
		return ret;
	if (how & HOST_MAPS_SPARING)
		proc_maps_sparing(hm->procs);
	hm->sideband_err = sideband_open(hm->procs, &hm->sideband);
	if (hm->sideband_err) {
		hm->sideband = NULL;
		item_note(
			&hm->w,
			"processes that start or end meanwhile are not known: %s",
			strerror(-hm->sideband_err));
	}
	ret = proc_maps_scan(hm->procs);
	if (!ret && hm->sideband)
		ret = sideband_read(hm->sideband);
	/* made while it samples, they would take their time from vCPUs */
	if (!ret && how & HOST_MAPS_UNWIND && how & HOST_MAPS_SPARING)
		ret = proc_maps_run(hm->procs, FIRST_MS);
	if (!ret)
		ret = proc_maps_tick(hm->procs, false);
	hm->maps = count_maps(hm);
	return ret;
}

static int release(struct host_maps *hm)
{
	int ret = sideband_close(hm->sideband, &hm->w);

	if (hm->procs)
		proc_maps_destroy(hm->procs);
	hm->sideband = NULL;
	hm->procs = NULL;
	return ret;
}

int host_maps_begin(struct host_maps *hm, int dirfd, unsigned int how)
{
	int ret;

	memset(hm, 0, sizeof(*hm));
	ret = item_writer_open(&hm->w, dirfd, "host", VMMPROF_FILE_MAPS);
	if (ret)
		return ret;
	item_text(&hm->w, "tool", "vmmprof %s", VMMPROF_VERSION);
	item_text(&hm->w, "from", "record");
	item_text(&hm->w, "method", "none");
	item_writer_clock(&hm->w);
	kernel_syms_identity(&hm->w);
	ret = write_kernel(hm);
	if (!ret)
		ret = write_processes(hm, how);
	if (!ret)
		ret = item_writer_flush(&hm->w);
	if (ret) {
		release(hm);
		item_writer_close(&hm->w, false);
	}
	return ret;
}

int host_maps_pollfds(const struct host_maps *hm, struct pollfd *fds, int max)
{
	int nr = proc_maps_pollfds(hm->procs, fds, max);

	if (!hm->sideband || nr > max)
		return nr;
	return nr + sideband_pollfds(hm->sideband, fds + nr, max - nr);
}

int host_maps_tick(struct host_maps *hm, bool *started)
{
	__u32 maps;
	int ret = 0;

	if (hm->sideband)
		ret = sideband_read(hm->sideband);
	if (!ret)
		ret = proc_maps_run(hm->procs, 0);
	if (!ret)
		ret = proc_maps_tick(hm->procs, false);
	maps = count_maps(hm);
	*started = maps != hm->maps;
	hm->maps = maps;
	return ret ? ret : item_writer_flush(&hm->w);
}

int host_maps_end(struct host_maps *hm, __u64 *lost)
{
	int ret = 0, err;

	*lost = 0;
	if (hm->sideband) {
		ret = sideband_read(hm->sideband);
		*lost = sideband_lost(hm->sideband);
	}
	/* without events, or if some were lost, scan again */
	if (!ret && (!hm->sideband || *lost))
		ret = proc_maps_scan(hm->procs);
	if (!ret)
		ret = proc_maps_tick(hm->procs, true);
	proc_maps_left(hm->procs, hm->left, sizeof(hm->left));
	err = release(hm);
	ret = ret ? ret : err;
	if (!ret && has_new_module(hm))
		ret = write_kernel(hm);
	item_writer_clock(&hm->w);
	err = item_writer_close(&hm->w, !ret);
	return ret ? ret : err;
}
