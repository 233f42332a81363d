// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof guests`: the VMs of this host, or of a session, and their vCPUs. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/confined.h"
#include "cmd/guests_names.h"
#include "format/session.h"
#include "cmd/guests_cache.h"
#include "host/discover.h"
#include "view/json.h"
#include "view/safe.h"
#include "base/sort.h"

struct guests_cmd {
	const char *dir;
	bool json;
	enum guests_cache_what cache;
	char **name;
};

static bool take_cache(void *to, const char *verb, char *arg)
{
	*(enum guests_cache_what *)to = arg ? CACHE_CLEAR : CACHE_LIST;
	return !arg || !strcmp(arg, "clear") ||
	       option_wrong(verb, "--cache, or --cache=clear, not '%s'", arg);
}

#define AT(member) .at = offsetof(struct guests_cmd, member)

static const struct option_spec own[] = {
	{ 'i', "input", "DIR", "of the session in DIR", OPTION_TEXT, AT(dir),
	  .value = VALUE_SESSION },
	{ 0, "json", NULL, "as JSON", OPTION_FLAG, AT(json) },
	{ 0, "cache", "clear",
	  "list what is kept of guests' symbols instead; =clear: remove it, of all guests, or of those called NAME",
	  OPTION_OTHER, AT(cache), .take = take_cache, .words = "clear",
	  .optional = true },
	{ 0 },
};

static const struct option_rule rules[] = {
	{ "json", NOT_WITH, "cache=clear", "nothing is listed" },
	{ "input", NOT_WITH, "cache", "the cache is not in a session" },
	{ "DIR", NOT_WITH, "input", "both name the session" },
	{ 0 },
};

static void more(FILE *out)
{
	fputs("The name is what record and report take: QEMU's -name, libvirt's domain,\n"
	      "Firecracker's --id, else pid-N.  A thread shown as ? is not known yet: the\n"
	      "VMM does not name its threads, and this one was running.\n",
	      out);
}

const struct options guests_options = {
	.verb = "guests",
	.forms = (const char *const[]){ "[DIR | -i DIR] [--json]",
					"--cache [--json]",
					"--cache=clear [NAME]", NULL },
	.about = "Lists the VMs that run on this host, or those of a session: name, process,\n"
		 "vCPUs and the threads that run them; then how record could ask each guest for\n"
		 "its names, or, of a session, how it did.",
	.groups = (const struct option_group[]){ { own, 0 }, { 0 } },
	.rules = rules,
	.operand = { "DIR NAME", 1, .value = VALUE_SESSION, AT(name) },
	.more = more,
};

static int compare_pid(const void *a, const void *b)
{
	const struct vm *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void print_text(const struct inventory *inv,
		       const struct session *session)
{
	unsigned int i, j;

	char name[4 * VM_NAME];

	printf("%-24s %8s %5s %8s  %s\n", "VM", "PID", "VCPU", "TID", "THREAD");
	for (i = 0; i < inv->nr; i++) {
		const struct vm *vm = &inv->vms[i];

		safe_text(name, sizeof(name), vm->name);
		if (!vm->nr_vcpus)
			printf("%-24s %8u %5s %8s  %s\n", name, vm->pid, "-",
			       "-", "-");
		for (j = 0; j < vm->nr_vcpus; j++) {
			const struct vm_vcpu *vcpu = &vm->vcpus[j];
			char comm[64] = "?", tid[16] = "?";

			if (*vcpu->comm)
				safe_text(comm, sizeof(comm), vcpu->comm);
			if (vcpu->tid)
				snprintf(tid, sizeof(tid), "%u", vcpu->tid);
			printf("%-24s %8u %5u %8s  %s\n", name, vm->pid,
			       vcpu->vcpu_id, tid, comm);
		}
	}
	printf("\n%-24s  %s\n", "VM", session ? "BUNDLE" : "WAYS IN");
	for (i = 0; i < inv->nr; i++)
		guests_names_text(&inv->vms[i], session);
}

static void print_json(const struct inventory *inv,
		       const struct session *session)
{
	struct json_out j;
	unsigned int i, k;

	json_out_begin(&j, stdout, "vmmprof-guests", 1);
	json_out_array(&j, "guests");
	for (i = 0; i < inv->nr; i++) {
		const struct vm *vm = &inv->vms[i];

		json_out_object(&j, NULL);
		json_out_string(&j, "name", vm->name);
		json_out_u64(&j, "pid", vm->pid);
		json_out_array(&j, "vcpus");
		for (k = 0; k < vm->nr_vcpus; k++) {
			const struct vm_vcpu *vcpu = &vm->vcpus[k];

			json_out_object(&j, NULL);
			json_out_u64(&j, "vcpu", vcpu->vcpu_id);
			if (vcpu->tid)
				json_out_u64(&j, "tid", vcpu->tid);
			else
				json_out_null(&j, "tid");
			json_out_string(&j, "thread", vcpu->comm);
			json_out_object_end(&j);
		}
		json_out_array_end(&j);
		guests_names_json(&j, vm, session);
		json_out_object_end(&j);
	}
	json_out_array_end(&j);
	json_out_object_end(&j);
}

/* A later item of a pid replaces the earlier ones: begin with the last. */
static int take_vms(const struct session *s, struct inventory *inv)
{
	size_t i;

	for (i = s->nr_vms; i; i--) {
		const struct vmmprof_info_vm *vm = s->vms[i - 1];

		if (!inventory_find(inv, vm->pid) &&
		    !inventory_add_vm(inv, vm->pid, vm->name, vm->seen_tsc))
			return -ENOMEM;
	}
	return 0;
}

static int take_vcpus(const struct session *s, struct inventory *inv)
{
	size_t i;

	for (i = 0; i < s->nr_vcpus; i++) {
		const struct vmmprof_info_vcpu *vcpu = s->vcpus[i];
		struct vm *vm;
		int ret;

		vm = inventory_add_vm(inv, vcpu->pid, NULL, 0);
		if (!vm)
			return -ENOMEM;
		ret = inventory_add_vcpu(vm, vcpu->vcpu_id, vcpu->tid,
					 vcpu->comm);
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

/* *s is to be closed in any case. */
static int from_session(const char *dir, struct session *s,
			struct inventory *inv)
{
	size_t i;
	int ret;

	if (!confined_begin("guests", dir, NULL, 0))
		return -EPERM;
	ret = session_open(s, dir);
	for (i = 0; i < s->problems.nr; i++) {
		char line[512];

		safe_text(line, sizeof(line), s->problems.line[i]);
		fprintf(stderr, "vmmprof guests: %s\n", line);
	}
	if (!ret)
		ret = take_vms(s, inv);
	if (!ret)
		ret = take_vcpus(s, inv);
	if (ret == -ENOMEM)
		fputs("vmmprof guests: no memory\n", stderr);
	return ret;
}

static int from_host(struct inventory *inv)
{
	struct discover_result found;
	int ret = discover("", 0, inv, &found);

	if (ret)
		fprintf(stderr, "vmmprof guests: cannot read /proc: %s\n",
			strerror(-ret));
	else if (found.denied)
		fprintf(stderr,
			"vmmprof guests: %u processes cannot be inspected: run it as root to see all VMs\n",
			found.denied);
	return ret;
}

int cmd_guests(int argc, char **argv)
{
	struct session session = { 0 }, *s;
	struct guests_cmd c = { 0 };
	struct inventory inv;
	int ret = options_parse(&guests_options, &c, argc, argv);

	if (ret >= 0)
		return ret;
	if (c.cache == CACHE_LIST && c.name[0])
		return options_wrong(
			&guests_options,
			"NAME has no effect without --cache=clear: it is whose symbols are removed; give both or none");
	if (!c.cache && c.name[0])
		c.dir = c.name[0];
	if (c.cache)
		return guests_cache(c.cache == CACHE_CLEAR, c.name[0], c.json);
	inventory_init(&inv);
	s = c.dir ? &session : NULL;
	ret = c.dir ? from_session(c.dir, s, &inv) : from_host(&inv);
	if (inv.nr)
		sort_array(inv.vms, inv.nr, sizeof(*inv.vms), compare_pid);
	if (!ret && c.json)
		print_json(&inv, s);
	else if (!ret && !inv.nr)
		fprintf(stderr, "vmmprof guests: no VM %s\n",
			c.dir ? "in this session" : "runs on this host");
	else if (!ret)
		print_text(&inv, s);
	inventory_deinit(&inv);
	if (s)
		session_close(s);
	return ret ? EXIT_ERROR : EXIT_OK;
}
