// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof doctor`: what this host can do, and what stands in the way. */

#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/doctor_guests.h"
#include "cmd/options.h"
#include "host/doctor/doctor.h"
#include "view/json.h"
#include "view/safe.h"

static const struct option_spec own[] = {
	{ 0, "json", NULL, "findings as JSON", .kind = OPTION_FLAG },
	{ 0 },
};

static void more(FILE *out)
{
	fputs("Exit status: 0 unless a line says fail, then 1.\n", out);
}

const struct options doctor_options = {
	.verb = "doctor",
	.about =
		"Tells what this host can do and what stands in the way: a line for each\n"
		"finding (ok, warn, fail) and what to do about it. Nothing is changed.",
	.groups = (const struct option_group[]){ { own, 0 }, { 0 } },
	.more = more,
};

static const char *const words[] = { "ok", "warn", "fail" };

static void print_text(const struct doctor *d)
{
	char text[4 * sizeof(d->list->text)];
	size_t i;

	for (i = 0; i < d->nr; i++) {
		const struct finding *f = &d->list[i];

		safe_text(text, sizeof(text), f->text);
		printf("%-4s  %-14s  %s\n", words[f->verdict], f->subject,
		       text);
		if (*f->remedy)
			printf("%22s  %s\n", "->", f->remedy);
	}
}

static void print_json(const struct doctor *d)
{
	struct json_out j;
	size_t i;

	json_out_begin(&j, stdout, "vmmprof-doctor", 1);
	json_out_string(&j, "verdict", words[doctor_verdict(d)]);
	json_out_array(&j, "findings");
	for (i = 0; i < d->nr; i++) {
		const struct finding *f = &d->list[i];

		json_out_object(&j, NULL);
		json_out_string(&j, "verdict", words[f->verdict]);
		json_out_string(&j, "subject", f->subject);
		json_out_string(&j, "text", f->text);
		json_out_string(&j, "remedy", f->remedy);
		json_out_object_end(&j);
	}
	json_out_array_end(&j);
	json_out_object_end(&j);
}

static int examine(bool json)
{
	struct doctor d;
	int ret, err;

	ret = doctor_run(&d, "");
	doctor_guests(&d);
	if (ret || d.error) {
		fputs("vmmprof doctor: no memory\n", stderr);
		ret = EXIT_ERROR;
	} else {
		ret = doctor_verdict(&d) == VMMPROF_FAIL ? EXIT_ERROR : EXIT_OK;
		if (json)
			print_json(&d);
		else
			print_text(&d);
		err = io_flush(stdout);
		if (err) {
			fprintf(stderr, "vmmprof doctor: %s\n", strerror(-err));
			ret = EXIT_ERROR;
		}
	}
	doctor_deinit(&d);
	return ret;
}

int cmd_doctor(int argc, char **argv)
{
	bool json = false;
	int ret = options_parse(&doctor_options, &json, argc, argv);

	return ret >= 0 ? ret : examine(json);
}
