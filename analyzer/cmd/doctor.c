// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof doctor`: what this host can do, and what stands in the way. */

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "host/discover.h"
#include "host/doctor/doctor.h"
#include "transport/ways.h"
#include "view/json.h"
#include "view/safe.h"

static const char help[] =
	"usage: vmmprof doctor [--json]\n"
	"\n"
	"Tells what this host can do and what stands in the way: a line for each\n"
	"finding (ok, warn, fail) and what to do about it. Nothing is changed.\n"
	"\n"
	"      --json   findings as JSON\n"
	"  -h, --help   this text\n"
	"\n"
	"Exit status: 0 unless a line says fail, then 1.\n";

static const char *const words[] = { "ok", "warn", "fail" };

static void one_guest(struct vmmprof_doctor *d, const struct vmmprof_vm *vm)
{
	unsigned int i, unknown = 0;
	uint32_t ways = vmmprof_ways_of(d->root, vm->pid);
	char list[96] = "";

	for (i = 0; i < 32; i++) {
		size_t len = strlen(list);

		if (ways & 1u << i)
			snprintf(list + len, sizeof(list) - len, "%s%s",
				 len ? ", " : "", vmmprof_way_name(i));
	}
	if (ways)
		vmmprof_doctor_add(d, VMMPROF_FINE, "guest", "",
				   "%s: can be reached by %s", vm->name, list);
	else
		vmmprof_doctor_add(
			d, VMMPROF_WARN, "guest",
			"run QEMU's guest agent there, or record --ssh NAME=USER@HOST",
			"%s: no way in, so its processes have no names",
			vm->name);
	for (i = 0; i < vm->nr_vcpus; i++)
		unknown += !vm->vcpus[i].tid;
	if (unknown)
		vmmprof_doctor_add(
			d, VMMPROF_WARN, "guest",
			"start QEMU with -name NAME,debug-threads=on",
			"%s: the threads of %u vCPUs are not known before they are sampled",
			vm->name, unknown);
}

static void guests(struct vmmprof_doctor *d)
{
	struct vmmprof_discover_result found;
	struct vmmprof_inventory inv;
	unsigned int i;

	vmmprof_inventory_init(&inv);
	if (!vmmprof_discover(d->root, 0, &inv, &found)) {
		for (i = 0; i < inv.nr; i++)
			one_guest(d, &inv.vms[i]);
		if (!inv.nr)
			vmmprof_doctor_add(d, VMMPROF_FINE, "guest", "",
					   "no VM runs");
		if (found.denied)
			vmmprof_doctor_add(d, VMMPROF_WARN, "guest",
					   "run it as root",
					   "%u processes may not be looked at",
					   found.denied);
	}
	vmmprof_inventory_deinit(&inv);
}

static void print_text(const struct vmmprof_doctor *d)
{
	char text[4 * sizeof(d->list->text)];
	size_t i;

	for (i = 0; i < d->nr; i++) {
		const struct vmmprof_finding *f = &d->list[i];

		vmmprof_safe(text, sizeof(text), f->text);
		printf("%-4s  %-14s  %s\n", words[f->verdict], f->subject,
		       text);
		if (*f->remedy)
			printf("%22s  %s\n", "->", f->remedy);
	}
}

static void print_json(const struct vmmprof_doctor *d)
{
	struct vmmprof_json j;
	size_t i;

	vmmprof_json_init(&j, stdout);
	vmmprof_json_object(&j, NULL);
	vmmprof_json_string(&j, "verdict", words[vmmprof_doctor_verdict(d)]);
	vmmprof_json_array(&j, "findings");
	for (i = 0; i < d->nr; i++) {
		const struct vmmprof_finding *f = &d->list[i];

		vmmprof_json_object(&j, NULL);
		vmmprof_json_string(&j, "verdict", words[f->verdict]);
		vmmprof_json_string(&j, "subject", f->subject);
		vmmprof_json_string(&j, "text", f->text);
		vmmprof_json_string(&j, "remedy", f->remedy);
		vmmprof_json_object_end(&j);
	}
	vmmprof_json_array_end(&j);
	vmmprof_json_object_end(&j);
}

static int examine(bool json)
{
	struct vmmprof_doctor d;
	int ret;

	ret = vmmprof_doctor_run(&d, "");
	guests(&d);
	if (ret || d.error) {
		fputs("vmmprof doctor: no memory\n", stderr);
		ret = VMMPROF_EXIT_ERROR;
	} else {
		ret = vmmprof_doctor_verdict(&d) == VMMPROF_FAIL ?
			      VMMPROF_EXIT_ERROR :
			      VMMPROF_EXIT_OK;
		if (json)
			print_json(&d);
		else
			print_text(&d);
	}
	vmmprof_doctor_deinit(&d);
	return ret;
}

int vmmprof_cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool json = false, wrong = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return VMMPROF_EXIT_OK;
		default:
			wrong = true;
			break;
		}
	}
	if (wrong || optind != argc) {
		fputs("vmmprof doctor: `vmmprof doctor --help` lists the options\n",
		      stderr);
		return VMMPROF_EXIT_USAGE;
	}
	return examine(json);
}
