// SPDX-License-Identifier: GPL-2.0-only
/* Names for the numbers of a profile, safe to print. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/foreign_names.h"
#include "view/safe.h"
#include "view/table.h"
#include "sym/exits.h"
#include "base/sort.h"

/* More processes of one program than this are shown together. */
#define MAX_TOLD_APART 16
#define NUMBER_BYTES   8 /* of their numbers in brackets */

/* Number processes with samples that share machine and name, by pid. */
static int cmp_same(const void *a, const void *b)
{
	const struct process *x = *(void **)a, *y = *(void **)b;

	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static bool same_program(const struct process *a, const struct process *b)
{
	return a->machine == b->machine && a->name == b->name;
}

static int number_processes(struct names *n)
{
	struct process **p, *all = n->a->resolver.processes;
	const struct profile *prof = &n->a->profile;
	size_t i, j, k, nr = n->a->resolver.nr_processes, used = 0;
	__u32 proc;

	n->ordinal = calloc(nr + 1, sizeof(*n->ordinal));
	p = malloc((nr + 1) * sizeof(*p));
	if (!n->ordinal || !p) {
		free(p);
		return -ENOMEM;
	}
	for (i = 0; i < prof->nr; i++) {
		proc = prof->buckets[i].key.proc;
		if (prof->buckets[i].key.mode == MODE_USER &&
		    proc != VMMPROF_NONE)
			n->ordinal[proc] = 1;
	}
	for (i = 0; i < nr; i++) {
		if (n->ordinal[i] && all[i].pid != VMMPROF_NONE)
			p[used++] = &all[i];
		n->ordinal[i] = 0;
	}
	sort_array(p, used, sizeof(*p), cmp_same);
	for (i = 0; i < used; i = j) {
		for (j = i + 1; j < used && same_program(p[i], p[j]); j++)
			;
		if (j == i + 1 || j > i + MAX_TOLD_APART)
			continue;
		for (k = i; k < j; k++)
			n->ordinal[p[k] - all] = k - i + 1;
	}
	free(p);
	return 0;
}

/*
 * The container of a process: of the first of its images that is in one.
 * Number in n->containers, or VMMPROF_NONE.
 */
static int find_container(struct names *n, __u32 proc, __u32 *ret)
{
	const struct resolver *r = &n->a->resolver;
	const struct process *p = &r->processes[proc];
	const struct machine *m;
	char name[CONTAINER_MAX];
	size_t i;

	*ret = VMMPROF_NONE;
	m = p->machine < r->nr_machines ? r->machines[p->machine] : NULL;
	if (!m || p->pid == VMMPROF_NONE)
		return 0;
	i = hash_get(&m->procs.pids, p->pid);
	for (; i < m->procs.nr && m->procs.images[i].pid == p->pid; i++) {
		if ((m->procs.images[i].proc != proc && i != p->image) ||
		    !container_of(&m->containers, i, name, sizeof(name)))
			continue;
		return strings_add(&n->containers, name, sizeof(name), ret);
	}
	return 0;
}

static int name_containers(struct names *n)
{
	size_t i, nr = n->a->resolver.nr_processes;
	int ret = 0;

	n->container = malloc((nr + 1) * sizeof(*n->container));
	if (!n->container)
		return -ENOMEM;
	for (i = 0; i < nr && !ret; i++)
		ret = find_container(n, i, &n->container[i]);
	return ret;
}

__u32 name_container(const struct names *n, __u32 proc)
{
	return proc == VMMPROF_NONE ? VMMPROF_NONE : n->container[proc];
}

int names_init(struct names *n, struct analysis *a)
{
	memset(n, 0, sizeof(*n));
	n->a = a;
	n->nr_text = a->resolver.strings.nr;
	n->text = calloc(n->nr_text + 1, sizeof(*n->text));
	n->demangler = calloc(1, sizeof(*n->demangler));
	if (!n->text || !n->demangler)
		return -ENOMEM;
	return number_processes(n) ?: name_containers(n);
}

void names_deinit(struct names *n)
{
	size_t i;

	for (i = 0; n->text && i < n->nr_text; i++)
		free(n->text[i]);
	free(n->text);
	free(n->ordinal);
	free(n->container);
	strings_deinit(&n->containers);
	strings_deinit(&n->lines);
	if (n->demangler)
		demangler_deinit(n->demangler);
	free(n->demangler);
	memset(n, 0, sizeof(*n));
}

int names_more(struct names *n)
{
	size_t nr = n->a->resolver.strings.nr;
	char **more;

	if (nr <= n->nr_text)
		return 0;
	nr *= 2; /* rarely */
	more = realloc(n->text, (nr + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + n->nr_text, 0, (nr + 1 - n->nr_text) * sizeof(*more));
	n->text = more;
	n->nr_text = nr;
	return 0;
}

int names_renew(struct names *n)
{
	/* a process without rights could not start its process again */
	struct demangler keep = { 0 };
	const struct timeline *tl = n->tl;
	struct analysis *a = n->a;
	int ret;

	if (n->demangler) {
		keep = *n->demangler;
		memset(n->demangler, 0, sizeof(*n->demangler));
	}
	names_deinit(n);
	ret = names_init(n, a);
	if (n->demangler)
		*n->demangler = keep;
	n->tl = tl;
	return ret;
}

/* A function's name as shown, demangled at its first use. */
static void function_text(struct names *n, __u32 id, char *buf, size_t size)
{
	const char *raw = strings_get(&n->a->resolver.strings, id);
	char plain[DEMANGLE_MAX];

	if (id >= n->nr_text) {
		foreign(buf, size, raw, NULL);
		return;
	}
	if (!n->text[id]) {
		if (demangle(n->demangler, raw, plain, sizeof(plain)))
			raw = plain;
		n->text[id] = strdup(raw);
	}
	foreign(buf, size, n->text[id] ? n->text[id] : raw, NULL);
}

static void string_text(struct names *n, __u32 id, char *buf, size_t size)
{
	foreign(buf, size, strings_get(&n->a->resolver.strings, id), NULL);
}

void name_machine(struct names *n, __u32 machine, char *buf, size_t size)
{
	if (!machine || machine > n->a->resolver.guests.nr)
		snprintf(buf, size, "host");
	else
		foreign_guest(buf, size,
			      n->a->resolver.guests.guests[machine - 1].name);
}

/* The row of a guest in the host-level view has neither. */
static bool whole_guest(const struct bucket_key *key)
{
	return key->guest && key->func == VMMPROF_NONE &&
	       key->module == VMMPROF_NONE && !key->cause && !key->mode;
}

void name_function(struct names *n, const struct bucket_key *key, char *buf,
		   size_t size)
{
	char name[256];

	if (key->func != VMMPROF_NONE) {
		function_text(n, key->func, buf, size);
	} else if (whole_guest(key)) {
		name_machine(n, key->guest, name, sizeof(name));
		snprintf(buf, size, "[%s]", name);
	} else {
		snprintf(buf, size, "(%s)", cause_text(key->cause));
	}
}

static const char *mode_text(unsigned int mode)
{
	static const char *const text[] = { "-", "kernel", "user", "unknown" };

	return mode < 4 ? text[mode] : "?";
}

void name_module(struct names *n, const struct bucket_key *key, char *buf,
		 size_t size)
{
	bool numbered = key->proc != VMMPROF_NONE && n->ordinal[key->proc];
	size_t len;

	if (whole_guest(key)) {
		snprintf(buf, size, "(VM%u)", key->guest);
		return;
	}
	if (key->module != VMMPROF_NONE)
		string_text(n, key->module, buf,
			    size - (numbered ? NUMBER_BYTES : 0));
	else
		snprintf(buf, size, "(%s)", mode_text(key->mode));
	if (!numbered)
		return;
	len = strlen(buf);
	snprintf(buf + len, size - len, "(%u)", n->ordinal[key->proc]);
}

void name_program(struct names *n, __u32 proc, char *buf, size_t size)
{
	const struct process *p;

	if (proc == VMMPROF_NONE) {
		snprintf(buf, size, "-");
		return;
	}
	p = &n->a->resolver.processes[proc];
	if (p->unnamed)
		snprintf(buf, size, "%s",
			 strings_get(&n->a->resolver.strings, p->name));
	else
		string_text(n, p->name, buf, size);
}

void names_process(struct names *n, __u32 proc, char *buf, size_t size)
{
	bool numbered = proc != VMMPROF_NONE && n->ordinal[proc];
	size_t len;

	name_program(n, proc, buf, size - (numbered ? NUMBER_BYTES : 0));
	len = strlen(buf);
	if (numbered)
		snprintf(buf + len, size - len, "(%u)", n->ordinal[proc]);
}

__u64 name_line(struct names *n, const struct bucket_key *key)
{
	struct resolver *r = &n->a->resolver;
	struct bucket_key shown = *key;
	char line[512], module[128];
	size_t len;
	__u32 id;

	if (key->guest || !r->nr_machines || !r->machines[0] ||
	    !machine_line(r->machines[0], key->file, key->addr, line,
			  sizeof(line))) {
		shown.mode++;
		name_function(n, &shown, line, sizeof(line) - 132);
		name_module(n, &shown, module, sizeof(module));
		len = strlen(line);
		snprintf(line + len, sizeof(line) - len, " [%s]", module);
	}
	return strings_add(&n->lines, line, sizeof(line), &id) ? 0 :
								 1 + (__u64)id;
}

static void number_text(__u32 v, char *buf, size_t size)
{
	if (v == VMMPROF_NONE)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%u", v);
}

static void exit_text(__u16 reason, char *buf, size_t size)
{
	const char *name = exit_name(reason);
	char number[EXIT_TEXT];

	if (reason == EXIT_NONE)
		snprintf(buf, size, "-");
	else if (reason == EXIT_SAMPLED)
		snprintf(buf, size, "(sampled in guest)");
	else
		snprintf(buf, size, "%s %s", exit_number_text(reason, number),
			 name ? name : "(unknown)");
}

void name_sort(struct names *n, const struct bucket_key *key, enum sort sort,
	       char *buf, size_t size)
{
	switch (sort) {
	case SORT_FUNCTION:
		name_function(n, key, buf, size);
		return;
	case SORT_MODULE:
		name_module(n, key, buf, size);
		return;
	case SORT_PROCESS:
		names_process(n, key->proc, buf, size);
		return;
	case SORT_PID:
		number_text(key->proc == VMMPROF_NONE ?
				    VMMPROF_NONE :
				    n->a->resolver.processes[key->proc].pid,
			    buf, size);
		return;
	case SORT_VCPU:
		number_text(key->vcpu, buf, size);
		return;
	case SORT_CPU:
		number_text(key->cpu, buf, size);
		return;
	case SORT_EVENT:
		safe_text(buf, size,
			  session_event_name(&n->a->session, key->event));
		return;
	case SORT_EXIT:
		exit_text(key->exit, buf, size);
		return;
	case SORT_MODE:
		snprintf(buf, size, "%s", mode_text(key->mode));
		return;
	case SORT_SRCLINE:
		safe_text(buf, size,
			  row_line(key) ?
				  strings_get(&n->lines, row_line(key) - 1) :
				  "-");
		return;
	case SORT_CONTAINER:
		safe_text(buf, size,
			  key->file == VMMPROF_NONE ?
				  "-" :
				  strings_get(&n->containers, key->file));
		return;
	case SORT_VM:
		name_machine(n, key->guest, buf, size);
		return;
	case SORT_TID:
		number_text(key->tid - 1, buf, size);
		return;
	case SORT_PARENT:
		if (row_parent(key))
			function_text(n, row_parent(key) - 1, buf, size);
		else
			snprintf(buf, size, "[other]");
		return;
	default:
		snprintf(buf, size, "-");
	}
}
