// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notices VMs that start while others are measured.  A VMM opens its VM some
 * time after the process was started, so a new process is examined MAX_LOOKS
 * times, STEP_NS apart.
 */

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "base/sort.h"
#include "host/discover.h"
#include "host/vm_watch.h"
#include "os/proc_file.h"

#define STEP_NS	  1000000000ull
#define MAX_LOOKS 4
#define YOUNG_NS  10000000000ull /* a VMM that old has opened its VM */
#define AGAIN_NS  30000000000ull

static int compare_pid(const void *a, const void *b)
{
	const struct vm_watch_proc *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Lists the processes there are, sorted. */
static int list_pids(const char *root, struct vm_watch_proc **procs, size_t *nr)
{
	char path[PATH_MAX];
	struct dirent *e;
	size_t cap = 0;
	int ret = 0;
	DIR *dir;

	*procs = NULL;
	*nr = 0;
	snprintf(path, sizeof(path), "%s/proc", root);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!ret && (e = readdir(dir))) {
		unsigned long pid = strtoul(e->d_name, NULL, 10);

		if (!pid || pid > UINT32_MAX)
			continue;
		ret = vec_grow(procs, &cap, *nr, sizeof(**procs));
		if (ret)
			break;
		(*procs)[*nr].looks = 0;
		(*procs)[(*nr)++].pid = pid;
	}
	closedir(dir);
	if (*nr)
		sort_array(*procs, *nr, sizeof(**procs), compare_pid);
	return ret;
}

/* Has the process just begun, so that it may become a VMM yet? */
static bool is_young(const char *root, uint32_t pid)
{
	__u64 began;

	return !proc_file_began(root, pid, &began) &&
	       began + YOUNG_NS > clock_ns(CLOCK_BOOTTIME);
}

int vm_watch_init(struct vm_watch *w, const char *root)
{
	bool young = false;
	size_t i;
	int ret;

	memset(w, 0, sizeof(*w));
	w->root = root;
	ret = list_pids(root, &w->procs, &w->nr);
	for (i = 0; i < w->nr; i++) {
		if (is_young(root, w->procs[i].pid))
			young = true;
		else
			w->procs[i].looks = MAX_LOOKS;
	}
	if (young)
		vm_watch_poke(w, clock_now());
	return ret;
}

void vm_watch_deinit(struct vm_watch *w)
{
	free(w->procs);
	memset(w, 0, sizeof(*w));
}

void vm_watch_poke(struct vm_watch *w, uint64_t now_ns)
{
	w->until_ns = now_ns + MAX_LOOKS * STEP_NS;
	if (!w->next_ns)
		w->next_ns = now_ns + STEP_NS / 2;
}

static uint32_t looks_before(const struct vm_watch *w, uint32_t pid)
{
	const struct vm_watch_proc key = { .pid = pid };
	const struct vm_watch_proc *p = NULL;

	if (w->nr)
		p = bsearch(&key, w->procs, w->nr, sizeof(key), compare_pid);
	return p ? p->looks : 0;
}

int vm_watch_run(struct vm_watch *w, uint64_t now_ns, uint64_t tsc,
		 struct inventory *inv)
{
	struct vm_watch_proc *procs;
	size_t nr, i;
	int ret;

	if (!w->next_ns || now_ns < w->next_ns)
		return 0;
	w->next_ns = now_ns < w->until_ns ? now_ns + STEP_NS : 0;
	ret = list_pids(w->root, &procs, &nr);
	for (i = 0; i < nr && !ret; i++) {
		procs[i].looks = looks_before(w, procs[i].pid);
		if (procs[i].looks >= MAX_LOOKS)
			continue;
		procs[i].looks++;
		ret = discover_pid(w->root, procs[i].pid, tsc, inv);
		ret = ret == -ENOMEM ? ret : 0;
	}
	free(w->procs);
	w->procs = procs;
	w->nr = nr;
	return ret;
}

bool vm_watch_is_due(struct vm_watch *w, uint64_t now_ns)
{
	bool due = w->again_ns && now_ns >= w->again_ns;

	if (due || !w->again_ns)
		w->again_ns = now_ns + AGAIN_NS;
	return due;
}

int vm_watch_again(const struct vm_watch *w, const uint32_t *vmms, size_t nr,
		   uint64_t tsc, struct inventory *inv)
{
	size_t i, known = inv->nr;

	for (i = 0; i < known; i++)
		if (!inv->vms[i].gone &&
		    discover_pid(w->root, inv->vms[i].pid, tsc, inv) == -ENOMEM)
			return -ENOMEM;
	for (i = 0; i < nr; i++)
		if (!inventory_find(inv, vmms[i]) &&
		    discover_pid(w->root, vmms[i], tsc, inv) == -ENOMEM)
			return -ENOMEM;
	return 0;
}
