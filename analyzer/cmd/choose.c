// SPDX-License-Identifier: GPL-2.0-only
/* Looks up guests, vCPUs, processes and events that the user named. */

#include <stdio.h>
#include <string.h>

#include "cmd/choose.h"
#include "view/safe.h"

static bool no_such(const char *verb, const char *what, const char *name)
{
	char text[256];

	safe_text(text, sizeof(text), name);
	fprintf(stderr, "vmmprof %s: the session has no %s '%s'\n", verb, what,
		text);
	return false;
}

const struct option_spec choose_options[] = {
	{ 0, "guest", "NAME", "this guest only", OPTION_TEXT,
	  .at = offsetof(struct chosen, guest), .value = VALUE_GUEST },
	{ 0, "vm", "NAME", "the same as --guest", OPTION_TEXT,
	  .value = VALUE_GUEST, .same_as = "guest" },
	{ 'e', "event", "EVENT",
	  "samples of this event (default: the first one)", OPTION_TEXT,
	  .at = offsetof(struct chosen, event), .value = VALUE_EVENT },
	{ 0 },
};

static bool choose_guest(const char *verb, const struct analysis *a,
			 const char *name, __u32 *ret)
{
	__u32 i;

	if (!name)
		return true;
	i = guests_by_name(&a->resolver.guests, name);
	if (i == VMMPROF_NONE)
		return no_such(verb, "guest", name);
	*ret = 1 + i;
	return true;
}

bool choose_session_event(const char *verb, const struct analysis *a,
			  const char *name, __u32 *ret)
{
	const struct session *s = &a->session;
	__u32 i;

	if (!name)
		return true;
	for (i = 0; i < VMMPROF_MAX_EVENTS; i++) {
		if ((s->events[i] || a->counts.per_event[i]) &&
		    !strcmp(session_event_name(s, i), name)) {
			*ret = i;
			return true;
		}
	}
	return no_such(verb, "event", name);
}

static bool choose_cpus(void *to, const char *verb, char *arg)
{
	struct chosen_cpus *c = to;

	c->given = true;
	return !cpus_parse(arg, &c->cpus) ||
	       option_wrong(verb,
			    "--cpu wants CPU numbers, e.g. 0-3,8, not '%s'",
			    arg);
}

const struct option_spec choose_cpu_options[] = {
	{ 'C', "cpu", "LIST",
	  "what was recorded on these CPUs only, e.g. 0-3,8", OPTION_OTHER,
	  .take = choose_cpus },
	{ 0 },
};

static bool has_vcpu(const struct report *r)
{
	const struct guests *gs = &r->a->resolver.guests;
	size_t i;

	for (i = 0; i < gs->nr_vcpus; i++)
		if (gs->vcpus[i].id == r->vcpu &&
		    (r->guest == VMMPROF_ANY ||
		     gs->vcpus[i].guest + 1 == r->guest))
			return true;
	return false;
}

static bool choose_vcpu(const char *verb, const struct report *r,
			const char *guest)
{
	char text[256];

	if (r->vcpu == VMMPROF_ANY || has_vcpu(r))
		return true;
	safe_text(text, sizeof(text), guest ? guest : "");
	fprintf(stderr, "vmmprof %s: %s%s%s has %s vCPU %u\n", verb,
		guest ? "guest '" : "no guest of the session", text,
		guest ? "'" : "", guest ? "no" : "a", r->vcpu);
	return false;
}

/* Processes are those that were sampled. */
static bool choose_pid(const char *verb, const struct report *r,
		       const char *guest)
{
	const struct resolver *res = &r->a->resolver;
	__u32 machine = guest ? r->guest : 0;
	char text[256];
	size_t i;

	if (r->pid == VMMPROF_ANY)
		return true;
	for (i = 0; i < res->nr_processes; i++)
		if (res->processes[i].machine == machine &&
		    res->processes[i].pid == r->pid)
			return true;
	safe_text(text, sizeof(text), guest ? guest : "");
	fprintf(stderr,
		"vmmprof %s: no sample is of process %u of %s%s%s: `vmmprof %s%s%s --sort pid,process` lists those that are\n",
		verb, r->pid, guest ? "guest '" : "the host", text,
		guest ? "'" : " (--guest chooses a guest's)", verb,
		guest ? " --guest " : "", text);
	return false;
}

bool choose_session_cpus(const char *verb, const struct session *s,
			 const struct cpus *cpus)
{
	struct cpus all = { 0 };
	char text[128];
	__u32 cpu;
	size_t i;

	for (i = 0; i < s->nr_cpus; i++) {
		cpu = s->cpus[i].cpu;
		if (!cpus || cpus_has(cpus, cpu))
			return true;
		if (cpu < CPUS_MAX)
			cpus_add(&all, cpu);
	}
	if (!s->nr_cpus)
		return true;
	cpus_format(&all, text, sizeof(text));
	fprintf(stderr, "vmmprof %s: the session has no such CPU: it has %s\n",
		verb, text);
	return false;
}

bool choose(const char *verb, const struct analysis *a, const struct chosen *c,
	    struct report *r)
{
	return choose_session_cpus(verb, &a->session, r->cpus) &&
	       choose_guest(verb, a, c->guest, &r->guest) &&
	       choose_session_event(verb, a, c->event, &r->event) &&
	       choose_vcpu(verb, r, c->guest) && choose_pid(verb, r, c->guest);
}
