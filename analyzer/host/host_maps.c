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

static __u64 hash_module(const char *name, const char *address)
{
	return vmmprof_hash_mix(vmmprof_hash_bytes(name, strlen(name)) +
				vmmprof_hash_bytes(address, strlen(address)));
}

/*
 * Hashes of name and address of each loaded module; returns how many.
 * The use counts between them change all the time.
 */
static unsigned int list_modules(__u64 *hashes)
{
	char line[4096], name[64], address[32];
	FILE *f = fopen("/proc/modules", "re");
	unsigned int nr = 0;

	if (!f)
		return 0;
	while (nr < VMMPROF_HOSTMAPS_MODULES && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %*s %*s %*s %*s %31s", name, address) ==
		    2)
			hashes[nr++] = hash_module(name, address);
	fclose(f);
	return nr;
}

/*
 * Is there a module that was not there at the beginning?  One that only went
 * is no reason to write the symbols again: that would take its own away.
 */
static bool has_new_module(const struct vmmprof_hostmaps *hm)
{
	__u64 now[VMMPROF_HOSTMAPS_MODULES];
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

static __u32 count_maps(const struct vmmprof_hostmaps *hm)
{
	struct vmmprof_procmaps_stat stat;

	vmmprof_procmaps_stat(hm->procs, &stat);
	return stat.maps;
}

/* The kernel's part; hidden addresses are no failure. */
static int write_kernel(struct vmmprof_hostmaps *hm)
{
	int ret = vmmprof_kernelsyms_write(&hm->w);

	hm->nr_modules = list_modules(hm->modules);
	hm->kernel_err = ret;
	return hm->w.err;
}

/* Side-band events first: what starts during the scan is seen twice at worst. */
static int write_processes(struct vmmprof_hostmaps *hm)
{
	int ret = vmmprof_procmaps_create(&hm->w, &vmmprof_symlimits_host,
					  &hm->procs);

	if (ret)
		return ret;
	hm->sideband_err = vmmprof_sideband_open(hm->procs, &hm->sideband);
	if (hm->sideband_err) {
		hm->sideband = NULL;
		vmmprof_item_note(
			&hm->w,
			"processes that start or end meanwhile are not known: %s",
			strerror(-hm->sideband_err));
	}
	ret = vmmprof_procmaps_scan(hm->procs);
	if (!ret && hm->sideband)
		ret = vmmprof_sideband_read(hm->sideband);
	if (!ret)
		ret = vmmprof_procmaps_tick(hm->procs, false);
	hm->maps = count_maps(hm);
	return ret;
}

static int release(struct vmmprof_hostmaps *hm)
{
	int ret = vmmprof_sideband_close(hm->sideband, &hm->w);

	if (hm->procs)
		vmmprof_procmaps_destroy(hm->procs);
	hm->sideband = NULL;
	hm->procs = NULL;
	return ret;
}

int vmmprof_hostmaps_begin(struct vmmprof_hostmaps *hm, int dirfd)
{
	int ret;

	memset(hm, 0, sizeof(*hm));
	ret = vmmprof_itemwriter_open(&hm->w, dirfd, "host", VMMPROF_FILE_MAPS);
	if (ret)
		return ret;
	vmmprof_item_text(&hm->w, "tool", "vmmprof %s", VMMPROF_VERSION);
	vmmprof_item_text(&hm->w, "from", "record");
	vmmprof_item_text(&hm->w, "method", "none");
	vmmprof_item_clock(&hm->w);
	vmmprof_kernelsyms_identity(&hm->w);
	ret = write_kernel(hm);
	if (!ret)
		ret = write_processes(hm);
	if (!ret)
		ret = vmmprof_itemwriter_flush(&hm->w);
	if (ret) {
		release(hm);
		vmmprof_itemwriter_close(&hm->w, false);
	}
	return ret;
}

int vmmprof_hostmaps_pollfds(const struct vmmprof_hostmaps *hm,
			     struct pollfd *fds, int max)
{
	int nr = vmmprof_procmaps_pollfds(hm->procs, fds, max);

	if (!hm->sideband || nr > max)
		return nr;
	return nr + vmmprof_sideband_pollfds(hm->sideband, fds + nr, max - nr);
}

int vmmprof_hostmaps_tick(struct vmmprof_hostmaps *hm, bool *started)
{
	__u32 maps;
	int ret = 0;

	if (hm->sideband)
		ret = vmmprof_sideband_read(hm->sideband);
	if (!ret)
		ret = vmmprof_procmaps_run(hm->procs, 0);
	if (!ret)
		ret = vmmprof_procmaps_tick(hm->procs, false);
	maps = count_maps(hm);
	*started = maps != hm->maps;
	hm->maps = maps;
	return ret ? ret : vmmprof_itemwriter_flush(&hm->w);
}

int vmmprof_hostmaps_end(struct vmmprof_hostmaps *hm, __u64 *lost)
{
	int ret = 0, err;

	*lost = 0;
	if (hm->sideband) {
		ret = vmmprof_sideband_read(hm->sideband);
		*lost = vmmprof_sideband_lost(hm->sideband);
	}
	/* without events, or with holes in them, look again */
	if (!ret && (!hm->sideband || *lost))
		ret = vmmprof_procmaps_scan(hm->procs);
	if (!ret)
		ret = vmmprof_procmaps_tick(hm->procs, true);
	vmmprof_procmaps_left(hm->procs, hm->left, sizeof(hm->left));
	err = release(hm);
	ret = ret ? ret : err;
	if (!ret && has_new_module(hm))
		ret = write_kernel(hm);
	vmmprof_item_clock(&hm->w);
	err = vmmprof_itemwriter_close(&hm->w, !ret);
	return ret ? ret : err;
}
